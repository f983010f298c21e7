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
1. (4) divides by the number of items in the set, |S|. To the authors an item is out where its features are
   zero: |S| stays, and the cap is exact (claim ``cap_with_the_set_mean``). Where items are really taken away,
   1 / |S| is no polynomial in their presence, and effects of every order come back. So the default here
   divides by a constant, the number of places a set has in training; ``divisor="set"`` is the paper's.
2. Places without an item are left out of the sum; in the code that was read their embeddings enter it.
3. Training is full-batch L-BFGS in double precision where the authors use Adam at 1e-4: small problems are
   solved to the end, so that what is missed is the model's limit and not the optimiser's. ``DeepHalo``
   standardises features, begins three times, and keeps the weights that best predict a held-out part of the
   sets. The authors' other loss, the squared error of the shares, is left out.
4. INFERRED: the relative effects are those of Park and Hahn (1998), which choices identify.

Not covered. Mini-batches and accelerators; the two networks are public ``torch.nn.Module``s to train
otherwise. The paper's experiment of 20 items in sets of 15, with depth bought by width. An outside option is
one more item, present in every set.
"""

# Over 400 lines: two networks, with and without features, and seven claims.

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers
from lunwen.methods.estimation._halo_data import (
    Logit,
    NestedLogit,
    all_sets,
    conditional_logit,
    cut_short,
    distance,
    divergence,
    entangled,
    excess,
    offers,
    perceptron,
    true_effects,
    true_shares,
    without_products,
)
from lunwen.methods.estimation._halo_effects import (
    beyond,
    beyond_by_zeros,
    halo_effects,
    relative,
    relative_halo,
)
from lunwen.methods.estimation._halo_model import FeatureChoice, FeaturelessChoice

if TYPE_CHECKING:
    from lunwen.methods.estimation._choice import ChoiceModel

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
    seconds=165,
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
        "The comparison with other neural choice models, mixed logit too: no small kept package has them.",
        "20 items in sets of 15, five budgets: hours of training here, and the order shows on 6 items.",
    ),
)


class FeaturelessNet(nn.Module):
    """Eq. 3: a polynomial in the items' presence, without biases (which would not raise its degree)."""

    def __init__(self, n_items: int, width: int, layers: int, kind: str) -> None:
        super().__init__()
        self.A = nn.Linear(n_items, width, bias=False)
        self.W = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.B = nn.ModuleList(nn.Linear(n_items, width, bias=False) for _ in range(layers * (kind == "exa")))
        self.C = nn.Linear(width, n_items, bias=False)

    def forward(self, e: Tensor) -> Tensor:
        """Return the utilities of all items, whether present or not: (n, J) -> (n, J)."""
        z = self.A(e)  # (n, width)
        for level, W in enumerate(self.W):
            z = z + W(self.interact(z, self.B[level](e) if self.B else z))  # Eq. 3
        utilities: Tensor = self.C(z)
        return utilities

    def interact(self, z: Tensor, other: Tensor) -> Tensor:
        """Multiply: the one step that raises the degree."""
        return z * other


class FeatureNet(nn.Module):
    """Eq. 4: each layer multiplies a sum over the set with a map of each item alone.

    ``divisor`` is what the sum is divided by; None is the number of items in the set, as in the paper.
    """

    def __init__(self, n_features: int, embed: int, heads: int, layers: int, divisor: float | None) -> None:
        super().__init__()
        self.heads, self.divisor = heads, divisor
        steps: list[nn.Module] = [nn.Linear(n_features, embed), nn.ReLU(), nn.Linear(embed, embed), nn.ReLU()]
        self.encoder = nn.Sequential(*steps, nn.Linear(embed, embed), nn.LayerNorm(embed))
        self.M = nn.ModuleList(nn.Linear(embed, heads) for _ in range(layers))
        self.phi = nn.ModuleList(
            nn.Sequential(
                nn.Linear(embed, heads * embed),
                nn.Unflatten(-1, (heads, embed)),
                nn.ReLU(),
                nn.Linear(embed, embed),
                nn.LayerNorm(embed),
            )
            for _ in range(layers)
        )
        self.out = nn.Linear(embed, 1, bias=False)

    def forward(self, x: Tensor, e: Tensor) -> Tensor:
        """Return the utilities: (n, J, n_features) and (n, J) -> (n, J)."""
        z = start = self.encoder(x)  # (n, J, embed)
        here = e.unsqueeze(-1)  # (n, J, 1)
        for M, phi in zip(self.M, self.phi, strict=True):
            mean = (M(z) * here).sum(1) / (self.divisor or here.sum(1))  # (n, H)
            own = phi(self.seen(start, z))  # (n, J, H, embed)
            z = z + torch.einsum("nh,njhd->njd", mean, own) / self.heads  # Eq. 4
        utilities: Tensor = self.out(z).squeeze(-1)
        return utilities

    def seen(self, start: Tensor, z: Tensor) -> Tensor:  # noqa: ARG002 - what the ablation reads
        """Show phi the item as it was at the start: after a layer it holds its rivals, of any order."""
        return start


