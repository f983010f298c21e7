"""Learning choices: data as users have them, checked, and the training of a network of utilities."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import torch
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from lunwen.errors import LimitError, UsageError
from lunwen.methods._given import array, matrix, number, vector, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["ChoiceModel", "counts_of", "features_of", "likelihood", "sets_of"]

FEW = 100_000  # places: below, threads wait for one another longer than they work
CHUNK = 2048  # choice sets whose utilities are computed at once
PATIENCE = 50  # steps without a better prediction of what was held out
TOO_MUCH = 1e6  # a loss at the first weights from which no training comes back


class ChoiceModel(BaseEstimator):  # type: ignore[misc]
    """A network of utilities, and how it is trained: L-BFGS on all the data, in double precision.

    A share ``held_out`` of the choice sets judges the weights, of each step and of each of the ``n_init``
    beginnings; where nothing is held out, the loss itself does.
    """

    max_iter: int
    alpha: float
    n_init: int
    random_state: int | None
    held_out: float = 0.0
    net_: nn.Module

    def train(self, make: Callable[[], nn.Module], inputs: tuple[Array, ...], counts: Array) -> Self:
        """Fit the network that ``make`` makes to counts (n, J); the last of its inputs is the sets.

        Raises:
            LimitError: a setting outside its range, or a network too deep for double precision.
        """
        whole("max_iter", self.max_iter)
        whole("n_init", self.n_init)
        number("alpha", self.alpha, least=0)
        number("held_out", self.held_out, least=0, most=0.5)
        if self.random_state is not None:
            whole("random_state", self.random_state, least=0, most=2**32 - 1)
        rng = np.random.default_rng(self.random_state)
        whole_data = [torch.from_numpy(np.ascontiguousarray(one)) for one in (*inputs, counts)]
        mixed, out = rng.permutation(len(counts)), round(self.held_out * len(counts))
        judge, seen = ([one[rows] for one in whole_data] for rows in (mixed[:out], mixed[out:]))
        if not out or not judge[-1].any() or not seen[-1].any():
            judge, seen = [], whole_data
        runs = []
        for _ in range(self.n_init):
            with torch.random.fork_rng(devices=[]):  # the user's own random state stays as it is
                torch.manual_seed(int(rng.integers(2**31)))
                net = make().to(torch.float64)
            with threadpool_limits(1 if counts.size < FEW else None):
                runs.append(_descend(net, seen, judge, alpha=self.alpha, max_iter=self.max_iter))
        best = min(runs, key=lambda run: run.least)
        if best.steps == self.max_iter:
            hint = f"{self.max_iter} steps, and the loss still falls. Give a larger max_iter"
            warnings.warn(hint, ConvergenceWarning, stacklevel=3)
        self.net_, self.n_iter_ = best.net.eval(), best.steps
        with torch.no_grad():
            self.loss_ = _nll(best.net, whole_data).item()
        return self

    def utility_of(self, *inputs: Array) -> Array:
        """Return the utilities (n, J), -inf where there is no item."""
        with torch.no_grad():
            parts = [
                self.net_(*(torch.from_numpy(np.ascontiguousarray(one[i : i + CHUNK])) for one in inputs))
                for i in range(0, len(inputs[-1]), CHUNK)
            ]
        return np.where(inputs[-1] > 0, torch.cat(parts).numpy(), -np.inf)


class _Run(NamedTuple):
    net: nn.Module
    least: float  # the loss that judges
    steps: int


def _nll(net: nn.Module, data: list[Tensor]) -> Tensor:
    """Return the mean negative log-likelihood of a choice; the last of the data are counts."""
    *inputs, counts = data
    logits = net(*inputs).masked_fill(inputs[-1] == 0, -1e30)  # 0 * inf would be no number
    return -(counts * torch.log_softmax(logits, 1)).sum() / counts.sum()


def _descend(net: nn.Module, seen: list[Tensor], judge: list[Tensor], *, alpha: float, max_iter: int) -> _Run:
    """Train on what is seen, and leave in the network the weights that are best by the judge."""
    weights = list(net.parameters())
    start = parameters_to_vector(weights).detach().numpy()
    least, kept, since = np.inf, start, 0

    def put(flat: Array) -> None:
        vector_to_parameters(torch.from_numpy(flat.copy()), weights)

    def objective(flat: Array) -> tuple[float, Array]:
        put(flat)
        loss = _nll(net, seen) + alpha / 2 * sum((w.square().sum() for w in weights), torch.zeros(()))
        gradient = torch.cat([one.flatten() for one in torch.autograd.grad(loss, weights)])
        return loss.item(), gradient.numpy()

    def judged(flat: Array) -> None:
        nonlocal least, kept, since
        put(flat)
        with torch.no_grad():
            now = _nll(net, judge).item()
        since += 1
        if now < least:
            least, kept, since = now, flat.copy(), 0
        if since == PATIENCE:
            raise StopIteration

    first = objective(start)[0]
    if not first <= TOO_MUCH:
        raise LimitError(
            f"the loss is {first:.3g} at the first weights. Give fewer layers or a smaller width"
        )
    # torch's L-BFGS is slower and takes seconds to load
    solved = minimize(  # type: ignore[call-overload]  # its stubs know no callback that may be None
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=judged if judge else None,
        options={"maxiter": max_iter, "maxcor": 20, "gtol": 1e-6, "ftol": 1e-12},
    )
    if not judge:
        least, kept = float(solved.fun), solved.x
    put(kept)
    return _Run(net, least, int(solved.nit))


def likelihood(utilities: Array, counts: Array) -> float:
    """Return the mean log-likelihood of a choice, by utilities (n, J) and how often each was chosen."""
    chosen = counts > 0
    logs = log_softmax(utilities, axis=1)[chosen]
    return float(counts[chosen] @ logs / counts.sum())


def sets_of(value: ArrayLike, *, columns: int | None = None) -> Array:
    """Return the choice sets (n, J) as zeros and ones.

    Raises:
        UsageError: wrong shape, no rows, other values, or a set without an item.
    """
    e = matrix("sets", value, columns=columns)
    if not np.isin(e, (0, 1)).all():
        other = e[~np.isin(e, (0, 1))][0]
        raise UsageError(f"sets holds {other:g}. Give 1 where an item is on offer, 0 elsewhere")
    if not e.any(1).all():
        raise UsageError(f"set {int(np.argmin(e.any(1)))} has no items. Give sets of 1 or more; leave it out")
    return e


def counts_of(choices: ArrayLike, e: Array) -> Array:
    """Return how often each item was chosen from each set, or its share: (n, J).

    Raises:
        UsageError: wrong shape, no whole numbers, negative, all zero, or outside the set.
    """
    n, J = e.shape
    counts = array("choices", choices)
    if counts.shape == (n,):
        chosen = vector("choices", choices)
        if not np.isin(chosen, np.arange(J)).all():
            bad = chosen[~np.isin(chosen, np.arange(J))][0]
            raise UsageError(f"choices holds {bad:g}. Give the items by number, 0 to {J - 1}")
        counts = np.eye(J)[chosen.astype(int)]
    elif counts.shape != (n, J):
        raise UsageError(f"choices has shape {counts.shape}. Give items ({n},) or counts ({n}, {J})")
    if counts.min() < 0 or not counts.any():
        raise UsageError("choices has negative counts or none at all. Give counts or shares of at least 0")
    outside = (counts > 0) & (e == 0)
    if outside.any():
        row, item = np.argwhere(outside)[0]
        raise UsageError(
            f"item {item} was chosen from set {row}, which lacks it. Mark it there, or drop the row"
        )
    return counts


def features_of(X: ArrayLike, sets: ArrayLike | None) -> tuple[Array, Array]:
    """Return features (n, J, d), zero where there is no item, and the sets (n, J).

    Where ``sets`` is None, a place whose features are all NaN has no item.

    Raises:
        UsageError: wrong shapes, no numbers, or NaN where there is an item.
    """
    x = array("X", X, ndim=3, finite=False)
    e = sets_of(~np.isnan(x).all(2) if sets is None else sets)
    if e.shape != x.shape[:2]:
        raise UsageError(f"sets has shape {e.shape}. Give {x.shape[:2]}, a mark for each place of X")
    return array("X", np.where(e[:, :, None] > 0, x, 0.0)), e
