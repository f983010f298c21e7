"""Data of the claims on prediction sets: rows with labels, and the scores of a classifier."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from lunwen.methods._claim import Trials

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]
    Sets = NDArray[np.bool_]
    Way = Callable[[Floats, Floats, int], tuple[Sets, Floats]]


@dataclass(frozen=True)
class Pool:
    """Rows to draw from again and again, so that any draws are exchangeable.

    Attributes:
        S: minus the logarithm of each label's probability, (rows, K).
        y: the labels.
        rng: draws.
        X: what the model reads; the model was fitted on others.
        model: a fitted classifier.
    """

    S: Floats
    y: Rows
    rng: np.random.Generator
    X: Floats = field(default_factory=lambda: np.empty((0, 0)))
    model: Any = None

    def draw(self, n: int) -> Rows:
        """Return n rows, each drawn from all."""
        return self.rng.integers(len(self.y), size=n)

    def splits(self, n: int, repeats: int) -> Iterator[tuple[Floats, Floats, Rows]]:
        """Yield scores of n calibration rows with their labels, scores of 20 test rows, and their labels."""
        for _ in range(repeats):
            cal, test = self.draw(n), self.draw(20)
            yield self.S[cal, self.y[cal]], self.S[test], self.y[test]


def noisy_digits(seed: int) -> Pool:
    """Return 1,197 digits under noise, of which a logistic regression reads three in four."""
    model, X, y = _read_digits(seed)
    return Pool(-np.log(model.predict_proba(X)), y, np.random.default_rng(seed), X, model)


def breast_cancer(seed: int) -> Pool:
    """Return 380 patients, of whom a logistic regression diagnoses nearly all."""
    model, X, y = _diagnosed(seed)
    return Pool(-np.log(model.predict_proba(X)), y, np.random.default_rng(seed), X, model)


def doubtful_fifth(seed: int) -> Pool:
    """Return a model that is sure of four rows in five, rightly, and knows nothing of the others."""
    sure, doubtful = (1 - 1e-6, 1e-6), (0.505, 0.495)  # not .5, so that one of the two comes first
    S = -np.log([sure] * 8 + [doubtful] * 2)
    return Pool(S, np.array([0] * 9 + [1]), np.random.default_rng(seed))


def wrong_fifth(seed: int) -> Pool:
    """Return a model that is rightly sure of four rows in five, and always wrong on the others, if barely."""
    S = -np.log([(0.99, 0.01)] * 4 + [(0.495, 0.505)])
    return Pool(S, np.zeros(5, dtype=np.int64), np.random.default_rng(seed))


def split_sets(pool: Pool, cal: Rows, test: Rows, level: float) -> Sets:
    """Return the sets of ordinary split conformal prediction (MAPIE) that promise coverage ``level``."""
    from mapie.classification import SplitConformalClassifier  # noqa: PLC0415 - a baseline, for this alone

    split = SplitConformalClassifier(pool.model, confidence_level=level)
    split.conformalize(pool.X[cal], pool.y[cal])
    return np.asarray(split.predict_set(pool.X[test])[1][:, :, 0])


def sets_by_p_values(S_cal: Floats, S: Floats, T: int) -> tuple[Sets, Floats]:
    """Return sets of at most T labels, and the least level that gives such, by conformal p-values."""
    p = (1 + (S_cal[:, None, None] >= S).sum(axis=0)) / (len(S_cal) + 1)  # (m, K)
    alpha = np.sort(p, axis=1)[:, -T - 1]
    return p > alpha[:, None], alpha


def covered(sets: Sets, y: Rows) -> float:
    """Return the share of rows whose label is in their set."""
    return float(sets[np.arange(len(y)), y].mean())


DATA = {
    "digits": noisy_digits,
    "breast cancer": breast_cancer,
    "a fifth doubtful": doubtful_fifth,
    "a fifth wrong": wrong_fifth,
}


def tried(
    trials: Trials, cells: Iterable[tuple[str, int, int]], way: Way
) -> dict[str, list[tuple[Floats, Floats]]]:
    """Return for each of DATA, n and T, and for each seed, which sets miss, and the level chosen for each."""
    found: dict[str, list[tuple[Floats, Floats]]] = {}
    for name, n, T in cells:
        seeds = found[f"{name}, n = {n}, T = {T}"] = []
        for seed in trials:
            missed, alphas = [], []
            for S_cal, S, y in DATA[name](seed).splits(n, trials.pick(fast=100, full=2000)):
                sets, alpha = way(S_cal, S, T)
                missed.append(~sets[np.arange(len(y)), y])
                alphas.append(alpha)
            seeds.append((np.concatenate(missed).astype(np.float64), np.concatenate(alphas)))
    return found


@cache
def _read_digits(seed: int) -> tuple[Any, Floats, Rows]:
    rng = np.random.default_rng([seed, 1])
    X, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))
    X, y = (X + rng.normal(0, 7, X.shape))[order] / 16, y[order]
    return LogisticRegression(C=0.3, max_iter=500).fit(X[:600], y[:600]), X[600:], y[600:]


@cache
def _diagnosed(seed: int) -> tuple[Any, Floats, Rows]:
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng([seed, 1]).permutation(len(y))
    X, y = X[order], y[order]
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:189], y[:189])  # a third
    return model, X[189:], y[189:]
