"""Rules for how many labels a prediction set may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.stats import entropy
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from lunwen.errors import LimitError
from lunwen.methods.conformal._given import whole

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Sizes = NDArray[np.int64]


class SizeRule(Protocol):
    """How many labels the set of each row may hold, given the calibration rows: T(D_n, x).

    A rule that also has ``leave_one_out(X_cal, y_cal)`` is asked once for the sizes of all calibration rows,
    each judged by the others; any other is asked once per row.
    """

    def __call__(self, X_cal: Any, y_cal: Any, X: Any, /) -> ArrayLike:
        """Return a size from 1 to the number of labels for each row of ``X``."""


class ConstantSize:
    """The same size T for every row."""

    def __init__(self, T: int) -> None:
        self.T = T

    def __call__(self, X_cal: Any, y_cal: Any, X: Any, /) -> NDArray[Any]:  # noqa: ARG002 - looks at no data
        """Return T for each row of ``X``."""
        return np.full(len(X), self.T)

    def leave_one_out(self, X_cal: Any, y_cal: Any, /) -> NDArray[Any]:
        """Return T for each calibration row."""
        return self(X_cal, y_cal, X_cal)


class NeighbourEntropySize:
    """Sizes from 1 to ``max_size`` by how mixed the labels of the ``k`` nearest calibration rows are.

    Neighbours are found in the plane of the first two principal components; entropies become sizes between
    the least and the largest one of a calibration row, by bins of square-root spacing (authors' code).
    """

    def __init__(self, k: int = 20, max_size: int = 3) -> None:  # authors' code: 20 and 3
        self.k = k
        self.max_size = max_size

    def __call__(self, X_cal: Any, y_cal: Any, X: Any, /) -> Sizes:
        """Return the sizes of the rows of ``X``."""
        return self._sizes(*self._entropies(X_cal, y_cal, X))

    def leave_one_out(self, X_cal: Any, y_cal: Any, /) -> Sizes:
        """Return the sizes of the calibration rows, each by its neighbours but itself."""
        own, _ = self._entropies(X_cal, y_cal, X_cal)
        return self._sizes(own, own)

    def _entropies(self, X_cal: Any, y_cal: Any, X: Any) -> tuple[Floats, Floats]:
        if whole(self.k, "k", 1) >= len(X_cal):
            raise LimitError(
                f"k is {self.k}. Allowed: 1 to {len(X_cal) - 1}, fewer than there are calibration rows"
            )
        whole(self.max_size, "max_size", 1)
        X_cal, X = (np.reshape(given, (len(given), -1)) for given in (X_cal, X))
        plane = PCA(n_components=min(2, X_cal.shape[1]), svd_solver="full").fit(X_cal)
        near = NearestNeighbors(n_neighbors=self.k).fit(plane.transform(X_cal))
        labels = np.unique(y_cal, return_inverse=True)[1]
        return (
            _mixed(labels[near.kneighbors(return_distance=False)]),  # without the row itself
            _mixed(labels[near.kneighbors(plane.transform(X), return_distance=False)]),
        )

    def _sizes(self, own: Floats, entropies: Floats) -> Sizes:
        low, high = own.min(), own.max()
        bins = low + (high - low) * np.sqrt(np.linspace(0, 1, self.max_size))
        return np.minimum(np.digitize(entropies, bins, right=True) + 1, self.max_size)


def rule_of(given: int | SizeRule) -> SizeRule:
    """Return a rule; a number stands for the same size everywhere."""
    return given if callable(given) else ConstantSize(given)


def leave_one_out_sizes(rule: SizeRule, X: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """Return the size of each calibration row by the rule and the others."""
    if hasattr(rule, "leave_one_out"):
        return np.asarray(rule.leave_one_out(X, y))
    each = np.arange(len(y))
    return np.concatenate([np.ravel(rule(X[each != i], y[each != i], X[[i]])) for i in each])


def checked_sizes(T: ArrayLike, m: int, K: int) -> NDArray[Any]:
    """Return T, one size or m of them, from 1 to K.

    Raises:
        LimitError: it is anything else.
    """
    sizes = np.asarray(T)
    whole = np.issubdtype(sizes.dtype, np.integer) and sizes.shape in {(), (m,)}
    if not whole or sizes.min() < 1 or sizes.max() > K:
        given = ", ".join(list(dict.fromkeys(map(str, sizes.ravel().tolist())))[:12])
        raise LimitError(
            f"the size rule gives {given}. Allowed: whole numbers from 1 to {K}, one for each row"
        )
    return sizes


def _mixed(labels: NDArray[np.int64]) -> Floats:
    """Return the entropy in bits of each row of labels."""
    counts = (labels[:, :, None] == np.arange(labels.max() + 1)).sum(axis=1)
    return np.asarray(entropy(counts, base=2, axis=1), dtype=np.float64)
