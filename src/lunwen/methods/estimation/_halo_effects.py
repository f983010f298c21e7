"""Reading the effects of rivals off a fitted choice model, by inclusion and exclusion."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lunwen.errors import LimitError, UsageError
from lunwen.methods._given import matrix, whole
from lunwen.methods.estimation._halo_model import FeatureChoice, FeaturelessChoice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Subset = tuple[int, ...]
    Model = FeaturelessChoice | FeatureChoice

__all__ = ["beyond", "beyond_by_zeros", "halo_effects", "relative", "relative_halo"]

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
    if not isinstance(model, FeaturelessChoice | FeatureChoice):
        raise UsageError(f"model is {model!r}. Give a fitted DeepHalo or DeepHaloFeatureless")
    check_is_fitted(model)
    featured = isinstance(model, FeatureChoice)
    if featured != (x is not None):
        has = "needs the items' features. Give x" if featured else "has no features. Leave x out"
        raise UsageError(f"{type(model).__name__} {has}")
    features = np.empty((0, 0)) if x is None else matrix("x", x)
    n = len(features) if isinstance(model, FeatureChoice) else model.n_items_
    whole("order", order, least=0, most=n - own, hint=f"as {n} items have")
    count = sum(comb(n, size) for size in range(1, order + own + 1))
    if count > MOST_SETS:
        raise LimitError(
            f"order {order} of {n} items needs {count:,} sets. Give one that needs at most {MOST_SETS:,}"
        )
    names = [S for S in _subsets(_without(n), order + own) if S]
    e = np.zeros((len(names), n))
    for row, S in zip(e, names, strict=True):
        row[list(S)] = 1
    if isinstance(model, FeatureChoice):
        found = model.utility(np.broadcast_to(features, (len(e), *features.shape)), e)
    else:
        found = model.utility(e)
    return n, dict(zip(names, found, strict=True))


def beyond(model: Model, cap: int, x: Array | None = None) -> float:
    """Return the largest effect above the cap among five items, relative to the largest of all."""
    return _above(halo_effects(model, 4, x), cap)  # of five items: all there are


def beyond_by_zeros(model: FeatureChoice, cap: int, x: Array) -> float:
    """Return the same where items are not taken away, but their features set to zero, and |S| stays."""
    n, places = len(x), range(len(x))
    names = list(_subsets(tuple(places)))
    present = np.array([[j in S for j in places] for S in names])
    u = dict(zip(names, model.utility(present[:, :, None] * x, np.ones((len(names), n))), strict=True))
    effects = {
        (j, T): _moebius([u[_with(R, j)][j] for R in _subsets(T)], T)
        for j in places
        for T in _subsets(_without(n, j))
    }
    return _above(effects, cap)


def _above(effects: dict[tuple[int, Subset], float], cap: int) -> float:
    return max(abs(v) for (_, T), v in effects.items() if len(T) > cap) / max(map(abs, effects.values()))


def relative(v: dict[tuple[int, Subset], float], j: int, k: int, T: Subset) -> float:
    """Return what ``relative_halo`` has to find where v are all effects there are."""
    ours = v[j, T] + v.get((j, _with(T, k)), 0.0)
    return ours - v[k, T] - v.get((k, _with(T, j)), 0.0)
