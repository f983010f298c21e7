"""How wide the bounds of a variance are for samples that are too large to draw."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lunwen.methods.concentration._laws import Law

    Floats = NDArray[np.float64]


def half_widths(law: Law, n: float, level: float, *, falling: bool = True) -> tuple[float, float]:
    """Return the widths below and above at a fixed ``n``, every estimate at the value it estimates.

    The sums over i become sums over a geometric grid, so n may be as large as wanted. The mean's weights fall
    with i, or else are those for n.
    """
    s2, V = law.variance, law.spread
    share = 1 / (2 + math.log(n))
    log_a, log_1, log_2 = (math.log(x / level) for x in (1, 1 / (1 - share), 2 / share))

    def radius(log: float) -> float:
        l = min(math.sqrt(2 * log / (V * n)), 0.5)  # noqa: E741 - lambda
        return (n * V * (-math.log1p(-l) - l) + log) / (n * l)

    edges = np.unique(np.geomspace(1, n + 1, 20_001).round())
    i, count = edges[:-1], np.diff(edges)
    clock = i * np.log(i + 1) if falling else np.full_like(i, n)
    w = np.minimum(np.sqrt(2 * log_2 / (s2 * clock)), 2.0)
    W = np.cumsum(count * w) - count * w / 2
    P = np.cumsum(count * (np.expm1(w) - w)) - count * (np.expm1(w) - w) / 2
    error = ((log_2 + s2 * P) / W) ** 2
    used = count * (error < 1)
    return float(radius(log_1) + (used * error).sum() / used.sum()), radius(log_a)
