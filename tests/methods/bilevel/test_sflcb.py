from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.errors import UsageError
from lunwen.methods.bilevel import BilevelProblem, LinearConstraint, box
from lunwen.methods.bilevel._sflcb_data import quadratic
from lunwen.methods.bilevel._sflcb_race import DELTA, fewest, slopes, square
from lunwen.methods.bilevel.sflcb import Settings, _play, hyperobjective, sflcb


def clipped(**more):
    """y* = min(2 x, x): under y <= x; f = (y - 2)^2 + x^2 there is (x - 2)^2 + x^2 for x >= 0, least at 1."""
    return BilevelProblem(
        lambda x, y: ((y - 2) ** 2).sum() + x @ x,
        lambda x, y: ((y - 2 * x) ** 2).sum(),
        project_x=box(0, 3),
        constraint=LinearConstraint([[1.0]], [[-1.0]], [0.0], **more),
    )


@pytest.mark.parametrize("equal", [False, True])
def test_a_problem_solved_by_hand(equal):
    exact = hyperobjective(clipped(equal=equal), [1.0])
    assert (exact.value, exact.y, exact.u) == (pytest.approx(2), pytest.approx([1]), pytest.approx([2]))
    assert exact.gradient == pytest.approx([0], abs=1e-12)
    result = sflcb(clipped(equal=equal), [2.5], settings=Settings(lr=0.1, lr_x=0.3), tol=1e-8)
    assert result.converged
    assert (result.x, result.y, result.more["z"]) == tuple(pytest.approx([1], abs=1e-6) for _ in range(3))
    assert result.more["v"] == pytest.approx([2], abs=1e-6)
    assert result.n_gradients == 3 * result.iterations
    assert result.history["violation"][-1] < 1e-7
    begun = sflcb(clipped(equal=equal), [2.5], steps=1)
    moved, off = begun.history["residual"][0], begun.history["violation"][0]
    assert (
        begun.message
        == f"ended after 1 steps; still moving, residual {moved:.2g}; constraints off by {off:.2g}"
    )
    assert off == pytest.approx(abs(begun.y - begun.x)[0] if equal else max(0, begun.y[0] - begun.x[0]))


def test_one_step_is_the_paper_s():
    problem, x, y = quadratic(3), torch.full((4,), 0.5).double(), torch.zeros(10).double()
    delta, rho, lr = 0.1, 1.5, 0.02

    def h(x, y):
        return problem.constraint.excess(x) + problem.constraint.A @ y

    slack = h(x, y).clamp(max=0)
    parts = [part.clone().requires_grad_() for part in (x, y, slack, y, slack, *torch.zeros(2, 6).double())]
    x_, y_, s, z_, t, u, v = parts
    r, q = h(x_, y_) - s, h(x_, z_) - t
    lagrangian = delta * problem.upper(x_, y_) + problem.lower(x_, y_) - problem.lower(x_, z_)
    lagrangian += u @ r + rho / 2 * r @ r - v @ q - rho / 2 * q @ q
    steps = zip(parts, (-1, -1, -1, 1, 1, 1, -1), torch.autograd.grad(lagrangian, parts), strict=True)
    want = [(part + sign * lr * slope).detach().numpy() for part, sign, slope in steps]
    got = sflcb(problem, x.numpy(), settings=Settings(delta=delta, rho=rho, lr=lr), steps=1)
    for have, which in ((got.x, 0), (got.y, 1), (got.more["z"], 3), (got.more["u"], 5), (got.more["v"], 6)):
        assert have == pytest.approx(want[which], abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 50), st.lists(st.floats(-2, 2), min_size=4, max_size=4), st.sampled_from([0.0, 0.1]))
def test_the_exact_solution_is_osqp_s_and_its_gradient_the_slope_of_its_value(seed, x, delta):
    problem, zero = quadratic(seed), torch.zeros(10).double()
    exact = hyperobjective(problem, x)
    lower = lambda y: problem.lower(torch.tensor(x).double(), y)  # noqa: E731
    curved = torch.autograd.functional.hessian(lower, zero).numpy()
    q = torch.autograd.functional.jacobian(lower, zero).numpy()
    y = cp.Variable(10)
    rows = problem.constraint.A.numpy() @ y <= -problem.constraint.excess(torch.tensor(x).double()).numpy()
    cp.Problem(cp.Minimize(cp.quad_form(y, cp.psd_wrap(curved)) / 2 + q @ y), [rows]).solve(
        solver="OSQP", eps_abs=1e-10, eps_rel=1e-10, max_iter=100_000
    )
    assert exact.y == pytest.approx(y.value, abs=1e-6)
    assert exact.u == pytest.approx(rows.dual_value, abs=1e-5)
    near, ahead = hyperobjective(problem, x, delta), np.array(x) + 1e-5
    after = hyperobjective(problem, ahead, delta)
    if ((after.u > 0) == (near.u > 0)).all():  # no kink in between
        change = (near.gradient + after.gradient).sum() / 2 * 1e-5
        assert after.value - near.value == pytest.approx(change, rel=1e-4, abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 50), st.floats(-9, 9), st.lists(st.floats(-9, 9), min_size=6, max_size=6))
