"""Fitting, predicting and judging choices by a network of utilities, with item features and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from lunwen.errors import UsageError
from lunwen.methods._given import choice, whole
from lunwen.methods.estimation._choice import ChoiceModel, counts_of, features_of, likelihood, sets_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from torch import nn

    Array = NDArray[np.float64]

__all__ = ["FeatureChoice", "FeaturelessChoice"]

WIDEST = 4096  # of a layer: its square is a matrix


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
        n_init: int = 1,
        max_iter: int = 500,
        random_state: int | None = 0,
    ) -> None:
        self.layers = layers
        self.kind = kind
        self.width = width
        self.alpha = alpha
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, sets: ArrayLike, choices: ArrayLike) -> Self:
        """Learn from choice sets (n, J), 1 where an item was on offer, and what was chosen.

        ``choices`` holds the item chosen (n,), or counts or shares (n, J).

        Raises:
            UsageError: an empty set, a choice outside its set, wrong shapes, no numbers, a setting.
        """
        choice("kind", self.kind, ("qua", "exa"))
        whole("layers", self.layers, least=0)
        whole("width", self.width, most=WIDEST)
        e = sets_of(sets)
        counts = counts_of(choices, e)
        self.n_items_ = e.shape[1]
        return self.train(lambda: self.network(e.shape[1], self.width, self.layers, self.kind), (e,), counts)

    def utility(self, sets: ArrayLike) -> Array:
        """Return u_j(S), -inf for items not on offer: (n, J)."""
        check_is_fitted(self)
        return self.utility_of(sets_of(sets, columns=self.n_items_))

    def predict_proba(self, sets: ArrayLike) -> Array:
        """Return P_j(S): (n, J), 0 for items not on offer."""
        return np.asarray(softmax(self.utility(sets), axis=1))  # Eq. 1

    def predict(self, sets: ArrayLike) -> NDArray[np.intp]:
        """Return the item most likely to be chosen from each set: (n,)."""
        return np.asarray(self.utility(sets).argmax(1))

    def score(self, sets: ArrayLike, choices: ArrayLike) -> float:
        """Return the mean log-likelihood of the choices."""
        return likelihood(self.utility(sets), counts_of(choices, sets_of(sets)))


class FeatureChoice(ChoiceModel):
    """Fits and predicts by features; ``network`` takes features, embed, heads, layers and a divisor."""

    network: ClassVar[type[nn.Module]]

    def __init__(  # noqa: PLR0913 - an estimator's settings
        self,
        *,
        layers: int = 1,
        heads: int = 2,
        embed: int = 8,
        divisor: Literal["places", "set"] = "places",
        alpha: float = 1e-4,
        held_out: float = 0.15,
        n_init: int = 3,
        max_iter: int = 500,
        random_state: int | None = 0,
    ) -> None:
        self.layers = layers
        self.heads = heads
        self.embed = embed
        self.divisor = divisor
        self.alpha = alpha
        self.held_out = held_out
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: ArrayLike, choices: ArrayLike, sets: ArrayLike | None = None) -> Self:
        """Learn from features (n, J, n_features), what was chosen, and which places hold an item.

        ``choices`` holds the place chosen (n,), or counts or shares (n, J); ``sets`` is 1 where a place holds
        an item, by default where X has features that are not all NaN. What X has elsewhere does not matter.

        Raises:
            UsageError: an empty set, a choice outside its set, wrong shapes, no numbers, a setting.
        """
        choice("divisor", self.divisor, ("places", "set"))
        whole("layers", self.layers, least=0)
        whole("heads", self.heads, most=WIDEST)
        whole("embed", self.embed, least=2, most=WIDEST)
        x, e = features_of(X, sets)
        counts = counts_of(choices, e)
        self.n_places_, self.n_features_in_ = x.shape[1:]
        held = x[e > 0]  # (items, n_features)
        unit = np.abs(held).max(0)  # first, so that no square overflows
        unit[unit == 0] = 1.0
        self.mean_, self.scale_ = (held / unit).mean(0) * unit, (held / unit).std(0) * unit
        self.scale_[self.scale_ <= 1e-12 * unit] = 1.0
        divisor = float(self.n_places_) if self.divisor == "places" else None
        sizes = self.n_features_in_, self.embed, self.heads, self.layers
        return self.train(lambda: self.network(*sizes, divisor), (self._scaled(x), e), counts)

    def utility(self, X: ArrayLike, sets: ArrayLike | None = None) -> Array:
        """Return u_j(S), -inf for places without an item: (n, J)."""
        check_is_fitted(self)
        x, e = features_of(X, sets)
        if x.shape[2] != self.n_features_in_:
            raise UsageError(f"X has {x.shape[2]} features, the fit had {self.n_features_in_}. Give the same")
        return self.utility_of(self._scaled(x), e)

    def predict_proba(self, X: ArrayLike, sets: ArrayLike | None = None) -> Array:
        """Return P_j(S): (n, J), 0 for places without an item."""
        return np.asarray(softmax(self.utility(X, sets), axis=1))  # Eq. 1

    def predict(self, X: ArrayLike, sets: ArrayLike | None = None) -> NDArray[np.intp]:
        """Return the place most likely to be chosen from each set: (n,)."""
        return np.asarray(self.utility(X, sets).argmax(1))

    def score(self, X: ArrayLike, choices: ArrayLike, sets: ArrayLike | None = None) -> float:
        """Return the mean log-likelihood of the choices."""
        return likelihood(self.utility(X, sets), counts_of(choices, features_of(X, sets)[1]))

    def _scaled(self, x: Array) -> Array:
        return np.asarray((x - self.mean_) / self.scale_)
