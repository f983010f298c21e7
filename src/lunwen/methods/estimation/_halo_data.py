"""What the claims on DeepHalo are measured with: truths, plain logits and ablations."""

from __future__ import annotations

import warnings
from copy import copy
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor, nn

from lunwen.methods.estimation._choice import ChoiceModel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lunwen.methods.estimation._halo_model import FeatureChoice, FeaturelessChoice

    Array = NDArray[np.float64]

__all__ = [
    "Logit",
    "NestedLogit",
    "all_sets",
    "conditional_logit",
    "cut_short",
    "distance",
    "divergence",
    "entangled",
    "excess",
    "offers",
    "perceptron",
    "true_effects",
    "true_shares",
    "without_products",
]


def all_sets(n_items: int) -> Array:
    """Return the sets of two items and more: (2^J - J - 1, J)."""
    rows = np.arange(2**n_items)[:, None] >> np.arange(n_items) & 1
    return np.asarray(rows[rows.sum(1) >= 2], dtype=np.float64)


def true_effects(
    n_items: int, order: int, rng: np.random.Generator
) -> dict[tuple[int, tuple[int, ...]], float]:
    """Draw a standard normal effect v_j(T) of every T of up to ``order`` rivals."""
    return {
        (j, T): float(rng.normal())
        for j in range(n_items)
        for size in range(order + 1)
        for T in combinations([k for k in range(n_items) if k != j], size)
    }


def true_shares(effects: dict[tuple[int, tuple[int, ...]], float], sets: Array) -> Array:
    """Return the probabilities that follow from effects, for every set."""
    u = np.zeros_like(sets)
    for (j, T), value in effects.items():
        u[:, j] += value * sets[:, list(T)].all(1)
    return np.asarray(softmax(np.where(sets > 0, u, -np.inf), axis=1))


def cut_short(model: Any, *data: ArrayLike) -> Any:
    """Fit with the steps that the claim has chosen, enough or not."""
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return model.fit(*data)


def excess(model: ChoiceModel, shares: Array) -> float:
    """Return how far a fitted model's mean negative log-likelihood is above the least there is."""
    least = -(shares * np.log(np.where(shares > 0, shares, 1))).sum(1).mean()
    return float(model.loss_ - least)


def distance(found: list[float], truth: list[float]) -> float:
    """Return the root of the mean squared error, relative to the truth's root mean square."""
    return float(np.linalg.norm(np.subtract(found, truth)) / np.linalg.norm(truth))


def divergence(truth: Array, found: Array) -> float:
    """Return the mean Kullback-Leibler divergence of probabilities (n, J) from the true ones."""
    present = truth > 0
    return float((truth[present] * np.log(truth[present] / found[present])).sum() / len(truth))


def offers(n: int, seed: int) -> tuple[Array, Array, NDArray[np.intp], Array]:
    """Draw sets of two to five items with three features, what was chosen, and the true probabilities.

    How much an item's second feature counts depends on its rivals' third; that has mean zero, so that no
    model without context can make up for it.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5, 3))
    sets = (np.arange(5) < rng.integers(2, 6, size=(n, 1))).astype(np.float64)
    present = X[:, :, 2] * sets
    u = X @ np.array([1.0, -0.5, 0.0]) + X[:, :, 1] * (present.sum(1, keepdims=True) - present)
    truth = np.asarray(softmax(np.where(sets > 0, u, -np.inf), axis=1))
    chosen = (truth.cumsum(1) < rng.uniform(size=(n, 1))).sum(1)
    return X, sets, np.minimum(chosen, sets.sum(1).astype(int) - 1), truth


def conditional_logit(X: Array, sets: Array, chosen: NDArray[np.intp], n: int) -> Array:
    """Return the probabilities of the sets after the first n, by the conditional logit of those."""
    from statsmodels.discrete.conditional_models import ConditionalLogit  # noqa: PLC0415 - loads pandas

    here, was = sets > 0, np.arange(5) == chosen[:, None]
    group = np.repeat(np.arange(n)[:, None], 5, 1)[here[:n]]
    model = ConditionalLogit(was[:n][here[:n]].astype(int), X[:n][here[:n]], groups=group)
    weights = model.fit(disp=0).params
    return np.asarray(softmax(np.where(here[n:], X[n:] @ weights, -np.inf), axis=1))


class Logit(ChoiceModel):
    """The multinomial logit: one utility for each item, whatever else is on offer."""

    max_iter, alpha, n_init, random_state = 200, 0.0, 1, 0

    def fit(self, sets: Array, counts: Array) -> Self:
        """Learn the items' utilities."""
        return self.train(lambda: _Intrinsic(sets.shape[1]), (sets,), counts)


