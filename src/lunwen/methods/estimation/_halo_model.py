"""Fitting and predicting choices by a network of utilities, with item features and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from lunwen.errors import UsageError
from lunwen.methods.estimation._choice import ChoiceModel, counts_of, features_of, sets_of, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from torch import nn

    Array = NDArray[np.float64]

__all__ = ["FeatureChoice", "FeaturelessChoice"]


class FeaturelessChoice(ChoiceModel):
    """Fits and predicts without item features; ``network`` takes items, width, layers and kind."""

    network: ClassVar[type[nn.Module]]

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


class FeatureChoice(ChoiceModel):
    """Fits and predicts by features; ``network`` takes features, embed, heads, layers and a divisor."""

    network: ClassVar[type[nn.Module]]

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
