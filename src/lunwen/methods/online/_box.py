"""A box, and nets of points in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import LimitError, UsageError
from lunwen.methods._given import array, number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

BIGGEST_NET = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """All points between two corners, (d,) each; two numbers make an interval."""

    low: Floats
    high: Floats

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        """Take arrays, lists or numbers.

        Raises:
            UsageError: corners of unlike shape, not finite, or the wrong way round.
        """
        corners = [np.atleast_1d(array(name, given)) for name, given in (("low", low), ("high", high))]
        if corners[0].ndim > 1 or corners[0].shape != corners[1].shape:
            shapes = " and ".join(str(corner.shape) for corner in corners)
            raise UsageError(f"low and high have shapes {shapes}. Give two corners of the same shape (d,)")
        if not (corners[0] < corners[1]).all():
            raise UsageError(f"low is {low!r}, high {high!r}. Give low below high in every coordinate")
        if math.isinf(math.dist(*corners)):
            raise UsageError(
                f"low is {low!r}, high {high!r}, infinitely far apart. Give the box in other units"
            )
        for name, corner in zip(("low", "high"), corners, strict=True):
            object.__setattr__(self, name, corner)

    @property
    def diameter(self) -> float:
        """The distance between the corners."""
        return math.dist(self.low, self.high)

    def nearest(self, point: Floats) -> Floats:
        """Return the point of the box that is nearest, for each point."""  # (..., d) -> (..., d)
        return np.minimum(np.maximum(point, self.low), self.high)


def cells(domain: Box, eps: float) -> Floats:
    """Return into how many cells of half a diagonal ``eps`` each side is cut."""  # (d,)
    sides = domain.high - domain.low
    with np.errstate(over="ignore", divide="ignore"):
        return np.maximum(np.ceil(sides * math.sqrt(len(sides)) / (2 * eps)), 1)


def covering(domain: Box, eps: float) -> Floats:
    """Return a grid of points, (n, d), such that none of ``domain`` is further than ``eps`` from one.

    Raises:
        LimitError: ``eps`` is not above 0, or that takes more than a million points.
    """
    if not isinstance(domain, Box):
        raise UsageError(f"domain is {domain!r}. Give a Box")
    hint = f"such as a tenth of the diameter, {domain.diameter / 10:.3g}"
    sides = domain.high - domain.low
    counts = cells(domain, number("eps", eps, above=0, hint=hint))
    with np.errstate(over="ignore"):
        points = float(np.prod(counts))
    if points > BIGGEST_NET:
        raise LimitError(
            f"eps is {eps!r}, which takes {points:.2g} points; at most {BIGGEST_NET} can be had. "
            "Give a larger eps, or fewer dimensions"
        )
    along = [
        low + side * (np.arange(n) + 0.5) / n for low, side, n in zip(domain.low, sides, counts, strict=True)
    ]
    return np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, len(sides))
