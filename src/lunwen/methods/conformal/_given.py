"""What a user gives, refused in one line where it is not what is needed."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import LimitError, UsageError

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray


def rows(X: ArrayLike) -> NDArray[Any]:
    """Return X as an array of at least two dimensions with at least one row of finite numbers.

    Raises:
        UsageError: it is none.
    """
    given = _array(X, "X")
    if given.ndim < 2 or len(given) == 0:
        raise UsageError(f"X has shape {given.shape}. Give at least one row, and a column for each feature")
    return given


def targets(y: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return y as float64 of shape (count,) or (count, outputs).

    Raises:
        UsageError: it does not have as many rows, or is not made of finite numbers.
    """
    given = _array(y, "y").astype(np.float64)
    if given.ndim not in {1, 2} or len(given) != count:
        raise UsageError(f"y has shape {given.shape} for {count} rows of X. Give one row of y for each")
    return given


def labels(y: ArrayLike, classes: NDArray[Any], count: int) -> NDArray[np.intp]:
    """Return the place of each label in ``classes``.

    Raises:
        UsageError: not one label for each row, or one that is not in ``classes``.
    """
    try:
        given = np.asarray(y)
    except ValueError as error:  # rows of different lengths
        raise UsageError("y has rows of different lengths. Give one label for each row") from error
    if given.shape != (count,):
        raise UsageError(f"y has shape {given.shape} for {count} rows of X. Give one label for each row")
    place = {label: number for number, label in enumerate(classes.tolist())}
    strange = [label for label in given.tolist() if label not in place]
    if strange:
        known = ", ".join(map(str, classes.tolist()[:12]))
        raise UsageError(f"y holds {strange[0]!r}, a label the model does not know. Allowed: {known}")
    return np.array([place[label] for label in given.tolist()], dtype=np.intp)


def scores(S: ArrayLike, ndim: int) -> NDArray[np.float64]:
    """Return scores as float64 of ``ndim`` dimensions, 1 or 2.

    Raises:
        UsageError: they have others, or one is negative or not finite, or there is none.
    """
    try:
        given = np.asarray(S, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError("a score is no number. Give an array of finite scores of at least 0") from error
    if given.ndim != ndim:
        wanted = ("(n,), of each row with its label", "(m, K), of each row with each label")[ndim - 1]
        raise UsageError(f"scores have shape {given.shape}. Give scores of shape {wanted}")
    if given.size == 0 or not np.isfinite(given).all() or given.min() < 0:
        raise UsageError(
            "a score is negative, infinite, NaN, or there is none. Give finite scores of at least 0"
        )
    return given


def at_least(value: object, name: str, least: float) -> float:
    """Return a setting that is a number of at least ``least``; infinity is one, NaN is none.

    Raises:
        LimitError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= least:
        raise LimitError(f"{name} is {value}. Allowed: a number of {least} or more")
    return float(value)


def whole(value: object, name: str, least: int) -> int:
    """Return a setting that is a whole number of at least ``least``.

    Raises:
        LimitError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise LimitError(f"{name} is {value}. Allowed: a whole number of {least} or more")
    return int(value)


def _array(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        given = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise UsageError(f"{name} has rows of different lengths. Give rows of equal length") from error
    if not np.issubdtype(given.dtype, np.number) or np.issubdtype(given.dtype, np.complexfloating):
        raise UsageError(f"{name} holds {given.dtype} values. Give numbers; encode text and categories first")
    if not np.isfinite(given).all():
        raise UsageError(
            f"{name} holds NaN or infinite values. Give finite numbers; fill or drop these rows first"
        )
    return given
