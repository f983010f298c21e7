"""FairRobustRegressor: worked ranks, parity under any data, SciPy and statsmodels as oracles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score

from lunwen.errors import UsageError
from lunwen.methods.estimation._m_estimation import LOSSES, LinearM, Loss
from lunwen.methods.estimation.fair_robust import FairRobustRegressor, dp_gap, m_location, m_loss

if TYPE_CHECKING:
    from collections.abc import Callable


def _two_groups(n: int = 2000) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.tile(np.linspace(0, 1, n // 2), 2)
    s = np.repeat(["a", "b"], n // 2)
    return x[:, None], np.where(s == "a", x, 1 + 3 * x), s


def test_without_noise_the_transformation_is_the_barycentre_of_two_lines() -> None:
    rows, y, s = _two_groups()
    model = FairRobustRegressor("squared", bandwidth=0.01, random_state=0).fit(rows, y, s)
    # ranks of x uniform on [0, 1]: Q(u) = (u + 1 + 3 u) / 2
    assert model.transform_curve_[0] == pytest.approx(0.5 + 2 * model.ranks_, abs=0.06)
    fair = model.predict([[0.5], [0.5]], ["a", "b"])
    assert fair == pytest.approx([1.5, 1.5], abs=0.15)
    half = model.set_params(interpolation=0.5).predict([[0.5], [0.5]], ["a", "b"])
    assert half == pytest.approx(fair / 2 + np.array([0.25, 1.25]))


def test_the_distance_of_groups_by_hand() -> None:
    assert dp_gap([0, 1, 2, 3], [0, 0, 1, 1]) == 1
    assert dp_gap([0, 1, 2, 3], [0, 0, 1, 1], metric="w1") == 2
    assert dp_gap([0, 1, 1, 2, 0, 1], ["a", "a", "b", "b", "c", "c"]) == 0.5


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), loss=st.sampled_from(LOSSES))
def test_order_within_a_group_is_kept_and_all_groups_share_one_range(seed: int, loss: Loss) -> None:
    rng = np.random.default_rng(seed)
    rows, s = rng.normal(size=(200, 2)), np.arange(200) % 2
    y = rows[:, 0] * (1 + s) + rng.standard_cauchy(200)
    model = FairRobustRegressor(loss, random_state=0).fit(rows, y, s)
    unfair = model.set_params(interpolation=1.0).predict(rows, s)
    fair = model.set_params(interpolation=0.0).predict(rows, s)
    for group in (0, 1):
        assert (np.diff(fair[s == group][np.argsort(unfair[s == group])]) >= 0).all()
    assert fair.min() >= model.transform_curve_.min()
    assert fair.max() <= model.transform_curve_.max()


@settings(max_examples=30, deadline=None)
@given(y=st.lists(st.floats(-5, 5), min_size=3, max_size=20), loss=st.sampled_from(LOSSES[:5]))
def test_location_is_a_minimiser(y: list[float], loss: Loss) -> None:
    def risk(q: float) -> float:
        return float(m_loss(np.array(y) - q, loss, quantile=0.3).sum())

    found = m_location(y, loss=loss, quantile=0.3, scale=1.0)
    best = minimize_scalar(
        risk, bounds=(found - 0.5, found + 0.5), method="bounded"
    ).fun  # Cauchy: a local one
    assert risk(found) <= best + 1e-6


@given(
    y=st.lists(st.floats(-5, 5), min_size=3, max_size=9),
    w=st.lists(st.integers(1, 4), min_size=9, max_size=9),
    loss=st.sampled_from(LOSSES),
)
def test_a_weight_of_two_is_a_value_given_twice(y: list[float], w: list[int], loss: Loss) -> None:
    once = m_location(y, w[: len(y)], loss)
    assert once == pytest.approx(m_location(np.repeat(y, w[: len(y)]), None, loss), abs=1e-6)


def test_the_linear_fits_agree_with_statsmodels() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 2))
    y = 1 + rows @ [2, -1] + rng.standard_t(2, 300)
    losses: dict[Loss, sm.robust.norms.RobustNorm] = {
        "huber": sm.robust.norms.HuberT(1.345),
        "tukey": sm.robust.norms.TukeyBiweight(4.685),
    }
    for loss, norm in losses.items():
        expected = sm.RLM(y, sm.add_constant(rows), M=norm).fit(maxiter=200, tol=1e-10).params
        model = LinearM(loss).fit(rows, y).model_
        assert [model.intercept_, *model.coef_] == pytest.approx(expected, abs=1e-4)


def test_parity_holds_within_strata() -> None:
    rng = np.random.default_rng(0)
    s, z = rng.integers(0, 2, size=(2, 4000))
    rows = np.column_stack([rng.normal(size=4000), z])
    model = FairRobustRegressor(base=LinearRegression(), conditional=1, random_state=0)
    fair = model.fit(rows, rows[:, 0] + 2 * s + z, s).predict(rows, s)
    assert max(dp_gap(fair[z == k], s[z == k]) for k in (0, 1)) < 0.12  # without conditional: .6


def test_the_group_may_be_a_column_so_that_cross_validation_scores() -> None:
    rows, y, s = _two_groups()
    x = np.column_stack([rows, s == "b"])
    beside = FairRobustRegressor(random_state=0).fit(x, y, s).predict(x, s)
    model = FairRobustRegressor(group=1, random_state=0)
    assert model.fit(x, y).predict(x) == pytest.approx(beside)
    model.set_params(interpolation=1.0)
    assert (cross_val_score(model, x, y, cv=KFold(3, shuffle=True, random_state=0)) > 0.99).all()


def test_rows_without_a_response_sharpen_ranks() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.normal(size=8000), np.arange(8000) % 2])
    y = x[:, 0] * (1 + x[:, 1]) + x[:, 1]
    model, gaps = FairRobustRegressor("squared", group=1, random_state=0), []
    for unlabelled in (None, x[100:4000]):
        predicted = model.fit(x[:100], y[:100], unlabelled=unlabelled).predict(x[4000:])
        gaps.append(dp_gap(predicted, x[4000:, 1]))
    assert gaps[1] < 0.05 < gaps[0]


def test_rows_that_are_alike_share_their_ranks_at_random() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, size=(4000, 3)).astype(float)  # eight kinds of rows
    model = FairRobustRegressor(group=2, random_state=0).fit(x, x[:, 0] + x[:, 2] + rng.normal(size=4000))
    assert dp_gap(model.predict(x), x[:, 2]) < 0.03


@pytest.mark.parametrize("unit", [1e-9, 1e200])
def test_quantile_fits_do_not_depend_on_units(unit: float) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 2))
    y = 1 + rows @ [2, -1] + rng.standard_t(2, 300)
    expected = LinearM("lad").fit(rows, y).predict(rows)
    assert LinearM("lad").fit(rows * 1e-10, y * unit).predict(rows * 1e-10) / unit == pytest.approx(expected)


def test_refusals() -> None:
    rows, y, s = _two_groups()
    fit = FairRobustRegressor().fit
    numbered = np.column_stack([rows, np.arange(2000)])
    calls: dict[str, Callable[[], object]] = {
        "loss is 'l1'. Give one of: squared, lad, ": lambda: _model(loss="l1").fit(rows, y, s),
        "group b has 3 rows. Give at least 20; merge ": lambda: fit(rows[:1003], y[:1003], s[:1003]),
        "group b has 0 rows where column 1 is 0. Give at least 20; cut the column's 2000 values ": (
            lambda: _model(conditional=1).fit(numbered, y, s)
        ),
        "all rows are of group a. Give 2 groups": lambda: fit(rows, y, np.full(2000, "a")),
        "y holds NaN or infinity. ": lambda: fit(rows, np.where(rows[:, 0] > 0.9, np.nan, y), s),
        "sensitive holds NaN. Give every row a group; ": lambda: fit(rows, y, np.where(s == "a", None, s)),
        "sensitive is missing and group is None. Give a group ": lambda: fit(rows, y),
        "group is None. Give the column ": lambda: fit(rows, y, s, unlabelled=rows),
        "conditional is 0.5. Give a whole number from 0 to 0, ": lambda: _model(conditional=0.5).fit(
            rows, y, s
        ),
        "bandwidth is 0.01, which leaves ranks without a row. ": (
            lambda: _model(bandwidth=0.01).fit(rows[980:1020], y[980:1020], s[980:1020])
        ),
        "bandwidth is 'wide'. Give a number ": lambda: _model(bandwidth="wide").fit(rows, y, s),
        "base is 3. Give a regressor, ": lambda: _model(base=3).fit(rows, y, s),
        "random_state is -1. Give a whole number ": lambda: _model(random_state=-1).fit(rows, y, s),
        "metric is 'l2'. Give one of: ks, w1": lambda: dp_gap(y, s, metric="l2"),  # type: ignore[arg-type]
        "r holds text. ": lambda: m_loss(["a"], "huber"),  # type: ignore[list-item]
    }
    model = FairRobustRegressor(random_state=0)
    with pytest.raises(NotFittedError):
        model.predict(rows, s)
    model.fit(rows, y, s)
    calls |= {
        "sensitive holds c, which the fit had not. Give one of: a, b": lambda: model.predict(rows[:1], ["c"]),
        "X has 2 columns, the fit had 1. ": lambda: model.predict(np.ones((1, 2)), ["a"]),
        "interpolation is 2. Give a number of at least 0 and of at most 1, ": (
            lambda: clone(model).set_params(interpolation=2).fit(rows, y, s)
        ),
    }
    for says, call in calls.items():
        with pytest.raises(UsageError) as refusal:
            call()
        assert str(refusal.value).startswith(says)


def _model(**settings: Any) -> FairRobustRegressor:
    return FairRobustRegressor(**settings)
