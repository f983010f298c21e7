from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from lunwen.errors import LimitError, UsageError
from lunwen.methods.conformal.backward_conformal import (
    BackwardConformalClassifier,
    ConstantSize,
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


def test_a_rule_of_the_user_and_its_own_short_cut_agree() -> None:
    rule = ConstantSize(2)
    ours = BackwardConformalClassifier(MODEL, size_rule=2).fit_calibration(X[1::3], y[1::3])
    theirs = BackwardConformalClassifier(MODEL, size_rule=rule.__call__)
    assert theirs.fit_calibration(X[1::3], y[1::3]).loo_miscoverage() == ours.loo_miscoverage()
    sets, alpha = ours.predict_set(X[2::3])
    assert (sets.sum(axis=1) <= 2).all()
    assert sets[np.arange(50), y[2::3]].mean() >= 1 - alpha.mean()


def test_sizes_grow_where_labels_mix() -> None:
    sizes = NeighbourEntropySize(k=10)(X[1::3], y[1::3], X[2::3])
    assert set(sizes.tolist()) == {1, 2, 3}
    assert (sizes[y[2::3] == 0] == 1).all()  # the first kind stands apart from the two others
    with pytest.raises(LimitError) as refused:
        NeighbourEntropySize(k=50)(X[1::3], y[1::3], X)
    assert str(refused.value) == "k is 50. Allowed: 1 to 49, fewer than there are calibration rows"


def test_a_table_reaches_the_estimator_with_its_names() -> None:
    frame, kinds = pd.DataFrame(X, columns=list("abcd")), pd.Series(np.array(["x", "y", "z"])[y])
    model = LogisticRegression(max_iter=1000).fit(frame[::3], kinds[::3])
    rule = NeighbourEntropySize(k=5)
    backward = BackwardConformalClassifier(model, size_rule=rule).fit_calibration(frame[1::3], kinds[1::3])
    assert backward.predict_set(frame[2::3])[0].sum(axis=1).max() <= 3  # a missing name would warn


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: e_values([1, 2], [1, 2]),
            "scores have shape (2,). Give scores of shape (m, K), of each row \
with each label",
        ),
        (
            lambda: e_values(["a"], [[1]]),
            "a score is no number. Give an array of finite scores of at least 0",
        ),
        (
            lambda: backward_sets([[np.nan, 1]], 1),
            "a score is negative, infinite, NaN, or there is none. Give \
finite scores of at least 0",
        ),
        (
            lambda: leave_one_out([1, 2], [[1, 2]], 1),
            "S_cal has 2 rows, S has 1. Give the scores of the same rows",
        ),
        (
            lambda: NeighbourEntropySize(max_size=0)(X, y, X),
            "max_size is 0. Allowed: a whole number of 1 or more",
        ),
        (
            lambda: backward_sets([[1, 2]], None),
            "the size rule gives None. Allowed: whole numbers from 1 to 2, \
one for each row",
        ),
    ],
)
def test_refusals_of_functions(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        call()
    assert str(refused.value) == message


def test_refusals() -> None:
    backward = BackwardConformalClassifier(MODEL, size_rule=4)
    with pytest.raises(NotFittedError, match=r"not calibrated yet\. Call fit_calibration\(X, y\) first"):
        backward.predict_set(X)
    backward.fit_calibration(X, y)
    for error, call, message in (
        (
            LimitError,
            lambda: backward.predict_set(X),
            "the size rule gives 4. Allowed: whole numbers from 1 to 3, one for each row",
        ),
        (
            UsageError,
            lambda: backward.fit_calibration(X, y + 1),
            "y holds 3, a label the model does not know. Allowed: 0, 1, 2",
        ),
        (
            UsageError,
            lambda: backward.fit_calibration(X, y[:9]),
            "y has shape (9,) for 150 rows of X. Give one label for each row",
        ),
        (
            UsageError,
            lambda: backward.predict_set(X[0]),
            "X has shape (4,). Give at least one row, and a column for each feature",
        ),
        (
            UsageError,
            lambda: backward.predict_set(X * np.nan),
            "X holds NaN or infinite values. Give finite numbers; fill or drop these rows first",
        ),
        (
            UsageError,
            lambda: backward.predict_set([["a"]]),
            "X holds <U1 values. Give numbers; encode text and categories first",
        ),
    ):
        with pytest.raises(error) as refused:
            call()
        assert str(refused.value) == message
