"""DeepHalo: worked by hand, against a slow transcription, under random input, and what it refuses."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.errors import LimitError, UsageError
from lunwen.methods.estimation.deep_halo import (
    DeepHalo,
    DeepHaloFeatureless,
    FeatureNet,
    halo_effects,
    relative_halo,
)

OFFERS = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
TAKEN = np.array([[60, 40, 0], [70, 0, 30], [0, 80, 20], [35, 60, 5]])


def test_a_full_order_model_gives_the_shares_and_their_log_ratios() -> None:
    model = DeepHaloFeatureless(layers=0).fit(OFFERS, TAKEN)
    np.testing.assert_allclose(model.predict_proba(OFFERS), TAKEN / 100, atol=1e-5)
    effects = relative_halo(model, order=1)
    assert effects[0, 1, ()] == pytest.approx(np.log(60 / 40), abs=1e-3)
    assert effects[0, 1, (2,)] == pytest.approx(np.log(35 / 60) - np.log(60 / 40), abs=1e-3)


def test_items_chosen_and_their_counts_are_the_same_data() -> None:
    items = np.repeat([0, 1], [60, 40])
    sets = np.ones((100, 2))
    one = DeepHaloFeatureless(layers=1).fit(sets, items).predict_proba([[1, 1]])
    other = DeepHaloFeatureless(layers=1).fit([[1, 1]], [[60, 40]]).predict_proba([[1, 1]])
    np.testing.assert_allclose([one[0], other[0]], [[0.6, 0.4]] * 2, atol=1e-5)


@given(st.integers(0, 3), st.sampled_from(["qua", "exa"]), st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_effects_end_at_the_cap_and_sum_to_the_utilities(layers: int, kind: str, seed: int) -> None:
    model = DeepHaloFeatureless(layers=layers, kind=kind, width=8, max_iter=3, random_state=seed)
    model.fit(np.eye(5)[[0, 1, 2, 3, 4, 0]] + np.eye(5)[[1, 2, 3, 4, 0, 3]], [0, 1, 2, 3, 4, 3])
    v = halo_effects(model, 4)
    size = max(map(abs, v.values()))
    assert all(abs(value) <= 1e-9 * size for (_, T), value in v.items() if len(T) > model.max_order)
    u = model.utility(np.ones((1, 5)))[0]
    for j in range(5):
        assert sum(value for (i, _), value in v.items() if i == j) == pytest.approx(u[j], abs=1e-9 * size)


@given(st.integers(0, 99))
@settings(max_examples=15, deadline=None)
def test_neither_order_nor_padding_matters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, sets = rng.normal(size=(12, 4, 2)), np.ones((12, 4))
    sets[::2, 3] = 0
    x[::2, 3] = np.nan
    model = DeepHalo(layers=2, embed=4, heads=2, max_iter=3, random_state=seed)
    model.fit(x, rng.integers(0, 3, 12), sets)
    shares = model.predict_proba(x, sets)
    turn = rng.permutation(4)
    np.testing.assert_allclose(model.predict_proba(x[:, turn], sets[:, turn]), shares[:, turn], atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(x[::2, :3]), shares[::2, :3], atol=1e-12)
    wider = np.concatenate([x, rng.normal(size=(12, 2, 2))], 1), np.pad(sets, ((0, 0), (0, 2)))
    np.testing.assert_allclose(model.predict_proba(*wider)[:, :4], shares, atol=1e-12)


def test_the_networks_are_their_equations() -> None:
    model = DeepHaloFeatureless(layers=2, kind="exa", width=4, max_iter=2).fit(OFFERS, TAKEN)
    first, last = (one.weight.detach().numpy() for one in (model.net_.A, model.net_.C))
    for e, u in zip(OFFERS, model.utility(OFFERS), strict=True):
        z = first @ e
        for block, gate in zip(model.net_.W, model.net_.B, strict=True):
            z = z + block.weight.detach().numpy() @ (z * (gate.weight.detach().numpy() @ e))
        np.testing.assert_allclose(u[e == 1], (last @ z)[e == 1], rtol=1e-12)

    for divisor in (3.0, None):
        net = FeatureNet(2, 4, 2, 2, divisor).double()
        x, e = torch.randn(1, 3, 2).double(), torch.tensor([[1.0, 0.0, 1.0]]).double()
        z = list(start := net.encoder(x)[0])
        for mix, phi in zip(net.M, net.phi, strict=True):
            m = (mix(z[0]) + mix(z[2])) / (divisor or 2)
            z = [z[j] + sum(m[h] * phi(start[j])[h] for h in range(2)) / 2 for j in range(3)]
        expected = [net.out(one).item() for one in z]
        np.testing.assert_allclose(net(x, e)[0].detach(), expected, rtol=1e-12)


def test_relative_effects_follow_from_the_probabilities_alone() -> None:
    rng = np.random.default_rng(0)
    sets = np.array([[i in S for i in range(4)] for k in (2, 3, 4) for S in combinations(range(4), k)])
    model = DeepHaloFeatureless(layers=1).fit(sets, rng.uniform(1, 2, sets.shape) * sets)
    p = {tuple(np.flatnonzero(S)): row for S, row in zip(sets, model.predict_proba(sets), strict=True)}
    ratio = {S: np.log(row[0] / row[1]) for S, row in p.items() if {0, 1} <= set(S)}
    expected = ratio[0, 1, 2, 3] - ratio[0, 1, 2] - ratio[0, 1, 3] + ratio[0, 1]
    assert relative_halo(model, 2)[0, 1, (2, 3)] == pytest.approx(expected, abs=1e-9)


def test_max_order_and_random_state() -> None:
    assert [DeepHaloFeatureless(layers=n).max_order for n in range(4)] == [1, 2, 4, 8]
    assert [DeepHaloFeatureless(layers=n, kind="exa").max_order for n in range(4)] == [1, 2, 3, 4]
    assert DeepHalo(layers=2).max_order == 2
    torch.manual_seed(1)
    before = torch.get_rng_state()
    a, b = (DeepHaloFeatureless(random_state=3).fit(OFFERS, TAKEN).utility(OFFERS) for _ in range(2))
    assert (a == b).all()
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    ("sets", "choices", "says"),
    [
        ([[1, 2]], [0], "sets holds 2; allowed are 1 where an item is on offer and 0. Mark each item"),
        ([[1, 1], [0, 0]], [0, 0], "set 1 has no items; allowed is 1 or more. Leave it out"),
        ([[1, np.nan]], [0], "sets holds NaN or infinity; allowed are finite numbers. Fill or drop them"),
        ([["a", "b"]], [0], "sets is no array of numbers; allowed are numbers. Convert it first"),
        ([], [], "sets has shape (0,); allowed are 2 dimensions, none empty. Reshape it"),
        ([[1, 1]], [2], "choices holds 2; allowed are the items 0 to 1. Number them so"),
        ([[1, 1]], [0, 1, 1], "choices has shape (3,); allowed are (1,) and (1, 2). Give items or counts"),
        (
            [[1, 1]] * 2,
            [[1], [1, 2]],
            "choices is no array of numbers; allowed are numbers. Convert it first",
        ),
        ([[1, 0]], [1], "item 1 was chosen from set 0, which lacks it. Mark it there, or drop the choice"),
    ],
)
def test_bad_data_is_refused(sets: object, choices: object, says: str) -> None:
    with pytest.raises(UsageError) as refusal:
        DeepHaloFeatureless().fit(sets, choices)
    assert str(refusal.value) == says


def test_orders_and_settings_are_checked() -> None:
    model = DeepHaloFeatureless(layers=0).fit(OFFERS, TAKEN)
    with pytest.raises(LimitError, match=r"^order is 3; allowed are 0 to 2 for 3 items\. Give one of them$"):
        halo_effects(model, 3)
    with pytest.raises(UsageError, match=r"^DeepHaloFeatureless has no features; .* Call it without x$"):
        relative_halo(model, 1, np.ones((3, 2)))
    with pytest.raises(LimitError, match=r"^layers is -1; allowed are whole numbers from 0\. Give one$"):
        DeepHalo(layers=-1).fit(np.ones((1, 2, 1)), [0])
