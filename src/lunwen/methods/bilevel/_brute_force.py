"""What a bilevel problem is worth at x, found by trying all of the given answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from lunwen.errors import UsageError
from lunwen.methods.bilevel._problem import start

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    from lunwen.methods.bilevel._problem import BilevelProblem


def pessimistic_value(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor, *, tie: float = 1e-9
) -> float:
    """Return the largest F(x, y) over the minimisers of f(x, .) among ``points`` (k, m), by trying all.

    Lower values within ``tie`` of the least count as minimal.

    Raises:
        UsageError: x is not a finite vector, or the points are not finite rows.
    """
    F, f = _tried(problem, x, points)
    return float(F[f <= f.min() + tie].max())


def optimistic_value(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor, *, tie: float = 1e-9
) -> float:
    """Return the smallest F(x, y) over the minimisers of f(x, .) among ``points`` (k, m), by trying all.

    Lower values within ``tie`` of the least count as minimal.

    Raises:
        UsageError: x is not a finite vector, or the points are not finite rows.
    """
    F, f = _tried(problem, x, points)
    return float(F[f <= f.min() + tie].min())


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
        UsageError: x is not a finite vector, or the points are not finite rows.
    """
    F, f = _tried(problem, x, points)
    rows = _rows(points)
    own = rho * f + sigma / 2 * (rows**2).sum(1)  # (k,) the terms of z alone
    psi = (F - rho * f)[None, :] + own[:, None] - sigma * rows @ rows.T  # (z, y), eq. (1)
    return float(psi.max(axis=1).min())


def _rows(points: ArrayLike | Tensor) -> NDArray[np.float64]:
    rows = np.array(points, dtype=np.float64)
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise UsageError(f"points has shape {rows.shape}; give finite rows, one point y in each")
    return rows


def _tried(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return F(x, y) and f(x, y) of every point."""
    at, rows = start("x", x), torch.from_numpy(_rows(points))
    F, f = (torch.vmap(each, in_dims=(None, 0))(at, rows).numpy() for each in (problem.upper, problem.lower))
    return F, f
