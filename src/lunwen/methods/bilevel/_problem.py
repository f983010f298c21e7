"""What all bilevel solvers share: the problem, the run that counts and records, the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from lunwen.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Objective = Callable[..., Tensor]  # float64 vectors -> a scalar, by torch operations
Projection = Callable[[Tensor], Tensor]  # a point -> the nearest point of a convex set


def box(low: ArrayLike = -math.inf, high: ArrayLike = math.inf) -> Projection:
    """Return the projection onto ``[low, high]``, numbers or one for each coordinate.

    Raises:
        UsageError: not numbers, or a lower bound above its upper one.
    """
    try:
        least, most = np.broadcast_arrays(np.array(low, np.float64), np.array(high, np.float64))
    except (TypeError, ValueError):
        raise UsageError(f"box got {low!r} and {high!r}; give numbers, or one for each coordinate") from None
    if not (least <= most).all():
        raise UsageError(f"box got {low!r} and {high!r}; give lower bounds <= upper bounds")
    lower, upper = torch.tensor(least), torch.tensor(most)
    return lambda point: point.clamp(lower, upper)


EVERYWHERE = box()


@dataclass(frozen=True, slots=True)
class BilevelProblem:
    """``min_x upper(x, y)`` over X, with y a minimiser of ``lower(x, .)`` over Y.

    Where both take x alone (a simple bilevel problem), ``min upper(x)`` over the minimisers of ``lower``.
    """

    upper: Objective
    lower: Objective
    project_x: Projection = EVERYWHERE
    project_y: Projection = EVERYWHERE

    def __post_init__(self) -> None:
        """Refuse what cannot be called.

        Raises:
            UsageError: an objective or a projection is not a function.
        """
        for name in ("upper", "lower", "project_x", "project_y"):
            check_function(name, getattr(self, name))


def check_function(name: str, given: object) -> None:
    """Refuse what is not a function.

    Raises:
        UsageError: it is not.
    """
    if not callable(given):
        raise UsageError(f"{name} is {given!r}; give a function of torch vectors")


def is_count(value: object) -> bool:
    """Tell whether ``value`` is a whole number above 0."""
    return isinstance(value, int | np.integer) and int(value) >= 1


def is_number(value: object, *, above: float = -math.inf, least: float = -math.inf) -> bool:
    """Tell whether ``value`` is a finite number above one bound, and no less than the other."""
    number = float(value) if isinstance(value, int | float | np.integer | np.floating) else math.nan
    return math.isfinite(number) and number > above and number >= least


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Where a solver ended, or, to a callback, where it stands.

    Attributes:
        x: the upper variable, (n,).
        y: the lower variable, (m,); None in a simple bilevel problem.
        iterations: steps taken.
        n_gradients: gradients taken; one objective at one point counts as one.
        converged: whether the solver's tolerance was met.
        message: why it ended.
        history: what the solver records, one number a step.
        more: what else it ends with, by the paper's symbols.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64] | None
    iterations: int
    n_gradients: int
    converged: bool
    message: str
    history: dict[str, list[float]]
    more: dict[str, NDArray[np.float64]]


Callback = Callable[[Result], bool | None]  # called after every step; True stops the solver


class Run:
    """One run of a solver: takes and counts its gradients, records its steps, tells the callback."""

    def __init__(self, callback: Callback | None = None) -> None:
        self.n_gradients = self.iterations = 0
        self.history: dict[str, list[float]] = {}
        self._callback, self._message = callback, ""

    def gradient(self, objective: Objective, *point: Tensor) -> tuple[Tensor, ...]:
        """Return the gradient of ``objective`` in each of its arguments.

        Raises:
            UsageError: it did not return a scalar that torch can differentiate.
        """
        leaves = [part.detach().requires_grad_() for part in point]
        value = objective(*leaves)
        if not isinstance(value, Tensor) or value.ndim or not value.requires_grad:
            given = f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
            raise UsageError(f"an objective returned {given}; return a scalar made by torch of its arguments")
        self.n_gradients += 1
        return torch.autograd.grad(value, leaves, allow_unused=True, materialize_grads=True)

    def goes_on(self, x: Tensor, y: Tensor | None = None, **values: float | Tensor) -> bool:
        """Record a finished step; False where it is not finite any more or the callback says stop."""
        self.iterations += 1
        for name, value in values.items():
            self.history.setdefault(name, []).append(float(value))
        if not all(bool(part.isfinite().all()) for part in (x, y) if part is not None):
            self._message = f"diverged at step {self.iterations}; choose smaller steps"
        elif self._callback and self._callback(self.result(x, y)):
            self._message = f"stopped by the callback at step {self.iterations}"
        return not self._message

    def result(
        self, x: Tensor, y: Tensor | None = None, *, converged: bool = False, **more: Tensor
    ) -> Result:
        """Return where the run stands."""
        end = f"{'converged' if converged else 'ended'} after {self.iterations} steps"
        return Result(
            x=x.numpy().copy(),
            y=None if y is None else y.numpy().copy(),
            iterations=self.iterations,
            n_gradients=self.n_gradients,
            converged=converged,
            message=self._message or end,
            history=self.history,
            more={name: value.numpy().copy() for name, value in more.items()},
        )


def start(name: str, values: ArrayLike | Tensor) -> Tensor:
    """Return a starting point as a float64 vector of its own.

    Raises:
        UsageError: not numbers, not one-dimensional, empty, or not finite.
    """
    try:
        array = np.array(values.numpy(force=True) if isinstance(values, Tensor) else values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name} is not made of numbers; give a vector of finite numbers") from None
    if array.ndim != 1 or not array.size or not np.isfinite(array).all():
        given = "NaN or infinity in it" if array.ndim == 1 and array.size else f"shape {array.shape}"
        raise UsageError(f"{name} has {given}; give a vector of finite numbers")
    return torch.from_numpy(array)