def test_the_exact_solution_does_not_depend_on_units(seed, decades, row_decades):
    problem, scale, rows = quadratic(seed), 10.0**decades, 10.0 ** np.array(row_decades)
    h, x = problem.constraint, np.random.default_rng(seed).standard_normal(4)
    other = BilevelProblem(
        problem.upper,
        lambda x, y: scale * problem.lower(x, y),
        constraint=LinearConstraint(
            rows[:, None] * h.A.numpy(), rows[:, None] * h.B.numpy(), rows * h.b.numpy()
        ),
    )
    one, same = hyperobjective(problem, x), hyperobjective(other, x)
    assert (same.value, same.y, same.gradient) == tuple(
        pytest.approx(part, abs=1e-10) for part in (one.value, one.y, one.gradient)
    )
    assert same.u * rows / scale == pytest.approx(one.u, abs=1e-10)


@pytest.mark.parametrize("inner", [1, 3])
def test_gradients_are_counted_to_the_step(inner):
    keys, goals, path = [(0, 0), (1, 1)], (2.0, 1.0), []

    def play(problem, x0, settings, callback):
        def tell(now):
            path.append((now.n_gradients, now.x.reshape(-1, 4)))
            return callback(now)

        _play(problem, x0, settings, inner=inner, callback=tell)

    found = fewest(play, [Settings(delta=DELTA, lr=0.2, lr_x=2)], keys, goals, 600)
    assert found.max() < 600
    for k, row in enumerate(found):
        along = [np.linalg.norm(hyperobjective(square(keys[k]), x[k], DELTA).gradient) for _, x in path]
        assert slopes(keys[k], np.stack([x[k] for _, x in path])) == pytest.approx(along, rel=1e-9)
        firsts = [next(at for (at, _), far in zip(path, along, strict=True) if far <= goal) for goal in goals]
        assert row.tolist() == firsts


def no(**more):
    return LinearConstraint(**({"A": [[1.0], [-1.0]], "B": [[0.0], [0.0]], "b": [-1.0, -1.0]} | more))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sflcb(clipped(), [1.0, 2.0]), "x has 2 numbers, B 1 columns. Give as many"),
        (lambda: Settings(delta=0), "delta is 0. Give a number above 0"),
        (lambda: sflcb(clipped(), [1.0], settings={}), "settings is {}. Give Settings(...)"),
        (lambda: sflcb(clipped(), [1.0], steps=1.5), "steps is 1.5. Give a whole number of at least 1"),
        (
            lambda: sflcb(clipped(), [1.0], warm=(1, 2)),
            "warm is not of this problem. Give what hyperobjective(problem, x0) returns",
        ),
        (
            lambda: sflcb(replace(clipped(), upper=lambda *_: torch.tensor(1.0)), [1.0]),
            (
                "an objective does not depend on its arguments by torch operations. "
                "Leave out detach, item and numpy; as a constant give 0 * x.sum()"
            ),
        ),
        (
            lambda: sflcb(replace(clipped(), upper=lambda _, y: y.abs().sqrt().sum()), [1.0]),
            "upper has no finite gradient at the start. Start elsewhere, by x0 or warm",
        ),
        (
            lambda: hyperobjective(clipped(), [1.0], -1),
            "delta is -1. Give a number of at least 0, 0 for Phi itself",
        ),
        (
            lambda: clipped(equal=[True, False]),
            "equal is [True, False]. Give True, False, or one of them for each of 1 rows",
        ),
        (
            lambda: hyperobjective(replace(clipped(), constraint=no()), [0.0]),
            "no y satisfies B x + A y <= b at this x; keep x where one does, by project_x",
        ),
        (
            lambda: hyperobjective(replace(clipped(), lower=lambda x, y: (y * x).sum()), [0.0]),
            "the lower objective is not strongly convex in y; add a multiple of ||y||^2",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(call, message):
    with pytest.raises(UsageError) as caught:
        call()
    assert str(caught.value) == message


def test_a_run_that_diverges_says_so():
    problem = quadratic(0)
    result = sflcb(problem, np.ones(4), settings=Settings(lr=0.9), steps=2000)
    assert result.message.endswith("it diverges, choose smaller steps")
    assert result.iterations < 200
