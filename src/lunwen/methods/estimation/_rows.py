"""What a user gives, checked: rows of numbers, and a label for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lunwen.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


def number(value: Any) -> float:
    """Return a setting as a number; NaN, which is in no range, where it is none."""
    return float(value) if isinstance(value, int | float | np.number) else float("nan")


def vector(values: ArrayLike, name: str, *, rows: int | None = None) -> Floats:
    """Return finite numbers, one per row.

    Raises:
        UsageError: they are anything else.
    """
    try:
        found = np.asarray(values, float)
    except (TypeError, ValueError):
        raise UsageError(f"{name} holds values that are no numbers. Give one number per row") from None
    if found.ndim != 1 or found.size == 0 or (rows is not None and len(found) != rows):
        wanted = "(n,) with n >= 1" if rows is None else f"({rows},)"
        raise UsageError(f"{name} has shape {found.shape}; it is {wanted}. Give one number per row")
    if not np.isfinite(found).all():
        raise UsageError(f"{name} holds NaN or infinity; all numbers are finite. Remove or fill those rows")
    return found


def matrix(X: ArrayLike, *, columns: int | None = None) -> Floats:
    """Return finite numbers, a row per case.

    Raises:
        UsageError: they are anything else.
    """
    try:
        found = np.asarray(X, float)
    except (TypeError, ValueError):
        raise UsageError("X holds values that are no numbers. Encode them as numbers first") from None
    if found.ndim != 2 or 0 in found.shape:
        raise UsageError(f"X has shape {found.shape}; it is (rows, columns), none of them 0. Reshape it")
    if columns is not None and found.shape[1] != columns:
        raise UsageError(f"X has {found.shape[1]} columns, the fit had {columns}. Give the same columns")
    if not np.isfinite(found).all():
        raise UsageError("X holds NaN or infinity; all numbers are finite. Remove or fill those rows")
    return found


def labels(values: ArrayLike, name: str, rows: int) -> NDArray[Any]:
    """Return a label per row.

    Raises:
        UsageError: there are more or fewer, or one is NaN.
    """
    found = np.asarray(values)
    if found.shape != (rows,):
        raise UsageError(f"{name} has shape {found.shape}; it is ({rows},). Give one group per row")
    if found.dtype.kind in "fO" and any(one is None or one != one for one in found):  # noqa: PLR0124 - NaN
        raise UsageError(f"{name} holds NaN; every row has a group. Remove those rows or name their group")
    if len({isinstance(one, str) for one in found}) > 1:
        raise UsageError(f"{name} mixes text and other labels; all are of one kind. Turn all into text")
    return found


def codes(values: NDArray[Any], known: NDArray[Any], name: str) -> NDArray[np.intp]:
    """Return the place of each value among the known ones.

    Raises:
        UsageError: a value is not among them.
    """
    strange = np.setdiff1d(values, known)
    if len(strange):
        raise UsageError(
            f"{name} holds {strange[0]}, not seen in fit; known are {', '.join(map(str, known))}. Fit with it"
        )
    return np.searchsorted(known, values)
