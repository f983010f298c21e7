"""The model of DeepHalo: two networks, polynomials in the items' presence, and their estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
import torch
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from lunwen.errors import UsageError
from lunwen.methods.estimation._choice import ChoiceModel, counts_of, features_of, sets_of, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["DeepHalo", "DeepHaloFeatureless", "FeatureNet", "FeaturelessNet"]


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


class DeepHaloFeatureless(ChoiceModel):
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

    network: ClassVar[type[FeaturelessNet]] = FeaturelessNet

    def __init__(
        self,
        *,
        layers: int = 1,
        kind: Literal["qua", "exa"] = "qua",
        width: int = 32,
        alpha: float = 0.0,
        max_iter: int = 500,
        random_state: int = 0,
    ) -> None:
        self.layers = layers
        self.kind = kind
        self.width = width
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state

    @property
    def max_order(self) -> int:
        """The most rivals that can act together on an item."""
        return int(2**self.layers) if self.kind == "qua" else self.layers + 1

    def fit(self, sets: ArrayLike, choices: ArrayLike) -> Self:
        """Learn from choice sets (n, J), 1 where an item was on offer, and what was chosen.

        ``choices`` holds the item chosen (n,), or counts or shares (n, J).

        Raises:
            UsageError: an empty set, a choice outside its set, wrong shapes, no numbers.
        """
        if self.kind not in {"qua", "exa"}:
            raise UsageError(f'kind is "{self.kind}"; allowed are qua, exa. Give one of them')
        whole("layers", self.layers, 0)
        whole("width", self.width, 1)
        e = sets_of(sets)
        counts = counts_of(choices, e)
        self.n_items_ = e.shape[1]
        return self.train(lambda: self.network(e.shape[1], self.width, self.layers, self.kind), (e,), counts)

    def utility(self, sets: ArrayLike) -> Array:
        """Return u_j(S), -inf for items not on offer: (n, J)."""
        check_is_fitted(self)
        e = sets_of(sets)
        if e.shape[1] != self.n_items_:
            raise UsageError(f"sets have {e.shape[1]} items, the fit had {self.n_items_}. Give as many")
        return self.utility_of(e)

    def predict_proba(self, sets: ArrayLike) -> Array:
        """Return P_j(S): (n, J), 0 for items not on offer."""
        return np.asarray(softmax(self.utility(sets), axis=1))  # Eq. 1


class DeepHalo(ChoiceModel):
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

    network: ClassVar[type[FeatureNet]] = FeatureNet

    def __init__(
        self,
        *,
        layers: int = 1,
        heads: int = 4,
        embed: int = 16,
        divisor: Literal["places", "set"] = "places",
        alpha: float = 1e-4,
        max_iter: int = 200,
        random_state: int = 0,
    ) -> None:
        self.layers = layers
        self.heads = heads
        self.embed = embed
        self.divisor = divisor
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state

    @property
    def max_order(self) -> int:
        """The most rivals that can act together on an item; with the mean over the set, all there are."""
        if self.divisor == "places" or self.layers == 0:
            return self.layers
        check_is_fitted(self)
        return int(self.n_places_) - 1

    def fit(self, X: ArrayLike, choices: ArrayLike, sets: ArrayLike | None = None) -> Self:
        """Learn from features (n, J, n_features), what was chosen, and which places hold an item.

        ``choices`` holds the place chosen (n,), or counts or shares (n, J); ``sets`` is 1 where a place holds
        an item, by default everywhere. What X has in the other places does not matter.

        Raises:
            UsageError: an empty set, a choice outside its set, wrong shapes, no numbers.
        """
        if self.divisor not in {"places", "set"}:
            raise UsageError(f'divisor is "{self.divisor}"; allowed are places, set. Give one of them')
        for name, least in (("layers", 0), ("heads", 1), ("embed", 2)):
            whole(name, getattr(self, name), least)
        x, e = features_of(X, sets)
        counts = counts_of(choices, e)
        self.n_places_, self.n_features_in_ = x.shape[1:]
        divisor = float(self.n_places_) if self.divisor == "places" else None
        sizes = self.n_features_in_, self.embed, self.heads, self.layers
        return self.train(lambda: self.network(*sizes, divisor), (x, e), counts)

    def utility(self, X: ArrayLike, sets: ArrayLike | None = None) -> Array:
        """Return u_j(S), -inf for places without an item: (n, J)."""
        check_is_fitted(self)
        x, e = features_of(X, sets)
        if x.shape[2] != self.n_features_in_:
            raise UsageError(f"X has {x.shape[2]} features, the fit had {self.n_features_in_}. Give as many")
        return self.utility_of(x, e)

    def predict_proba(self, X: ArrayLike, sets: ArrayLike | None = None) -> Array:
        """Return P_j(S): (n, J), 0 for places without an item."""
        return np.asarray(softmax(self.utility(X, sets), axis=1))  # Eq. 1
