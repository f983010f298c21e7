"""What a bilevel problem is worth at x, found by trying all of the given answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from lunwen.errors import UsageError
from lunwen.methods.bilevel._problem import is_number, start

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
        UsageError: x is not a finite vector, the points are not finite rows, or the tie is negative.
    """
    return float(_answers(problem, x, points, tie).max())


def optimistic_value(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor, *, tie: float = 1e-9
) -> float:
    """Return the smallest F(x, y) over the minimisers of f(x, .) among ``points`` (k, m), by trying all.

    Lower values within ``tie`` of the least count as minimal.

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
    if not (is_number(rho, least=0) and is_number(sigma, least=0)):
        raise UsageError(f"rho is {rho}, sigma is {sigma}; give finite numbers >= 0")
    F, f = _tried(problem, x, points)
    rows = _rows(points)
    own = rho * f + sigma / 2 * (rows**2).sum(1)  # (k,) the terms of z alone
    psi = (F - rho * f)[None, :] + own[:, None] - sigma * rows @ rows.T  # (z, y), eq. (1)
    return float(psi.max(axis=1).min())


def _answers(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor, tie: float
) -> NDArray[np.float64]:
    """Return F(x, y) of the minimisers of f(x, .) alone."""
    if not is_number(tie, least=0):
        raise UsageError(f"tie is {tie}; give a finite number >= 0")
    F, f = _tried(problem, x, points)
    return np.compress(f <= f.min() + tie, F)


def _rows(points: ArrayLike | Tensor) -> NDArray[np.float64]:
    try:
        rows = np.array(
            points.numpy(force=True) if isinstance(points, torch.Tensor) else points, dtype=np.float64
        )
    except (TypeError, ValueError):
        raise UsageError("points are not made of numbers; give finite rows, one point y in each") from None
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise UsageError(f"points has shape {rows.shape}; give finite rows, one point y in each")
    return rows


def _tried(
    problem: BilevelProblem, x: ArrayLike | Tensor, points: ArrayLike | Tensor
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return F(x, y) and f(x, y) of every point."""
    at, rows = start("x", x), torch.from_numpy(_rows(points))
    F, f = (torch.vmap(each, in_dims=(None, 0))(at, rows).numpy() for each in (problem.upper, problem.lower))
    if not (np.isfinite(F).all() and np.isfinite(f).all()):
        raise UsageError("an objective is not finite at one of the points; leave that point out")
    return F, f
