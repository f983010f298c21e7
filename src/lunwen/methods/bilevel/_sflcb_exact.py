"""A bilevel problem with linear constraints below, and its upper objective exactly, by quadratic programs."""

from __future__ import annotations

from dataclasses import dataclass
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
        CouldNot: Newton's steps did not settle, or rounding kept the constraints from being kept.
    """
    check_problem("hyperobjective", problem, {"project_x", "constraint"})
    h = problem.constraint
    assert h is not None
    f, g, B = problem.upper, problem.lower, h.B.numpy()
    number("delta", delta, least=0, hint="0 for Phi itself")
    at = _tensor(vector("x", x))
    d = -h.excess(at).numpy()
    z, v, on = _minimise(lambda y: g(at, y), h, d)
    if not delta:
        fx, fy = (part.numpy() for part in gradient(f, at, _tensor(z)))
        across, H = (block.numpy() for block in _second(g, at, _tensor(z))[1])  # d^2 g / dy dx, / dy dy
        p, w = _Metric.of(H, h).projected(fy, on)
        slope = fx - across.T @ p - B.T @ w  # dy*/dx, transposed, on grad_y f
        return Optimum(float(f(at, _tensor(z))), slope, z, v)
    y, u, _ = _minimise(lambda y: delta * f(at, y) + g(at, y), h, d)
    ahead, behind = _tensor(y), _tensor(z)
    apart = gradient(g, at, ahead)[0] - gradient(g, at, behind)[0]
    upward = gradient(f, at, ahead)[0] + apart / delta
    slope = upward.numpy() + B.T @ (u - v) / delta  # Danskin
    return Optimum(float(f(at, ahead) + (g(at, ahead) - g(at, behind)) / delta), slope, y, u)


def _minimise(
    objective: Callable[[Tensor], Tensor], h: LinearConstraint, d: Array
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return the minimiser under ``A y <= d``, the multipliers and the active rows, by Newton's programs."""
    y, inside = np.zeros(h.A.shape[1]), False
    ahead = gradient(objective, _tensor(y))[0].numpy()
    for _ in range(50):
        H = _second(objective, _tensor(y))[0][0].numpy()
        if not (np.abs(ahead).max() < 1e100 and np.abs(H).max() < 1e100):
            raise UsageError("the lower objective is too steep or not finite here; give an x nearer to 0")
        metric = _Metric.of(H, h)
        target, u, on = metric.least(H @ y - ahead, d)
        step, there = target - y, gradient(objective, _tensor(target))[0].numpy()
        left = np.linalg.norm(metric.newton(there - ahead - H @ step))  # how far the next step would go
        if left <= 1e-9 * (1 + np.linalg.norm(target)):
            return target, u, on
        length, now = 1.0, float(objective(_tensor(y)))
        enough = 1e-4 * (ahead @ step)  # Armijo's rule, but for what rounding adds
        while (
            inside
            and float(objective(_tensor(y + length * step))) > now + length * enough + 1e-12 * (1 + abs(now))
            and length > 1e-9
        ):
            length /= 2
        y, inside = y + length * step, True
        ahead = there if length == 1 else gradient(objective, _tensor(y))[0].numpy()
    raise CouldNot(
        "the lower problem was not solved in 50 Newton steps; scale its objective, or start nearer"
    )


@dataclass(frozen=True, slots=True)
class _Metric:
    """``y = root' w`` makes of ½ y'Hy ½ |w|^2; the rows of A are scaled to length 1 there.

    So nothing depends on the units in which y, the objective and each constraint are given.
    """

    root: Array  # (m, m), root H root' = I
    W: Array  # (rows, m)
    size: Array  # (rows,), what a row was divided by
    equal: NDArray[np.bool_]  # (rows,)

    @classmethod
    def of(cls, H: Array, h: LinearConstraint) -> _Metric:
        try:
            root = np.linalg.inv(np.linalg.cholesky(H))
        except np.linalg.LinAlgError:
            raise UsageError(
                "the lower objective is not strongly convex in y; add a multiple of ||y||^2"
            ) from None
        W = h.A.numpy() @ root.T
        size = np.linalg.norm(W, axis=1)
        size[size == 0] = 1.0
        return cls(root, W / size[:, None], size, h.equal.numpy())

    def newton(self, q: Array) -> Array:
        """Return H^-1 q."""
        return self.root.T @ (self.root @ q)

    def least(self, q: Array, d: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return argmin ½ y'Hy - q'y under ``A y <= d``, its multipliers and active rows, exact to rounding.

        As a least-distance problem by non-negative least squares (Lawson and Hanson, Solving Least Squares
        Problems, 1974, ch. 23), which finds the active rows; then by their equations.
        """
        free = self.root @ q
        far = d / self.size - self.W @ free  # what W w may be at most, w counted from the free optimum
        scale = np.abs(far).max(initial=0.0) or 1.0
        rows = np.vstack((self.W, -self.W[self.equal]))
        E = np.vstack((-rows.T, -np.concatenate((far, -far[self.equal])) / scale))
        weights, _ = nnls(E, np.eye(len(E))[-1])
        if 1 - E[-1] @ weights < 1e-12:
            raise UsageError("no y satisfies B x + A y <= b at this x; keep x where one does, by project_x")
        on = (weights[: len(far)] > 0) | self.equal
        w = np.linalg.lstsq(self.W[on], far[on], rcond=None)[0]
        over = self.W @ w - far
        if max(over.max(initial=0.0), np.abs(over[on]).max(initial=0.0)) > 1e-6 * scale:
            raise CouldNot("the lower problem's constraints are too nearly parallel; leave out or join some")
        u = np.zeros(len(far))
        u[on] = -np.linalg.lstsq(self.W[on].T, w, rcond=None)[0] / self.size[on]
        return self.root.T @ (free + w), u, on

    def projected(self, q: Array, on: NDArray[np.bool_]) -> tuple[Array, Array]:
        """Return argmin ½ p'Hp - q'p where no row that is ``on`` moves, and the multipliers."""
        free, w = self.root @ q, np.zeros(len(self.size))
        w[on] = np.linalg.lstsq(self.W[on].T, free, rcond=None)[0]
        return self.root.T @ (free - self.W.T @ w), w / self.size


def _second(objective: Objective, *point: Tensor) -> tuple[tuple[Tensor, ...], ...]:
    """Return the second derivatives, a block for each two arguments."""
    blocks: tuple[tuple[Tensor, ...], ...] = torch.autograd.functional.hessian(  # type: ignore[no-untyped-call]
        objective, point, vectorize=True
    )
    return blocks


def _tensor(y: Array) -> Tensor:
    return torch.from_numpy(y)
