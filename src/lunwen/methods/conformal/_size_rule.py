"""Rules for how many labels a prediction set may hold."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.stats import entropy
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import _safe_indexing

from lunwen.errors import LimitError, UsageError
from lunwen.methods._given import array, whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    Sizes = NDArray[np.int64]


class SizeRule(Protocol):
    """How many labels the set of each row may hold, given the calibration rows: T(D_n, x)."""

    def __call__(self, X_cal: Any, y_cal: Any, X: Any, /) -> ArrayLike:
        """Return a size from 1 to the number of labels for each row of ``X``, or one for all."""


class ConstantSize(BaseEstimator):  # type: ignore[misc]
    """The same size T for every row."""

    def __init__(self, T: int) -> None:
        self.T = T

    def __call__(self, X_cal: Any, y_cal: Any, X: Any, /) -> int:  # noqa: ARG002 - looks at no data
        """Return T."""
        return self.T


class NeighbourEntropySize(BaseEstimator):  # type: ignore[misc]
    """Sizes from 1 to ``max_size`` by how mixed the labels of the ``k`` nearest calibration rows are.

    Neighbours are found in the plane of the first two principal components; entropies become sizes between
    the least and the largest one of a calibration row, by bins of square-root spacing (authors' code). Sizes
    end at the number of labels that the calibration rows have.
    """

    def __init__(self, k: int = 20, max_size: int = 3) -> None:  # authors' code: 20 and 3
        self.k = k
        self.max_size = max_size

    def __call__(self, X_cal: ArrayLike, y_cal: ArrayLike, X: ArrayLike, /) -> Sizes:
        """Return the sizes of the rows of ``X``.

        Raises:
            UsageError: k or max_size is out of range, or rows are no numbers, of other columns, or not as
                many as labels.
        """
        old, new = (_flat(given) for given in (X_cal, X))
        if np.shape(y_cal) != (len(old),):
            raise UsageError(
                f"y has shape {np.shape(y_cal)} for {len(old)} rows of X. Give one label for each row"
            )
        names, labels = np.unique(y_cal, return_inverse=True)
        hint = "fewer than there are calibration rows, of which loo_miscoverage leaves one out"
        whole("k", self.k, most=len(labels) - 1, hint=hint)
        most = min(whole("max_size", self.max_size), len(names))
        if new.shape[1] != old.shape[1]:
            raise UsageError(f"X has {new.shape[1]} columns, calibration had {old.shape[1]}. Give as many")
        with np.errstate(invalid="ignore"):  # rows that are all the same have no variance to be shared out
            plane = PCA(n_components=min(2, *old.shape), random_state=0).fit(old)
        near = NearestNeighbors(n_neighbors=self.k).fit(plane.transform(old))
        own = _mixed(labels[near.kneighbors(return_distance=False)])  # without the row itself
        low, high = own.min(), own.max()
        bins = low + (high - low) * np.sqrt(np.linspace(0, 1, most))
        mixed = _mixed(labels[near.kneighbors(plane.transform(new), return_distance=False)])
        return np.minimum(np.digitize(mixed, bins, right=True) + 1, most)


def rule_of(given: int | SizeRule) -> SizeRule:
    """Return a rule; a number stands for the same size everywhere.

    Raises:
        UsageError: it can be called, but not with three arguments.
    """
    if not callable(given):
        return ConstantSize(given)
    if not takes(given, 3):
        raise UsageError(
            f"size_rule is {given!r}. Give a size, or what takes calibration rows, their labels, and new rows"
        )
    return given


def takes(function: Callable[..., object], count: int) -> bool:
    """Return whether it can be called with that many arguments, as far as can be told."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # compiled, without a signature
        return True
    return True


def leave_one_out_sizes(rule: SizeRule, X: Any, y: NDArray[Any]) -> ArrayLike:
    """Return the size of each calibration row by the rule and the other rows alone."""
    if isinstance(rule, ConstantSize):
        return rule.T
    each = np.arange(len(y))
    return np.concatenate(
        [
            np.ravel(rule(_safe_indexing(X, each[each != i]), y[each != i], _safe_indexing(X, [i])))
            for i in each
        ]
    )


def checked_sizes(T: ArrayLike, m: int, K: int) -> NDArray[Any]:
    """Return T, one size or m of them, from 1 to K.

    Raises:
        LimitError: it is anything else.
    """
    try:
        sizes = np.asarray(T)
    except ValueError:  # of different lengths
        sizes = np.asarray("lists of different lengths")
    fits = np.issubdtype(sizes.dtype, np.integer) and sizes.shape in {(), (m,)}
    if not fits or sizes.min() < 1 or sizes.max() > K:
        given = ", ".join(list(dict.fromkeys(map(str, sizes.ravel().tolist())))[:12])
        raise LimitError(f"the size rule gives {given}. Give whole numbers from 1 to {K}, one for each row")
    return sizes


def _flat(X: ArrayLike) -> NDArray[np.float64]:
    """Return rows as numbers, shape (rows, columns)."""
    try:
        given = array("X", X)
    except UsageError as error:
        raise UsageError(f"{error}; or give another rule, as this one needs distances") from error
    return given.reshape(len(given), -1)


def _mixed(labels: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the entropy in bits of each row of labels."""
    counts = (labels[:, :, None] == np.arange(labels.max() + 1)).sum(axis=1)
    return np.asarray(entropy(counts, base=2, axis=1), dtype=np.float64)
