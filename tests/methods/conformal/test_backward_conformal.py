from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from lunwen.errors import UsageError
from lunwen.methods.conformal.backward_conformal import (
    BackwardConformalClassifier,
    NeighbourEntropySize,
    backward_sets,
    e_values,
    leave_one_out,
)

if TYPE_CHECKING:
    from collections.abc import Callable

X, y = load_iris(return_X_y=True)
MODEL = LogisticRegression(max_iter=1000).fit(X[::3], y[::3])
SCORE = st.just(0.0) | st.floats(1 / 64, 50)


def test_by_hand() -> None:
    e = e_values(np.array([1.0, 2.0, 3.0]), np.array([[0.0, 2.0, 6.0]]))
    assert e.tolist() == [[0.0, 4 * 2 / 8, 4 * 6 / 12]]  # 0, 1, 2
    assert [backward_sets(e, t)[0].tolist() for t in (1, 2, 3)] == [
        [[True, False, False]],
        [[True, True, False]],
        [[True, True, True]],
    ]
    assert [backward_sets(e, t)[1].item() for t in (1, 2, 3)] == [1.0, 0.5, 0.0]


@given(arrays(float, (5,), elements=SCORE), arrays(float, (4, 6), elements=SCORE), st.integers(1, 6))
def test_sets_are_as_the_definition_has_them(cal: np.ndarray, s: np.ndarray, t: int) -> None:
    e = e_values(cal, s)
    sets, alpha = backward_sets(e, t)
    assert (sets.sum(axis=1) <= t).all()
    for row, level, own in zip(e, alpha, sets, strict=True):
        levels = np.arange(1, 1000) / 1000  # the infimum over a grid of (0, 1)
        small = levels[(row[:, None] < 1 / levels).sum(axis=0) <= t]
        assert level == pytest.approx(small[0] if len(small) else 1.0, abs=1e-3 + 1e-9)
        assert all(other > row[own].max(initial=-1) for other in row[~own])


@given(arrays(float, (7, 3), elements=st.floats(0, 1e9)), st.integers(1, 2))
def test_misses_times_the_next_e_value_are_at_most_1(s: np.ndarray, t: int) -> None:
    own, paid = s[:, 0], []  # the bound is exact over which of 7 rows is the new one
    for i in range(7):
        e = e_values(np.delete(own, i), s[[i]])
        missed = not backward_sets(e, t)[0][0, 0]
        paid.append(missed * np.sort(e[0])[t])
    assert np.mean(paid) <= 1 + 1e-9


def test_where_alpha_is_1_the_set_keeps_to_the_rule() -> None:
    sets, alpha = backward_sets(e_values([9.0], [[1.0, 2.0, 3.0]]), 1)  # all e-values are below 1
    assert (sets.tolist(), alpha.item()) == ([[True, False, False]], 1)


@given(
    arrays(float, (7,), elements=st.floats(0, 1e9)),
    arrays(float, (7, 3), elements=st.floats(0, 1e9)),
    st.integers(1, 3),
)
def test_leaving_one_out_is_doing_so(cal: np.ndarray, s: np.ndarray, t: int) -> None:
    one_by_one = [backward_sets(e_values(np.delete(cal, i), s[[i]]), t)[1].item() for i in range(7)]
    assert leave_one_out(cal, s, t) == pytest.approx(one_by_one, rel=1e-9)


def test_a_row_is_judged_by_the_others_alone() -> None:
    rule, rows = NeighbourEntropySize(k=5), np.arange(50)
    backward = BackwardConformalClassifier(MODEL, size_rule=rule).fit_calibration(X[1::3], y[1::3])
    by_hand = []
    for i in rows:
        others = BackwardConformalClassifier(MODEL, size_rule=rule)
        others.fit_calibration(X[1::3][rows != i], y[1::3][rows != i])
        by_hand.append(others.predict_set(X[1::3][[i]])[1].item())
    assert backward.loo_miscoverage() == pytest.approx(np.mean(by_hand), rel=1e-9)


def test_real_rows_are_covered_at_the_size_asked_for() -> None:
    backward = BackwardConformalClassifier(MODEL, size_rule=2).fit_calibration(X[1::3], y[1::3])
    sets, alpha = backward.predict_set(torch.tensor(X[2::3], requires_grad=True))
    assert (sets.sum(axis=1) <= 2).all()
    assert sets[np.arange(50), y[2::3]].mean() >= 1 - alpha.mean()
    backward.set_params(size_rule=NeighbourEntropySize()).set_params(size_rule__max_size=1)
    assert (backward.predict_set(X)[0].sum(axis=1) <= 1).all()


def test_cross_validation_takes_them() -> None:
    backward = BackwardConformalClassifier(FrozenEstimator(MODEL), size_rule=2)
    assert cross_val_score(backward, X, y).min() > 0.9  # the share of labels in their set


