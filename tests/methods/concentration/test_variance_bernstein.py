"""Bounds of a variance: by hand, under any data, against the formulas written out, at the moments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.errors import UsageError
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
    lower, upper, *_ = _Sides(0.999, horizon=1).feed(np.array([[[0.7 - 0.5]]]))
    assert upper[0, 0] == pytest.approx(0.05008, abs=1e-5)
    assert lower[0, 0] == 0


def test_maurer_and_pontil_by_hand() -> None:
    low, high = variance_ci([0.0] * 50 + [1.0] * 50, 0.05, method="maurer_pontil")
    assert low == pytest.approx((math.sqrt(25 / 99) - math.sqrt(2 * math.log(40) / 99)) ** 2)
    assert high == 0.25


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


@pytest.mark.parametrize(
    ("given_", "options", "message"),
    [
        (
            [0.5, 3.0],
            {},
            "observations from 0.5 to 3. Allowed: 0 to 1. Give their range as bounds=(low, high)",
        ),
        (
            [math.nan],
            {},
            "observations with NaN or infinity. Allowed: finite numbers. Remove or fill them first",
        ),
        (["a"], {}, "observations that are not numbers. Allowed: finite numbers. Convert them"),
        ([], {}, "observations of shape (0,). Allowed: (..., n), n >= 1. Give more of them"),
        (
            [0.5],
            {"alpha": 5},
            "alpha = 5. Allowed: between 0 and 1. Give the probability to miss, such as 0.05",
        ),
        ([1 + 1j], {}, "observations that are not numbers. Allowed: finite numbers. Convert them"),
        ([0.5], {"bounds": (1, 0)}, "bounds (1, 0). Allowed: two numbers, the lower one first. Correct them"),
        ([0.5], {"method": "x"}, 'no method "x". Allowed: eb, maurer_pontil. Choose one'),
    ],
)
def test_what_is_refused(given_: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        variance_ci(given_, **options)
    assert str(refusal.value) == message


def test_vectors_longer_than_the_radius_are_refused() -> None:
    with pytest.raises(UsageError) as refusal:
        hilbert_variance_ci([[3.0, 4.0]])
    assert str(refusal.value) == "norms up to 5, radius 0.5. Allowed: norms <= radius. Give a larger radius"


def test_the_oracle_by_hand() -> None:
    log = math.log(20)
    np.testing.assert_allclose(
        oracle_variance_radius([100, 400], 0.05, 0.02),
        [math.sqrt(0.0004 * log) + log / 300, math.sqrt(0.0001 * log) + log / 1200],
    )
    with pytest.raises(UsageError) as refusal:
        oracle_variance_radius(0, 0.05, 0.02)
    assert str(refusal.value) == "n = 0. Allowed: above 0. Correct it"


def test_a_sequence_refuses_several_paths() -> None:
    with pytest.raises(UsageError) as refusal:
        VarianceConfidenceSequence().update([[0.1, 0.2]])
    assert str(refusal.value) == (
        "x of shape (1, 2). Allowed: one number, or (n,) in their order. Feed one path"
    )
