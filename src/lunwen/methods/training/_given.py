"""Refusing settings and vectors that no run can begin with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def check_whole(name: str, value: object, *, at_least: int = 1) -> None:
    """Refuse what is not a whole number of at least ``at_least``.

    Raises:
        UsageError: it is none.
    """
    if not isinstance(value, int | np.integer) or value < at_least:
        raise UsageError(f"{name} = {value!r} is out of range. Give a whole number of at least {at_least}")


def check_number(
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
) -> None:
    """Refuse what is not a number within these limits; a limit that is not finite stands for none.

    Raises:
        UsageError: it is none.
    """
    number = float(value) if isinstance(value, int | float | np.number) else math.nan
    if above < number and at_least <= number and (number < below or below == math.inf):
        return
    limits = {"above": above, "of at least": at_least, "below": below}
    allowed = " and ".join(f"{words} {limit:g}" for words, limit in limits.items() if math.isfinite(limit))
    raise UsageError(f"{name} = {value!r} is out of range. Give a number {allowed}")


def check_window(size: object, order: object, tol: object) -> None:
    """Refuse a window that cannot slide; an ``order`` of None is the window's.

    Raises:
        UsageError: the size or the order is no whole number of at least 1, or the tolerance is below 0.
    """
    check_whole("window", size)
    check_whole("order", 1 if order is None else order)
    check_number("tol", tol, at_least=0)


def finite_array(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return ``values`` as floats.

    Raises:
        UsageError: there are none, or not all are finite numbers.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name} holds what is not a number. Give finite numbers") from None
    if array.size == 0 or not np.isfinite(array).all():
        raise UsageError(f"{name} is empty or holds NaN or infinity. Give finite numbers")
    return array


def as_many(name: str, values: ArrayLike, guesses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``values`` [p, P], one row for each of the ``guesses``.

    Raises:
        UsageError: there are more or fewer.
    """
    rows = np.asarray(values, dtype=np.float64)
    if rows.shape != guesses.shape:
        raise UsageError(f"{name} returned shape {rows.shape}. Return one row per guess: {guesses.shape}")
    return rows


def finite_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Return ``values`` [P] as floats.

    Raises:
        UsageError: they are not one row of finite numbers.
    """
    vector = finite_array(name, values)
    if vector.ndim != 1:
        raise UsageError(f"{name} has shape {vector.shape}. Give one row of numbers")
    return vector
