"""DeepHalo: A Neural Choice Model with Controllable Context Effects.

Problem. What people choose depends on what else is on offer (a decoy, a rival, a better neighbour), so each
item's utility is a function of the whole choice set. Models that allow for it either know no item features or
mix interactions of every order, and then nobody can say which pair or triple of items causes what.

Idea. Split an item's utility into effects of the subsets of its rivals and build a network that is a
polynomial in the items' presence, of a degree set by its depth: sums over the items present, and products
with maps of each item alone. So an effect of more rivals than the depth allows is exactly zero, and those
that are left are read off by inclusion and exclusion.

    P_j(S) = exp u_j(S) / sum over k in S of exp u_k(S),   u_j(S) = sum over T in S without j of v_j(T)   (1)
    v_j(T) = sum over R in T of (-1)^(|T| - |R|) u_j(R + j)                                               (2)
    z <- z + W (z * z)  or  z <- z + W (z * B e),   from z = A e, utilities C z                           (3)
    z_j <- z_j + 1/H sum over h of m_h phi_h(z_j at the start),   m = mean over k in S of M z_k           (4)

S is the choice set, e its 0/1 vector, j and k items, T and R sets of rivals, |T| their number; v_j(T) is the
effect of T on j, |T| its order; A, B, C, W, M are matrices, H the number of heads, phi_h a small network. (3)
is the network without item features: L blocks reach order 2^L ("qua", z times itself) or L + 1 ("exa"). (4)
is the one with features, where z_j begins as an embedding of j's: L layers reach order L.

Differs from the paper. The full text was not available; the networks follow the authors' published code. The
numbers of the equations are ours.
1. (4) divides by the number of items in the set. That is no polynomial in the items' presence, so effects of
   every order come back where sets differ in size (claim ``cap_with_the_set_mean``). The default here divides
   by a constant, the number of places a set has in training; ``divisor="set"`` is the paper's.
2. Places without an item are left out of the sum; in the code that was read their embeddings enter it.
3. Training is full-batch L-BFGS in double precision where the authors use Adam at 1e-4: small problems are
   solved to the end, so that what is missed is the model's limit and not the optimiser's.
4. INFERRED: the relative effects are those of Park and Hahn (1998), which choices identify.

Not covered. Mini-batches and accelerators; the two networks are public ``torch.nn.Module``s to train
otherwise. An outside option is one more item, present in every set.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lunwen.errors import LimitError, UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers
from lunwen.methods.estimation._choice import numbers_of
from lunwen.methods.estimation._halo_data import (
    Bent,
    Entangled,
    Logit,
    all_sets,
    conditional_logit,
    distance,
    divergence,
    excess,
    offers,
    true_effects,
    true_shares,
)
from lunwen.methods.estimation._halo_model import DeepHalo, DeepHaloFeatureless, FeaturelessNet, FeatureNet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Subset = tuple[int, ...]
    Model = DeepHaloFeatureless | DeepHalo

__all__ = ["DeepHalo", "DeepHaloFeatureless", "FeatureNet", "FeaturelessNet", "halo_effects", "relative_halo"]

CARD = Card(
    paper_id="001-12",
    title="DeepHalo: A Neural Choice Model with Controllable Context Effects",
    authors=("Shuhan Zhang", "Zhi Wang", "Rui Gao", "Shuang Li"),
    venue="NeurIPS",
    year=2025,
    url="https://arxiv.org/abs/2601.04616",
    area="estimation",
    needs=("numpy", "scipy", "sklearn", "statsmodels", "torch"),
    seconds=80,
    example="""import numpy as np
from lunwen.methods.estimation.deep_halo import DeepHaloFeatureless, relative_halo

