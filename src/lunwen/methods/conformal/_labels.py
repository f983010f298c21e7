"""Labels as a user gives them, told apart from those that a model does not know."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import UsageError

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray


def places(y: ArrayLike, classes: NDArray[Any], count: int) -> NDArray[np.intp]:
    """Return the place of each label in ``classes``.

    Raises:
        UsageError: not one label for each of ``count`` rows, or one that is not in ``classes``.
    """
    try:
        given = np.asarray(y.detach().cpu() if hasattr(y, "detach") else y)
    except ValueError as error:
        raise UsageError("y has rows of different lengths. Give one label for each row") from error
    if given.shape != (count,):
        raise UsageError(f"y has shape {given.shape} for {count} rows of X. Give one label for each row")
    place = {label: number for number, label in enumerate(classes.tolist())}
    strange = [label for label in given.tolist() if not isinstance(label, Hashable) or label not in place]
    if strange:
        known = ", ".join(map(repr, classes.tolist()[:12])) + (", ..." if len(classes) > 12 else "")
        raise UsageError(f"y holds {strange[0]!r}, a label the model does not know. Give one of: {known}")
    return np.array([place[label] for label in given.tolist()], dtype=np.intp)
