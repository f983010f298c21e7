"""Bounds of a variance: by hand, under any data, against the formulas written out, at the moments."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.errors import UsageError
from lunwen.methods.concentration._laws import RARE
from lunwen.methods.concentration.variance_bernstein import (
    VarianceConfidenceSequence,
    _Sides,
    hilbert_variance_ci,
    oracle_variance_radius,
    std_ci,
    variance_ci,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _literally(x: NDArray[np.float64], alpha: float) -> tuple[float, float]:
    """The interval at a fixed n as it is written: for each observation every sum is taken anew."""
    n, level = len(x), alpha / 2
    a2 = level / (2 + math.log(n))
    log_a, log_1, log_2 = math.log(1 / level), math.log(1 / (level - a2)), math.log(2 / a2)
    z, m, h, w, y, k = np.zeros((6, n))  # h: the weights from above; y and k: z and h from below
    mean_error: list[tuple[float, float, float]] = []
    for i in range(n):
        z[i] = (x[i] - (1 / 2 + x[:i].sum()) / (i + 1)) ** 2
        m[i] = (1 / 4 + z[:i].sum()) / (i + 1)
        v = (1 / 16 + ((z - m)[:i] ** 2).sum()) / (i + 1)
        h[i] = min(math.sqrt(2 * log_a / (v * n)), 1 / 2)
        total, p = w[:i].sum() or math.inf, (np.exp(w) - w - 1)[:i].sum()
        y[i] = (x[i] - (w * x)[:i].sum() / total) ** 2 if i else (x[0] - 1 / 2) ** 2
        v = (1 / 16 + ((y - m)[:i] ** 2).sum()) / (i + 1)
        if i and (log_2 + m[i] * p) / total < 1:
            k[i] = min(math.sqrt(2 * log_1 / (v * n)), 1 / 2)
        mean_error.append(((p / total) ** 2, 2 * log_2 * p / total**2, (log_2 / total) ** 2))
        w[i] = min(math.sqrt(2 * log_2 / (m[i] * (i + 1) * math.log(i + 2))), 2)
    high = ((h * z).sum() + ((-np.log(1 - h) - h) * (z - m) ** 2).sum() + log_a) / h.sum()
    if not k.any():
        return 0.0, min(high, 1 / 4)
    rest = ((k * y).sum() - ((-np.log(1 - k) - k) * (y - m) ** 2).sum() - log_1) / k.sum()
    a, b, c = k @ np.array(mean_error) / k.sum()
    low = (-(1 + b) + math.sqrt((1 + b) ** 2 + 4 * a * max(rest - c, 0))) / (2 * a)
    return low, min(high, 1 / 4)


def test_one_observation_by_hand() -> None:
    # log(1/.999) = .0010005, v = 1/16, l = sqrt(2 * .0010005 * 16) = .17893, psi_E(l) = .018217,
    # Z = (.7 - .5)^2 = .04, m = .25: .04 + (.018217 * .0441 + .0010005) / .17893; from below nothing is known
    lower, upper, *_ = _Sides(-math.log(0.999), horizon=1).feed(np.array([[[0.7 - 0.5]]]))
    assert upper[0, 0] == pytest.approx(0.05008, abs=1e-5)
    assert lower[0, 0] == 0


def test_maurer_and_pontil_by_hand() -> None:
    x = [0.0] * 50 + [1.0] * 50
    low, high = variance_ci(x, 0.05, method="maurer_pontil")
    assert low == pytest.approx((math.sqrt(25 / 99) - math.sqrt(2 * math.log(40) / 99)) ** 2)
    assert high == 0.25


def test_the_self_bounding_interval_solves_theorem_7() -> None:
    V, L = 0.16 * 25 / 99, math.log(40)  # noqa: N806
    low, high = variance_ci([0.0] * 50 + [0.4] * 50, 0.05, method="self_bounding")
    assert low + math.sqrt(L * (2 * low + _above(low, L)) / 99) == pytest.approx(V)
    assert high - math.sqrt(2 * high * L / 99) == pytest.approx(V)
    x = RARE.draw(np.random.default_rng(0), (100, 4000))
    low, high = variance_ci(x, method="self_bounding", axis=0)
    looser = variance_ci(x, method="maurer_pontil", axis=0)
    assert np.all((low >= looser.lower) & (high <= looser.upper))
    assert RARE.missed(low, high).mean() <= 0.05


def _above(s2: float, L: float) -> float:  # noqa: N803
    """Return the s where exp(-(n - 1) s^2 / (2 s2 + s)) = 1/40, n = 100: Theorem 7's deviation upwards."""
    return (L / 99 + math.sqrt((L / 99) ** 2 + 8 * s2 * L / 99)) / 2


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.floats(0.01, 0.5),
    st.floats(-9, 9),
    st.floats(0.1, 9),
)
def test_bounds_move_with_the_data(x: list[float], alpha: float, start: float, width: float) -> None:
    low, high = variance_ci(x, alpha)
    assert 0 <= low <= 0.25
    assert 0 <= high <= 0.25
    ends = (start, start + width)
    moved = np.clip(start + width * np.array(x), *ends)
    again = variance_ci(moved, alpha, bounds=ends)
    np.testing.assert_allclose(again, (low * width**2, high * width**2), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(std_ci(x, alpha), np.sqrt([low, high]))
    turned = np.array(x)[:, None] * [0.6, -0.8] - [0.3, -0.4]  # the same points on a line in the plane
    np.testing.assert_allclose(hilbert_variance_ci(turned, alpha), (low, high), rtol=1e-6, atol=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.data())
def test_a_sequence_fed_in_pieces_is_the_sequence_fed_at_once(x: list[float], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(x)))
    whole, pieces = VarianceConfidenceSequence(0.1), VarianceConfidenceSequence(0.1)
    first = pieces.update(x[:cut])
    for value in x[cut:]:
        pieces.update(value)
    np.testing.assert_allclose(whole.update(x), pieces.interval, rtol=1e-9, atol=1e-12)
    assert first.lower <= pieces.interval.lower
    assert pieces.interval.upper <= first.upper


