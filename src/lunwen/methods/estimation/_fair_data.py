"""What claims on fair regression are measured on, and against."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lunwen.methods.estimation._m_estimation import Loss, m_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lunwen.methods.estimation.fair_robust import FairRobustRegressor


class Rows(NamedTuple):
    """Cases with what they follow."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    s: NDArray[np.intp]
    f: NDArray[np.float64]  # the true regression function


def draw(seed: int, n: int, noise: str, scale: float = 1.0, *, legitimate: float = 0.0) -> Rows:
    """Two groups, 70 and 30 %, of unlike slope and level; with a binary covariate where ``legitimate``."""
    rng = np.random.default_rng(seed)
    s = (rng.random(n) < 0.3).astype(np.intp)
    X = rng.normal(size=(n, 2))
    f = np.where(s == 1, 1.5 + 1.5 * X[:, 0], X[:, 0]) + 0.5 * X[:, 1]
    if legitimate:
        z = rng.random(n) < np.where(s == 1, 0.7, 0.3)
        X, f = np.column_stack([X, z]), f + legitimate * z
    degrees = {"t2": 2, "Cauchy": 1}.get(noise)
    return Rows(X, f + scale * (rng.standard_t(degrees, n) if degrees else rng.normal(size=n)), s, f)


def mean_penalty(train: Rows, test: Rows, t: float) -> NDArray[np.float64]:
    """Predict by least squares of weight t, the squared gap between the groups' means of weight 1 - t."""
    Z, Z_test = (
        np.column_stack([np.ones(len(rows.s)), rows.s, rows.X, rows.X * rows.s[:, None]])
        for rows in (train, test)
    )
    d = Z[train.s == 1].mean(axis=0) - Z[train.s == 0].mean(axis=0)
    normal = t * Z.T @ Z / len(Z) + (1 - t) * np.outer(d, d)
    beta = np.linalg.pinv(normal) @ (t * Z.T @ train.y / len(Z))
    return np.asarray(Z_test @ beta, float)


def barycentre(model: FairRobustRegressor, train: Rows) -> FairRobustRegressor:
    """Return the same fits, transported to sum_s p_s F_s^{-1}."""
    other, shares = copy(model), np.bincount(train.s) / len(train.s)
    curves = [p * np.quantile(model.scores_[0, group], model.ranks_) for group, p in enumerate(shares)]
    other.transform_curve_ = np.sum(curves, axis=0, keepdims=True)
    return other


def risk(model: FairRobustRegressor, test: Rows, loss: Loss) -> float:
    """Return the mean loss on rows, at the scale of the model's residuals."""
    return float(m_loss((test.y - model.predict(test.X, test.s)) / model.scale_, loss).mean())