class DeepHaloFeatureless(FeaturelessChoice):
    """The choice model without item features: each item is known by its place only.

    Args:
        layers: L; the paper's experiments vary it.
        kind: "qua" reaches order 2^L, "exa" order L + 1.
        width: hidden width; effects of many subsets need a wide one.
        alpha: weight of the squared parameters in the loss; the paper has none. Where an item was never taken
            from some set, its utility there has no end unless alpha is above 0.
        n_init: how many times training begins; the fit of least loss is kept.
        max_iter: of L-BFGS; ``ConvergenceWarning`` where they run out.
        random_state: a whole number or None; of the first weights.

    Fitted: ``net_``, ``n_items_``, ``loss_`` (mean negative log-likelihood), ``n_iter_``.
    """

    network = FeaturelessNet

    @property
    def max_order(self) -> int:
        """The most rivals that can act together on an item."""
        return int(2**self.layers) if self.kind == "qua" else self.layers + 1


class DeepHalo(FeatureChoice):
    """The choice model of items that are known by their features.

    Args:
        layers: L, and the highest order.
        heads: H.
        embed: width of an item's embedding; the authors' code has 128.
        divisor: "places" keeps the cap on the order where items are taken away, "set" is the paper's mean.
        alpha: weight of the squared parameters in the loss; the paper has none. Few choices may want 1e-2.
        held_out: share of the sets that stops training and chooses among its beginnings; 0 for none.
        n_init: how many times training begins.
        max_iter: of L-BFGS; ``ConvergenceWarning`` where they run out.
        random_state: a whole number or None; of what is held out, and of the first weights.

    Fitted: ``net_``, ``n_features_in_``, ``n_places_``, ``mean_``, ``scale_`` (of the features), ``loss_``
    (mean negative log-likelihood of all sets), ``n_iter_``.
    """

    network = FeatureNet

    @property
    def max_order(self) -> int:
        """The most rivals that can act together on an item, where items are taken away.

        With the mean over the set these are all there are, and L where features are set to zero instead.
        """
        if self.divisor == "places" or self.layers == 0:
            return self.layers
        check_is_fitted(self)
        return int(self.n_places_) - 1


