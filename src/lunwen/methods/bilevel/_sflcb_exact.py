"""A bilevel problem with linear constraints below, and its upper objective exactly, by quadratic programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from scipy.optimize import nnls
from torch import Tensor

from lunwen.errors import CouldNot, UsageError
from lunwen.methods._given import number, vector
from lunwen.methods.bilevel._problem import check_problem, gradient

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from lunwen.methods.bilevel._problem import BilevelProblem, LinearConstraint, Objective

    Array = NDArray[np.float64]


class Optimum(NamedTuple):
    """The exact lower optimum at one x, and what it makes of the upper objective."""

    value: float  # Phi(x), or Phi_delta(x)
    gradient: Array  # its gradient, (n,); at a kink, one of those beside it
    y: Array  # (m,)
    u: Array  # multipliers, (rows,)


def hyperobjective(problem: BilevelProblem, x: ArrayLike, delta: float = 0.0) -> Optimum:
    """Return Phi(x), or Phi_delta(x) where ``delta`` > 0: exact, by quadratic programs and KKT conditions.

    Raises:
        UsageError: x or delta does not fit, no y fits x, or the lower objective is not strongly convex.
        CouldNot: Newton's steps did not settle.
    """
    check_problem("hyperobjective", problem, {"project_x", "constraint"})
    h = problem.constraint
    assert h is not None
    f, g, B = problem.upper, problem.lower, h.B.numpy()
    number("delta", delta, least=0, hint="0 for Phi itself")
    at = _tensor(vector("x", x))
    d = -h.excess(at).numpy()
    z, v = _minimise(lambda y: g(at, y), h, d)
    if not delta:
        fx, fy = (part.numpy() for part in gradient(f, at, _tensor(z)))
        blocks = _second(g, at, _tensor(z))
        on = (v > 0) | h.equal.numpy()
        p, w = _kkt(blocks[1][1].numpy(), h.A.numpy()[on], fy, np.zeros(on.sum()))
        slope = fx - blocks[1][0].numpy().T @ p - B[on].T @ w  # dy*/dx, transposed, on grad_y f
        return Optimum(float(f(at, _tensor(z))), slope, z, v)
    y, u = _minimise(lambda y: delta * f(at, y) + g(at, y), h, d)
    ahead, behind = _tensor(y), _tensor(z)
    apart = gradient(g, at, ahead)[0] - gradient(g, at, behind)[0]
    upward = gradient(f, at, ahead)[0] + apart / delta
    slope = upward.numpy() + B.T @ (u - v) / delta  # Danskin
    return Optimum(float(f(at, ahead) + (g(at, ahead) - g(at, behind)) / delta), slope, y, u)


def _minimise(objective: Callable[[Tensor], Tensor], h: LinearConstraint, d: Array) -> tuple[Array, Array]:
    """Return the minimiser under ``A y <= d`` and the multipliers, by Newton's quadratic programs."""
    y, inside = np.zeros(h.A.shape[1]), False
    for _ in range(50):
        at = _tensor(y)
        ahead = gradient(objective, at)[0].numpy()
        H = _second(objective, at)[0][0].numpy()
        target, u = _quadratic_program(H, ahead - H @ y, h, d)
        step = target - y
        if np.linalg.norm(step) <= 1e-9 * (1 + np.linalg.norm(y)):
            return target, u
        length, now = 1.0, float(objective(at))
        enough = 1e-4 * (ahead @ step)  # Armijo's rule, but for what rounding adds
        while (
            inside
            and float(objective(_tensor(y + length * step))) > now + length * enough + 1e-12 * (1 + abs(now))
            and length > 1e-9
        ):
            length /= 2
        y, inside = y + length * step, True
    raise CouldNot(
        "the lower problem was not solved in 50 Newton steps; scale its objective, or start nearer"
    )


def _quadratic_program(H: Array, q: Array, h: LinearConstraint, d: Array) -> tuple[Array, Array]:
    """Return argmin ½ y'Hy + q'y under ``A y <= d`` and its multipliers, exact to rounding.

    As a least-distance problem by non-negative least squares (Lawson and Hanson, Solving Least Squares
    Problems, 1974, ch. 23), which finds the active rows; then by their equations.
    """
    A, equal = h.A.numpy(), h.equal.numpy()
    try:
        root = np.linalg.inv(np.linalg.cholesky(H))
    except np.linalg.LinAlgError:
        raise UsageError(
            "the lower objective is not strongly convex in y; add a multiple of ||y||^2"
        ) from None
    rows = np.vstack((A, -A[equal])) @ root.T
    far = np.concatenate((d, -d[equal])) + rows @ (root @ q)
    E = np.vstack((-rows.T, -far / max(1.0, np.abs(far).max(initial=0.0))))
    weights, _ = nnls(E, np.eye(len(E))[-1])
    if 1 - E[-1] @ weights < 1e-12:
        raise UsageError("no y satisfies B x + A y <= b at this x; keep x where one does, by project_x")
    on = (weights[: len(A)] > 0) | equal
    y, active = _kkt(H, A[on], -q, d[on])
    u = np.zeros(len(A))
    u[on] = active
    return y, u


def _kkt(H: Array, A: Array, q: Array, d: Array) -> tuple[Array, Array]:
    """Solve ``[H A'; A 0] [p; w] = [q; d]``; rows that repeat each other share w."""
    K = np.block([[H, A.T], [A, np.zeros((len(A), len(A)))]])
    both = np.linalg.lstsq(K, np.concatenate((q, d)), rcond=None)[0]
    return both[: len(q)], both[len(q) :]


def _second(objective: Objective, *point: Tensor) -> tuple[tuple[Tensor, ...], ...]:
    """Return the second derivatives, a block for each two arguments."""
    blocks: tuple[tuple[Tensor, ...], ...] = torch.autograd.functional.hessian(  # type: ignore[no-untyped-call]
        objective, point, vectorize=True
    )
    return blocks


def _tensor(y: Array) -> Tensor:
    return torch.from_numpy(y)
