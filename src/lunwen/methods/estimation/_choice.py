"""Learning choices: data as users have them, checked, and the training of a network of utilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import torch
from scipy.optimize import minimize
from sklearn.base import BaseEstimator
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from lunwen.errors import LimitError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["ChoiceModel", "counts_of", "features_of", "numbers_of", "sets_of", "whole"]

CHUNK = 2048  # choice sets whose utilities are computed at once


class ChoiceModel(BaseEstimator):  # type: ignore[misc]
    """A network of utilities, and how it is trained: L-BFGS on all the data, in double precision."""

    max_iter: int
    alpha: float
    random_state: int
    net_: nn.Module

    def train(self, make: Callable[[], nn.Module], inputs: tuple[Array, ...], counts: Array) -> Self:
        """Fit the network that ``make`` makes to counts (n, J); the last of its inputs is the sets.

        Raises:
            LimitError: a setting outside its range.
        """
        whole("max_iter", self.max_iter, 1)
        whole("random_state", self.random_state, 0)
        if not isinstance(self.alpha, int | float) or not 0 <= self.alpha < np.inf:
            raise LimitError(
                f"alpha is {self.alpha!r}; allowed is 0 or more. Give a small number such as 1e-4"
            )
        tensors = [torch.from_numpy(np.ascontiguousarray(one)) for one in inputs]
        wanted = torch.from_numpy(counts / counts.sum())  # (n, J)
        with torch.random.fork_rng(devices=[]):  # the user's own random state stays as it is
            torch.manual_seed(self.random_state)
            net = make().to(torch.float64)
        weights = list(net.parameters())

        def nll() -> Tensor:
            logits = net(*tensors).masked_fill(tensors[-1] == 0, -1e30)  # 0 * inf would be no number
            return -(wanted * torch.log_softmax(logits, 1)).sum()

        def objective(flat: Array) -> tuple[float, Array]:
            vector_to_parameters(torch.from_numpy(flat.copy()), weights)
            loss = nll() + self.alpha / 2 * sum((w.square().sum() for w in weights), torch.zeros(()))
            gradient = torch.cat([one.flatten() for one in torch.autograd.grad(loss, weights)])
            return loss.item(), gradient.numpy()

        # torch's L-BFGS is slower and takes seconds to load
        solved = minimize(
            objective,
            parameters_to_vector(weights).detach().numpy(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter, "maxcor": 20, "gtol": 1e-6, "ftol": 1e-12},
        )
        objective(solved.x)  # leaves the best parameters in the network
        with torch.no_grad():
            self.loss_ = nll().item()
        self.n_iter_ = int(solved.nit)
        self.net_ = net.eval()
        return self

    def utility_of(self, *inputs: Array) -> Array:
        """Return the utilities (n, J), -inf where there is no item."""
        with torch.no_grad():
            parts = [
                self.net_(*(torch.from_numpy(np.ascontiguousarray(one[i : i + CHUNK])) for one in inputs))
                for i in range(0, len(inputs[-1]), CHUNK)
            ]
        return np.where(inputs[-1] > 0, torch.cat(parts).numpy(), -np.inf)


def sets_of(value: ArrayLike) -> Array:
    """Return the choice sets (n, J) as zeros and ones.

    Raises:
        UsageError: wrong shape, no rows, other values, or a set without an item.
    """
    e = numbers_of("sets", value, 2)
    if not np.isin(e, (0, 1)).all():
        other = e[~np.isin(e, (0, 1))][0]
        raise UsageError(
            f"sets holds {other:g}; allowed are 1 where an item is on offer and 0. Mark each item"
        )
    if not e.any(1).all():
        row = int(np.argmin(e.any(1)))
        raise UsageError(f"set {row} has no items; allowed is 1 or more. Leave it out")
    return e


def counts_of(choices: ArrayLike, e: Array) -> Array:
    """Return how often each item was chosen from each set, or its share: (n, J).

    Raises:
        UsageError: wrong shape, no whole numbers, negative, all zero, or outside the set.
    """
    n, J = e.shape
    given = np.asarray(choices, dtype=object)  # a ragged list has a shape too
    if given.shape == (n,):
        chosen = numbers_of("choices", choices, 1)
        if not (np.isin(chosen, np.arange(J))).all():
            bad = chosen[~np.isin(chosen, np.arange(J))][0]
            raise UsageError(f"choices holds {bad:g}; allowed are the items 0 to {J - 1}. Number them so")
        counts = np.zeros((n, J))
        counts[np.arange(n), chosen.astype(int)] = 1
    elif given.shape == (n, J):
        counts = numbers_of("choices", choices, 2)
    else:
        raise UsageError(
            f"choices has shape {given.shape}; allowed are ({n},) and ({n}, {J}). Give items or counts"
        )
    if counts.min() < 0 or not counts.any():
        raise UsageError(
            "choices has negative counts or none at all; allowed is 0 or more. Give counts or shares"
        )
    outside = (counts > 0) & (e == 0)
    if outside.any():
        row, item = np.argwhere(outside)[0]
        raise UsageError(
            f"item {item} was chosen from set {row}, which lacks it. Mark it there, or drop the choice"
        )
    return counts


def features_of(X: ArrayLike, sets: ArrayLike | None) -> tuple[Array, Array]:
    """Return features (n, J, d), zero where there is no item, and the sets (n, J).

    Raises:
        UsageError: wrong shapes, no numbers, or NaN where there is an item.
    """
    x = numbers_of("X", X, 3, finite=False)
    e = np.ones(x.shape[:2]) if sets is None else sets_of(sets)
    if e.shape != x.shape[:2]:
        raise UsageError(f"sets has shape {e.shape}, X has {x.shape}. Give a mark for each of X's places")
    x = np.where(e[:, :, None] > 0, x, 0.0)
    return numbers_of("X", x, 3), e


def numbers_of(name: str, value: ArrayLike, dimensions: int, *, finite: bool = True) -> Array:
    """Return an array of numbers with so many dimensions, none of them empty.

    Raises:
        UsageError: it is something else.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} is no array of numbers; allowed are numbers. Convert it first") from error
    if array.ndim != dimensions or not array.size:
        raise UsageError(
            f"{name} has shape {array.shape}; allowed are {dimensions} dimensions, none empty. Reshape it"
        )
    if finite and not np.isfinite(array).all():
        raise UsageError(f"{name} holds NaN or infinity; allowed are finite numbers. Fill or drop them")
    return array


def whole(name: str, value: Any, least: int) -> None:
    """Check a setting.

    Raises:
        LimitError: it is no whole number, or too small.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise LimitError(f"{name} is {value!r}; allowed are whole numbers from {least}. Give one")
