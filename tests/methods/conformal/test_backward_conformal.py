from __future__ import annotations

import numpy as np
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


@given(arrays(float, (7,), elements=SCORE), arrays(float, (7, 3), elements=SCORE), st.integers(1, 3))
def test_leaving_one_out_is_doing_so(cal: np.ndarray, s: np.ndarray, t: int) -> None:
    one_by_one = [backward_sets(e_values(np.delete(cal, i), s[[i]]), t)[1].item() for i in range(7)]
    assert leave_one_out(cal, s, t) == pytest.approx(one_by_one, abs=1e-6)


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
