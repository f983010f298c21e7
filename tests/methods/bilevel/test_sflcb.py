import cvxpy as cp
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.errors import UsageError
from lunwen.methods.bilevel import BilevelProblem, LinearConstraint, box
from lunwen.methods.bilevel._sflcb_data import quadratic
from lunwen.methods.bilevel.sflcb import Settings, hyperobjective, sflcb


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


def test_bad_input_is_refused_in_one_line():
    with pytest.raises(UsageError) as caught:
        sflcb(clipped(), [1.0, 2.0])
    assert str(caught.value) == "x has 2 numbers, B 1 columns. Give as many"
    with pytest.raises(UsageError) as caught:
        Settings(delta=0)
    assert str(caught.value) == "delta is 0. Give a number above 0"
    with pytest.raises(UsageError) as caught:
        sflcb(clipped(), [1.0], steps=1.5)
    assert str(caught.value) == "steps is 1.5. Give a whole number of at least 1"
    with pytest.raises(UsageError) as caught:
        hyperobjective(clipped(), [1.0], -1)
    assert str(caught.value) == "delta is -1. Give a number of at least 0, 0 for Phi itself"
    with pytest.raises(UsageError) as caught:
        clipped(equal=[True, False])
    assert str(caught.value) == "equal is [True, False]. Give True, False, or one of them for each of 1 rows"
    impossible = BilevelProblem(
        lambda x, y: x @ x + y @ y,
        lambda _, y: y @ y,
        constraint=LinearConstraint([[1.0], [-1.0]], [[0.0], [0.0]], [-1.0, -1.0]),
    )
    with pytest.raises(UsageError, match=r"no y satisfies B x \+ A y <= b at this x; keep x where one does"):
        hyperobjective(impossible, [0.0])
