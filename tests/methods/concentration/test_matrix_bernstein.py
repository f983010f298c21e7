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
from lunwen.methods.concentration._matrix_data import COINS, RARE, SIGNS, SWITCHING, framed, plain_radius
from lunwen.methods.concentration.matrix_bernstein import (
    MatrixConfidenceSequence,
    _paired_variance,
    _plugin_radius,
    _Weighted,
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
        variance = (np.eye(d) / 4 + sum((x - mean) @ (x - mean) for x in past)) / (i + 1)
        size = n if fixed else i + 1
        v = max(np.linalg.norm(variance, 2), 5 * log / size)
        g = math.sqrt(2 * log / (size * v))
        weights, weighted = weights + g, weighted + g * X[i]
        spread += (-math.log(1 - g) - g) * (X[i] - mean) @ (X[i] - mean)
    return weighted / weights, (log + np.linalg.eigvalsh(spread)[-1]) / weights


def test_two_matrices_by_hand() -> None:
    # V* = (1 - 0)^2 / 2 = 1/2; n = 2, d = 1, one side: A = log(2 / .1), B = log(4 / .1)
    A, B = math.log(20), math.log(40)  # noqa: N806
    radius = A / 6 + math.sqrt(A / 2) + (math.sqrt(5 / 3) + 1) * math.sqrt(A * B) / 2
    assert _plugin_radius(
        2, _paired_variance(np.array([[[0.0]], [[1.0]]])), math.log(10), 1 / 2
    ) == pytest.approx(radius)
    assert matrix_eb_plugin([[[0.0]], [[1.0]]], 0.1, side="one") == (
        0.5,
        1.0,
    )  # the range is the most there is
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


def test_what_is_said_of_the_plain_variance_is_eq_27_without_its_prior() -> None:
    U = np.random.default_rng(0).random((2, 3))  # noqa: N806
    L = math.log(60)  # noqa: N806 - n = 2: both weights are at the floor, sqrt(2/5)
    psi = -math.log(1 - math.sqrt(0.4)) - math.sqrt(0.4)
    spread = psi * (U[0] ** 2 + (U[1] - U[0]) ** 2).max()
    assert plain_radius(U[:, None], L)[0] == pytest.approx((L + spread) / (2 * math.sqrt(0.4)))


def test_long_samples_are_taken_in_pieces() -> None:
    X = framed(np.random.default_rng(0).random((2500, 3)))  # noqa: N806
    process = _Weighted(4.0, horizon=2500)
    center, total, weight = process.feed(X)
    found = _Weighted(4.0, horizon=2500).last(X)
    np.testing.assert_allclose(found[0], center[-1], rtol=1e-9)
    assert found[1] == pytest.approx(process.radius(total, weight)[-1])


def test_a_stopped_sequence_gives_one_smaller_ball() -> None:
    X = COINS.draw(np.random.default_rng(0), 400, 1)[:, 0]  # noqa: N806
    sequence = MatrixConfidenceSequence(1, 0.05, bounds=(0, 2))
    ball = sequence.update(2 * X)
    with pytest.raises(UsageError, match="rng is 42"):  # and its level is not spent
        sequence.stop(42)  # type: ignore[arg-type]
    stopped = sequence.stop(np.random.default_rng(1))
    assert stopped.center == ball.center
    center, total, weight = (part[-1] for part in _Weighted(math.log(2 / 0.05), horizon=None).feed(X))
    log = math.log(2 / 0.05 * (1 - np.random.default_rng(1).random()))  # of U d / a
    assert stopped.radius == pytest.approx(2 * (log + total[0, 0]) / weight)
    assert stopped.radius < ball.radius
    assert ball.center == pytest.approx(2 * center)
    with pytest.raises(UsageError) as refusal:
        sequence.update(X)
    assert str(refusal.value) == "the sequence was stopped, its level is spent. Begin another one"


@pytest.mark.parametrize("law", [SIGNS, RARE, SWITCHING, COINS], ids=lambda law: law.name)
def test_the_laws_of_the_claims_have_the_mean_they_state(law: Any) -> None:
    drawn = law.draw(np.random.default_rng(0), 50, 4000)
    np.testing.assert_allclose(drawn.mean((0, 1)), law.M, atol=0.01)


def test_single_precision_may_pass_the_bounds_by_its_rounding() -> None:
    x = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    assert matrix_eb_martingale(x[:, :, None] * x[:, None, :]).radius <= 1


@pytest.mark.parametrize("kind", ["requires grad", "bfloat16"])
def test_tensors_pass(kind: str) -> None:
    torch = pytest.importorskip("torch")
    X = torch.eye(2).expand(5, 2, 2)  # noqa: N806
    given = X.clone().requires_grad_() if kind == "requires grad" else X.bfloat16()
    for bound in (matrix_eb_plugin, matrix_eb_martingale, MatrixConfidenceSequence(2).update):
        np.testing.assert_allclose(bound(given).center, np.eye(2))


RANGE = "Give the range that is possible, seen or not, as bounds=(low, high)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: matrix_eb_martingale([[0.5]]),
            "X has shape (1, 1). Give shape (..., n, d, d), n of at least 1",
        ),
        (
            lambda: matrix_eb_martingale([[[7.0]]]),
            f"eigenvalues of X go from 7 to 7, bounds from 0 to 1. {RANGE}",
        ),
        (
            lambda: matrix_eb_martingale([[[0.5, 0.1], [0.2, 0.5]]]),
            "X is not symmetric. Give symmetric matrices; (X + X.T) / 2 if that is what is meant",
        ),
        (
            lambda: matrix_eb_martingale([[[0.5]]], side="left"),  # type: ignore[arg-type]
            "side is 'left'. Give one of: both, one",
        ),
        (
            lambda: matrix_eb_plugin([[[1j]], [[0]]]),
            "X holds complex numbers. Give real ones: [[Re, -Im], [Im, Re]], of twice the size",
        ),
        (
            lambda: MatrixConfidenceSequence(1).update([[1j]]),
            "X holds complex numbers. Give real ones: [[Re, -Im], [Im, Re]], of twice the size",
        ),
        (
            lambda: MatrixConfidenceSequence(3).stop(None),  # type: ignore[arg-type]
            "rng is None. Give a numpy Generator, such as np.random.default_rng()",
        ),
        (
            lambda: MatrixConfidenceSequence(3).update(np.eye(2)),
            "X has shape (1, 2, 2). Give shape (..., n, 3, 3), n of at least 1",
        ),
        (
            lambda: MatrixConfidenceSequence(3).update(1.0),
            "X has shape (). Give shape (3, 3), or several of it",
        ),
        (
            lambda: MatrixConfidenceSequence(3).stop(np.random.default_rng()),
            "nothing was seen yet. Give matrices to update before stop",
        ),
        (lambda: MatrixConfidenceSequence(0), "d is 0. Give a whole number of at least 1"),
        (lambda: matrix_bernstein_radius(10, 3, -1.0, 0.05), "var_norm is -1. Give 0 or more"),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    with pytest.raises(UsageError) as refusal:
        call()
    assert str(refusal.value) == message
