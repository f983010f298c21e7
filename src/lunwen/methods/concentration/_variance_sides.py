"""The two bounds of ``variance_bernstein``, line by line; its docstring has the formulas and the symbols."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Bound(NamedTuple):
    """Both bounds after each observation, and the estimates they stand around: each (n, p)."""

    lower: Floats
    lower_centre: Floats
    upper: Floats
    upper_centre: Floats


class Sides:
    """The two one-sided bounds, each at ``level``, of p paths in the ball of radius 1/2, fed piece by piece.

    ``horizon`` is the sample size where it is fixed, None for a sequence; ``mean_horizon`` is that of the
    mean's weights.
    """

    C1, C2, C3, C5 = 0.5, 1 / 16, 1 / 4, 2.0  # the authors' code: cap of l, priors of v and m, cap of w

    def __init__(self, level: float, *, horizon: float | None, mean_horizon: float | None = None) -> None:
        self.level, self.horizon, self.mean_horizon = level, horizon, mean_horizon
        self._seen = 0
        self._sums: dict[str, Floats] = {}

    def feed(self, x: Floats) -> Bound:
        """Go on with ``x[n, p, d]``."""
        i = self._seen + np.arange(1.0, len(x) + 1)[:, None]  # (n, 1)
        free = i * np.log(i + 1)
        clock = free if self.horizon is None else self.horizon
        self._seen += len(x)
        share = 1 / (2 + math.log(self.horizon or 1))  # of the level, for the mean
        log_1 = math.log(1 / (self.level * (1 - share)))
        log_2 = math.log(2 / (self.level * share))
        log_a = math.log(1 / self.level)

        mu = self._before("x", x) / i[..., None]  # prior 0: the middle of the ball
        Z = _square(x - mu)  # (n, p)
        m = self._before("Z", Z, self.C3) / i
        error = (Z - m) ** 2
        v = self._before("error", error, self.C2) / i
        l = np.minimum(np.sqrt(2 * log_a / (v * clock)), self.C1)  # noqa: E741 - lambda
        total = self._through("l", l)
        upper_centre = self._through("lZ", l * Z) / total
        upper = upper_centre + (self._through("psi error", _psi_e(l) * error) + log_a) / total

        mean_clock = free if self.mean_horizon is None else self.mean_horizon
        w = np.minimum(np.sqrt(2 * log_2 / (m * mean_clock)), self.C5)
        W, P = self._before("w", w), self._before("psi w", _psi_p(w))
        started = (W > 0) & (log_2 + m * P < W)  # before, the mean's error is not yet known to be below 1
        W = np.where(W > 0, W, 1.0)
        Z = _square(x - self._before("wx", w[..., None] * x) / W[..., None])
        error = (Z - m) ** 2
        v = self._before("lower error", error, self.C2) / i
        l = np.where(started, np.minimum(np.sqrt(2 * log_1 / (v * clock)), self.C1), 0.0)  # noqa: E741
        total = self._through("lower l", l)
        safe = np.where(total > 0, total, 1.0)
        D = self._through("lower lZ", l * Z) / safe
        R = (self._through("lower psi error", _psi_e(l) * error) + log_1) / safe
        A = self._through("A", l * (P / W) ** 2) / safe
        B = 1 + self._through("B", l * 2 * log_2 * P / W**2) / safe
        C = self._through("C", l * (log_2 / W) ** 2) / safe
        rest = np.where(total > 0, np.maximum(D - R - C, 0.0), 0.0)
        lower = 2 * rest / (B + np.sqrt(B**2 + 4 * A * rest))  # the root, written so that A may be 0
        return Bound(lower, D, np.minimum(upper, 0.25), upper_centre)

    def _running(self, name: str, values: Floats, start: float) -> Floats:
        """Return n + 1 rows: the sum so far, then after each of ``values``."""
        first = self._sums.get(name, np.full_like(values[0], start))
        rows = np.concatenate([first[None], values]).cumsum(0)
        self._sums[name] = rows[-1]
        return rows

    def _before(self, name: str, values: Floats, start: float = 0.0) -> Floats:
        return self._running(name, values, start)[:-1]

    def _through(self, name: str, values: Floats) -> Floats:
        return self._running(name, values, 0.0)[1:]


def _psi_e(l: Floats) -> Floats:  # noqa: E741
    return -np.log1p(-l) - l


def _psi_p(l: Floats) -> Floats:  # noqa: E741
    return np.expm1(l) - l


def _square(vectors: Floats) -> Floats:
    squares: Floats = np.einsum("npd,npd->np", vectors, vectors)
    return squares
