"""The group and the stratum of each row, as a user names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lunwen.errors import UsageError
from lunwen.methods._given import whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]


def labels(name: str, values: ArrayLike, *, count: int) -> NDArray[Any]:
    """Return a label for each of ``count`` rows.

    Raises:
        UsageError: there are more or fewer, one is missing, or they are of two kinds.
    """
    found = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    if found.shape != (count,):
        raise UsageError(f"{name} has shape {found.shape}. Give shape ({count},), one group for each row")
    if np.ma.is_masked(values):
        raise UsageError(f"{name} has masked values. Give every row a group; drop these rows first")
    if found.dtype.kind in "fO" and any(one is None or one != one for one in found):  # noqa: PLR0124 - NaN
        raise UsageError(f"{name} holds NaN. Give every row a group; drop these rows or name their group")
    if len({isinstance(one, str) for one in found}) > 1:
        raise UsageError(f"{name} mixes text and other labels. Give one kind; turn all into text")
    return found


def codes(name: str, values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each value among the known ones, which are sorted.

    Raises:
        UsageError: a value is not among them.
    """
    try:
        strange = np.setdiff1d(values, known)
    except TypeError:  # text among numbers has no order
        strange = values
    if len(strange):
        raise UsageError(
            f"{name} holds {strange[0]}, which the fit had not. Give one of: {', '.join(map(str, known))}"
        )
    return np.searchsorted(known, values)


class Grouped:
    """Rows of groups and strata: which columns say so, and which were learned.

    Attributes:
        groups_: the groups' labels.
        strata_: the values of the covariate, one where there is none.
    """

    group: int | None
    conditional: int | None

    def _learn_cells(self, X: Floats, sensitive: ArrayLike | None, *, least: int) -> tuple[Places, Places]:
        """Learn the groups and strata of rows, ``least`` in each cell, and return which each row is of.

        Raises:
            UsageError: no groups or two ways to tell them, one group, or few rows.
        """
        self.groups_, s = np.unique(self._labels(X, sensitive), return_inverse=True)
        self.strata_, z = np.unique(self._strata(X), return_inverse=True)
        if len(self.groups_) < 2:
            raise UsageError(f"all rows are of group {self.groups_[0]}. Give 2 groups or more")
        counts = np.zeros((len(self.strata_), len(self.groups_)), int)
        np.add.at(counts, (z, s), 1)
        stratum, group = np.unravel_index(counts.argmin(), counts.shape)
        if counts.min() < least:
            where, how = "", "merge it with another"
            if self.conditional is not None:
                where = f" where column {self.conditional} is {self.strata_[stratum]:g}"
                how = f"cut the column's {len(counts)} values into fewer, or merge groups"
            held = f"group {self.groups_[group]} has {counts.min()} rows{where}"
            raise UsageError(f"{held}. Give at least {least}; {how}")
        return s, z

    def _cells(self, X: Floats, sensitive: ArrayLike | None) -> tuple[Places, Places]:
        """Return which of the learned groups and strata each row is of.

        Raises:
            UsageError: of none of them, no groups, or two ways to tell them.
        """
        given = f"column {self.group} of X" if sensitive is None else "sensitive"
        s = codes(given, self._labels(X, sensitive), self.groups_)
        return s, codes(f"column {self.conditional} of X", self._strata(X), self.strata_)

    def _labels(self, X: Floats, sensitive: ArrayLike | None) -> NDArray[Any]:
        if (self.group is None) == (sensitive is None):
            raise UsageError(
                f"sensitive is {'missing' if sensitive is None else 'given'} and group is {self.group}. "
                "Give a group for each row, or the column of X that has it"
            )
        if sensitive is None:
            return self._column("group", X)
        return labels("sensitive", sensitive, count=len(X))

    def _strata(self, X: Floats) -> Floats:
        return np.zeros(len(X)) if self.conditional is None else self._column("conditional", X)

    def _column(self, name: str, X: Floats) -> Floats:
        most = X.shape[1] - 1
        column: Floats = X[:, whole(name, getattr(self, name), least=0, most=most, hint="a column of X")]
        return column
