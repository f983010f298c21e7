"""The problems on which sipba is measured, for many seeds side by side: none touches another's numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from lunwen.methods.bilevel._problem import BilevelProblem, box

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    from lunwen.methods.bilevel._problem import Result

    Array = NDArray[np.float64]
    Point = tuple[Tensor, Tensor, Tensor]  # x (n,), y (m,), z (m,)


class Weights(NamedTuple):
    """The steps and penalties of one step; numbers, or in a race one for each coordinate."""

    alpha: float | Tensor
    beta: float | Tensor
    rho: float
    sigma: float


@dataclass
class Course:
    """A problem, where a solver starts on it, and how far from its solution a point is.

    As a callback it notes the errors, and stops once each has been below ``goal``.
    """

    problem: BilevelProblem
    x0: Array  # (seeds * n,)
    y0: Array  # (seeds * m,)
    errors: Callable[[Tensor, Tensor], Tensor]  # (seeds,)
    goal: float = 0.0
    trace: list[Array] = field(default_factory=list)
    _passed: NDArray[np.bool_] | bool = False

    @property
    def game(self) -> tuple[BilevelProblem, ArrayLike, ArrayLike]:
        """What a solver takes first."""
        return self.problem, self.x0, self.y0

    @property
    def steps(self) -> NDArray[np.intp]:
        """At which step each seed first passed the goal."""
        return 1 + np.asarray((np.array(self.trace) < self.goal).argmax(axis=0))

    def __call__(self, at: Result) -> bool:
        assert at.y is not None
        self.trace.append(self.errors(torch.from_numpy(at.x), torch.from_numpy(at.y)).numpy())
        self._passed = self._passed | (self.trace[-1] < self.goal)
        return bool(self._passed.all())


def synthetic(n: int, seeds: Sequence[int], goal: float = 0.0) -> Course:
    """Return the authors' example; its solution is x = 1/2, y = 1 / (2 sqrt(n)).

    The error is the squared distance of (x, y) from it, in those of the start.
    """
    low = 1 / (2 * math.sqrt(n))
    rngs = [np.random.default_rng(seed) for seed in seeds]
    starts = [(rng.uniform(0.1, 10, n), rng.uniform(low, 10, n)) for rng in rngs]
    x0, y0 = (np.concatenate(each) for each in zip(*starts, strict=True))

    def distances(x: Tensor, y: Tensor) -> Tensor:
        return ((x - 0.5) ** 2 + (y - low) ** 2).reshape(-1, n).sum(1)

    first = distances(torch.from_numpy(x0), torch.from_numpy(y0))
    problem = BilevelProblem(
        upper=lambda x, y: ((x - 1) ** 2).sum() / n - ((y - 1) ** 2).sum(),
        lower=lambda x, y: ((x.reshape(-1, n).norm(dim=1) - y.reshape(-1, n).sum(1)) ** 2).sum(),
        project_x=box(0.1, 10),
        project_y=box(low),
    )
    return Course(problem, x0, y0, lambda x, y: distances(x, y) / first, goal)


def interval(seeds: Sequence[int]) -> Course:
    """F = (x - a)^2 + b y and S(x) = [-x, x]: worst at a - |b|/2, where an optimist has a + |b|/2."""
    rngs = [np.random.default_rng(seed) for seed in seeds]
    draws = [(rng.uniform(1.2, 1.8), rng.choice((-1, 1)) * rng.uniform(0.5, 1.5)) for rng in rngs]
    a, b = torch.tensor(draws, dtype=torch.float64).T
    problem = BilevelProblem(
        upper=lambda x, y: ((x - a) ** 2 + b * y).sum(),
        lower=lambda x, y: ((y.abs() - x).relu() ** 2).sum(),
        project_x=box(0, 3),
        project_y=box(-3.5, 3.5),
    )
    x0, y0 = np.full(len(draws), 2.0), np.zeros(len(draws))
    return Course(problem, x0, y0, lambda x, _: (x - a + b.abs() / 2).abs())


def answers(x: float) -> Array:
    """Return the y that brute force tries: -2x to 2x, with both ends of [-x, x] among them, (k, 1)."""
    return x * np.linspace(-2, 2, 1601)[:, None]
