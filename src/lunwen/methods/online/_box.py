"""A box, and nets of points in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import LimitError, UsageError
from lunwen.methods.online._game import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

BIGGEST_NET = 1_000_000


@dataclass(frozen=True, slots=True)
class Box:
    """All points between two corners."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse what is no box.

        Raises:
            UsageError: corners of unlike length, not finite, or the wrong way round.
        """
        if not self.low or len(self.low) != len(self.high):
            raise UsageError(
                f"corners of {len(self.low)} and {len(self.high)} numbers; give as many, at least 1"
            )
        sides = zip(map(number, self.low), map(number, self.high), strict=True)
        if not all(-math.inf < a < b < math.inf for a, b in sides):
            raise UsageError(
                f"low={self.low}, high={self.high}; low is below high, both finite. Correct them"
            )

    @property
    def diameter(self) -> float:
        """The distance between the corners."""
        return math.dist(self.low, self.high)


def covering(domain: Box, eps: float) -> Floats:
    """Return a grid of points such that none of ``domain`` is further than ``eps`` from one.

    Raises:
        UsageError: ``eps`` is not above 0.
        LimitError: that takes more than a million points.
    """
    if not number(eps) > 0:
        raise UsageError(f"eps={eps}; it is above 0. Try a tenth of the diameter, {domain.diameter / 10:.3g}")
    cell = 2 * eps / math.sqrt(len(domain.low))  # a cube whose half diagonal is eps
    sides_in_cells = [
        (b - a) / cell if cell else math.inf for a, b in zip(domain.low, domain.high, strict=True)
    ]
    if math.prod(max(1.0, one) for one in sides_in_cells) > BIGGEST_NET:
        raise LimitError(
            f"eps={eps} takes more than {BIGGEST_NET} points; allowed are so many. Take a larger eps"
        )
    counts = [max(1, math.ceil(one)) for one in sides_in_cells]
    sides = [
        a + (b - a) * (np.arange(n) + 0.5) / n
        for a, b, n in zip(domain.low, domain.high, counts, strict=True)
    ]
    return np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, len(sides))  # (n, d)
