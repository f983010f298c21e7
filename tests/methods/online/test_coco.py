"""Constrained online learning: rounds by hand, a literal AdaHedge, bounds under any losses."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.errors import CouldNot, UsageError
from lunwen.methods.online._coco_games import contrary, distances
from lunwen.methods.online.coco import (
    AdaHedge,
    Box,
    ConstrainedExpert,
    CoveringCOCO,
    SmoothCOCO,
    covering,
    run_game,
)

UNIT = Box(0, 1)


def test_two_rounds_by_hand() -> None:
    player = ConstrainedExpert(2, horizon=16, beta=0.5)
    rate = 0.25 / (2 * math.log(2))
    assert player.act() == pytest.approx([0.5, 0.5])
    player.observe([1, 0], [0, 1])
    assert (player.ccv, player.regret) == (0.5, -0.5)
    charged = [1, rate * math.exp(rate * 0.5)]  # the price holds for the round that raised it
    assert player.learner.loss == pytest.approx(charged)
    # no gap before the first round: its mix loss is the better expert's
    gap = sum(charged) / 2 - min(charged)
    weights = [math.exp(-math.log(2) / gap * loss) for loss in charged]
    assert player.act() == pytest.approx(np.array(weights) / sum(weights))
    player.observe([0, 0], torch.tensor([-1.0, -1.0]))
    assert player.ccv == 0.5  # slack in one round pays for no other


def test_a_step_of_gradients_by_hand() -> None:
    player = SmoothCOCO(Box([0, 0], [2, 2]), 16, 0.5, smoothness=1)
    assert player.act().tolist() == [1, 1]
    player.observe([0, -3], 0.5, [1, 0])  # the violation max(x_0, 0)^2 / 2
    price = math.exp(0.5 / 64) / 64  # lambda = 16^(-1/2) / (2 M D^2)
    step = math.sqrt(8) / math.sqrt(price**2 + 9)
    assert player.act() == pytest.approx([1 - step * price, min(1 + 3 * step, 2)])


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


def test_games_played_at_once_are_those_played_alone() -> None:
    betas = np.array([[0.5, 0.5], [0.9, 0.9]])  # (policies, seeds)
    experts = run_game(ConstrainedExpert(4, 300, betas), contrary((3, 4), 4, free=True))
    net = Box([-0.5, -0.5], [0.5, 0.5])
    points = run_game(CoveringCOCO(net, 300, betas, eps=0.3), distances((3, 4)))
    for (at, beta), (to, seed) in product(enumerate((0.5, 0.9)), enumerate((3, 4))):
        alone = run_game(ConstrainedExpert(4, 300, [beta]), contrary((seed,), 4, free=True))
        assert (experts.ccv[at, to], experts.regret[at, to]) == pytest.approx((alone.ccv[0], alone.regret[0]))
        alone = run_game(CoveringCOCO(net, 300, [beta], eps=0.3), distances((seed,)))
        assert (points.ccv[at, to], points.regret[at, to]) == pytest.approx((alone.ccv[0], alone.regret[0]))


@settings(max_examples=30, deadline=None)
@given(eps=st.floats(0.05, 3), wide=st.floats(0.1, 3))
def test_no_point_is_further_than_eps_from_the_net(eps: float, wide: float) -> None:
    net = covering(Box((0.0, -1.0), (wide, 1.0)), eps)
    probes = np.array(list(product(np.linspace(0, wide, 9), np.linspace(-1, 1, 9))))
    distances = np.linalg.norm(probes[:, None] - net, axis=2)
    assert distances.min(axis=1).max() <= eps * (1 + 1e-9)


def test_points_and_gradients_find_the_edge_of_the_constraint() -> None:
    box = Box(-1, 1)
    steps, net = SmoothCOCO(box, 4000, 0.9, smoothness=1), CoveringCOCO(box, 4000, 0.9)
    for _ in range(4000):
        x = steps.act()
        excess = np.maximum(x, 0)
        steps.observe(x - 0.5, excess[0] ** 2 / 2, excess)
        net.observe(lambda y: np.abs(y[:, 0] - 0.5) / 2, lambda y: np.maximum(y[:, 0], 0))
    assert 0 <= steps.act()[0] < 0.2  # 0 is best without violation, .5 is best without constraint
    assert abs(net.act()[0]) < 0.1
    assert -net.ccv < net.regret < 0


def test_a_net_follows_the_horizon_and_what_it_plays_is_left_alone() -> None:
    assert [len(CoveringCOCO(UNIT, T, 0.5).points) for T in (1, 400, 10**12)] == [2, 10, 9912]

    def meddler(_: int, p: np.ndarray) -> tuple[Any, Any]:
        p[:] = [0, 1]
        return [1, 0], [0, 1]

    assert run_game(ConstrainedExpert(2, 50, 0.9), meddler).ccv < 20
    ball = SmoothCOCO(Box([-1, -1], [1, 1]), 9, 0.5, smoothness=1, project=lambda x: x / max(1, x @ x) ** 0.5)
    ball.observe([-3, -4], 0, [0, 0])
    assert ball.act() == pytest.approx([0.6, 0.8])


def played(horizon: int) -> ConstrainedExpert:
    player = ConstrainedExpert(2, horizon, 0.5)
    player.observe([1, 0], [0, 0])
    return player


def smooth(*seen: Any, **more: Any) -> None:
    SmoothCOCO(UNIT, 10, 0.5, **({"smoothness": 1} | more)).observe(*seen)


REFUSALS: list[tuple[Any, str]] = [
    (
        lambda: ConstrainedExpert(2, 1e3, 0.5),
        "horizon is 1000.0. Give a whole number from 1 to 1000000000000",
    ),
    (lambda: ConstrainedExpert(1, 10, 0.5), "n is 1. Give a whole number of at least 2, a choice needs two"),
    (
        lambda: ConstrainedExpert(2, 10, 1.5),
        "beta is 1.5. Give a number from 0 to 1, 0 for low regret, 1 for low violation, such as 0.75",
    ),
    (
        lambda: ConstrainedExpert(2, 10, "0.5"),
        "beta is '0.5'. Give a number from 0 to 1, 0 for low regret, 1 for low violation, such as 0.75",
    ),
    (
        lambda: ConstrainedExpert(2, 10, 0.5, learner="Hedge"),  # type: ignore[arg-type]
        "learner is 'Hedge'. Give an AdaHedge, or one derived from it",
    ),
    (
        lambda: played(9).observe([math.nan, 0], [0, 0]),
        "cost holds NaN or infinity. Give finite numbers; fill or drop these rows first",
    ),
    (
        lambda: played(9).observe([-1, 0], [0, 0]),
        "cost holds -1. Give costs from 0 to 1: add a constant, then divide",
    ),
    (
        lambda: played(9).observe([0, 0], [0, 3]),
        "violation holds 3. Give at most 1: divide all rounds by the largest value",
    ),
    (
        lambda: played(9).observe([1, 0], [0, 0, 0]),
        "violation has shape (3,). Give (2,), one number for each expert",
    ),
    (
        lambda: played(1).observe([1, 0], [0, 0]),
        "the last of 1 rounds has been played. Give a longer horizon",
    ),
    (
        lambda: run_game(ConstrainedExpert(2, 10_000, 1.0), lambda _t, _p: (np.zeros(2), np.ones(2))),
        (
            "violation 832 after 832 rounds: more than where something is safe. "
            "Add what is safe, or scale violations down"
        ),
    ),
    (
        lambda: run_game(ConstrainedExpert(2, 9, 1.0), lambda _t, _p: (np.zeros(2), np.ones(2))),
        "every expert has violated; regret compares with one that never does. Add one that is safe",
    ),
    (lambda: run_game(played(9), lambda _t, _p: None), "the learner has played 1 rounds. Give a new one"),
    (
        lambda: run_game(ConstrainedExpert(2, 9, 1.0), lambda _t, _p: None),  # type: ignore[arg-type,return-value]
        "the adversary answered None. Return two, cost and violation",
    ),
    (
        lambda: run_game(SmoothCOCO(UNIT, 10, 0.5, smoothness=1), lambda _t, _p: (0, 0)),
        "learner is a SmoothCOCO, of which no regret is known. Give a ConstrainedExpert or a CoveringCOCO",
    ),
    (lambda: Box([0, 1], [1, 1]), "low is [0, 1], high [1, 1]. Give low below high in every coordinate"),
    (
        lambda: Box([0, 1], 1),
        "low and high have shapes (2,) and (1,). Give two corners of the same shape (d,)",
    ),
    (
        lambda: covering(Box([0, 0], [1, 1]), 1e-6),
        (
            "eps is 1e-06, which takes 5e+11 points; at most 1000000 can be had. "
            "Give a larger eps, or fewer dimensions"
        ),
    ),
    (
        lambda: CoveringCOCO(UNIT, 10, 0.5, eps=9),
        "eps is 9, which covers the box with one point. Give a smaller eps",
    ),
    (
        lambda: CoveringCOCO(Box([0] * 14, [1] * 14), 10, 0.5),
        "domain has 14 dimensions, more than 10000 points can cover. Give an eps, or use SmoothCOCO",
    ),
    (
        lambda: CoveringCOCO(UNIT, 10, 0.5).observe(lambda x: x, lambda x: x[:, 0]),
        "cost returned shape (2, 1) for points (2, 1). Give (2,), one number for each point",
    ),
    (
        lambda: CoveringCOCO(UNIT, 10, 0.5).observe(lambda x: x[9], lambda x: x[:, 0]),
        (
            "cost failed at an array of shape (2, 1): index 9 is out of bounds for axis 0 with size 2. "
            "Give a function that takes points (n, d) and returns their values (n,)"
        ),
    ),
    (
        lambda: CoveringCOCO(UNIT, 10, 0.5).observe(lambda x: x[:, 0], lambda x: x[:, 0]),
        (
            "none of the net's 2 points has been safe up to round 1. "
            "Give an eps smaller than 0.25, or constraints that some point keeps"
        ),
    ),
    (
        lambda: smooth([0], 0, [0], smoothness=0),
        "smoothness is 0. Give a number above 0, a bound of the second derivatives",
    ),
    (
        lambda: smooth([0], 0, [0], project=lambda _: [0, 1]),
        "project returned shape (2,). Give (1,), as the point has",
    ),
    (lambda: smooth([0, 0], 0, [0]), "cost_gradient has shape (2,). Give (1,), as the point has"),
    (lambda: smooth([0], [0], [0]), "violation has shape (1,). Give (), one number for a game"),
    (lambda: smooth([0], -1, [0]), "violation is -1. Give it at least 0, as max(g, 0)^2 / 2 is"),
    (
        lambda: smooth([0], 0.1, [1]),
        (
            "violation_gradient is [1] where violation is 0.1: with smoothness 1 it is no longer than "
            "sqrt(2 x smoothness x violation). Give max(g, 0)^2 / 2, or a larger smoothness"
        ),
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_what_cannot_be_played_is_told(call: Any, message: str) -> None:
    with pytest.raises((UsageError, CouldNot)) as told:
        call()
    assert str(told.value) == message


def test_costs_too_small_to_divide_by_are_no_costs() -> None:
    player = ConstrainedExpert(3, 3, 0.5)
    for cost in ([1e-320, 0, 0], [0, 1e-320, 0]):
        player.observe(cost, [0, 0, 0])
    assert np.isfinite(player.act()).all()
