from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lunwen.errors import UsageError
from lunwen.methods.bilevel import BilevelProblem, box
from lunwen.methods.bilevel._dbgd_data import Problems, Way
from lunwen.methods.bilevel._problem import gradient
from lunwen.methods.bilevel.dbgd import _project, dbgd, dbgd_direction, stationarity

VALLEY = BilevelProblem(  # g's minimisers are the axis x_1 = 0
    upper=lambda x: ((x - 1) ** 2).sum() / 2, lower=lambda x: x[0] ** 2 / 2
)
VECTORS = arrays(np.float64, (2, 3), elements=st.floats(-10, 10, allow_subnormal=False))


def test_one_step_by_hand() -> None:
    result = dbgd(VALLEY, [2.0, 0.0], steps=1, p=0.0, step_const=0.5)
    # grad f = (1, -1), grad g = (2, 0), b = 1: lam = (4 - 2) / 4 = .5, d = (2, -1)
    assert result.history == {"direction": [5.0], "lower_residual": [4.0], "lam": [0.5]}
    assert result.more["last"] == pytest.approx([1.0, 0.5])
    assert result.more["lam"] == pytest.approx([0.5])
    assert result.n_gradients == 2
    assert result.message == "ended after 1 steps; |d|^2 5.0e+00, |grad g|^2 4.0e+00 at the best iterate"
    # of all lam >= 0 the best is 0, since the gradients agree
    assert stationarity(VALLEY, [2.0, 0.0]) == (2.0, 4.0, 0.0)


@given(gradients=VECTORS, b=st.floats(0, 1))
def test_the_direction_is_the_projection_onto_a_half_space(gradients: np.ndarray, b: float) -> None:
    gf, gg = torch.from_numpy(gradients)
    square = float(gg @ gg)
    d, lam = dbgd_direction(gf, gg, b)
    if square < 1e-6:
        return
    short = float(d @ gg) - b * square
    assert short >= -1e-9 * (1 + square)  # it is in the half-space,
    assert float(lam) >= 0  # moved along its normal only,
    assert abs(float(lam) * short) <= 1e-6 * (1 + square)  # and no further than to its edge


def test_a_lower_gradient_that_is_rounding_binds_nothing() -> None:
    for gg in (torch.zeros(2), torch.full((2,), -1e-15)):
        d, lam = dbgd_direction(torch.ones(2), gg, 0.5)
        assert d.tolist() == [1.0, 1.0]
        assert lam.tolist() == [0.0]
    assert stationarity(VALLEY, [0.0, 1.0]) == (1.0, 0.0, 0.0)  # the exact answer has no multiplier


def test_the_gradients_of_the_claims_are_those_of_their_problems() -> None:
    problems = Problems([0, 1])
    x = np.random.default_rng(0).standard_normal((1, 2, 20))
    by_hand = problems.gradients(x)
    for seed in (0, 1):
        problem, at = problems.problem(seed), torch.from_numpy(x[0, seed])
        for each, mine in zip((problem.upper, problem.lower), by_hand, strict=True):
            assert mine[0, seed] == pytest.approx(gradient(each, at)[0].numpy())
    run = dbgd(problems.problem(1), problems.x0[1], steps=30, p=1.0, step_const=0.01 * 30**0.25)
    want = Problems([1]).means(30, [Way(0.01, b=30**-0.25)], _project)[1]
    assert run.history["lower_residual"].mean() == pytest.approx(want[0, 0])


def test_steps_are_those_of_a_transcription_in_numpy() -> None:
    x, steps, p = np.array([1.0, -2.0]), 50, 2.0
    eta, b = 0.3 * steps ** (-1 / 5), steps ** (-2 / 5)
    for _ in range(steps):
        gf, gg = x - 1, np.array([np.sin(x[0]), 0.0])
        lam = max((b * (gg @ gg) - gf @ gg) / (gg @ gg), 0)
        x = x - eta * (gf + lam * gg)
    problem = BilevelProblem(upper=VALLEY.upper, lower=lambda x: -x[0].cos())
    result = dbgd(problem, [1.0, -2.0], steps=steps, p=p, step_const=0.3)
    assert result.more["last"] == pytest.approx(x, rel=1e-10)


def test_it_ends_at_the_tolerance_at_the_solution_of_a_convex_problem() -> None:
    result = dbgd(VALLEY, [2.0, -1.0], steps=4000, tol=(1e-4, 1e-4))
    assert result.converged
    assert result.x == pytest.approx([0.0, 1.0], abs=0.02)
    upper, lower, lam = stationarity(VALLEY, result.x)
    assert upper <= 1e-4
    assert lower <= 1e-4
    assert lam == pytest.approx((1 - result.x[0]) / result.x[0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"steps": 0}, "steps is 0. Give a whole number of at least 1"),
        ({"p": -1}, "p is -1. Give a number of at least 0"),
        ({"tol": np.array([-1.0, 1.0])}, "tol is -1.0. Give a number of at least 0, or eps_f and eps_g"),
        ({"tol": (1e-4,)}, "tol is (0.0001,). Give a number of at least 0, or eps_f and eps_g"),
        ({"tol": None}, "tol is None. Give a number of at least 0, or eps_f and eps_g"),
        ({"tol": np.inf}, "tol is inf. Give a finite number of at least 0, or eps_f and eps_g"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        dbgd(VALLEY, [1.0, 1.0], **settings)  # type: ignore[arg-type]
    assert str(refusal.value) == message


def test_what_the_method_cannot_heed_is_refused() -> None:
    boxed = BilevelProblem(VALLEY.upper, VALLEY.lower, project_x=box(0, 1))
    with pytest.raises(UsageError) as refusal:
        dbgd(boxed, [1.0, 1.0])
    assert str(refusal.value) == "the problem has a project_x, which dbgd does not heed. Leave it out"
    with pytest.raises(UsageError) as refusal:
        dbgd_direction(torch.ones(2), torch.ones(3), 0.5)
    assert str(refusal.value) == "gf has shape (2,), gg (3,). Give both as (..., n)"
    with pytest.raises(UsageError) as refusal:
        dbgd_direction(torch.ones(2), torch.ones(2), -1)
    assert str(refusal.value) == "b has shape (), least -1. Give a number >= 0, or (..., 1)"
