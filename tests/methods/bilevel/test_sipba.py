from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.errors import UsageError
from lunwen.methods.bilevel import BilevelProblem, box
from lunwen.methods.bilevel.sipba import (
    Settings,
    optimistic_value,
    pessimistic_value,
    sipba,
    smooth_value,
)

PLAIN = BilevelProblem(upper=lambda x, y: (x * y).sum(), lower=lambda x, y: ((y - x) ** 2).sum() / 2)
INTERVAL = BilevelProblem(  # S(x) = [-x, x]
    upper=lambda x, y: ((x - 1) ** 2 + y).sum(),
    lower=lambda x, y: ((y.abs() - x).relu() ** 2).sum(),
    project_x=box(0, 3),
)


def test_one_step_by_hand() -> None:
    settings_ = Settings(alpha0=0.1, beta0=0.1, rho0=2, sigma0=0.5)
    result = sipba(PLAIN, [1.0], [2.0], settings=settings_, steps=1)
    # y up: 1 - 2 (2 - 1) - .5 * 2 = -2, so 1.8; z down: 2 (2 - 1) - .5 (2 - 2) = 2, so 1.8
    assert result.y == pytest.approx([1.8])
    assert result.more["z"] == pytest.approx([1.8])
    # x: F_x = 1.8, and f_x is the same at y and z, so 1 - .1 * 1.8
    assert result.x == pytest.approx([0.82])
    assert result.n_gradients == 6
    assert result.history["residual"] == pytest.approx([2.0])


def test_steps_are_those_of_a_transcription_in_numpy() -> None:
    rng, n, s = np.random.default_rng(0), 3, Settings(p=0.1, q=0.2)
    x0, y0 = rng.uniform(0.1, 1, n), rng.uniform(0.3, 1, n)
    problem = BilevelProblem(
        upper=lambda x, y: ((x - 1) ** 2).sum() - ((y - 1) ** 2).sum(),
        lower=lambda x, y: (x.norm() - y.sum()) ** 2,
        project_x=box(0.1, 10),
        project_y=box(0.3),
    )
    x, y, z = x0, y0, y0
    for k in range(1, 41):
        alpha, beta, rho, sigma = 0.1 * k**-0.1, 1e-3 * k**-0.4, 10 * k**0.1, 0.01 * k**-0.2
        norm = np.linalg.norm(x)
        up = -2 * (y - 1) + rho * 2 * (norm - y.sum()) - sigma * z
        down = -2 * rho * (norm - z.sum()) - sigma * y + sigma * z
        y, z = np.maximum(y + beta * up, 0.3), np.maximum(z - beta * down, 0.3)
        in_x = 2 * (x - 1) - rho * 2 * (z.sum() - y.sum()) * x / norm
        x = np.clip(x - alpha * in_x, 0.1, 10)
    result = sipba(problem, x0, y0, settings=s, steps=40)
    assert result.x == pytest.approx(x, rel=1e-10)
    assert result.y == pytest.approx(y, rel=1e-10)


def test_it_converges_to_the_pessimistic_optimum_and_says_so() -> None:
    fixed = Settings(alpha0=0.02, beta0=0.02, p=0, q=0, s=0)
    result = sipba(INTERVAL, [2.0], [0.0], settings=fixed, steps=2000, tol=0.01)
    assert result.converged
    assert result.message == f"converged after {result.iterations} steps"
    assert result.x == pytest.approx([0.5], abs=0.02)  # d/dx (x - 1)^2 + x = 0; an optimist would take 1.5


@settings(deadline=None)  # a busy machine fails nothing
@given(x=st.floats(0.1, 2), rho=st.floats(1, 100))
def test_values_are_ordered_and_the_smooth_one_is_near(x: float, rho: float) -> None:
    points = x * np.linspace(-2, 2, 201)[:, None]
    worst = pessimistic_value(INTERVAL, [x], points)
    assert worst == pytest.approx((x - 1) ** 2 + x)
    assert optimistic_value(INTERVAL, [x], points) == pytest.approx((x - 1) ** 2 - x)
    smooth = smooth_value(INTERVAL, [x], points, rho=rho, sigma=1e-6)
    assert worst - 1e-4 <= smooth <= worst + 1 / (4 * rho) + 1e-4  # max_t t - rho t^2 = 1 / (4 rho)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Settings(rho0=0), "rho0 is 0. Give a number above 0"),
        (lambda: Settings(p=-1), "p is -1. Give a number of at least 0"),
        (lambda: Settings(s="a"), "s is 'a'. Give a number of at least 0"),
        (lambda: sipba(PLAIN, [1], [1], steps=0), "steps is 0. Give a whole number of at least 1"),
        (lambda: sipba(PLAIN, [1], [1], tol=-1), "tol is -1. Give a number of at least 0"),
        (lambda: pessimistic_value(PLAIN, [1], [[1.0]], tie=-1), "tie is -1. Give a number of at least 0"),
        (
            lambda: smooth_value(PLAIN, [1], [[1.0]], rho=-1, sigma=0),
            "rho is -1. Give a number of at least 0",
        ),
        (
            lambda: pessimistic_value(PLAIN, [1], [[1e200]]),
            "an objective is not finite at one of the points. Leave that point out",
        ),
        (
            lambda: pessimistic_value(PLAIN, [1], [1.0]),
            "points has shape (1,). Give shape (rows, columns)",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(call: object, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        call()  # type: ignore[operator]
    assert str(refusal.value) == message
