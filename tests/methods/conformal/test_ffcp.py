from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mapie.regression import SplitConformalRegressor
from scipy.stats import kstest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from torch import nn

from lunwen.errors import LunwenError
from lunwen.methods.conformal.ffcp import (
    FastFeatureConformalClassifier,
    FastFeatureConformalQuantileRegressor,
    FastFeatureConformalRegressor,
    FeatureConformalRegressor,
    _uniform,
    ball_bounds,
    gradient_norm,
)

if TYPE_CHECKING:
    from collections.abc import Callable

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = X @ [1.0, -2.0, 0.5] + 0.3 * RNG.normal(size=400)


def _linear(weights: list[list[float]]) -> nn.Linear:
    layer = nn.Linear(len(weights[0]), len(weights), bias=False, dtype=torch.float64)
    layer.load_state_dict({"weight": torch.tensor(weights, dtype=torch.float64)})
    return layer


def _head(seed: int) -> nn.Sequential:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 5), nn.ReLU(), nn.Linear(5, 2)).double()


def test_by_hand() -> None:
    head = _linear([[3.0, 4.0]])  # its gradient has norm 5 everywhere
    rows, answers = np.zeros((9, 2)), np.arange(1.0, 10) * 5
    bands = FastFeatureConformalRegressor(nn.Identity(), head).calibrate(rows, answers)
    assert bands.scores_ == pytest.approx(np.arange(1, 10), abs=1e-5)
    assert bands.quantile_ == pytest.approx(9, abs=1e-5)  # the 9th of 9, ceil(10 * 0.9)
    low, high = bands.predict_interval([[1.0, 1.0]])
    assert (low.item(), high.item()) == (pytest.approx(7 - 45), pytest.approx(7 + 45))
    slow = FeatureConformalRegressor(nn.Identity(), head, ball=2, steps=50).calibrate(rows, answers)
    assert slow.scores_ == pytest.approx(bands.scores_, rel=1e-5)  # the nearest features on a plane
    assert np.array(slow.predict_interval([[1.0, 1.0]])).ravel() == pytest.approx([-38, 52], abs=1e-3)