def test_where_alpha_is_1_nothing_is_promised() -> None:
    wrong, paid = np.array([[0.7, 0.6], [0.7, 0.6], [2.1, 2.0]]), []  # the other label always fits better
    for i in range(3):
        sets, alpha = backward_sets(e_values(np.delete(wrong[:, 0], i), wrong[[i]]), 1)
        assert not sets[0, 0]
        paid.append(1 / alpha[0])
    assert np.mean(paid) > 1  # unless rows of alpha 1 are left out
    assert sum(one for one in paid if one > 1) / 3 <= 1


def test_sizes_grow_where_labels_mix() -> None:
    for largest in (3, 9):  # no more than there are labels
        sizes = NeighbourEntropySize(k=10, max_size=largest)(X[1::3], y[1::3], X[2::3])
        assert set(sizes.tolist()) == {1, 2, 3}
        assert (sizes[y[2::3] == 0] == 1).all()  # the first kind stands apart from the two others


@pytest.mark.filterwarnings("error")  # a missing name of a column would warn
def test_rows_reach_the_estimator_as_they_are() -> None:
    frame, kinds = pd.DataFrame(X, columns=list("abcd")), pd.Series(np.array(["x", "y", "z"])[y])
    model = LogisticRegression(max_iter=1000).fit(frame[::3], kinds[::3])
    rule = NeighbourEntropySize(k=5)
    backward = BackwardConformalClassifier(model, size_rule=rule).fit(frame[1::3], kinds[1::3])
    assert backward.predict_set(frame[2::3])[0].sum(axis=1).max() <= 3
    assert 0 <= backward.loo_miscoverage() <= 1
    words = ["good", "bad", "good day", "bad day"]
    reads = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(words, [1, 0, 1, 0])
    backward = BackwardConformalClassifier(reads, size_rule=lambda *given: [1] * len(given[2]))
    assert backward.fit_calibration(words, [1, 0, 1, 0]).predict_set(["good"])[0].tolist() == [[False, True]]
    assert 0 <= backward.loo_miscoverage() <= 1


def _calibrated(rows: Any = X, y: Any = y, **settings: Any) -> BackwardConformalClassifier:
    return BackwardConformalClassifier(**{"estimator": MODEL, **settings}).fit_calibration(rows, y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: e_values([1, 2], [1, 2]), "S has shape (2,). Give shape (rows, columns)"),
        (lambda: e_values(["a"], [[1]]), "S_cal holds text. Give numbers; encode text and categories first"),
        (lambda: backward_sets([[-1, 1]], 1), "E holds -1. Give numbers of at least 0 and at most 1e+100"),
        (
            lambda: leave_one_out([1, 2], [[1, 2]], 1),
            "S_cal has 2 rows, S has 1. Give the scores of the same rows",
        ),
        (
            lambda: NeighbourEntropySize(max_size=0)(X, y, X),
            "max_size is 0. Give a whole number of at least 1",
        ),
        (
            lambda: NeighbourEntropySize(k=150)(X, y, X),
            "k is 150. Give a whole number from 1 to 149, fewer than there are calibration rows, of which \
loo_miscoverage leaves one out",
        ),
        (
            lambda: NeighbourEntropySize()(X, y[:100], X),
            "y has shape (100,) for 150 rows of X. Give one label for each row",
        ),
        (
            lambda: NeighbourEntropySize()(["a"] * 150, y, X),
            "X holds text. Give numbers; encode text and categories first; or give another rule, as this one \
needs distances",
        ),
        (
            lambda: NeighbourEntropySize()(X, y, X[:, :2]),
            "X has 2 columns, calibration had 4. Give as many",
        ),
        (
            lambda: backward_sets([[1, 2]], None),
            "the size rule gives None. Give whole numbers from 1 to 2, one for each row",
        ),
        (
            lambda: _calibrated(size_rule=4),
            "the size rule gives 4. Give whole numbers from 1 to 3, one for each row",
        ),
        (
            lambda: _calibrated(size_rule=len),
            "size_rule is <built-in function len>. Give a size, or what takes calibration rows, their \
labels, and new rows",
        ),
        (lambda: _calibrated(y=y + 1), "y holds 3, a label the model does not know. Give one of: 0, 1, 2"),
        (lambda: _calibrated(y=y[:9]), "y has shape (9,) for 150 rows of X. Give one label for each row"),
        (
            lambda: _calibrated(X * np.nan),
            "the estimator does not take X: Input X contains NaN. Give rows like those it was fitted on",
        ),
        (
            lambda: _calibrated(score_function="brier"),
            "score_function is 'brier'. Give \"cross_entropy\" or a function of probabilities",
        ),
        (
            lambda: _calibrated(score_function=lambda p: p[:, :1]),
            "score_function gives shape (150, 1). Give one for each of (150, 3) probabilities",
        ),
        (
            lambda: _calibrated(estimator=RandomForestClassifier(5).fit(X, np.stack([y, y], axis=1))),
            "predict_proba(X) has shape (2, 150, 3). Give shape (rows, columns)",
        ),
        (
            lambda: BackwardConformalClassifier(MODEL).predict_set(X),
            "the classifier is not calibrated yet. Call fit_calibration(X, y) first",
        ),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises((UsageError, NotFittedError)) as refused:
        call()
    assert str(refused.value) == message
