"""M-estimation: losses, the location and the linear regression that minimise them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, QuantileRegressor

from lunwen.errors import UsageError
from lunwen.methods._given import array, choice, number, vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

Loss = Literal["squared", "lad", "quantile", "huber", "cauchy", "tukey"]

LOSSES: tuple[Loss, ...] = ("squared", "lad", "quantile", "huber", "cauchy", "tukey")
NORMAL = 0.6744897501960817  # the median of |r| of a standard Gaussian
TUNING = {"huber": 1.345, "cauchy": 2.385, "tukey": 4.685}  # 95 % efficiency under Gaussian noise


def m_loss(r: ArrayLike, loss: Loss, *, quantile: float = 0.5) -> Floats:
    """Return rho(r) of residuals in units of their scale.

    Raises:
        UsageError: an unknown loss, a quantile outside its range, or residuals that are no finite numbers.
    """
    check_loss(loss, quantile)
    r = array("r", r)
    if loss == "squared":
        return r**2 / 2
    if loss in {"lad", "quantile"}:
        q = 0.5 if loss == "lad" else quantile
        return np.maximum(q * r, (q - 1) * r)
    c = TUNING[loss]
    if loss == "huber":
        return np.where(np.abs(r) <= c, r**2 / 2, c * np.abs(r) - c**2 / 2)
    if loss == "cauchy":
        return c**2 / 2 * np.log1p((r / c) ** 2)
    return c**2 / 6 * (1 - np.clip(1 - (r / c) ** 2, 0, None) ** 3)


def m_location(
    y: ArrayLike, w: ArrayLike | None = None, loss: Loss = "huber", *, quantile: float = 0.5, scale: float = 0
) -> float:
    """Return argmin_q sum_i w_i rho((y_i - q) / scale); the scale is the normalised MAD, where it is 0.

    Raises:
        UsageError: an unknown loss, empty or not finite values, weights that do not fit them, or a negative
            scale.
    """
    check_loss(loss, quantile)
    number("scale", scale, least=0, hint="0 to have it follow from y")
    y = vector("y", y)
    w = np.ones(len(y)) if w is None else vector("w", w, count=len(y))
    if w.min() < 0 or w.sum() == 0:
        raise UsageError("w has a negative weight or only zeros. Give weights of at least 0, not all 0")
    if loss == "squared":
        return float(np.average(y, weights=w))
    location = _quantile(y, w, quantile if loss == "quantile" else 0.5)
    if loss in {"lad", "quantile"}:
        return location
    scale = scale or _quantile(np.abs(y - location), w, 0.5) / NORMAL or 1.0
    for _ in range(100):  # iteratively reweighted means, from the median: Tukey's loss is not convex
        before, weight = location, w * _reweight(y - location, scale, loss)
        location = float(weight @ y / weight.sum()) if weight.sum() > 0 else location
        if abs(location - before) <= 1e-9 * scale:
            break
    return location


def _quantile(y: Floats, w: Floats, q: float) -> float:
    """Return the smallest value that has a share q of the weight up to it."""
    order = np.argsort(y)
    share = np.cumsum(w[order]) / w.sum()
    return float(y[order][np.searchsorted(share, q * (1 - 1e-12))])


def check_loss(loss: str, quantile: float) -> None:
    """Refuse a loss or a quantile that is not known.

    Raises:
        UsageError: it is none of the losses, or not strictly between 0 and 1.
    """
    choice("loss", loss, LOSSES)
    number("quantile", quantile, above=0, below=1, hint="0.5 for the median")


class LinearM(BaseEstimator):  # type: ignore[misc]
    """A linear regression by any of the losses."""

    def __init__(self, loss: Loss = "huber", quantile: float = 0.5) -> None:
        self.loss = loss
        self.quantile = quantile

    def fit(self, X: Floats, y: Floats) -> LinearM:
        """Fit by least squares, by linear programming, or by iterated reweighting with the MAD as scale."""
        if self.loss in {"lad", "quantile"}:
            self.model_ = _quantile_fit(X, y, self.quantile if self.loss == "quantile" else 0.5)
            return self
        self.model_ = LinearRegression().fit(X, y)
        if self.loss in {"cauchy", "tukey"}:  # not convex: from a start that outliers do not move
            self._reweighted(X, y, "huber")
        if self.loss != "squared":
            self._reweighted(X, y, self.loss)
        return self

    def _reweighted(self, X: Floats, y: Floats, loss: Loss) -> None:
        before = self.predict(X)
        for _ in range(100):
            scale = mad(y - before) or 1.0
            self.model_ = LinearRegression().fit(X, y, sample_weight=_reweight(y - before, scale, loss))
            now = self.predict(X)
            if np.abs(now - before).max() <= 1e-6 * scale:
                break
            before = now

    def predict(self, X: Floats) -> Floats:
        """Return the linear predictions."""
        return np.asarray(self.model_.predict(X), float)


def _quantile_fit(X: Floats, y: Floats, q: float) -> QuantileRegressor:
    """Fit in units of the data's own spread: the linear program's tolerances are absolute."""
    middle, level = np.median(X, axis=0), np.median(y)
    unit = np.abs(X - middle).mean(
        axis=0
    )  # where the median of them is 0, as of a binary column, still above it
    unit[unit == 0] = 1.0
    spread = mad(y - level) or np.abs(y - level).mean() or 1.0
    model = QuantileRegressor(quantile=q, alpha=0).fit((X - middle) / unit, (y - level) / spread)
    model.coef_ = model.coef_ * spread / unit
    model.intercept_ = model.intercept_ * spread + level - middle @ model.coef_
    return model


@np.errstate(over="ignore")  # a residual of many scales: its weight is 0
def _reweight(r: Floats, scale: float, loss: Loss) -> Floats:
    """Return rho'(r / scale) / (r / scale)."""
    c = TUNING[loss] * scale
    if loss == "huber":
        return np.asarray(c / np.maximum(np.abs(r), c))
    if loss == "cauchy":
        return np.asarray(1 / (1 + (r / c) ** 2))
    return np.clip(1 - (r / c) ** 2, 0, None) ** 2


def mad(r: Floats) -> float:
    """Return the median of |r|, scaled to a Gaussian's standard deviation."""
    return float(np.median(np.abs(r)) / NORMAL)
