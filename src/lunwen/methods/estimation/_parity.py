"""Demographic parity: how far predictions are from it, and ranks within a group."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.stats import ks_2samp, wasserstein_distance

from lunwen.errors import UsageError
from lunwen.methods.estimation._rows import labels, vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lunwen.methods.estimation._rows import Floats


def dp_gap(pred: ArrayLike, s: ArrayLike, *, metric: Literal["ks", "w1"] = "ks") -> float:
    """Return the largest distance between two groups' predictions: Kolmogorov-Smirnov or Wasserstein-1.

    Raises:
        UsageError: another metric, fewer than two groups, or arrays that do not fit each other.
    """
    pred = vector(pred, "pred")
    s = labels(s, "s", len(pred))
    groups = [pred[s == one] for one in np.unique(s)]
    if len(groups) < 2:
        raise UsageError(f"s has {len(groups)} group; a gap needs 2 or more. Give the groups to compare in s")
    if metric not in {"ks", "w1"}:
        raise UsageError(f'metric "{metric}" is not known; it is "ks" or "w1". Choose one of them')
    pairs = combinations(groups, 2)
    if metric == "w1":
        return max(float(wasserstein_distance(a, b)) for a, b in pairs)
    return max(float(ks_2samp(a, b, method="asymp").statistic) for a, b in pairs)


def rank(g: Floats, scores: Floats, rng: np.random.Generator) -> Floats:
    """Return F(g) from sorted ``scores``; where some are tied with g, at random among them."""
    low, high = np.searchsorted(scores, g, "left"), np.searchsorted(scores, g, "right")
    tied = high - low
    place = np.where(tied > 1, rng.uniform(size=len(g)), 0.5)
    return np.asarray((low + place * np.maximum(tied, 1)) / (len(scores) + (tied == 0)))
