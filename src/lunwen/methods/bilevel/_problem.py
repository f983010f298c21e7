"""What all bilevel solvers share: the problem, the run that counts and records, the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from lunwen.errors import UsageError
from lunwen.methods._given import array, matrix, vector

if TYPE_CHECKING:
    from collections.abc import Container

    from numpy.typing import ArrayLike, NDArray

Objective = Callable[..., Tensor]  # float64 vectors -> a scalar, by torch operations
Projection = Callable[[Tensor], Tensor]  # a point -> the nearest point of a convex set


def everywhere(point: Tensor) -> Tensor:
    """Return the point: the projection onto all of space."""
    return point


def box(low: ArrayLike = -math.inf, high: ArrayLike = math.inf) -> Projection:
    """Return the projection onto ``[low, high]``, numbers or one for each coordinate.

    Raises:
        UsageError: not numbers, or a lower bound above its upper one.
    """
    least, most = array("low", low, finite=False), array("high", high, finite=False)
    try:
        least, most = np.broadcast_arrays(least, most)
    except ValueError:
        raise UsageError(f"low has shape {least.shape}, high {most.shape}. Give the same shape") from None
    if not (least <= most).all():
        raise UsageError(f"box got {low!r} and {high!r}. Give lower bounds <= upper bounds")
    if np.isneginf(least).all() and np.isposinf(most).all():
        return everywhere
    lower, upper = torch.tensor(least), torch.tensor(most)
    return lambda point: point.clamp(lower, upper)


@dataclass(frozen=True, slots=True, eq=False)
class LinearConstraint:
    """``B x + A y <= b``, row by row, or ``= b`` where ``equal``.

    Attributes:
        A: (rows, m).
        B: (rows, n).
        b: (rows,).
        equal: which rows are equalities, (rows,); one answer may be given for all.
    """

    A: Tensor
    B: Tensor
    b: Tensor
    equal: Tensor

    def __init__(self, A: ArrayLike, B: ArrayLike, b: ArrayLike, equal: ArrayLike = False) -> None:
        """Take arrays, lists or tensors.

        Raises:
            UsageError: not finite numbers, or shapes that do not fit.
        """
        parts = {"A": matrix("A", A), "B": matrix("B", B), "b": vector("b", b)}
        rows = len(parts["b"])
        if {len(part) for part in parts.values()} != {rows}:
            counts = ", ".join(f"{name} {len(part)}" for name, part in parts.items())
            raise UsageError(f"rows are {counts}. Give as many of each")
        which = np.asarray(equal)
        if which.dtype != bool or which.shape not in {(), (rows,)}:
            raise UsageError(f"equal is {equal!r}. Give True, False, or one of them for each of {rows} rows")
        for name, part in (*parts.items(), ("equal", np.broadcast_to(which, (rows,)).copy())):
            object.__setattr__(self, name, torch.from_numpy(part))

    def excess(self, x: ArrayLike | Tensor) -> Tensor:
        """Return ``B x - b``, (rows,): what is over before ``A y`` is added.

        Raises:
            UsageError: x does not fit B.
        """
        x = torch.as_tensor(x, dtype=torch.float64)
        if len(x) != self.B.shape[1]:
            raise UsageError(f"x has {len(x)} numbers, B {self.B.shape[1]} columns. Give as many")
        return self.B @ x - self.b


@dataclass(frozen=True, slots=True)
class BilevelProblem:
    """``min_x upper(x, y)`` over X, with y a minimiser of ``lower(x, .)`` over Y and under the constraint.

    Where both objectives take x alone (a simple bilevel problem), ``min upper(x)`` over the minimisers of
    ``lower``. No solver heeds all of it; each refuses what it does not.

    Attributes:
        upper: takes float64 torch vectors, returns a scalar by torch operations; arrays are made such.
        lower: the same.
        project_x: the projection onto X.
        project_y: the projection onto Y.
        constraint: what is to hold of x and y together.
    """

    upper: Objective
    lower: Objective
    project_x: Projection = field(default=everywhere, kw_only=True)
    project_y: Projection = field(default=everywhere, kw_only=True)
    constraint: LinearConstraint | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Let all that the functions can do wrong be told by their names.

        Raises:
            UsageError: an objective or a projection is not a function, or the constraint is none.
        """
        for name in ("upper", "lower", "project_x", "project_y"):
            given = getattr(self, name)
            if not callable(given):
                hint = ", such as box(low, high)" if name.startswith("project") else ""
                raise UsageError(f"{name} is {given!r}. Give a function of torch vectors{hint}")
            told = _objective if name in {"upper", "lower"} else _projection
            if given is not everywhere:
                object.__setattr__(self, name, told(name, given))
        if self.constraint is not None and not isinstance(self.constraint, LinearConstraint):
            raise UsageError(f"constraint is {self.constraint!r}. Give a LinearConstraint")


