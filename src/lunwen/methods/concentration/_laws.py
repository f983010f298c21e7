"""What the claims on the variance draw: laws with known moments, one of them dependent, one of vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DIMENSIONS = 50  # of the vectors


@dataclass(frozen=True, slots=True)
class Law:
    """A process with constant conditional mean and variance, and how to draw ``(n, paths)`` of it.

    ``spread`` is the variance of (X - mu)^2; of vectors, ``mean`` is that of each entry.
    """

    name: str
    mean: float
    variance: float
    spread: float
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats]

    def missed(self, low: Floats, high: Floats) -> NDArray[np.bool_]:
        """Return which intervals do not hold the variance."""
        return (low > self.variance) | (high < self.variance)


def _beta(a: float, b: float) -> Law:
    mean, s = a / (a + b), a + b
    variance = a * b / (s**2 * (s + 1))
    excess = 6 * ((a - b) ** 2 * (s + 1) - a * b * (s + 2)) / (a * b * (s + 2) * (s + 3))
    spread = (excess + 2) * variance**2
    return Law(f"beta({a:g}, {b:g})", mean, variance, spread, lambda rng, size: rng.beta(a, b, size))


def _two_values(name: str, p: float, high: float) -> Law:
    """``high`` with probability p, else 0."""
    variance = p * (1 - p) * high**2
    spread = variance * (high * (1 - 2 * p)) ** 2
    return Law(name, p * high, variance, spread, lambda rng, size: np.where(rng.random(size) < p, high, 0.0))


def _switching(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
    """After an observation above 1/2 the next has three values, else two: both of mean 1/2, variance 1/16."""
    n, paths = size
    two = np.where(rng.random(size) < 0.5, 0.25, 0.75)
    three = rng.choice([0.0, 0.5, 1.0], p=[0.125, 0.75, 0.125], size=size)
    x = np.empty(size)
    last = np.zeros(paths)
    for i in range(n):
        last = x[i] = np.where(last > 0.5, three[i], two[i])
    return x


def _vectors(rng: np.random.Generator, size: tuple[int, int], share: float) -> Floats:
    """Vectors of length 1/2 with probability ``share``, else 0, in random directions."""
    lengths = np.where(rng.random(size) < share, 0.5, 0.0)
    directions = rng.normal(size=(*size, DIMENSIONS))
    directions *= (lengths / np.linalg.norm(directions, axis=-1))[..., None]
    return directions


def _one_sided(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
    """Vectors of which every second is 0, with no negative entry: their mean is far from 0."""
    return np.abs(_vectors(rng, size, 0.5))


BETA_2_6 = _beta(2, 6)
BETA_5_5 = _beta(5, 5)
UNIFORM = Law("uniform", 1 / 2, 1 / 12, 1 / 180, lambda rng, size: rng.random(size))
RARE = _two_values("Bernoulli(0.05)", 0.05, 1.0)
SWITCHING = Law("switching", 1 / 2, 1 / 16, math.nan, _switching)  # no claim needs the spread of these
RARE_VECTORS = Law("rare vectors", 0.0, 0.05 / 4, math.nan, partial(_vectors, share=0.05))
_MEAN = math.exp(math.lgamma(DIMENSIONS / 2) - math.lgamma((DIMENSIONS + 1) / 2)) / math.sqrt(math.pi) / 4
ONE_SIDED_VECTORS = Law("one-sided vectors", _MEAN, 1 / 8 - DIMENSIONS * _MEAN**2, math.nan, _one_sided)
LAWS = (UNIFORM, BETA_2_6, BETA_5_5, _two_values("Bernoulli(0.5)", 0.5, 1.0), RARE)
