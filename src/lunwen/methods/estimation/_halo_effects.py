"""Reading the effects of rivals off a fitted choice model, by inclusion and exclusion."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lunwen.errors import LimitError, UsageError
from lunwen.methods.estimation._choice import numbers_of
from lunwen.methods.estimation._halo_model import FeatureChoice, FeaturelessChoice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Subset = tuple[int, ...]
    Model = FeaturelessChoice | FeatureChoice

__all__ = ["beyond", "halo_effects", "relative", "relative_halo"]

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
    featured = isinstance(model, FeatureChoice)
    if featured != (x is not None):
        has, call = ("needs the items' features", "with") if featured else ("has no features", "without")
        raise UsageError(f"{type(model).__name__} {has}; allowed is one call for each. Call it {call} x")
    features = np.empty((0, 0)) if x is None else numbers_of("x", x, 2)
    n = len(features) if isinstance(model, FeatureChoice) else model.n_items_
    if isinstance(order, bool) or not isinstance(order, int | np.integer) or not 0 <= order <= n - own:
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
    if isinstance(model, FeatureChoice):
        found = model.utility(np.broadcast_to(features, (len(e), *features.shape)), e)
    else:
        found = model.utility(e)
    return n, dict(zip(names, found, strict=True))


def beyond(model: Model, cap: int, x: Array | None = None) -> float:
    """Return the largest effect above the cap among five items, relative to the largest of all."""
    effects = halo_effects(model, 4, x)  # of five items: all there are
    return max(abs(v) for (_, T), v in effects.items() if len(T) > cap) / max(map(abs, effects.values()))


def relative(v: dict[tuple[int, Subset], float], j: int, k: int, T: Subset) -> float:
    """Return what ``relative_halo`` has to find where v are all effects there are."""
    ours = v[j, T] + v.get((j, _with(T, k)), 0.0)
    return ours - v[k, T] - v.get((k, _with(T, j)), 0.0)