def check_problem(solver: str, problem: object, heeded: Container[str] = ()) -> None:
    """Refuse what is not a problem, or one with more to it than ``solver`` heeds.

    Raises:
        UsageError: it is.
    """
    if not isinstance(problem, BilevelProblem):
        raise UsageError(f"{solver} got {problem!r} as problem. Give a BilevelProblem")
    for name, none in (("project_x", everywhere), ("project_y", everywhere), ("constraint", None)):
        if getattr(problem, name) is not none and name not in heeded:
            raise UsageError(f"the problem has a {name}, which {solver} does not heed. Leave it out")
    if "constraint" in heeded and problem.constraint is None:
        raise UsageError(f"the problem has no constraint, which {solver} is for. Give a LinearConstraint")


def gradient(objective: Objective, *point: Tensor) -> tuple[Tensor, ...]:
    """Return the gradient of ``objective`` in each of its arguments.

    Raises:
        UsageError: it does not depend on them by torch operations, or torch is told to take no gradients.
    """
    if torch.is_inference_mode_enabled():
        raise UsageError("torch.inference_mode is on, so that there are no gradients. Use torch.no_grad")
    with torch.enable_grad():
        leaves = [part.detach().requires_grad_() for part in point]
        value = objective(*leaves)
    if not value.requires_grad:
        raise UsageError(
            "an objective does not depend on its arguments by torch operations. "
            "Leave out detach, item and numpy; as a constant give 0 * x.sum()"
        )
    return torch.autograd.grad(value, leaves, allow_unused=True, materialize_grads=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Where a solver ended, or, to a callback, where it stands: a snapshot that no later step changes.

    Attributes:
        x: the upper variable, (n,).
        y: the lower variable, (m,); None in a simple bilevel problem.
        upper: the upper objective there.
        lower: the lower objective there.
        iterations: steps taken.
        n_gradients: gradients taken; one objective at one point counts as one.
        converged: whether the solver's tolerance was met.
        message: why it ended.
        history: what the solver records, a number for each step, (iterations,).
        more: what else it ends with, by the paper's symbols; nothing yet in a callback.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64] | None
    upper: float
    lower: float
    iterations: int
    n_gradients: int
    converged: bool
    message: str
    history: dict[str, NDArray[np.float64]]
    more: dict[str, NDArray[np.float64]]

    def __repr__(self) -> str:
        """Write a line for each attribute: of the history the first and the last, of long arrays the ends."""
        with np.printoptions(threshold=8, precision=6):
            shown = {one.name: getattr(self, one.name) for one in fields(self)}
            ends = (f"{name} {run[0]:.3g} to {run[-1]:.3g}" for name, run in self.history.items() if len(run))
            shown["history"] = "; ".join(ends)
            shown["more"] = "; ".join(f"{name} {value}" for name, value in self.more.items())
            return "\n".join(f"{name:>11}: {value}" for name, value in shown.items())


Callback = Callable[[Result], bool | None]  # called after every step; True or StopIteration stops the solver


class Run:
    """One run of a solver: takes and counts its gradients, records its steps, tells the callback.

    Raises:
        UsageError: not a problem, one with more to it than the solver heeds, or no callback.
    """

    def __init__(
        self, solver: str, problem: BilevelProblem, callback: Callback | None, heeded: Container[str] = ()
    ) -> None:
        check_problem(solver, problem, heeded)
        if not (callback is None or callable(callback)):
            raise UsageError(f"callback is {callback!r}. Give a function of a Result")
        self.n_gradients = self.iterations = 0
        self._history: dict[str, _Record] = {}
        self._problem, self._callback, self._message = problem, callback, ""

    def start(self, x0: ArrayLike | Tensor, y0: ArrayLike | Tensor | None = None) -> tuple[Tensor, ...]:
        """Return where x, or x and y, start: float64 vectors of their own, in X and Y.

        Raises:
            UsageError: not a vector of finite numbers, or an objective cannot be had there.
        """
        point = [self._problem.project_x(torch.from_numpy(vector("x0", x0)))]
        if y0 is not None:
            point.append(self._problem.project_y(torch.from_numpy(vector("y0", y0))))
        for name in ("upper", "lower"):
            value = float(getattr(self._problem, name)(*point))
            if not math.isfinite(value):
                raise UsageError(f"{name} is {value} at the start. Start where it is finite")
        return tuple(point)

    def gradient(self, objective: Objective, *point: Tensor) -> tuple[Tensor, ...]:
        """Return the gradient of ``objective`` in each of its arguments, and count it.

        Raises:
            UsageError: it does not depend on them by torch operations.
        """
        self.n_gradients += 1
        return gradient(objective, *point)

    def goes_on(self, x: Tensor, y: Tensor | None = None, **values: float | Tensor) -> bool:
        """Record a finished step; False where it is not finite any more or the callback says stop."""
        self.iterations += 1
        for name, value in values.items():
            self._history.setdefault(name, _Record()).append(float(value))
        if not _finite(x, y):
            self._message = f"diverged at step {self.iterations}; choose smaller steps"
        elif self._callback and _stops(self._callback, self._result(x, y, message="running")):
            self._message = f"stopped by the callback at step {self.iterations}"
        return not self._message

    def result(
        self, x: Tensor, y: Tensor | None = None, *, converged: bool = False, hint: str = "", **more: Tensor
    ) -> Result:
        """Return where the run ended; ``hint`` says what a run that did not converge is like."""
        converged = converged and _finite(x, y)
        end = f"{'converged' if converged else 'ended'} after {self.iterations} steps"
        message = self._message or (end if converged or not hint else f"{end}; {hint}")
        return self._result(x, y, message=message, converged=converged, **more)

    def _result(
        self, x: Tensor, y: Tensor | None, *, message: str, converged: bool = False, **more: Tensor
    ) -> Result:
        point = (x,) if y is None else (x, y)
        known = _finite(*point)
        return Result(
            x=x.numpy().copy(),
            y=None if y is None else y.numpy().copy(),
            upper=float(self._problem.upper(*point)) if known else math.nan,
            lower=float(self._problem.lower(*point)) if known else math.nan,
            iterations=self.iterations,
            n_gradients=self.n_gradients,
            converged=converged,
            message=message,
            history={name: record.so_far() for name, record in self._history.items()},
            more={name: value.numpy().copy() for name, value in more.items()},
        )


def _stops(callback: Callback, at: Result) -> bool:
    """Whether the callback says True, or raises StopIteration as callbacks of scipy do."""
    try:
        answer = callback(at)
    except StopIteration:
        return True
    return isinstance(answer, bool | np.bool_) and bool(answer)


class _Record:
    """Numbers that become more; what was shown of them stays as it was."""

    def __init__(self) -> None:
        self._room, self._count = np.empty(64), 0

    def append(self, value: float) -> None:
        if self._count == len(self._room):
            self._room = np.concatenate((self._room, np.empty_like(self._room)))
        self._room[self._count] = value
        self._count += 1

    def so_far(self) -> NDArray[np.float64]:
        shown = self._room[: self._count]
        shown.flags.writeable = False
        return shown


# What a function that is not ours may raise: torch's and numpy's own, and wrong counts of arguments.
_FAILURES = (ArithmeticError, AttributeError, IndexError, RuntimeError, TypeError, ValueError)


def _called(name: str, function: Callable[..., object], *point: Tensor) -> object:
    try:
        return function(*point)
    except _FAILURES as error:
        arguments = ", ".join("xyz"[: len(point)]) if name in {"upper", "lower"} else name[-1]
        shapes = ", ".join(str(tuple(part.shape)) for part in point)
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise UsageError(
            f"{name}({arguments}) failed at float64 torch vectors of {shapes}: {reason}. "
            "Give a function of such vectors, with its own data made such by torch.as_tensor(data).double()"
        ) from error


def _objective(name: str, function: Objective) -> Objective:
    def told(*point: ArrayLike | Tensor) -> Tensor:
        value = _called(name, function, *(torch.as_tensor(part, dtype=torch.float64) for part in point))
        if not isinstance(value, Tensor) or value.numel() != 1 or value.is_complex():
            given = f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else repr(value)
            given += " of complex numbers" if isinstance(value, Tensor) and value.is_complex() else ""
            raise UsageError(f"{name} returned {given}. Return a scalar, by torch operations alone")
        return value.double().reshape(())

    return told


def _projection(name: str, function: Projection) -> Projection:
    def told(point: Tensor) -> Tensor:
        given = _called(name, function, point)
        nearest = torch.from_numpy(array(f"what {name} returned", given, finite=False))  # type: ignore[arg-type]
        if nearest.shape != point.shape:
            shapes = f"{tuple(nearest.shape)} for a vector of shape {tuple(point.shape)}"
            raise UsageError(f"{name} returned shape {shapes}. Return a point of the same shape")
        return nearest

    return told


def _finite(*point: Tensor | None) -> bool:
    return all(bool(part.isfinite().all()) for part in point if part is not None)