class _Intrinsic(nn.Module):
    def __init__(self, n_items: int) -> None:
        super().__init__()
        self.v = nn.Parameter(torch.zeros(n_items))

    def forward(self, e: Tensor) -> Tensor:
        return self.v.expand_as(e)


class NestedLogit(ChoiceModel):
    """The nested logit of two nests: items of one nest stand in for one another more than for the others."""

    max_iter, alpha, n_init, random_state = 200, 0.0, 1, 0

    def fit(self, sets: Array, counts: Array) -> Self:
        """Learn the utilities and scales for every split of the items into two nests, and keep the best."""
        J = sets.shape[1]
        splits = np.arange(2 ** (J - 1))[:, None] >> np.arange(J) & 1  # the last item is in nest 0
        fits = [copy(self).train(partial(_Nests, torch.from_numpy(nest)), (sets,), counts) for nest in splits]
        best = min(fits, key=lambda fit: fit.loss_)
        self.net_, self.loss_, self.n_iter_ = best.net_, best.loss_, best.n_iter_
        return self


class _Nests(nn.Module):
    """u_j(S) = v_j / mu + (mu - 1) log sum over k in S of j's nest of exp(v_k / mu), mu of each nest."""

    def __init__(self, nest: Tensor) -> None:
        super().__init__()
        self.nest = nest
        self.v = nn.Parameter(torch.zeros(len(nest)))
        self.log_mu = nn.Parameter(torch.zeros(2))

    def forward(self, e: Tensor) -> Tensor:
        mu = self.log_mu.exp()[self.nest]  # (J,)
        together = (self.nest[:, None] == self.nest) & (e[:, None, :] > 0)  # (n, J, J)
        within = torch.where(together, self.v / mu, -1e30).logsumexp(2)  # (n, J)
        return self.v / mu + (mu - 1) * within


def without_products(model: type[FeaturelessChoice], net: type[nn.Module]) -> type[FeaturelessChoice]:
    """Return the estimator without the idea: an ordinary residual network, ReLU where the product was."""

    class Bent(net):  # type: ignore[misc, valid-type]
        def interact(self, z: Tensor, other: Tensor) -> Tensor:  # noqa: ARG002 - no product
            return torch.relu(other)

    return type("Bent", (model,), {"network": Bent})


def entangled(model: type[FeatureChoice], net: type[nn.Module]) -> type[FeatureChoice]:
    """Return the estimator without the idea: phi sees the item after the layers below, and so its rivals."""

    class Entangled(net):  # type: ignore[misc, valid-type]
        def seen(self, start: Tensor, z: Tensor) -> Tensor:  # noqa: ARG002 - what is no longer read
            return z

    return type("Entangled", (model,), {"network": Entangled})


def perceptron(model: type[FeaturelessChoice]) -> type[FeaturelessChoice]:
    """Return the estimator without the idea: a multilayer perceptron of the items' presence."""

    class Perceptron(nn.Sequential):
        def __init__(self, n_items: int, width: int, layers: int, kind: str) -> None:  # noqa: ARG002
            first, middle, last = (n_items, width), (width, width), (width, n_items)
            super().__init__(nn.Linear(*first), nn.ReLU(), nn.Linear(*middle), nn.ReLU(), nn.Linear(*last))

    return type("Perceptron", (model,), {"network": Perceptron})
