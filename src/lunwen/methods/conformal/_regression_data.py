"""Data and networks of the claims on prediction bands."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes, make_friedman1
from torch import nn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NAMES = (
    "multiplicative",
    "diabetes",
    "friedman1",
    "heteroscedastic",
)  # the first: noise as large as the slope
HIDDEN = 64  # paper: 64


class Bands(Protocol):
    """What predicts bands."""

    def calibrate(self, X: Floats, y: Floats, /) -> Self:
        """Score rows."""

    def predict_interval(self, X: Floats, /) -> tuple[Floats, Floats]:
        """Return both ends."""


@dataclass(frozen=True)
class Problem:
    """A network, the rows and answers it was fitted on, and those it has not seen."""

    encoder: nn.Sequential
    head: nn.Sequential
    fitted: tuple[Floats, Floats]
    X: Floats
    y: Floats

    def halves(self) -> tuple[tuple[Floats, Floats], Floats, Floats]:
        """Return unseen rows and answers to calibrate with, and as many to try (paper: three tenths each)."""
        half = len(self.y) // 2
        return (self.X[:half], self.y[:half]), self.X[half:], self.y[half:]

    def split_width(self) -> float:
        """Return the mean width of MAPIE's split conformal bands, of quantiles where the head gives two."""
        from mapie import regression  # noqa: PLC0415 - a baseline, for this alone

        cal, X, _ = self.halves()
        if self.head[-1].out_features == 1:
            split = regression.SplitConformalRegressor(_Network(self).fit(X)).conformalize(*cal)
            ends = split.predict_interval(X)[1][:, :, 0]
        else:
            parts = [_Network(self, end).fit(X) for end in (0, 1, 1)]  # the third, a middle, moves no end
            quantiles = regression.ConformalizedQuantileRegressor(parts, prefit=True).conformalize(*cal)
            ends = quantiles.predict_interval(X, symmetric_correction=True)[1][:, :, 0]
        return float((ends[:, 1] - ends[:, 0]).mean())


class _Network(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted network as MAPIE takes it."""

    def __init__(self, problem: Problem, output: int = 0) -> None:
        self.problem = problem
        self.output = output

    def fit(self, X: Floats, _: Floats | None = None) -> Self:
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Floats) -> Floats:
        with torch.no_grad():
            outputs = self.problem.head(self.problem.encoder(torch.as_tensor(X, dtype=torch.float32)))
        return np.asarray(outputs[:, self.output], dtype=np.float64)


@cache
def problem(name: str, seed: int, rows: int = 6000, levels: tuple[float, ...] = ()) -> Problem:
    """Return one of NAMES, with a network of the mean or of the quantiles at ``levels``.

    At most 400 rows are fitted, at most two fifths; y is scaled by its mean size.
    """
    rng = np.random.default_rng([seed, NAMES.index(name)])
    X, y = _rows(name, rows, rng)
    fitted = min(400, int(0.4 * len(y)))  # paper: two fifths
    y = y / np.abs(y[:fitted]).mean()
    encoder, head = fit(X[:fitted], y[:fitted], seed, levels=levels)
    return Problem(encoder, head, (X[:fitted], y[:fitted]), X[fitted:], y[fitted:])


def fit(
    X: Floats, y: Floats, seed: int, *, hidden: int = HIDDEN, levels: tuple[float, ...] = ()
) -> tuple[nn.Sequential, nn.Sequential]:
    """Fit a network of two hidden layers and two more, by 100 steps of Adam on all rows."""
    q = torch.tensor(levels or (0.5,))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)  # the initial weights know no generator
        encoder = nn.Sequential(
            nn.Linear(X.shape[1], hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, len(q)))
    whole = nn.Sequential(encoder, head)
    inputs, wanted = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)[:, None]
    optimizer = torch.optim.Adam(whole.parameters(), lr=1e-2, fused=True)  # fused: a third quicker here
    for _ in range(100):
        optimizer.zero_grad()
        above = wanted - whole(inputs)
        loss = torch.maximum(q * above, (q - 1) * above) if levels else above.square()
        torch.autograd.backward(loss.mean())
        optimizer.step()
    return encoder, head


def inside(bands: Bands, X: Floats, y: Floats) -> float:
    """Return the share of answers inside their bands."""
    low, high = bands.predict_interval(X)
    return float(((low <= y) & (y <= high)).mean())


def width(bands: Bands, X: Floats) -> float:
    """Return the mean width of the bands."""
    low, high = bands.predict_interval(X)
    return float((high - low).mean())


def mean_coverage(bands: Bands, given: Problem, seed: int, repeats: int) -> float:
    """Return the share inside over random choices of at most 600 calibration rows."""
    rng, shares = np.random.default_rng(seed), []
    count = min(600, len(given.y) // 2)
    for _ in range(repeats):
        order = rng.permutation(len(given.y))
        cal, test = order[:count], order[count:]
        shares.append(inside(bands.calibrate(given.X[cal], given.y[cal]), given.X[test], given.y[test]))
    return float(np.mean(shares))


def seconds(bands: Bands, given: Problem, count: int) -> float:
    """Return the seconds of calibrating and predicting ``count`` rows, of this process alone."""
    (X_cal, y_cal), X, _ = given.halves()
    started = time.process_time()
    bands.calibrate(X_cal[:count], y_cal[:count]).predict_interval(X[:count])
    return time.process_time() - started


def _rows(name: str, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True)
        order = rng.permutation(len(y))
        return (X / X.std(axis=0))[order], y[order]
    if name == "friedman1":
        X, y = make_friedman1(count, noise=1.0, random_state=int(rng.integers(2**31)))
        return (X - 0.5) * 12**0.5, y
    X, noise = rng.normal(size=(count, 5)), rng.normal(size=count)
    if name == "heteroscedastic":  # the noise grows along a direction in which the mean does not
        return X, np.sin(X[:, 0]) + X[:, 1] / 2 + (0.1 + np.abs(X[:, 2]) / 2) * noise
    return X, np.exp(X.sum(axis=1) / 5**0.5) * (1 + 0.3 * noise)
