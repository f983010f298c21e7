"""What the bounds accept: finite numbers, symmetric matrices, within their bounds; a level."""

from __future__ import annotations

import math
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
        values = np.asarray(x)
        values = values.astype(np.float64, casting="unsafe" if values.dtype.kind in "OUS" else "same_kind")
    except (TypeError, ValueError):
        raise UsageError("observations that are not numbers. Allowed: finite numbers. Convert them") from None
    if not np.isfinite(values).all():
        raise UsageError(
            "observations with NaN or infinity. Allowed: finite numbers. Remove or fill them first"
        )
    return values


def check_level(alpha: float, bounds: tuple[float, float] = (0.0, 1.0)) -> None:
    """Refuse an ``alpha`` that is not the probability of a miss, and bounds that are none.

    Raises:
        UsageError: not strictly between 0 and 1, or the bounds are not two finite numbers in their order.
    """
    check_bounds(bounds)
    if not isinstance(alpha, int | float | np.number) or not 0 < alpha < 1:
        raise UsageError(
            f"alpha = {alpha}. Allowed: between 0 and 1. Give the probability to miss, such as 0.05"
        )


def check_size(d: int) -> None:
    """Refuse a number of rows that is none.

    Raises:
        UsageError: not a whole number of at least 1.
    """
    if not isinstance(d, int | np.integer) or d < 1:
        raise UsageError(f"d = {d}. Allowed: 1 and more. Give the number of rows")


def check_bounds(bounds: tuple[float, float]) -> None:
    """Refuse bounds that are not two finite numbers in their order.

    Raises:
        UsageError: infinite, NaN, or not in order.
    """
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not 0 < high - low < math.inf:
        raise UsageError(f"bounds {bounds}. Allowed: two numbers, the lower one first. Correct them")


def amount(name: str, value: ArrayLike, *, zero: bool = False) -> NDArray[np.float64]:
    """Return a setting or several of them as floats, above 0, or where ``zero`` at least 0.

    Raises:
        UsageError: not finite, or too small.
    """
    given = np.asarray(value)
    amounts = given.astype(np.float64) if given.dtype.kind in "iuf" else np.asarray(np.nan)
    if not (np.isfinite(amounts) & ((amounts >= 0) if zero else (amounts > 0))).all():
        allowed = "0 and more" if zero else "above 0"
        raise UsageError(f"{name} = {value!r}. Allowed: {allowed}. Correct it")
    return amounts


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


def one_path(x: ArrayLike) -> NDArray[np.float64]:
    """Return one observation, or several in their order, as ``(n,)``.

    Raises:
        UsageError: not finite, or of more dimensions.
    """
    values = np.atleast_1d(finite(x))
    if values.ndim > 1:
        raise UsageError(
            f"x of shape {values.shape}. Allowed: one number, or (n,) in their order. Feed one path"
        )
    return values


def in_ball(X: ArrayLike, radius: float) -> NDArray[np.float64]:
    """Return vectors ``X[..., n, d]`` of norms up to ``radius``.

    Raises:
        UsageError: not finite, longer, or none.
    """
    points = finite(X)
    amount("radius", radius)
    if points.ndim < 2 or 0 in points.shape:
        raise UsageError(
            f"X of shape {points.shape}. Allowed: (..., n, d), n and d at least 1. Give one row each"
        )
    longest = float(np.sqrt((points**2).sum(-1).max()))
    if longest > radius * (1 + 1e-12):
        raise UsageError(
            f"norms up to {longest:g}, radius {radius:g}. Allowed: norms <= radius. Give a larger radius"
        )
    return points


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
