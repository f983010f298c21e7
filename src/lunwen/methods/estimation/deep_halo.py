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
   solved to the end, so that what is missed is the model's limit and not the optimiser's. Their other loss,
   the squared error of the shares, is left out.
4. INFERRED: the relative effects are those of Park and Hahn (1998), which choices identify.

Not covered. Mini-batches and accelerators; the two networks are public ``torch.nn.Module``s to train
otherwise. An outside option is one more item, present in every set.
"""

from __future__ import annotations

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers
from lunwen.methods.estimation._halo_data import (
    Logit,
    all_sets,
    conditional_logit,
    distance,
    divergence,
    entangled,
    excess,
    offers,
    true_effects,
    true_shares,
    without_products,
)
from lunwen.methods.estimation._halo_effects import beyond, halo_effects, relative, relative_halo
from lunwen.methods.estimation._halo_model import FeatureChoice, FeaturelessChoice

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
        "The comparison with other neural choice models and nested logit: no kept package has them.",
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
        alpha: weight of the squared parameters in the loss; the paper has none.
        max_iter: of L-BFGS.
        random_state: seed of the first weights.

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
        divisor: "places" keeps the cap on the order, "set" is the paper's mean.
        alpha: weight of the squared parameters in the loss; the paper has none. A few hundred choices want
            about 1e-2.
        max_iter: of L-BFGS.
        random_state: seed of the first weights.

    Fitted: ``net_``, ``n_features_in_``, ``n_places_``, ``loss_``, ``n_iter_``.
    """

    network = FeatureNet

    @property
    def max_order(self) -> int:
        """The most rivals that can act together on an item; with the mean over the set, all there are."""
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
    instead = "excess negative log-likelihood, truth of order 1, MNL in place of L = 0"
    return Evidence(
        findings=findings,
        control=Finding(what=instead, values=numbers(missed[1, -1]), limit=1e-3, side="<="),
        picture=Picture(x="order of the truth", y="excess negative log-likelihood", curves=curves),
        notes=("the width, 16, and the steps of training were chosen after trials",),
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
    deep, control = (
        Finding(what=f"{what}, L = {depth}", values=numbers(values), limit=1e-3, side="<=")
        for depth, values in missed.items()
    )
    return Evidence(findings=(deep,), control=control)


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
            plain.set_params(max_iter=10, random_state=seed).fit(sets, chosen)
            left[names[place]].append(beyond(plain, plain.max_order))
        for place, featured in zip((2, 3, 5), deep, strict=True):
            featured.set_params(max_iter=10, random_state=seed).fit(X, chosen, sets)
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
    left: dict[type[FeatureChoice], list[float]] = {DeepHalo: [], entangled(DeepHalo, FeatureNet): []}
    for seed in trials:
        X, sets, chosen, _ = offers(100, seed)
        for network, ratios in left.items():
            model = network(layers=2, divisor="set", max_iter=10, random_state=seed).fit(X, chosen, sets)
            ratios.append(beyond(model, 2, X[0]))
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
