"""What claims on fair regression are measured on, and against."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from lunwen.methods.estimation._m_estimation import NORMAL, Loss, m_location, m_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lunwen.methods.estimation.fair_robust import FairRobustRegressor


LAWS = {"t2": stats.t(2), "Cauchy": stats.t(1), "Gaussian": stats.norm()}  # of the noise
SHARES = (0.7, 0.3)  # of the groups
CENTRES, SPREADS = np.array([0.0, 1.5]), np.sqrt([1.25, 2.5])  # of f in each group, where it is Gaussian


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
    return Rows(X, f + scale * LAWS[noise].rvs(n, random_state=rng), s, f)


def fair_optimum(rows: Rows, loss: Loss, noise: str) -> NDArray[np.float64]:
    """Return Q* at each row's true rank, of the population: what a fair fit by this loss is to find."""
    z, q = _population(loss, noise)
    at: NDArray[np.float64] = np.interp((rows.f - CENTRES[rows.s]) / SPREADS[rows.s], z, q)
    return at


@cache
def _population(loss: Loss, noise: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    z = np.linspace(-5, 5, 201)
    f = CENTRES + z[:, None] * SPREADS  # (ranks, groups)
    if loss == "squared":  # the barycentre, also where the noise has no mean
        return z, f @ SHARES
    e = LAWS[noise].ppf((np.arange(2000) + 0.5) / 2000)
    weights, scale = np.repeat(SHARES, len(e)), LAWS[noise].ppf(0.75) / NORMAL
    q = [m_location((levels[:, None] + e).ravel(), weights, loss, scale=scale) for levels in f]
    return z, np.array(q)


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
    residual = (test.y - model.predict(test.X, test.s)) / model.scale_
    return float(m_loss(residual, loss, quantile=model.quantile).mean())
