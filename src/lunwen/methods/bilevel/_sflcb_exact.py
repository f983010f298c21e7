"""A bilevel problem with linear constraints below, and its upper objective exactly, by quadratic programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from scipy.optimize import nnls
from torch import Tensor

from lunwen.errors import CouldNot, UsageError
from lunwen.methods.bilevel._problem import EVERYWHERE, Run, check_function, is_number, start

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from lunwen.methods.bilevel._problem import Objective, Projection

    Array = NDArray[np.float64]


class LinearlyConstrainedBilevel:
    """``min_x upper(x, y)`` over X, where y minimises ``lower(x, .)`` subject to ``B x + A y <= b``.

    Args:
        upper: f.
        lower: g, strongly convex in y.
        A: (rows, m).
        B: (rows, n).
        b: (rows,).
        project_x: the projection onto X.
        equal: which rows are equalities, (rows,); or one answer for all.

    Raises:
        UsageError: not finite numbers, or shapes that do not fit.
    """

    def __init__(
        self,
        upper: Objective,
        lower: Objective,
        A: ArrayLike,
        B: ArrayLike,
        b: ArrayLike,
        project_x: Projection = EVERYWHERE,
        *,
        equal: ArrayLike = False,
    ) -> None:
        for name, each in (("upper", upper), ("lower", lower), ("project_x", project_x)):
            check_function(name, each)
        self.upper, self.lower, self.project_x = upper, lower, project_x
        self.A, self.B, self.b = _finite("A", A, 2), _finite("B", B, 2), _finite("b", b, 1)
        rows = len(self.b)
        if len(self.A) != rows or len(self.B) != rows:
            raise UsageError(
                f"A has {len(self.A)} rows, B {len(self.B)}, b {rows}; give all three a row per constraint"
            )
        which = np.asarray(equal)
        if which.dtype != bool or which.shape not in {(), (rows,)}:
            raise UsageError(
                f"equal is {equal!r}; give True, False, or one of them for each of the {rows} rows"
            )
        self.equal = torch.tensor(np.broadcast_to(which, (rows,)).copy())

    def excess(self, x: Tensor) -> Tensor:
        """Return ``B x - b``, (rows,): h(x, y) without ``A y``.

        Raises:
            UsageError: x does not fit B.
        """
        if len(x) != self.B.shape[1]:
            raise UsageError(f"x has {len(x)} numbers; B has {self.B.shape[1]} columns, give as many")
        return self.B @ x - self.b


class Optimum(NamedTuple):
    """The exact lower optimum at one x, and what it makes of the upper objective."""

    value: float  # Phi(x), or Phi_delta(x)
    gradient: Array  # its gradient, (n,); at a kink, one of those beside it
    y: Array  # (m,)
    u: Array  # multipliers, (rows,)


def hyperobjective(problem: LinearlyConstrainedBilevel, x: ArrayLike, delta: float = 0.0) -> Optimum:
    """Return Phi(x), or Phi_delta(x) where ``delta`` > 0: exact, by quadratic programs and KKT conditions.

    Raises:
        UsageError: x or delta does not fit, no y fits x, or the lower objective is not strongly convex.
        CouldNot: Newton's steps did not settle.
    """
    f, g, B = problem.upper, problem.lower, problem.B.numpy()
    if not is_number(delta, least=0):
        raise UsageError(f"delta is {delta}; give a finite number above 0, or 0 for Phi itself")
    at, run = start("x", x), Run()
    d = -problem.excess(at).numpy()
    z, v = _minimise(lambda y: g(at, y), problem, d)
    if not delta:
        fx, fy = (part.numpy() for part in run.gradient(f, at, _tensor(z)))
        blocks = _second(g, at, _tensor(z))
        on = (v > 0) | problem.equal.numpy()
        p, w = _kkt(blocks[1][1].numpy(), problem.A.numpy()[on], fy, np.zeros(on.sum()))
        gradient = fx - blocks[1][0].numpy().T @ p - B[on].T @ w  # dy*/dx, transposed, on grad_y f
        return Optimum(float(f(at, _tensor(z))), gradient, z, v)
    y, u = _minimise(lambda y: delta * f(at, y) + g(at, y), problem, d)
    ahead, behind = _tensor(y), _tensor(z)
    apart = run.gradient(g, at, ahead)[0] - run.gradient(g, at, behind)[0]
    upward = run.gradient(f, at, ahead)[0] + apart / delta
    gradient = upward.numpy() + B.T @ (u - v) / delta  # Danskin
    return Optimum(float(f(at, ahead) + (g(at, ahead) - g(at, behind)) / delta), gradient, y, u)


def _minimise(
    objective: Callable[[Tensor], Tensor], problem: LinearlyConstrainedBilevel, d: Array
) -> tuple[Array, Array]:
    """Return the minimiser under ``A y <= d`` and the multipliers, by Newton's quadratic programs."""
    y, inside = np.zeros(problem.A.shape[1]), False
    for _ in range(50):
        at = _tensor(y)
        ahead = Run().gradient(objective, at)[0].numpy()
        H = _second(objective, at)[0][0].numpy()
        target, u = _quadratic_program(H, ahead - H @ y, problem, d)
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


def _quadratic_program(
    H: Array, q: Array, problem: LinearlyConstrainedBilevel, d: Array
) -> tuple[Array, Array]:
    """Return argmin ½ y'Hy + q'y under ``A y <= d`` and its multipliers, exact to rounding.

    As a least-distance problem by non-negative least squares (Lawson and Hanson, Solving Least Squares
    Problems, 1974, ch. 23), which finds the active rows; then by their equations.
    """
    A, equal = problem.A.numpy(), problem.equal.numpy()
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


def _finite(name: str, values: ArrayLike, ndim: int) -> Tensor:
    kind = "matrix" if ndim == 2 else "vector"
    try:
        array = np.array(values.numpy(force=True) if isinstance(values, Tensor) else values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name} is not made of numbers; give a {kind} of finite numbers") from None
    if array.ndim != ndim or not array.size or not np.isfinite(array).all():
        right = array.ndim == ndim and array.size
        given = "NaN or infinity in it" if right else f"shape {array.shape}"
        raise UsageError(f"{name} has {given}; give a {kind} of finite numbers, a row for each constraint")
    return _tensor(array)