@pytest.mark.parametrize("n", [2, 30, 300])
def test_it_is_what_the_formulas_say(n: int) -> None:
    for seed in range(3):
        x = np.random.default_rng(seed).beta(0.5, 0.5, n)
        np.testing.assert_allclose(variance_ci(x, 0.2), _literally(x, 0.2), rtol=1e-9)


def test_single_precision_may_pass_the_bounds_by_its_rounding() -> None:
    assert variance_ci(np.full(9, 0.1, dtype=np.float32), bounds=(0, 0.1)).upper <= 0.0025 + 1e-9
    with pytest.raises(UsageError):
        variance_ci([0.1001], bounds=(0, 0.1))


def test_columns_are_samples_along_axis_0() -> None:
    x = np.random.default_rng(0).random((400, 3))
    np.testing.assert_array_equal(variance_ci(x, axis=0), variance_ci(x.T))
    np.testing.assert_array_equal(std_ci(x[:, 1]), np.transpose(std_ci(x, axis=0))[1])


def test_sorted_rows_are_told_of() -> None:
    x = np.sort(np.random.default_rng(0).random(6000))
    with pytest.warns(
        UserWarning, match="the lower bound is above the upper one: the mean or the variance was not"
    ):
        low, high = variance_ci(x)
    assert low > high
    sequence = VarianceConfidenceSequence()
    with pytest.warns(UserWarning, match="Shuffle the rows if their order means nothing"):
        sequence.update(x)
    sequence.update(0.5)  # told once


def test_each_call_is_told_of_where_it_stands() -> None:
    x = np.sort(np.random.default_rng(0).random(6000))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        std_ci(x)
        std_ci(x)
        variance_ci(x)
        hilbert_variance_ci(x[:, None] - 0.5)
        VarianceConfidenceSequence().update(x)
    assert [one.filename for one in told] == [__file__] * 5


RANGE = "Give the range that is possible, seen or not, as bounds=(low, high)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: variance_ci([0.5, 3.0]), f"x goes from 0.5 to 3, bounds from 0 to 1. {RANGE}"),
        (
            lambda: variance_ci([0.5], alpha=5),
            "alpha is 5. Give a number above 0 and below 1, the probability to miss, such as 0.05",
        ),
        (
            lambda: variance_ci([0.5], bounds=("0", "1")),  # type: ignore[arg-type]
            "bounds is ('0', '1'). Give two numbers, the lower one first, 1e-150 to 1e+150 apart",
        ),
        (
            lambda: std_ci([0.0], bounds=(0, 1e-170)),
            "bounds is (0, 1e-170). Give two numbers, the lower one first, 1e-150 to 1e+150 apart",
        ),
        (
            lambda: hilbert_variance_ci([[0.0]], radius=1e-170),
            "radius is 1e-170. Give a number above 1e-150 and below 1e+150",
        ),
        (lambda: variance_ci(0.5), "x is one number. Give the sample (n,), or several along axis"),
        (
            lambda: variance_ci([[0.5], [0.2]]),
            "x has shape (2, 1), 1 along axis -1. Give at least 2 there, or another axis",
        ),
        (
            lambda: variance_ci(pd.DataFrame([[0.5]])),
            "x is a table. Give axis=0 for its columns, or an array with a sample in each row",
        ),
        (
            lambda: variance_ci([0.5], method="x"),  # type: ignore[arg-type]
            "method is 'x'. Give one of: eb, maurer_pontil, self_bounding",
        ),
        (
            lambda: hilbert_variance_ci([[3.0, 4.0]]),
            "X has norms up to 5, radius is 0.5. Give a radius that none passes",
        ),
        (
            lambda: hilbert_variance_ci([3.0]),
            "X has shape (1,). Give shape (..., n, d), a vector in each row",
        ),
        (lambda: oracle_variance_radius(0, 0.05, 0.02), "n is 0. Give more than 0"),
        (lambda: oracle_variance_radius(5, 0.05, -0.02), "spread is -0.02. Give 0 or more"),
        (
            lambda: oracle_variance_radius([1, 2], 0.05, [1, 2, 3]),
            "n has shape (2,), spread has shape (3,). Give one of each, or as many",
        ),
        (
            lambda: VarianceConfidenceSequence().update([[0.1, 0.2]]),
            "x has shape (1, 2). Give one number, or shape (n,) in their order",
        ),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        call()
    assert str(refusal.value) == message


def test_the_oracle_by_hand() -> None:
    log = math.log(20)
    np.testing.assert_allclose(
        oracle_variance_radius([100, 400], 0.05, 0.02),
        [math.sqrt(0.0004 * log) + log / 300, math.sqrt(0.0001 * log) + log / 1200],
    )
