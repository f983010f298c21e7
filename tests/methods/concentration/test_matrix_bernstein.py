"""Bounds of a mean matrix: by hand, for one dimension, under rotation, against the formulas written out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import ortho_group

from lunwen.errors import UsageError
from lunwen.methods.concentration._matrix_data import RARE, SIGNS, SWITCHING
from lunwen.methods.concentration.matrix_bernstein import (
    MatrixConfidenceSequence,
    matrix_bernstein_radius,
    matrix_eb_martingale,
    matrix_eb_plugin,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

SQUARES = arrays(np.float64, st.tuples(st.integers(2, 12), st.just(2), st.just(2)), elements=st.floats(-1, 1))


def _literally(X: NDArray[np.float64], alpha: float, *, fixed: bool) -> tuple[NDArray[np.float64], float]:  # noqa: N803
    """Eq. 28, one matrix after the other, one side; weights for the last n, or for each n in its turn."""
    n, d = X.shape[:2]
    log = math.log(d / alpha)
    weights, weighted, spread = 0.0, np.zeros((d, d)), np.zeros((d, d))
    for i in range(n):
        past = X[:i]
        mean = past.mean(0) if i else np.zeros((d, d))
        variance = sum((x - mean) @ (x - mean) for x in past) / i if i else np.eye(d) / 4
        size = n if fixed else i + 1
        v = max(np.linalg.norm(variance, 2), 5 * log / size)
        g = math.sqrt(2 * log / (size * v))
        weights, weighted = weights + g, weighted + g * X[i]
        spread += (-math.log(1 - g) - g) * (X[i] - mean) @ (X[i] - mean)
    return weighted / weights, (log + np.linalg.eigvalsh(spread)[-1]) / weights


def test_two_matrices_by_hand() -> None:
    # V* = (1 - 0)^2 / 2 = 1/2; n = 2, d = 1, one side: A = log(2 / .1), B = log(4 / .1)
    A, B = math.log(20), math.log(40)  # noqa: N806
    ball = matrix_eb_plugin([[[0.0]], [[1.0]]], 0.1, side="one")
    assert ball.radius == pytest.approx(
        A / 6 + math.sqrt(A / 2) + (math.sqrt(5 / 3) + 1) * math.sqrt(A * B) / 2
    )
    assert ball.center == 0.5
    assert matrix_bernstein_radius(100, 3, 0.08, 0.05) == pytest.approx(
        math.log(60) / 300 + math.sqrt(0.16 * math.log(60) / 100)
    )


@given(SQUARES, st.floats(0.01, 0.5), st.integers(0, 9), st.floats(-5, 5), st.floats(0.1, 5))
def test_balls_move_with_the_matrices(
    draws: NDArray[np.float64], alpha: float, turn: int, start: float, width: float
) -> None:
    X = draws @ draws.swapaxes(-1, -2) / 4  # noqa: N806 - eigenvalues in [0, 1]
    Q = ortho_group.rvs(2, random_state=turn)  # noqa: N806
    for bound in (matrix_eb_plugin, matrix_eb_martingale):
        ball = bound(X, alpha)
        moved = bound(start * np.eye(2) + width * Q @ X @ Q.T, alpha, bounds=(start, start + width))
        expected = start * np.eye(2) + width * Q @ ball.center @ Q.T
        np.testing.assert_allclose(moved.center, expected, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(moved.radius, width * ball.radius, rtol=1e-4)


@pytest.mark.parametrize("law", [SIGNS, RARE, SWITCHING], ids=lambda law: law.name)
def test_it_is_what_the_formulas_say(law: Any) -> None:
    X = law.draw(np.random.default_rng(1), 60, 1)[:, 0]  # noqa: N806
    sequence = MatrixConfidenceSequence(3, 0.1, side="one")
    sequence.update(X[:20])
    for one in X[20:]:
        ball = sequence.update(one)
    for found, fixed in ((matrix_eb_martingale(X, 0.1, side="one"), True), (ball, False)):
        center, radius = _literally(X, 0.1, fixed=fixed)
        np.testing.assert_allclose(found.center, center, atol=1e-12)
        assert found.radius == pytest.approx(radius)


@pytest.mark.parametrize("law", [SIGNS, RARE, SWITCHING], ids=lambda law: law.name)
def test_the_laws_of_the_claims_have_the_mean_they_state(law: Any) -> None:
    drawn = law.draw(np.random.default_rng(0), 50, 4000)
    np.testing.assert_allclose(drawn.mean((0, 1)), law.M, atol=0.01)


@pytest.mark.parametrize(
    ("given_", "options", "message"),
    [
        ([[0.5]], {}, "X of shape (1, 1). Allowed: (..., n, d, d), n >= 1. Stack the matrices"),
        ([[[7.0]]], {}, "eigenvalues from 7 to 7. Allowed: 0 to 1. Give their range as bounds=(low, high)"),
        (
            [[[0.5, 0.1], [0.2, 0.5]]],
            {},
            "matrices that are not symmetric. Allowed: symmetric ones. Give (X + X.T) / 2 if it is meant",
        ),
        ([[[0.5]]], {"side": "left"}, 'no side "left". Allowed: both, one. Choose one of them'),
    ],
)
def test_what_is_refused(given_: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        matrix_eb_martingale(given_, **options)
    assert str(refusal.value) == message


def test_a_sequence_refuses_another_size() -> None:
    with pytest.raises(UsageError) as refusal:
        MatrixConfidenceSequence(3).update(np.eye(2))
    assert str(refusal.value) == "X of shape (2, 2). Allowed: (3, 3), or several. Give one of that size"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MatrixConfidenceSequence(0), "d = 0. Allowed: 1 and more. Give the number of rows"),
        (
            lambda: matrix_bernstein_radius(10, 3, -1.0, 0.05),
            "var_norm = -1.0. Allowed: 0 and more. Correct it",
        ),
        (
            lambda: matrix_eb_plugin(np.array([[[1j]], [[0]]])),
            "observations that are not numbers. Allowed: finite numbers. Convert them",
        ),
    ],
)
def test_settings_that_are_refused(call: Any, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        call()
    assert str(refusal.value) == message
