"""What a bilevel problem is worth at x, found by trying all of the given answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from lunwen.errors import UsageError
from lunwen.methods._given import matrix, number, vector
from lunwen.methods.bilevel._problem import check_problem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    from lunwen.methods.bilevel._problem import BilevelProblem, Objective


def pessimistic_value(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor, *, tie: float
) -> float:
    """Return the largest F(x, y) over the minimisers of f(x, .) among ``points`` (k, m), by trying all.

    Lower values within ``tie`` of the least count as minimal: 1e-9 where the points have those of S(x) among
    them to rounding, else as much as f changes from a point to the next; too small a tie leaves one point.

    Raises:
        UsageError: x is not a finite vector, the points are not finite rows, or the tie is negative.
    """
    return float(_answers(problem, x, points, tie).max())


def optimistic_value(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor, *, tie: float
) -> float:
    """Return the smallest F(x, y) over the minimisers of f(x, .) among ``points`` (k, m), by trying all.

    Lower values within ``tie`` of the least count as minimal: 1e-9 where the points have those of S(x) among
    them to rounding, else as much as f changes from a point to the next; too small a tie leaves one point.

    Raises:
        UsageError: x is not a finite vector, the points are not finite rows, or the tie is negative.
    """
    return float(_answers(problem, x, points, tie).min())


def smooth_value(
    problem: BilevelProblem,
    x: ArrayLike | Tensor,
    points: ArrayLike | Tensor,
    *,
    rho: float,
    sigma: float,
) -> float:
    """Return phi_{rho,sigma}(x), with y and z among ``points`` (k, m), by trying all pairs.

    Raises:
        UsageError: x is not a finite vector, the points are not finite rows, or a weight is negative.
    """
    rho, sigma = number("rho", rho, least=0), number("sigma", sigma, least=0)
    F, f = _tried(problem, x, points)
    rows = matrix("points", points)
    own = rho * f + sigma / 2 * (rows**2).sum(1)  # (k,) the terms of z alone
    psi = (F - rho * f)[None, :] + own[:, None] - sigma * rows @ rows.T  # (z, y), eq. (1)
    return float(psi.max(axis=1).min())


def _answers(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor, tie: float
) -> NDArray[np.float64]:
    """Return F(x, y) of the minimisers of f(x, .) alone."""
    tie = number("tie", tie, least=0)
    F, f = _tried(problem, x, points)
    return np.compress(f <= f.min() + tie, F)


def _tried(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return F(x, y) and f(x, y) of every point."""
    check_problem("brute force", problem, {"project_x", "project_y"})
    at, rows = torch.from_numpy(vector("x", x)), torch.from_numpy(matrix("points", points))
    F, f = (_of_each(objective, at, rows) for objective in (problem.upper, problem.lower))
    if not (np.isfinite(F).all() and np.isfinite(f).all()):
        raise UsageError("an objective is not finite at one of the points. Leave that point out")
    return F, f


def _of_each(objective: Objective, at: Tensor, rows: Tensor) -> NDArray[np.float64]:
    try:
        values = torch.vmap(objective, in_dims=(None, 0))(at, rows)
    except UsageError:  # an ``if`` or ``item`` has no meaning for all rows at once
        values = torch.stack([objective(at, row) for row in rows])
    return np.asarray(values.detach().numpy())