def test_a_linear_head_is_split_conformal_prediction() -> None:
    model = LinearRegression(fit_intercept=False).fit(X[:100], Y[:100])
    split = SplitConformalRegressor(model, confidence_level=0.9).conformalize(X[100:300], Y[100:300])
    bands = FastFeatureConformalRegressor(nn.Identity(), _linear([model.coef_.tolist()]))
    low, high = bands.calibrate(X[100:300], Y[100:300]).predict_interval(X[300:])
    assert np.stack([low, high], axis=1) == pytest.approx(
        split.predict_interval(X[300:])[1][:, :, 0], abs=1e-4
    )


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 50), st.sampled_from([1.0, 2.0, 3.0, math.inf]), st.floats(0.01, 2))
def test_bounds_hold_and_the_gradient_norm_is_the_steepest_slope(
    seed: int, ball: float, radius: float
) -> None:
    head, v = _head(seed), torch.tensor(X[:5])
    low, high = ball_bounds(head, v, radius, ball=ball)
    way = torch.randn(200, 5, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    way = radius * way / way.norm(ball, dim=2, keepdim=True)
    outputs = head(v + way)
    assert (outputs >= low - 1e-9).all()
    assert (outputs <= high + 1e-9).all()
    norms = gradient_norm(head, v, ball=ball)[1]
    jacobian = torch.stack([torch.autograd.functional.jacobian(head, row) for row in v])  # (5, 2, 3)
    assert (torch.einsum("rnf,nof->rno", way / radius, jacobian) <= norms + 1e-9).all()
    dual = {1.0: math.inf, 2.0: 2, 3.0: 1.5, math.inf: 1}[ball]
    assert norms.numpy() == pytest.approx(np.linalg.norm(jacobian, dual, axis=2), abs=2e-6)


def test_vectors_are_covered_whole() -> None:
    answers = np.stack([Y, -Y], axis=1)
    head = _linear([[1.0, -2.0, 0.5], [-1.0, 2.0, -0.5]])
    for bands, most in (
        (FastFeatureConformalRegressor(nn.Identity(), head), 0.96),
        (FeatureConformalRegressor(nn.Identity(), head, random_state=0), 1.0),  # bounds, so wider
    ):
        low, high = bands.calibrate(X[:200], answers[:200]).predict_interval(X[200:])
        assert low.shape == (200, 2)
        assert 0.86 < ((low <= answers[200:]) & (answers[200:] <= high)).all(axis=1).mean() <= most


def test_sets_are_raps_where_delta_is_0() -> None:
    sets = FastFeatureConformalClassifier(
        _linear(np.eye(3).tolist()), nn.Identity(), delta=0, lam=0.1, k_reg=1
    )
    logits, kinds = np.log([[0.5, 0.3, 0.2]] * 100), np.arange(100) % 3
    own = sets.calibrate(logits, kinds).scores_
    for kind, least, most in ((0, 0, 0.5), (1, 0.6, 0.9), (2, 1.0, 1.2)):  # before, with its own, penalties
        assert ((own[kinds == kind] > least - 1e-5) & (own[kinds == kind] < most + 1e-5)).all()
    assert sets.predict_set(logits)[:, :2].all()


def test_a_row_has_the_same_set_whatever_rows_come_with_it() -> None:
    sets = FastFeatureConformalClassifier(_linear(np.eye(3).tolist()), nn.Identity(), random_state=0)
    all_at_once = sets.calibrate(X[:200], np.abs(X[:200]).argmax(axis=1)).predict_set(X)
    assert np.concatenate([sets.predict_set(row[None]) for row in X]).tolist() == all_at_once.tolist()
    draws = [_uniform(b"key", row) for row in X]
    assert kstest(draws, "uniform").pvalue > 0.01  # though they follow from the rows


def test_quantiles_have_a_norm_for_each_end() -> None:
    head = nn.Linear(2, 2).double()  # gradients of norms 5 and 10, ends 2 apart
    weights = {"weight": torch.tensor([[3.0, 4.0], [6.0, 8.0]]), "bias": torch.tensor([-1.0, 1.0])}
    head.load_state_dict(weights)
    bands = FastFeatureConformalQuantileRegressor(nn.Identity(), head)
    bands.calibrate(np.zeros((9, 2)), np.arange(1.0, 10) * 10 + 1)  # outside by 10, 20, ... 90
    assert bands.scores_ == pytest.approx(np.arange(1, 10), abs=1e-5)
    low, high = bands.predict_interval([[1.0, 1.0]])
    assert (low.item(), high.item()) == (pytest.approx(6 - 45), pytest.approx(15 + 90))


def test_a_layer_that_works_in_place_changes_nothing() -> None:
    first, last = _linear([[1.0, -2.0, 0.5], [-1.0, 2.0, 0.0]]), _linear([[1.0, -1.0]])
    for method in (FastFeatureConformalRegressor, partial(FeatureConformalRegressor, steps=3)):
        own, other = (
            method(first, nn.Sequential(nn.ReLU(inplace=here), last)).calibrate(X, Y)
            for here in (True, False)
        )
        assert own.scores_.tolist() == other.scores_.tolist()


@torch.inference_mode()
def test_inference_mode_changes_nothing() -> None:
    answers = torch.tensor(Y)  # made in inference mode, as the encoder's features
    for method in (FastFeatureConformalRegressor, partial(FeatureConformalRegressor, steps=3)):
        bands = method(HEAD, nn.Identity()).calibrate(X, answers)
        with torch.inference_mode(False):
            usual = method(HEAD, nn.Identity()).calibrate(X, Y)
            low, high = usual.predict_interval(X)
        assert np.array(bands.predict_interval(X)).tolist() == [low.tolist(), high.tolist()]
    logits = _linear(np.eye(3).tolist())
    sets = FastFeatureConformalClassifier(logits, nn.Identity()).calibrate(X, np.abs(X).argmax(axis=1))
    assert sets.predict_set(X).shape == (400, 3)
    assert gradient_norm(HEAD, torch.tensor(X))[1].shape == (400, 1)


def test_cross_validation_takes_them() -> None:
    bands = FastFeatureConformalRegressor(nn.Identity(), _linear([[1.0, -2.0, 0.5]]))
    assert cross_val_score(bands, X, Y).min() > 0.95  # of the middles, which are the network's outputs
    sets = FastFeatureConformalClassifier(_linear(np.eye(3).tolist()), nn.Identity(), random_state=0)
    shares = cross_val_score(sets, X, np.abs(X).argmax(axis=1))  # each fold calibrates, the rest is covered
    assert 0.8 < shares.mean() < 1


def test_a_layer_that_stands_twice_is_bounded_twice() -> None:
    turn, relu = _linear([[-1.0]]), nn.ReLU()
    low, high = ball_bounds(nn.Sequential(turn, relu, turn, relu), torch.ones(1, 1).double(), 3)
    assert (low.item(), high.item()) == (0, 0)  # -relu(-v) is never above 0
    low, high = ball_bounds(nn.Sequential(turn, relu, turn), torch.ones(1, 1).double(), 3)
    assert (low.item(), high.item()) == (-2, 0)


@pytest.mark.filterwarnings("error")
def test_tables_and_networks_of_single_precision_are_taken() -> None:
    head, frame = nn.Linear(3, 1), pd.DataFrame(X)
    low, high = (
        FastFeatureConformalRegressor(nn.Identity(), head)
        .calibrate(frame, pd.Series(Y))
        .predict_interval(frame)
    )
    assert low.shape == high.shape == (400,)


class _Constant(nn.Module):
    def forward(self, v: torch.Tensor) -> torch.Tensor:
        return torch.zeros(len(v), 1)


HEAD = _linear([[1.0, -2.0, 0.5]])


def _calibrated(method: Any, *args: Any, rows: Any = X, y: Any = Y, **settings: Any) -> None:
    method(*(args or (nn.Identity(), HEAD)), **settings).calibrate(rows, y)


FAST, SLOW, SETS = FastFeatureConformalRegressor, FeatureConformalRegressor, FastFeatureConformalClassifier
RELU = nn.Sequential(HEAD, nn.ReLU())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: _calibrated(FAST, rows=X[:8], y=Y[:8]),
            "alpha 0.1 needs 9 calibration rows, 8 were given. Give more, or a larger alpha",
        ),
        (
            lambda: _calibrated(FAST, alpha=90),
            "alpha is 90. Give a number above 0 and below 1, the share that may be missed, such as 0.1",
        ),
        (
            lambda: _calibrated(FAST, None, HEAD),
            "encoder is NoneType. Give a torch.nn.Module; nn.Identity() for none",
        ),
        (
            lambda: _calibrated(FAST, y=np.stack([Y, Y], axis=1)),
            "y has shape (400, 2), the head gives 1 outputs. Give a head with 1 for each column of y",
        ),
        (
            lambda: _calibrated(FAST, nn.LSTM(3, 3), HEAD),
            "the encoder gives tuple for 400 rows. Give one that gives a tensor of a row for each",
        ),
        (
            lambda: _calibrated(FAST, nn.Identity(), _Constant()),
            "the head's outputs have no gradient in the features. Give a head that depends on them",
        ),
        (
            lambda: _calibrated(FAST, nn.Identity(), RELU, y=np.maximum(Y, 0) + Y / 10),
            "gradient norms make the bands 7e+05 times as long: on 209 of 400 calibration rows the head \
hardly reacts to its features. Split the network later, or leave out a last ReLU or sigmoid",
        ),
        (
            lambda: _calibrated(FAST, nn.Identity(), nn.Linear(3, 1), y=Y * 1e39),
            "the network or y goes beyond torch.float32, or the network gives NaN. Scale X and y, or train \
the network with a smaller learning rate",
        ),
        (lambda: _calibrated(FAST, ball=0.5), "ball is 0.5. Give a number of at least 1, or math.inf"),
        (
            lambda: _calibrated(FAST, y=Y[:9]),
            "y has shape (9,) for 400 rows of X. Give one row of y for each",
        ),
        (
            lambda: FAST(nn.Identity(), HEAD).predict_interval(X),
            "FastFeatureConformalRegressor is not calibrated yet. Call calibrate(X, y) first",
        ),
        (lambda: _calibrated(SLOW, steps=0), "steps is 0. Give a whole number of at least 1"),
        (
            lambda: _calibrated(SLOW, lr=1e9),
            "the descent moves away from y with lr 1000000000.0. Give a smaller lr, or fit the network to y \
divided by its mean size",
        ),
        (
            lambda: _calibrated(SLOW, nn.Identity(), nn.Sequential(HEAD, nn.GELU())),
            "the head holds GELU, which FCP cannot bound. Give a Sequential of Linear, ReLU, LeakyReLU, \
Tanh, Sigmoid; FastFeatureConformalRegressor takes any head",
        ),
        (lambda: _calibrated(SETS, delta=math.nan), "delta is nan. Give a finite number of at least 0"),
        (
            lambda: _calibrated(SETS, nn.Identity(), nn.Sequential(nn.Linear(3, 1), nn.Flatten(0)), y=Y > 0),
            "the head gives 1 output. Give one with a logit for each of at least 2 classes",
        ),
        (
            lambda: _calibrated(SETS, nn.Linear(3, 3), nn.Softmax(dim=1), y=Y > 0),
            "the head gives probabilities. Give one that gives logits, without a last softmax",
        ),
        (
            lambda: ball_bounds(HEAD, torch.ones(2, 4), 1.0),
            "a layer of the head takes 3 features, 4 come to it. Give the encoder and the head of one \
network",
        ),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises((LunwenError, NotFittedError)) as refused:
        call()
    assert str(refused.value) == message
