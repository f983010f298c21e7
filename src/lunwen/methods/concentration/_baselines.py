"""Intervals of a variance that the claims compare with: the usual one, and some without the idea."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def maurer_pontil(x: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return the interval of the variance of ``x[..., n]``, range 1 (Maurer and Pontil 2009, Theorem 10)."""
    radius = math.sqrt(2 * (math.log(2) - math.log(alpha)) / (x.shape[-1] - 1))
    deviation: Floats = np.asarray(x.std(-1, ddof=1))
    return np.maximum(deviation - radius, 0.0) ** 2, np.minimum(deviation + radius, 0.5) ** 2


def self_bounding(x: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return what their Theorem 7 says when it is solved for the variance s2, with no further step.

    V <= s2 + t^2 + t sqrt(4 s2 + t^2) and s2 - 2 t sqrt(s2) <= V, each at alpha/2, V the sample's variance.
    """
    t = math.sqrt((math.log(2) - math.log(alpha)) / (2 * (x.shape[-1] - 1)))
    V: Floats = np.asarray(x.var(-1, ddof=1))
    low = V + t**2 - t * np.sqrt(4 * V + t**2)
    return np.where(2 * t**2 < V, low, 0.0), np.minimum((t + np.sqrt(V + t**2)) ** 2, 0.25)


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
