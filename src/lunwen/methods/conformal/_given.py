"""Rows of numbers as a user gives them, refused in one line where they are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import UsageError

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
    given = np.asarray(y)
    if given.shape != (count,):
        raise UsageError(f"y has shape {given.shape} for {count} rows of X. Give one label for each row")
    place = {label: number for number, label in enumerate(classes.tolist())}
    strange = [label for label in given.tolist() if label not in place]
    if strange:
        known = ", ".join(map(str, classes.tolist()[:12]))
        raise UsageError(f"y holds {strange[0]!r}, a label the model does not know. Allowed: {known}")
    return np.array([place[label] for label in given.tolist()], dtype=np.intp)


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
