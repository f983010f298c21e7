"""Data of the claims on prediction sets: digits under noise, and a classifier that reads three in four."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]
    Sets = NDArray[np.bool_]

FITTED = 600


class NoisyDigits:
    """A logistic regression fitted on 600 noisy digits, and draws from the 1,197 others.

    Attributes:
        X: rows that the model has not seen, (1197, 64).
        y: their labels.
        S: minus the logarithm of the model's probability of each label, (1197, 10).
        fitted: the labels and such scores of the rows that it was fitted on.
    """

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.model, X, y = _fitted(seed)
        S = -np.log(self.model.predict_proba(X))
        self.X, self.y, self.S = X[FITTED:], y[FITTED:], S[FITTED:]
        self.fitted = y[:FITTED], S[:FITTED]

    def draw(self, n: int) -> Rows:
        """Return n rows, each drawn from all: exchangeable with any other draw."""
        return self.rng.integers(len(self.y), size=n)

    def splits(self, n: int, repeats: int) -> Iterator[tuple[Floats, Floats, Rows]]:
        """Yield scores of n calibration rows with their labels, scores of 20 test rows, and their labels."""
        for _ in range(repeats):
            cal, test = self.draw(n), self.draw(20)
            yield self.S[cal, self.y[cal]], self.S[test], self.y[test]

    def split_sets(self, cal: Rows, test: Rows, level: float) -> Sets:
        """Return the sets of ordinary split conformal prediction (MAPIE) that promise coverage ``level``."""
        from mapie.classification import SplitConformalClassifier  # noqa: PLC0415 - a baseline, for this alone

        split = SplitConformalClassifier(self.model, confidence_level=level)
        split.conformalize(self.X[cal], self.y[cal])
        return np.asarray(split.predict_set(self.X[test])[1][:, :, 0])


def sets_by_p_values(S_cal: Floats, S: Floats, T: int) -> tuple[Sets, Floats]:
    """Return sets of at most T labels, and the least level that gives such, by conformal p-values."""
    p = (1 + (S_cal[:, None, None] >= S).sum(axis=0)) / (len(S_cal) + 1)  # (m, K)
    alpha = np.sort(p, axis=1)[:, -T - 1]
    return p > alpha[:, None], alpha


def covered(sets: Sets, y: Rows) -> float:
    """Return the share of rows whose label is in their set."""
    return float(sets[np.arange(len(y)), y].mean())


@cache
def _fitted(seed: int) -> tuple[Any, Floats, Rows]:
    """Return the model, and all rows and labels, those it was fitted on first."""
    rng = np.random.default_rng([seed, 1])
    X, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))
    X, y = (X + rng.normal(0, 7, X.shape))[order] / 16, y[order]
    return LogisticRegression(C=0.3, max_iter=500).fit(X[:FITTED], y[:FITTED]), X, y
