"""What the claims on the variance draw and compare with: laws, intervals without the idea, huge samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Law:
    """A process with constant conditional mean and variance, and how to draw ``(n, paths)`` of it.

    ``spread`` is the variance of (X - mu)^2.
    """

    name: str
    mean: float
    variance: float
    spread: float
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats]

    def missed(self, low: Floats, high: Floats) -> int:
        """Return how many intervals do not hold the variance."""
        return int(np.sum((low > self.variance) | (high < self.variance)))


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


BETA_2_6 = _beta(2, 6)
BETA_5_5 = _beta(5, 5)
UNIFORM = Law("uniform", 1 / 2, 1 / 12, 1 / 180, lambda rng, size: rng.random(size))
RARE = _two_values("Bernoulli(0.05)", 0.05, 1.0)
SWITCHING = Law("switching", 1 / 2, 1 / 16, math.nan, _switching)  # no claim needs its spread
RARE_VECTORS = Law(
    "lengths", 0.0, 0.05 / 4, math.nan, lambda rng, size: np.where(rng.random(size) < 0.05, 0.5, 0.0)
)
LAWS = (UNIFORM, BETA_2_6, BETA_5_5, _two_values("Bernoulli(0.5)", 0.5, 1.0), RARE)


def directed(rng: np.random.Generator, lengths: Floats, d: int) -> Floats:
    """Return vectors of these lengths in random directions of d dimensions, their mean 0."""
    directions = rng.normal(size=(*lengths.shape, d))
    directions *= (lengths / np.linalg.norm(directions, axis=-1))[..., None]
    return directions


def maurer_pontil(x: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return the interval of the variance of ``x[..., n]``, range 1, by its self-bounding deviation."""
    radius = math.sqrt(2 * math.log(2 / alpha) / (x.shape[-1] - 1))
    deviation: Floats = np.asarray(x.std(-1, ddof=1))
    return np.maximum(deviation - radius, 0.0) ** 2, np.minimum(deviation + radius, 0.5) ** 2


def plug_in(squares: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return the normal interval of the mean of ``squares[n, p]`` with the sample's own spread."""
    half = norm.ppf(1 - alpha / 2) * squares.std(0) / math.sqrt(len(squares))
    return squares.mean(0) - half, squares.mean(0) + half


def normal_bounds(x: Floats, alpha: float) -> Floats:
    """Return that interval of the variance after each row of ``x[n, p]``: (2, n, p)."""
    i = np.arange(1.0, len(x) + 1)[:, None]
    m1, m2, m3, m4 = (np.cumsum(x**k, axis=0) / i for k in (1, 2, 3, 4))
    variance = m2 - m1**2
    fourth = m4 - 4 * m3 * m1 + 6 * m2 * m1**2 - 3 * m1**4
    half = norm.ppf(1 - alpha / 2) * np.sqrt(np.maximum(fourth - variance**2, 0.0) / i)
    return np.stack([variance - half, variance + half])


def hoeffding_std(squares: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return Hoeffding's interval of the root of the mean of ``squares[..., n]`` in [0, 1]."""
    half = math.sqrt(math.log(2 / alpha) / (2 * squares.shape[-1]))
    mean = squares.mean(-1)
    return np.sqrt(np.maximum(mean - half, 0.0)), np.sqrt(np.minimum(mean + half, 0.25))


def half_widths(law: Law, n: float, level: float) -> tuple[float, float]:
    """Return the widths below and above at a fixed ``n``, every estimate at the value it estimates.

    The sums over i become sums over a geometric grid, so n may be as large as wanted.
    """
    s2, V = law.variance, law.spread
    share = 1 / (2 + math.log(n))
    log_a, log_1, log_2 = (math.log(x / level) for x in (1, 1 / (1 - share), 2 / share))

    def radius(log: float) -> float:
        l = min(math.sqrt(2 * log / (V * n)), 0.5)  # noqa: E741 - lambda
        return (n * V * (-math.log1p(-l) - l) + log) / (n * l)

    edges = np.unique(np.geomspace(1, n + 1, 20_001).round())
    i, count = edges[:-1], np.diff(edges)
    w = np.minimum(np.sqrt(2 * log_2 / (s2 * i * np.log(i + 1))), 2.0)
    W = np.cumsum(count * w) - count * w / 2
    P = np.cumsum(count * (np.expm1(w) - w)) - count * (np.expm1(w) - w) / 2
    error = ((log_2 + s2 * P) / W) ** 2
    used = count * (error < 1)
    return float(radius(log_1) + (used * error).sum() / used.sum()), radius(log_a)
