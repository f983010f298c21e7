"""What the bounds ask of numbers beyond being numbers: a known range, and that all keep to it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import UsageError
from lunwen.methods._given import array, number, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Bounds = tuple[float, float]

MISS = "the probability to miss, such as 0.05"
NARROWEST, WIDEST = 1e-150, 1e150  # whose squares are still numbers
ROUNDING = 1e-6  # as a share of the range: what single precision may put beyond a bound lies on it


def ends(bounds: Bounds) -> tuple[float, float]:
    """Return bounds as two floats.

    Raises:
        UsageError: not two finite numbers in their order, or too near or too far apart.
    """
    try:
        low, high = (number("bounds", one) for one in bounds)
    except (TypeError, ValueError, UsageError):
        low = high = math.nan
    if not NARROWEST < high - low < WIDEST:
        raise UsageError(
            f"bounds is {bounds!r}. Give two numbers, the lower one first, {NARROWEST:g} to {WIDEST:g} apart"
        )
    return low, high


def amounts(n: ArrayLike, **others: ArrayLike) -> list[Floats]:
    """Return a positive ``n`` and ``others`` of at least 0, each one number or several, that fit each other.

    Raises:
        UsageError: too small, not finite, or of shapes that do not fit.
    """
    found = {name: array(name, value) for name, value in {"n": n, **others}.items()}
    for name, one in found.items():
        if one.min() < 0 or (name == "n" and one.min() == 0):
            raise UsageError(
                f"{name} is {one.min():.10g}. Give {'more than 0' if name == 'n' else '0 or more'}"
            )
    try:
        np.broadcast_shapes(*(one.shape for one in found.values()))
    except ValueError:
        shapes = ", ".join(f"{name} has shape {one.shape}" for name, one in found.items())
        raise UsageError(f"{shapes}. Give one of each, or as many") from None
    return list(found.values())


def unit_interval(x: ArrayLike, bounds: Bounds, *, fewest: int = 1, axis: int = -1) -> tuple[Floats, float]:
    """Return ``x`` moved from its bounds to [-1/2, 1/2], samples along the last axis, and the bounds' width.

    Raises:
        UsageError: not finite, out of bounds, or samples of fewer than ``fewest``, or of one each.
    """
    low, high = ends(bounds)
    if hasattr(x, "columns") and axis == -1:
        raise UsageError("x is a table. Give axis=0 for its columns, or an array with a sample in each row")
    values = array("x", x)
    if values.ndim == 0:
        raise UsageError("x is one number. Give the sample (n,), or several along axis")
    n = values.shape[whole("axis", axis, least=-values.ndim, most=values.ndim - 1)]
    fewest = max(fewest, 2 if values.size > n else 1)
    if n < fewest:
        raise UsageError(
            f"x has shape {values.shape}, {n} along axis {axis}. "
            f"Give at least {fewest} there, or another axis"
        )
    _check_range("x goes", values.min(), values.max(), (low, high))
    unit: Floats = np.moveaxis((np.clip(values, low, high) - low) / (high - low) - 0.5, axis, -1)
    return unit, high - low


def one_path(x: ArrayLike) -> Floats:
    """Return one observation, or several in their order, as ``(n,)``.

    Raises:
        UsageError: not finite, or of more dimensions.
    """
    values = np.atleast_1d(array("x", x))
    if values.ndim > 1:
        raise UsageError(f"x has shape {values.shape}. Give one number, or shape (n,) in their order")
    return values


def in_ball(X: ArrayLike, radius: float) -> Floats:
    """Return vectors ``X[..., n, d]`` of norms up to ``radius``, divided by twice that.

    Raises:
        UsageError: not finite, longer, none, or a radius that is none.
    """
    radius, points = number("radius", radius, above=NARROWEST, below=WIDEST), array("X", X)
    if points.ndim < 2:
        raise UsageError(f"X has shape {points.shape}. Give shape (..., n, d), a vector in each row")
    lengths = np.hypot.reduce(points, axis=-1, keepdims=True)  # of huge numbers too
    if lengths.max() > radius * (1 + ROUNDING):
        raise UsageError(
            f"X has norms up to {lengths.max():.10g}, radius is {radius:.10g}. Give a radius that none passes"
        )
    halved: Floats = points / (2 * np.maximum(lengths, radius))
    return halved


def real(X: ArrayLike) -> Floats:
    """Return ``X`` as numbers, of which none is complex.

    Raises:
        UsageError: they are complex, none, or not finite.
    """
    try:
        return array("X", X)
    except UsageError as error:
        if "complex" not in str(error):
            raise
    raise UsageError("X holds complex numbers. Give real ones: [[Re, -Im], [Im, Re]], of twice the size")


def unit_matrices(
    X: ArrayLike, bounds: Bounds, *, fewest: int = 1, d: int | None = None
) -> tuple[Floats, float, float]:
    """Return symmetric ``X[..., n, d, d]`` moved from its bounds to [0, 1], the lower bound, and their width.

    Raises:
        UsageError: not finite, not symmetric, fewer than ``fewest``, or eigenvalues out of bounds.
    """
    (low, high), given = ends(bounds), real(X)
    size = given.shape[-1] if d is None and given.ndim else d
    if given.ndim < 3 or given.shape[-2:] != (size, size) or given.shape[-3] < fewest:
        wanted = f"(..., n, {size}, {size})" if d else "(..., n, d, d)"
        raise UsageError(f"X has shape {given.shape}. Give shape {wanted}, n of at least {fewest}")
    if np.abs(given - given.swapaxes(-1, -2)).max() > ROUNDING * (high - low):
        raise UsageError(
            "X is not symmetric. Give symmetric matrices; (X + X.T) / 2 if that is what is meant"
        )
    eigenvalues = np.linalg.eigvalsh(given)
    _check_range("eigenvalues of X go", eigenvalues.min(), eigenvalues.max(), (low, high))
    return (given - low * np.eye(given.shape[-1])) / (high - low), low, high - low


def _check_range(what: str, least: float, most: float, bounds: Bounds) -> None:
    low, high = bounds
    slack = ROUNDING * (high - low)
    if least < low - slack or most > high + slack:
        raise UsageError(
            f"{what} from {least:.10g} to {most:.10g}, bounds from {low:.10g} to {high:.10g}. "
            "Give the range that is possible, seen or not, as bounds=(low, high)"
        )
