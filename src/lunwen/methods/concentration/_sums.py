"""Running sums of a process that is fed piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Sums:
    """Named sums along the first axis, each going on where the last piece left it."""

    def __init__(self) -> None:
        self._last: dict[str, Floats] = {}

    def before(self, name: str, values: Floats, start: float = 0.0) -> Floats:
        """Return the sum before each of ``values``: what is known of the past alone."""
        return self._rows(name, values, start)[:-1]

    def through(self, name: str, values: Floats) -> Floats:
        """Return the sum through each of ``values``."""
        return self._rows(name, values, 0.0)[1:]

    def _rows(self, name: str, values: Floats, start: float) -> Floats:
        first = self._last.get(name, np.full_like(values[0], start))
        rows = np.concatenate([first[None], values])
        np.cumsum(rows, axis=0, out=rows)
        self._last[name] = rows[-1].copy()
        return rows