tea, coffee, mocha = 0, 1, 2  # how often each was taken where these were on offer
offers = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
taken = np.array([[60, 40, 0], [70, 0, 30], [0, 80, 20], [35, 60, 5]])
model = DeepHaloFeatureless(layers=0).fit(offers, taken)  # layers=0: one rival at a time
print(model.predict_proba([[1, 1, 1]]).round(2))
effects = relative_halo(model, order=1)
print("mocha lifts coffee over tea by", round(-effects[tea, coffee, (mocha,)], 2))
""",
    unchecked=(
        "Prediction on Expedia, London travel and the other real data: none of them comes with a library.",
        "The comparison with other neural choice models: their code is not packaged.",
    ),
)

MOST_SETS = 1_000_000


def halo_effects(model: Model, order: int, x: ArrayLike | None = None) -> dict[tuple[int, Subset], float]:
    """Return v_j(T) (Eq. 2) by (j, T) for all T of up to ``order`` rivals, as the model has them.

    Choices do not identify these, since a shift of all utilities of a set changes no choice;
    ``relative_halo`` is free of it. ``x`` has the features (J, n_features) of a ``DeepHalo``'s items.

    Raises:
        UsageError: ``x`` is missing or not wanted.
        LimitError: an order the items do not have, or one that needs too many sets.
    """
    n, u = _utilities(model, order, 1, x)
    return {
        (j, T): _moebius([u[_with(R, j)][j] for R in _subsets(T)], T)  # Eq. 2
        for j in range(n)
        for T in _subsets(_without(n, j), order)
    }


def relative_halo(
    model: Model, order: int, x: ArrayLike | None = None
) -> dict[tuple[int, int, Subset], float]:
    """Return by how much T lifts the utility of j over that of k, by (j, k, T) with j < k, both on offer.

    It is Eq. 2 of u_j - u_k = log P_j / P_k over the sets that hold both:
    v_j(T) + v_j(T + k) - v_k(T) - v_k(T + j). Arguments and refusals are those of ``halo_effects``.
    """
    n, u = _utilities(model, order, 2, x)
    return {
        (j, k, T): _moebius([u[_with(R, j, k)][j] - u[_with(R, j, k)][k] for R in _subsets(T)], T)
        for j, k in combinations(range(n), 2)
        for T in _subsets(_without(n, j, k), order)
    }


def _moebius(values: Iterable[float], T: Subset) -> float:
    """Return the effect of T from the values of its subsets."""
    signs = ((-1) ** (len(T) - len(R)) for R in _subsets(T))
    return float(sum(sign * value for sign, value in zip(signs, values, strict=True)))


def _subsets(items: Subset, largest: int | None = None) -> Iterator[Subset]:
    for size in range((len(items) if largest is None else largest) + 1):
        yield from combinations(items, size)


def _with(R: Subset, *items: int) -> Subset:
    return tuple(sorted((*R, *items)))


def _without(n: int, *items: int) -> Subset:
    return tuple(i for i in range(n) if i not in items)


def _utilities(model: Model, order: int, own: int, x: ArrayLike | None) -> tuple[int, dict[Subset, Array]]:
    """Return the number of items, and the utilities of every set of up to ``order`` + ``own`` of them."""
    check_is_fitted(model)
    featured = isinstance(model, DeepHalo)
    if featured != (x is not None):
        has, call = ("needs the items' features", "with") if featured else ("has no features", "without")
        raise UsageError(f"{type(model).__name__} {has}; allowed is one call for each. Call it {call} x")
    features = np.empty((0, 0)) if x is None else numbers_of("x", x, 2)
    n = len(features) if isinstance(model, DeepHalo) else model.n_items_
    if isinstance(order, bool) or not isinstance(order, int) or not 0 <= order <= n - own:
        raise LimitError(f"order is {order!r}; allowed are 0 to {n - own} for {n} items. Give one of them")
    count = sum(comb(n, size) for size in range(1, order + own + 1))
    if count > MOST_SETS:
        raise LimitError(
            f"order {order} of {n} items needs {count:,} sets; allowed are {MOST_SETS:,}. Give a lower one"
        )
    names = [S for S in _subsets(_without(n), order + own) if S]
    e = np.zeros((len(names), n))
    for row, S in zip(e, names, strict=True):
        row[list(S)] = 1
    if isinstance(model, DeepHalo):
        found = model.utility(np.broadcast_to(features, (len(e), *features.shape)), e)
    else:
        found = model.utility(e)
    return n, dict(zip(names, found, strict=True))


@claim(
    says="Depth caps the order of the effects: truths within the cap are fitted, truths above it are not.",
    where="abstract",
    kind="order",
)
def depth_caps_the_order(trials: Trials) -> Evidence:
    """Fit exact choice shares of six items whose effects have a known order, with MNL and L = 0, 1, 2."""
    cap, name = {-1: 0, 0: 1, 1: 2, 2: 4}, {-1: "MNL", 0: "L = 0", 1: "L = 1", 2: "L = 2"}
    cells = trials.pick(
        fast=[(1, -1), (1, 0), (2, 0), (2, 1), (3, 1), (3, 2)],
        full=[(order, layers) for layers in name for order in range(4)],
    )
    sets = all_sets(6)
    missed: dict[tuple[int, int], list[float]] = {cell: [] for cell in cells}
    for seed in trials:
        for order, layers in cells:
            shares = true_shares(true_effects(6, order, np.random.default_rng([seed, order])), sets)
            deep = DeepHaloFeatureless(layers=max(layers, 0), width=16, random_state=seed)
            deep.set_params(max_iter=trials.pick(fast=150, full=500))
            model = Logit() if layers < 0 else deep
            missed[order, layers].append(excess(model.fit(sets, shares), shares))
    findings = tuple(
        Finding(
            what=f"excess negative log-likelihood, truth of order {order}, {name[layers]}",
            values=numbers(values),
            limit=1e-3 if order <= cap[layers] else 5e-3,
            side="<=" if order <= cap[layers] else ">=",
            margin=0.0 if order <= cap[layers] else 4e-3,  # more than 1e-3 is still not fitted
        )
        for (order, layers), values in missed.items()
    )
    curves = tuple(
        Curve(
            label=name[layers],
            x=numbers(order for order, other in cells if other == layers),
            y=numbers(sum(values) / len(values) for cell, values in missed.items() if cell[1] == layers),
        )
        for layers in name
    )
    return Evidence(
        findings=findings,
        control=Finding(
            what="excess negative log-likelihood, truth of order 1, MNL in place of L = 0",
            values=numbers(missed[1, -1]),
            limit=1e-3,
            side="<=",
        ),
        picture=Picture(x="order of the truth", y="excess negative log-likelihood", curves=curves),
    )


@claim(
    says="Without features, a network deep enough approximates any choice function.",
    where="abstract",
    kind="number",
)
def any_choices_are_fitted(trials: Trials) -> Evidence:
    """Fit shares drawn from a Dirichlet distribution for every set."""
    n_items, layers = trials.pick(fast=(5, 2), full=(6, 3))  # 2^L reaches the J - 1 rivals
    sets, steps = all_sets(n_items), trials.pick(fast=300, full=1000)
    missed: dict[int, list[float]] = {layers: [], 0: []}
    for seed in trials:
        draws = np.random.default_rng(seed).gamma(1.0, size=sets.shape) * sets
        shares = draws / draws.sum(1, keepdims=True)
        for depth, values in missed.items():
            model = DeepHaloFeatureless(layers=depth, random_state=seed, max_iter=steps)
            values.append(excess(model.fit(sets, shares), shares))
    what = f"excess negative log-likelihood, random shares of all sets of {n_items} items"
    return Evidence(
        findings=(
            Finding(what=f"{what}, L = {layers}", values=numbers(missed[layers]), limit=1e-3, side="<="),
        ),
        control=Finding(what=f"{what}, pairs only, L = 0", values=numbers(missed[0]), limit=1e-3, side="<="),
    )


@claim(
    says="The effects of each order can be told apart and read off a fitted network.",
    where="abstract",
    kind="number",
)
def effects_are_read_off(trials: Trials) -> Evidence:
    """Compare the effects of a fitted network with the true ones, order by order."""
    sets = all_sets(5)
    errors: dict[int, list[float]] = {0: [], 1: [], 2: []}
    raw: list[float] = []
    for seed in trials:
        v = true_effects(5, 2, np.random.default_rng(seed))
        model = DeepHaloFeatureless(layers=1, random_state=seed).fit(sets, true_shares(v, sets))
        found = relative_halo(model, 2)
        for size, error in errors.items():
            keys = [key for key in found if len(key[2]) == size]
            error.append(distance([found[key] for key in keys], [_relative(v, *key) for key in keys]))
        plain = halo_effects(model, 2)
        raw.append(distance([plain[key] for key in v], list(v.values())))
    what = "error of the effects, relative to their size"
    return Evidence(
        findings=tuple(
            Finding(what=f"{what}, order {size}", values=numbers(error), limit=0.05, side="<=")
            for size, error in errors.items()
        ),
        control=Finding(
            what=f"{what}, of v_j(T), not relative to a rival's", values=numbers(raw), limit=0.05, side="<="
        ),
    )


@claim(
    says="No effect of more rivals than the cap is left, and the items may be listed in any order.",
    where="abstract",
    kind="identity",
)
def cap_is_exact(trials: Trials) -> Evidence:
    """Measure the effects beyond the cap in trained networks, and what permuting the items changes."""
    names = ("Eq. 3, qua, L = 1", "Eq. 3, exa, L = 2", "Eq. 4, L = 1", "Eq. 4, L = 2", "ReLU", "entangled")
    left: dict[str, list[float]] = {name: [] for name in names}
    moved: list[float] = []
    for seed in trials:
        X, sets, chosen, _ = offers(100, seed)
        flat = [DeepHaloFeatureless(layers=1), DeepHaloFeatureless(layers=2, kind="exa"), Bent(layers=1)]
        deep = [DeepHalo(layers=1), DeepHalo(layers=2), Entangled(layers=2)]
        for place, plain in zip((0, 1, 4), flat, strict=True):
            plain.set_params(max_iter=10, random_state=seed).fit(sets, chosen)
            left[names[place]].append(_beyond(plain, plain.max_order))
        for place, featured in zip((2, 3, 5), deep, strict=True):
            featured.set_params(max_iter=10, random_state=seed).fit(X, chosen, sets)
            left[names[place]].append(_beyond(featured, featured.max_order, X[0]))
        order = np.random.default_rng(seed).permutation(5)
        shares = deep[1].predict_proba(X, sets)[:, order]
        moved.append(float(abs(deep[1].predict_proba(X[:, order], sets[:, order]) - shares).max()))
    what = "largest effect beyond the cap, relative to the largest"
    exact = [(f"{what}, {name}", left[name]) for name in names[:4]]
    low, high = min(left["entangled"]), max(left["entangled"])
    note = f"Where phi sees the item as the layers below left it, L = 2, the same is {low:.2g} to {high:.2g}."
    exact.append(("change of the probabilities by permuting, Eq. 4, L = 2", moved))
    return Evidence(
        findings=tuple(
            Finding(what=name, values=numbers(values), limit=1e-9, side="<=", spread="every")
            for name, values in exact
        ),
        control=Finding(
            what=f"{what}, Eq. 3 with ReLU for the product, L = 1",
            values=numbers(left["ReLU"]),
            limit=1e-9,
            side="<=",
            spread="every",
        ),
        notes=(note,),
    )


@claim(
    says="The cap holds also with the mean over the set at hand, as in the paper, where sets differ in size.",
    where="the feature network, in the authors' code",
    kind="identity",
)
def cap_with_the_set_mean(trials: Trials) -> Evidence:
    """Measure the effects beyond the cap with the divisor |S|."""
    what = "largest effect beyond order 2, relative to the largest, L = 2, divisor |S|"
    left: dict[type[DeepHalo], list[float]] = {DeepHalo: [], Entangled: []}
    for seed in trials:
        X, sets, chosen, _ = offers(100, seed)
        for network, ratios in left.items():
            model = network(layers=2, divisor="set", max_iter=10, random_state=seed).fit(X, chosen, sets)
            ratios.append(_beyond(model, 2, X[0]))
    printed, mixed = (
        Finding(what=name, values=numbers(ratios), limit=1e-9, side="<=", spread="every")
        for name, ratios in zip((what, f"{what}, phi of the item as it is"), left.values(), strict=True)
    )
    note = "1 / |S| is no polynomial in the items' presence; among sets of one size it is a constant."
    return Evidence(findings=(printed,), control=mixed, notes=(note,))


@claim(
    says="It predicts choices that depend on the context better than a model without context.",
    where="abstract; synthetic data here",
    kind="order",
)
def predicts_in_context(trials: Trials) -> Evidence:
    """Compare the divergence from the true probabilities, on new sets, with the conditional logit's."""
    n = trials.pick(fast=600, full=2000)
    missed: dict[int, list[float]] = {1: [], 0: []}
    logit: list[float] = []
    for seed in trials:
        X, sets, chosen, truth = offers(2 * n, seed)
        for layers, values in missed.items():
            model = DeepHalo(layers=layers, embed=8, heads=2, random_state=seed)
            model.set_params(max_iter=trials.pick(fast=60, full=100))
            model.fit(X[:n], chosen[:n], sets[:n])
            values.append(divergence(truth[n:], model.predict_proba(X[n:], sets[n:])))
        logit.append(divergence(truth[n:], conditional_logit(X, sets, chosen, n)))
    what = f"divergence from the true probabilities, {n} choices, relative to the conditional logit's"
    ours, alone = (
        Finding(what=name, values=numbers(missed[depth]), limit=0.9, side="<=", baseline=numbers(logit))
        for name, depth in ((f"{what}, L = 1", 1), (f"{what}, L = 0, no context", 0))
    )
    return Evidence(findings=(ours,), control=alone)


def _beyond(model: Model, cap: int, x: Array | None = None) -> float:
    effects = halo_effects(model, 4, x)  # of five items: all there are
    return max(abs(v) for (_, T), v in effects.items() if len(T) > cap) / max(map(abs, effects.values()))


def _relative(v: dict[tuple[int, Subset], float], j: int, k: int, T: Subset) -> float:
    """Return what ``relative_halo`` has to find where v are all effects there are."""
    ours = v[j, T] + v.get((j, _with(T, k)), 0.0)
    return ours - v[k, T] - v.get((k, _with(T, j)), 0.0)