@claim(
    says="Depth caps the order of the effects: truths within the cap are fitted, truths above it are not.",
    where="abstract",
    kind="order",
)
def depth_caps_the_order(trials: Trials) -> Evidence:
    """Fit exact shares of six items whose effects have a known order, with logits and L = 0, 1, 2."""
    cap = {"MNL": 0, "nested logit": 0, "L = 0": 1, "L = 1": 2, "L = 2": 4}
    cells = trials.pick(
        fast=[(1, "MNL"), (1, "L = 0"), (2, "L = 0"), (2, "L = 1"), (3, "L = 1"), (3, "L = 2")],
        full=[(order, name) for name in cap for order in range(4)],
    )
    sets = all_sets(6)
    missed: dict[tuple[int, str], list[float]] = {cell: [] for cell in cells}
    for seed in trials:
        models: dict[str, ChoiceModel] = {"MNL": Logit(), "nested logit": NestedLogit()}
        for layers in range(3):
            deep = DeepHaloFeatureless(layers=layers, width=16, random_state=seed)
            models[f"L = {layers}"] = deep.set_params(max_iter=trials.pick(fast=150, full=500))
        for order, name in cells:
            shares = true_shares(true_effects(6, order, np.random.default_rng([seed, order])), sets)
            missed[order, name].append(excess(cut_short(models[name], sets, shares), shares))
    findings = tuple(
        Finding(
            what=f"excess negative log-likelihood, truth of order {order}, {name}",
            values=numbers(values),
            limit=1e-3 if order <= cap[name] else 5e-3,
            side="<=" if order <= cap[name] else ">=",
        )
        for (order, name), values in missed.items()
    )
    curves = tuple(
        Curve(
            label=name,
            x=numbers(order for order, other in cells if other == name),
            y=numbers(sum(values) / len(values) for cell, values in missed.items() if cell[1] == name),
        )
        for name in cap
    )
    instead = "excess negative log-likelihood, truth of order 1, MNL in place of L = 0"
    nests = "The nested logit has two nests, the best of all 32 ways to make them."
    return Evidence(
        findings=findings,
        control=Finding(what=instead, values=numbers(missed[1, "MNL"]), limit=1e-3, side="<="),
        picture=Picture(x="order of the truth", y="excess negative log-likelihood", curves=curves),
        notes=(nests, "The width, 16, and the steps of training were chosen after trials."),
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
            values.append(excess(cut_short(model, sets, shares), shares))
    what = f"excess negative log-likelihood, random shares of all sets of {n_items} items"
    free = int((sets.sum(1) - 1).sum())
    sizes = f"{free} shares are free; the network has {2 * n_items * 32 + layers * 32**2} parameters."
    deep, control = (
        Finding(what=f"{what}, L = {depth}", values=numbers(values), limit=1e-3, side="<=")
        for depth, values in missed.items()
    )
    return Evidence(findings=(deep,), control=control, notes=(sizes,))


@claim(
    says="The order is controlled by design: cutting the effects of an uncapped network is no substitute.",
    where="the authors' replies to reviews, in their repository",
    kind="order",
)
def cutting_is_no_substitute(trials: Trials) -> Evidence:
    """Predict by the effects up to each order alone, of a capped network and of uncapped ones."""
    n_items = trials.pick(fast=5, full=6)
    sets, steps = all_sets(n_items), trials.pick(fast=150, full=500)
    kinds = {
        "L = 1": DeepHaloFeatureless(layers=1, width=16),
        "L = 3": DeepHaloFeatureless(layers=3, width=16),
        "perceptron": perceptron(DeepHaloFeatureless)(width=15),  # as many parameters as L = 1
    }
    lost: dict[str, list[list[float]]] = {name: [] for name in kinds}
    for seed in trials:
        shares = true_shares(true_effects(n_items, 2, np.random.default_rng(seed)), sets)
        for name, model in kinds.items():
            cut_short(model.set_params(random_state=seed, max_iter=steps), sets, shares)
            v = halo_effects(model, n_items - 1)
            kept = [{key: u for key, u in v.items() if len(key[1]) <= order} for order in range(n_items)]
            lost[name].append([divergence(shares, true_shares(some, sets)) for some in kept])
    what = "divergence from the truth, of order 2, by the effects up to order 2 of"
    capped, uncapped = (
        Finding(what=f"{what} {name}", values=numbers(one[2] for one in lost[name]), limit=1e-3, side="<=")
        for name in ("L = 1", "perceptron")
    )
    curves = tuple(
        Curve(label=name, x=numbers(range(n_items)), y=numbers(np.mean(values, axis=0)))
        for name, values in lost.items()
    )
    picture = Picture(x="effects up to this order", y="divergence from the truth", curves=curves, log="y")
    shift = "Effects are those of each network's utilities; a shift of these, set by set, changes no choice."
    return Evidence(findings=(capped,), control=uncapped, picture=picture, notes=(shift,))


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
        model = DeepHaloFeatureless(layers=1, max_iter=1000, random_state=seed)
        cut_short(model, sets, true_shares(v, sets))
        found = relative_halo(model, 2)
        for size, error in errors.items():
            keys = [key for key in found if len(key[2]) == size]
            error.append(distance([found[key] for key in keys], [relative(v, *key) for key in keys]))
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
        flat = [
            DeepHaloFeatureless(layers=1),
            DeepHaloFeatureless(layers=2, kind="exa"),
            without_products(DeepHaloFeatureless, FeaturelessNet)(layers=1),
        ]
        deep = [DeepHalo(layers=1), DeepHalo(layers=2), entangled(DeepHalo, FeatureNet)(layers=2)]
        for place, plain in zip((0, 1, 4), flat, strict=True):
            cut_short(plain.set_params(max_iter=10, random_state=seed), sets, chosen)
            left[names[place]].append(beyond(plain, plain.max_order))
        for place, featured in zip((2, 3, 5), deep, strict=True):
            featured.set_params(max_iter=10, n_init=1, random_state=seed)
            cut_short(featured, X, chosen, sets)
            left[names[place]].append(beyond(featured, featured.max_order, X[0]))
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
        notes=(note, "Ten steps of training: an identity holds for any weights."),
    )


