from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.errors import UsageError
from lunwen.methods.bilevel import BilevelProblem, box
from lunwen.methods.bilevel._sipba_data import interval, synthetic
from lunwen.methods.bilevel._sipba_mail import COSTLY, PRICE, REACH, WHIMS, Mail
from lunwen.methods.bilevel.sipba import Settings, optimistic_value, pessimistic_value, sipba, smooth_value

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN = BilevelProblem(upper=lambda x, y: (x * y).sum(), lower=lambda x, y: ((y - x) ** 2).sum() / 2)
INTERVAL = BilevelProblem(  # S(x) = [-x, x]
    upper=lambda x, y: ((x - 1) ** 2 + y).sum(),
    lower=lambda x, y: ((y.abs() - x).relu() ** 2).sum(),
    project_x=box(0, 3),
)
STEPS = Settings(alpha0=0.1, beta0=0.001, sigma0=0.01)


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
    assert result.history["excess"] == pytest.approx([0.0])


def test_steps_are_those_of_a_transcription_in_numpy() -> None:
    rng, n, s = np.random.default_rng(0), 3, Settings(alpha0=0.1, beta0=0.001, sigma0=0.01, p=0.1, q=0.2)
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
    result = sipba(INTERVAL, [2.0], [0.0], settings=Settings(alpha0=0.02, beta0=0.02))
    assert result.converged
    assert result.message == f"converged after {result.iterations} steps"
    assert result.x == pytest.approx([0.5], abs=0.02)  # d/dx (x - 1)^2 + x = 0; an optimist would take 1.5
    assert result.history["excess"][-1] == pytest.approx(0.0025, abs=1e-4)  # (1 / (2 rho))^2


def test_a_penalty_too_small_for_the_upper_objective_is_seen_in_the_excess() -> None:
    dear = BilevelProblem(lambda x, y: 100 * INTERVAL.upper(x, y), INTERVAL.lower, project_x=box(0, 3))
    for rho0, excess in ((10, 25), (1000, 0.0025)):
        steps = Settings(alpha0=0.2 / rho0, beta0=0.2 / rho0, rho0=rho0)
        result = sipba(dear, [2.0], [0.0], settings=steps, steps=2000, tol=0)
        assert result.history["excess"][-1] == pytest.approx(excess, rel=0.1)


def test_steps_that_leave_the_follower_behind_do_not_pass_for_an_answer() -> None:
    result = sipba(INTERVAL, [2.0], [0.0], settings=STEPS, steps=3000)
    assert result.x == pytest.approx([1.0], abs=0.01)  # where F is least if nobody answers
    assert not result.converged
    assert result.message == (
        "ended after 3000 steps; residual 1.0e+00 (at first 2.0e+00) is above tol; "
        "if it does not fall, alpha0 is too large or beta0 not near 1 / (rho0 |f_yy|)"
    )


@pytest.mark.parametrize("course", [interval, lambda seeds: synthetic(3, seeds)])
def test_problems_side_by_side_are_each_as_if_alone(course: Callable[[list[int]], Any]) -> None:
    both, alone = (sipba(*course(seeds).game, settings=STEPS, steps=20) for seeds in ([0, 1], [1]))
    assert both.x[len(alone.x) :] == pytest.approx(alone.x, rel=1e-12)


def test_exact_answers_of_the_senders_are_those_of_brute_force() -> None:
    mail, x = Mail([0], 1), np.random.default_rng(0).standard_normal(COSTLY + WHIMS + 1)
    corners = np.array(list(product((-REACH, REACH), repeat=WHIMS)))
    points = mail.y0 + np.hstack((np.tile(-x[:COSTLY] / PRICE, (len(corners), 1)), corners))
    costs = [float(mail.problem.lower(x, y)) for y in points]
    assert costs == pytest.approx([costs[0]] * len(costs))
    assert costs[0] <= min(float(mail.problem.lower(x, points[0] + d)) for d in torch.eye(8).numpy() / 100)
    for side, value in ((-1.0, pessimistic_value), (1.0, optimistic_value)):
        assert mail.value(x, side)[0] == pytest.approx(value(mail.problem, x, points, tie=1e-9))


@settings(deadline=None)  # a busy machine fails nothing
@given(x=st.floats(0.1, 2), rho=st.floats(1, 100))
def test_values_are_ordered_and_the_smooth_one_is_near(x: float, rho: float) -> None:
    points = x * np.linspace(-2, 2, 201)[:, None]
    worst = pessimistic_value(INTERVAL, [x], points, tie=1e-9)
    assert worst == pytest.approx((x - 1) ** 2 + x)
    assert optimistic_value(INTERVAL, [x], points, tie=1e-9) == pytest.approx((x - 1) ** 2 - x)
    branching = BilevelProblem(lambda x, y: INTERVAL.upper(x, y) + max(y.item() - 9, 0), INTERVAL.lower)
    assert pessimistic_value(branching, [x], points[::50], tie=1e-9) == pytest.approx(worst)
    smooth = smooth_value(INTERVAL, [x], points, rho=rho, sigma=1e-6)
    assert worst - 1e-4 <= smooth <= worst + 1 / (4 * rho) + 1e-4  # max_t t - rho t^2 = 1 / (4 rho)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sipba(PLAIN, [1], [1], settings={}),  # type: ignore[arg-type]
            "settings is {}. Give Settings(alpha0=..., beta0=...)",
        ),
        (lambda: Settings(alpha0=1, beta0=1, rho0=0), "rho0 is 0. Give a number above 0"),
        (lambda: Settings(alpha0=1, beta0=1, p=-1), "p is -1. Give a number of at least 0"),
        (lambda: Settings(alpha0=1, beta0=1, s="a"), "s is 'a'. Give a number of at least 0"),
        (
            lambda: sipba(PLAIN, [1], [1], settings=STEPS, steps=0),
            "steps is 0. Give a whole number of at least 1",
        ),
        (lambda: sipba(PLAIN, [1], [1], settings=STEPS, tol=-1), "tol is -1. Give a number of at least 0"),
        (lambda: pessimistic_value(PLAIN, [1], [[1.0]], tie=-1), "tie is -1. Give a number of at least 0"),
        (
            lambda: smooth_value(PLAIN, [1], [[1.0]], rho=-1, sigma=0),
            "rho is -1. Give a number of at least 0",
        ),
        (
            lambda: pessimistic_value(PLAIN, [1], [[1e200]], tie=0),
            "an objective is not finite at one of the points. Leave that point out",
        ),
        (
            lambda: pessimistic_value(PLAIN, [1], [1.0], tie=0),
            "points has shape (1,). Give shape (rows, columns)",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(call: object, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        call()  # type: ignore[operator]
    assert str(refusal.value) == message
