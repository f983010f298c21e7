"""Constrained online learning: rounds by hand, a literal AdaHedge, bounds under any losses."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.errors import CouldNot, LimitError, UsageError
from lunwen.methods.online.coco import (
    AdaHedge,
    Box,
    ConstrainedExpert,
    CoveringCOCO,
    SmoothCOCO,
    covering,
    run_game,
)


def test_two_rounds_by_hand() -> None:
    player = ConstrainedExpert(2, horizon=16, beta=0.5)
    rate = 0.25 / (2 * math.log(2))
    assert player.act() == pytest.approx([0.5, 0.5])
    player.observe([1, 0], [0, 1])
    assert player.ccv == 0.5
    charged = [1, rate * math.exp(rate * 0.5)]  # the price holds for the round that raised it
    assert player.learner.loss == pytest.approx(charged)
    # no gap before the first round: its mix loss is the better expert's
    gap = sum(charged) / 2 - min(charged)
    weights = [math.exp(-math.log(2) / gap * loss) for loss in charged]
    assert player.act() == pytest.approx(np.array(weights) / sum(weights))
    player.observe([0, 0], [-1, -1])
    assert player.ccv == 0.5  # slack in one round pays for no other


def _literal(losses: np.ndarray) -> float:
    """AdaHedge as written in the paper, by logarithms of sums; returns its total loss."""
    total, gap, paid = np.zeros(losses.shape[1]), 0.0, 0.0
    for loss in losses:
        if gap:
            eta = math.log(len(loss)) / gap
            w = np.exp(-eta * (total - total.min()))
            mix = -np.log((w @ np.exp(-eta * loss)) / w.sum()) / eta
        else:
            w = (total == total.min()) * 1.0
            mix = loss[total == total.min()].min()
        paid += float(w @ loss / w.sum())
        gap += max(0.0, w @ loss / w.sum() - mix)
        total += loss
    return paid


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_adahedge_is_the_literal_one_whatever_the_scale_and_keeps_its_bound(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    losses = rng.random((50, 4)) * rng.random(4)
    learner, paid = AdaHedge(4), 0.0
    for loss in losses * scale:
        p = learner.weights()
        paid += p @ loss
        learner.update(loss, p)
    assert paid / scale == pytest.approx(_literal(losses))
    best = losses.sum(axis=0).min()
    # de Rooij et al. (2014), Theorem 8 with the losses' range 1
    assert paid / scale - best <= 2 * math.sqrt(best * math.log(4)) + 16 / 3 * math.log(4) + 2


def test_without_a_free_lunch_the_safe_expert_is_found() -> None:
    game = run_game(
        ConstrainedExpert(3, 2000, 0.9), lambda _t, _p: (np.array([0.5, 0, 0]), np.array([0, 1.0, 1]))
    )
    assert game.regret == pytest.approx(
        -game.ccv / 2
    )  # each violation saves the half that the safe one costs
    assert 0 < game.ccv < 60


@settings(max_examples=30, deadline=None)
@given(eps=st.floats(0.05, 3), wide=st.floats(0.1, 3))
def test_no_point_is_further_than_eps_from_the_net(eps: float, wide: float) -> None:
    net = covering(Box((0.0, -1.0), (wide, 1.0)), eps)
    probes = np.array(list(product(np.linspace(0, wide, 9), np.linspace(-1, 1, 9))))
    distances = np.linalg.norm(probes[:, None] - net, axis=2)
    assert distances.min(axis=1).max() <= eps * (1 + 1e-9)


def test_points_and_gradients_find_the_edge_of_the_constraint() -> None:
    box = Box((-1.0,), (1.0,))
    steps, net = SmoothCOCO(box, 4000, 0.9), CoveringCOCO(box, 4000, 0.9, eps=0.05)
    for _ in range(4000):
        x = steps.act()
        excess = np.maximum(x, 0)
        steps.observe(x - 0.5, float(excess[0] ** 2 / 2), excess)
        net.observe(lambda y: np.abs(y[:, 0] - 0.5) / 2, lambda y: np.maximum(y[:, 0], 0))
    assert 0 <= steps.act()[0] < 0.2  # 0 is best without violation, .5 is best without constraint
    assert abs(net.act()[0]) < 0.1


def test_refusals() -> None:
    player = ConstrainedExpert(2, horizon=1, beta=0.5)
    with pytest.raises(
        UsageError, match=r"^cost has nan; it is from 0 to 1\. Scale it by its largest value$"
    ):
        player.observe([math.nan, 0], [0, 0])
    with pytest.raises(UsageError, match=r"^violation has shape \(3,\); it is \(2,\)\. Give one per expert$"):
        player.observe([1, 0], [0, 0, 0])
    player.observe([1, 0], [0, 0])
    with pytest.raises(UsageError, match=r"^a round after the last of 1\. Start with a longer horizon$"):
        player.observe([1, 0], [0, 0])
    with pytest.raises(UsageError, match=r"^beta=1\.5; it is from 0 \(low regret\) to 1 \(low violation\)"):
        ConstrainedExpert(2, 10, 1.5)
    with pytest.raises(UsageError, match=r"^beta=high; it is from 0 \(low regret\) to 1 \(low violation\)"):
        ConstrainedExpert(2, 10, "high")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^violation=\[0\.1\]; it is a finite number\. Correct it$"):
        SmoothCOCO(Box((0.0,), (1.0,)), 10, 0.5).observe([0], np.array([0.1]), [0])  # type: ignore[arg-type]
    with pytest.raises(
        CouldNot, match=r"^violation \d+ after \d+ rounds: none seems to be safe\. Add one that"
    ):
        run_game(ConstrainedExpert(2, 10_000, 1.0), lambda _t, _p: (np.zeros(2), np.ones(2)))
    with pytest.raises(
        LimitError,
        match=r"^eps=1e-06 takes more than 1000000 points; allowed are so many\. Take a larger eps$",
    ):
        covering(Box((0.0, 0.0), (1.0, 1.0)), 1e-6)
    with pytest.raises(UsageError, match=r"^eps=9 covers the box with one point; a choice needs 2\. "):
        CoveringCOCO(Box((0.0,), (1.0,)), 10, 0.5, eps=9)
    with pytest.raises(UsageError, match=r"^horizon=1000\.0 rounds; it is a whole number from 1\. "):
        ConstrainedExpert(2, 1e3, 0.5)  # type: ignore[arg-type]


def test_costs_too_small_to_divide_by_are_no_costs() -> None:
    player = ConstrainedExpert(3, 3, 0.5)
    for cost in ([1e-320, 0, 0], [0, 1e-320, 0]):
        player.observe(cost, [0, 0, 0])
    assert np.isfinite(player.act()).all()