@claim(
    says="With the mean over the set, as in the paper, the cap is exact: zeros stand for an absent item.",
    where="the feature network, and the authors' definition in their replies to reviews",
    kind="identity",
)
def cap_with_the_set_mean(trials: Trials) -> Evidence:
    """Measure the effects beyond the cap with the divisor |S|, by zeros and by taking items away."""
    left: dict[type[FeatureChoice], list[float]] = {DeepHalo: [], entangled(DeepHalo, FeatureNet): []}
    away: list[float] = []
    for seed in trials:
        X, sets, chosen, _ = offers(100, seed)
        for network, ratios in left.items():
            model = network(layers=2, divisor="set", max_iter=10, n_init=1, random_state=seed)
            cut_short(model, X, chosen, sets)
            ratios.append(beyond_by_zeros(model, 2, X[0]))
            if network is DeepHalo:
                away.append(beyond(model, 2, X[0]))
    what = "largest effect beyond order 2, relative to the largest, L = 2, features set to zero"
    printed, mixed = (
        Finding(what=name, values=numbers(ratios), limit=1e-9, side="<=", spread="every")
        for name, ratios in zip((what, f"{what}, phi of the item as it is"), left.values(), strict=True)
    )
    note = (
        f"Where the items are taken away instead, so that |S| falls, the same is {min(away):.2g} to "
        f"{max(away):.2g}: 1 / |S| is no polynomial in the items' presence."
    )
    return Evidence(findings=(printed,), control=mixed, notes=(note,))


@claim(
    says="It predicts choices that depend on the context better than a model without context.",
    where="abstract; synthetic data here",
    kind="order",
)
def predicts_in_context(trials: Trials) -> Evidence:
    """Compare the divergence from the true probabilities, on new sets, with the conditional logit's."""
    sizes = trials.pick(fast=(600,), full=(600, 1500))
    missed: dict[tuple[int, int], list[float]] = {case: [] for case in (*((n, 1) for n in sizes), (600, 0))}
    logit: dict[int, list[float]] = {n: [] for n in sizes}
    for seed in trials:
        data = {n: offers(2 * n, seed) for n in sizes}
        for (n, layers), values in missed.items():
            X, sets, chosen, truth = data[n]
            model = DeepHalo(layers=layers, random_state=seed, n_init=trials.pick(fast=1, full=3))
            model.fit(X[:n], chosen[:n], sets[:n])
            values.append(divergence(truth[n:], model.predict_proba(X[n:], sets[n:])))
        for n, (X, sets, chosen, truth) in data.items():
            logit[n].append(divergence(truth[n:], conditional_logit(X, sets, chosen, n)))
    what = "divergence from the true probabilities, relative to the conditional logit's"
    *ours, alone = (
        Finding(
            what=f"{what}, {n} choices, L = {layers}",
            values=numbers(values),
            limit=0.9,
            side="<=",
            baseline=numbers(logit[n]),
        )
        for (n, layers), values in missed.items()
    )
    tuned = "The defaults of held_out, n_init, embed and heads were chosen after trials on such data."
    return Evidence(findings=tuple(ours), control=alone, notes=(tuned,))
