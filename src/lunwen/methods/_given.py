"""Settings and arrays as a user gives them to a method, refused in one line where it cannot begin."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from lunwen.errors import LimitError, UnknownName, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

SHAPES = {1: "shape (n,)", 2: "shape (rows, columns)"}


def whole(name: str, value: object, *, least: int = 1, most: int | None = None, hint: str = "") -> int:
    """Return a setting that is a whole number within its range, as an int.

    Raises:
        LimitError: it is none.
    """
    fits = isinstance(value, Integral) and not isinstance(value, bool)
    if not fits or int(value) < least or (most is not None and int(value) > most):  # type: ignore[call-overload]
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise LimitError(f"{name} is {_shown(value)}. Give a whole number {allowed}{hint and f', {hint}'}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def number(
    name: str,
    value: object,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    hint: str = "",
) -> float:
    """Return a setting that is a finite number within its range, as a float.

    Raises:
        LimitError: it is none.
    """
    given = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    over = (above is None or given > above) and (least is None or given >= least)
    under = (below is None or given < below) and (most is None or given <= most)
    if math.isfinite(given) and over and under:
        return given
    limits = {"above": above, "of at least": least, "below": below, "of at most": most}
    allowed = " and ".join(f"{words} {limit:g}" for words, limit in limits.items() if limit is not None)
    endless = isinstance(value, Real) and not math.isfinite(given)
    kind = "a finite number" if endless or not allowed else "a number"
    raise LimitError(f"{name} is {_shown(value)}. Give {f'{kind} {allowed}'.strip()}{hint and f', {hint}'}")


def level(value: object, hint: str = "the share that may be missed, such as 0.1") -> float:
    """Return an ``alpha`` between 0 and 1, both left out.

    Raises:
        LimitError: it is none.
    """
    return number("alpha", value, above=0, below=1, hint=hint)


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """Return a setting that is one of the ``allowed`` words.

    Raises:
        UnknownName: it is none.
    """
    if not isinstance(value, str) or value not in allowed:
        raise UnknownName(f"{name} is {_shown(value)}. Give one of: {', '.join(allowed)}")
    return value


def array(
    name: str, values: ArrayLike, *, ndim: int | None = None, finite: bool = True
) -> NDArray[np.float64]:
    """Return an array, a list, a table or a tensor as numbers in double precision, never none of them.

    NaN and infinity pass where not ``finite``.

    Raises:
        UsageError: not numbers, not finite, empty, or not of ``ndim`` dimensions.
    """
    found = _numbers(name, values)
    if ndim is not None and found.ndim != ndim:
        wanted = SHAPES.get(ndim, f"{ndim} dimensions")
        raise UsageError(f"{name} has shape {found.shape}. Give {wanted}")
    if found.size == 0:
        raise UsageError(f"{name} is empty, of shape {found.shape}. Give at least one number")
    if finite and not np.isfinite(found).all():
        raise UsageError(f"{name} holds NaN or infinity. Give finite numbers; fill or drop these rows first")
    return found


def vector(name: str, values: ArrayLike, *, count: int | None = None) -> NDArray[np.float64]:
    """Return finite numbers (n,), one for each of ``count`` rows where that is given.

    Raises:
        UsageError: they are none, or more or fewer.
    """
    found = array(name, values, ndim=1)
    if count is not None and len(found) != count:
        raise UsageError(f"{name} has shape {found.shape}. Give shape ({count},), one number for each row")
    return found


def matrix(name: str, values: ArrayLike, *, columns: int | None = None) -> NDArray[np.float64]:
    """Return finite numbers (rows, columns), with as many columns as a fit had where that is given.

    Raises:
        UsageError: they are none, or of more or fewer columns.
    """
    found = array(name, values, ndim=2)
    if columns is not None and found.shape[1] != columns:
        raise UsageError(f"{name} has {found.shape[1]} columns, the fit had {columns}. Give the same columns")
    return found


def _shown(value: object) -> str:
    """Write a value on one line, and not at any length."""
    plain = repr(value.item() if isinstance(value, np.generic) else value)
    line = " ".join(plain.split())
    return line if len(line) <= 60 else f"{line[:57]}…"


def _numbers(name: str, values: Any) -> NDArray[np.float64]:
    if hasattr(values, "detach"):  # a tensor, on whatever device, part of whatever graph
        values = values.detach().cpu().to_dense()
        values = values.double() if values.is_floating_point() else values  # numpy knows no bfloat16
    if hasattr(values, "toarray"):  # a sparse matrix of scipy
        values = values.toarray()
    if np.ma.is_masked(values):
        raise UsageError(f"{name} has masked values. Give finite numbers; fill or drop these rows first")
    try:
        found = np.asarray(values)
    except ValueError as error:
        raise UsageError(f"{name} has rows of different lengths. Give rows of equal length") from error
    texts = found.dtype.kind in "US" or (
        found.dtype.kind == "O" and any(isinstance(one, str | bytes) for one in found.flat)
    )
    if texts or found.dtype.kind not in "biufO":
        held = "text" if texts else f"{found.dtype} values"
        raise UsageError(f"{name} holds {held}. Give numbers; encode text and categories first")
    try:
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{name} holds what is no number. Give numbers; fill or drop these rows first"
        ) from error
