"""DeepHalo: worked by hand, against a slow transcription, under random input, and what it refuses."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from lunwen.errors import LimitError, UsageError
from lunwen.methods.estimation._halo_data import cut_short
from lunwen.methods.estimation._halo_effects import beyond_by_zeros
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
    cut_short(model, np.eye(5)[[0, 1, 2, 3, 4, 0]] + np.eye(5)[[1, 2, 3, 4, 0, 3]], [0, 1, 2, 3, 4, 3])
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
    model = DeepHalo(layers=2, embed=4, heads=2, n_init=1, max_iter=3, random_state=seed)
    cut_short(model, x, rng.integers(0, 3, 12), sets)
    shares = model.predict_proba(x, sets)
    turn = rng.permutation(4)
    np.testing.assert_allclose(model.predict_proba(x[:, turn], sets[:, turn]), shares[:, turn], atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(x[::2, :3]), shares[::2, :3], atol=1e-12)
    wider = np.concatenate([x, rng.normal(size=(12, 2, 2))], 1), np.pad(sets, ((0, 0), (0, 2)))
    np.testing.assert_allclose(model.predict_proba(*wider)[:, :4], shares, atol=1e-12)


def test_the_networks_are_their_equations() -> None:
    model = cut_short(DeepHaloFeatureless(layers=2, kind="exa", width=4, max_iter=2), OFFERS, TAKEN)
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
        ([[1, 2]], [0], "sets holds 2. Give 1 where an item is on offer, 0 elsewhere"),
        ([[1, 1], [0, 0]], [0, 0], "set 1 has no items. Give sets of 1 or more; leave it out"),
        (
            [[1, np.nan]],
            [0],
            "sets holds NaN or infinity. Give finite numbers; fill or drop these rows first",
        ),
        ([["a", "b"]], [0], "sets holds text. Give numbers; encode text and categories first"),
        ([], [], "sets has shape (0,). Give shape (rows, columns)"),
        ([[1, 1]], [2], "choices holds 2. Give the items by number, 0 to 1"),
        ([[1, 1]], [0, 1, 1], "choices has shape (3,). Give items (1,) or counts (1, 2)"),
        ([[1, 1]] * 2, [[1], [1, 2]], "choices has rows of different lengths. Give rows of equal length"),
        ([[1, 0]], [1], "item 1 was chosen from set 0, which lacks it. Mark it there, or drop the row"),
    ],
)
def test_bad_data_is_refused(sets: object, choices: object, says: str) -> None:
    with pytest.raises(UsageError) as refusal:
        DeepHaloFeatureless().fit(sets, choices)
    assert str(refusal.value) == says


def test_it_is_chosen_by_cross_validation_whatever_the_units() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3, 2))
    x[::3, 2] = np.nan  # no item there
    taken = np.nanargmax(2 * x[:, :, 0] + rng.gumbel(size=(300, 3)), axis=1)
    search = GridSearchCV(DeepHalo(layers=0, n_init=1), {"alpha": [1e-4, 1e3]}, cv=3).fit(x, taken)
    assert search.best_params_ == {"alpha": 1e-4}
    model = search.best_estimator_
    assert (model.predict(x) == taken).mean() > 0.6
    sets = ~np.isnan(x).all(2)
    chances = model.predict_proba(x, sets)[range(300), taken]
    assert model.score(x, taken) == pytest.approx(np.log(chances).mean())
    cents = DeepHalo(layers=0, n_init=1).fit(x * [1e-3, 1e3], taken).predict_proba(x * [1e-3, 1e3])
    np.testing.assert_allclose(cents, model.predict_proba(x), atol=0.02)


def test_zeros_keep_the_cap_with_the_mean_over_the_set() -> None:
    x = np.random.default_rng(0).normal(size=(20, 4, 2))
    model = DeepHalo(layers=1, divisor="set", embed=4, held_out=0, n_init=1, max_iter=20)
    cut_short(model, x, np.arange(20) % 4)
    assert beyond_by_zeros(model, 1, x[0]) < 1e-9 < beyond_by_zeros(model, 0, x[0])


def test_orders_and_settings_are_checked() -> None:
    model = DeepHaloFeatureless(layers=0).fit(OFFERS, TAKEN)
    with pytest.raises(LimitError, match=r"^order is 3\. Give a whole number from 0 to 2, as 3 items have$"):
        halo_effects(model, 3)
    with pytest.raises(UsageError, match=r"^DeepHaloFeatureless has no features\. Leave x out$"):
        relative_halo(model, 1, np.ones((3, 2)))
    with pytest.raises(UsageError, match=r"^model is 3\. Give a fitted DeepHalo or DeepHaloFeatureless$"):
        halo_effects(3, 1)  # type: ignore[arg-type]
    with pytest.raises(LimitError, match=r"^layers is -1\. Give a whole number of at least 0$"):
        DeepHalo(layers=-1).fit(np.ones((1, 2, 1)), [0])
    with pytest.raises(LimitError, match=r"at the first weights\. Give fewer layers or a smaller width$"):
        DeepHaloFeatureless(layers=40).fit(OFFERS, TAKEN)
    with pytest.warns(
        ConvergenceWarning, match=r"^2 steps, and the loss still falls\. Give a larger max_iter$"
    ):
        DeepHaloFeatureless(max_iter=2).fit(OFFERS, TAKEN)
