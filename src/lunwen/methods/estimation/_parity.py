"""Demographic parity: how far predictions are from it, and ranks within a group."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.stats import ks_2samp, wasserstein_distance

from lunwen.errors import UsageError
from lunwen.methods._given import choice, vector
from lunwen.methods.estimation._groups import labels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


def dp_gap(pred: ArrayLike, s: ArrayLike, *, metric: Literal["ks", "w1"] = "ks") -> float:
    """Return the largest distance between two groups' predictions: Kolmogorov-Smirnov or Wasserstein-1.

    Raises:
        UsageError: another metric, fewer than two groups, or arrays that do not fit each other.
    """
    choice("metric", metric, ("ks", "w1"))
    pred = vector("pred", pred)
    s = labels("s", s, count=len(pred))
    groups = [pred[s == one] for one in np.unique(s)]
    if len(groups) < 2:
        raise UsageError(f"s has {len(groups)} group. Give 2 or more to compare")
    pairs = combinations(groups, 2)
    if metric == "w1":
        return max(float(wasserstein_distance(a, b)) for a, b in pairs)
    return max(float(ks_2samp(a, b, method="asymp").statistic) for a, b in pairs)


def rank(g: Floats, scores: Floats, rng: np.random.Generator) -> Floats:
    """Return F(g) from sorted ``scores``; where some are tied with g, at random among them."""
    # equal rows may differ in their scores' last digits
    near = 1e-9 * (scores[-1] - scores[0]) + 1e-14 * np.abs(scores[[0, -1]]).max()
    low, high = np.searchsorted(scores, g - near, "left"), np.searchsorted(scores, g + near, "right")
    tied = high - low
    place = np.where(tied > 1, rng.uniform(size=len(g)), 0.5)
    return np.asarray((low + place * np.maximum(tied, 1)) / (len(scores) + (tied == 0)))
