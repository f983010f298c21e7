"""What the bounds accept: finite numbers, symmetric matrices, within their bounds; a level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def finite(x: ArrayLike) -> NDArray[np.float64]:
    """Return ``x`` as an array of floats.

    Raises:
        UsageError: not numbers, or not finite.
    """
    try:
        values = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError("observations that are not numbers. Allowed: finite numbers. Convert them") from None
    if not np.isfinite(values).all():
        raise UsageError(
            "observations with NaN or infinity. Allowed: finite numbers. Remove or fill them first"
        )
    return values


def check_level(alpha: float) -> None:
    """Refuse an ``alpha`` that is not the probability of a miss.

    Raises:
        UsageError: not strictly between 0 and 1.
    """
    if not 0 < alpha < 1:
        raise UsageError(
            f"alpha = {alpha:g}. Allowed: between 0 and 1. Give the probability to miss, such as 0.05"
        )


def check_bounds(bounds: tuple[float, float]) -> None:
    """Refuse bounds that are not two finite numbers in their order.

    Raises:
        UsageError: infinite, NaN, or not in order.
    """
    low, high = bounds
    if not -np.inf < low < high < np.inf:
        raise UsageError(
            f"bounds ({low:g}, {high:g}). Allowed: two numbers, the lower one first. Correct them"
        )


def unit_interval(
    x: ArrayLike, bounds: tuple[float, float], *, fewest: int = 1
) -> tuple[NDArray[np.float64], float]:
    """Return ``x`` moved from its bounds to [-1/2, 1/2], and the width of the bounds.

    Raises:
        UsageError: not finite, out of bounds, or fewer than ``fewest`` along the last axis.
    """
    check_bounds(bounds)
    values, (low, high) = finite(x), bounds
    if values.ndim < 1 or values.size == 0 or values.shape[-1] < fewest:
        raise UsageError(
            f"observations of shape {values.shape}. Allowed: (..., n), n >= {fewest}. Give more of them"
        )
    if values.min() < low or values.max() > high:
        raise UsageError(
            f"observations from {values.min():g} to {values.max():g}. Allowed: {low:g} to {high:g}. "
            "Give their range as bounds=(low, high)"
        )
    return (values - low) / (high - low) - 0.5, high - low


def unit_matrices(
    X: ArrayLike, bounds: tuple[float, float], *, fewest: int = 1
) -> tuple[NDArray[np.float64], float, float]:
    """Return symmetric ``X[..., n, d, d]`` moved from its bounds to [0, 1], the lower bound, and their width.

    Raises:
        UsageError: not finite, not symmetric, fewer than ``fewest``, or eigenvalues out of bounds.
    """
    check_bounds(bounds)
    given, (low, high) = finite(X), bounds
    if given.ndim < 3 or given.shape[-1] != given.shape[-2] or given.shape[-3] < fewest or given.size == 0:
        raise UsageError(
            f"X of shape {given.shape}. Allowed: (..., n, d, d), n >= {fewest}. Stack the matrices"
        )
    slack = 1e-9 * max(high - low, abs(low), abs(high))
    if np.abs(given - given.swapaxes(-1, -2)).max() > slack:
        raise UsageError(
            "matrices that are not symmetric. Allowed: symmetric ones. Give (X + X.T) / 2 if it is meant"
        )
    eigenvalues = np.linalg.eigvalsh(given)
    if eigenvalues.min() < low - slack or eigenvalues.max() > high + slack:
        raise UsageError(
            f"eigenvalues from {eigenvalues.min():g} to {eigenvalues.max():g}. Allowed: {low:g} to {high:g}. "
            "Give their range as bounds=(low, high)"
        )
    return (given - low * np.eye(given.shape[-1])) / (high - low), low, high - low
