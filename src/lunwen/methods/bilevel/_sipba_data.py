"""The two problems that the claims of sipba run on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lunwen.methods.bilevel._problem import BilevelProblem, box

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lunwen.methods.bilevel._problem import Result


class Game(NamedTuple):
    """A problem and where a solver starts on it."""

    problem: BilevelProblem
    x0: ArrayLike
    y0: ArrayLike


def interval(seed: int) -> BilevelProblem:
    """F = (x - a)^2 + b y and S(x) = [-x, x]: worst at a - |b|/2, where an optimist has a + |b|/2."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(1.2, 1.8), rng.choice((-1, 1)) * rng.uniform(0.5, 1.5)
    return BilevelProblem(
        upper=lambda x, y: ((x - a) ** 2 + b * y).sum(),
        lower=lambda x, y: ((y.abs() - x).relu() ** 2).sum(),
        project_x=box(0, 3),
        project_y=box(-3.5, 3.5),
    )


class Synthetic:
    """The authors' example with a random start; as a callback it notes the error and stops below ``goal``.

    The error is the squared distance of (x, y) from the solution, in those of the start.
    """

    def __init__(self, n: int, seed: int, goal: float = 1e-4) -> None:
        rng, low = np.random.default_rng(seed), 1 / (2 * math.sqrt(n))
        x0, y0 = rng.uniform(0.1, 10, n), rng.uniform(low, 10, n)
        problem = BilevelProblem(
            upper=lambda x, y: ((x - 1) ** 2).sum() / n - ((y - 1) ** 2).sum(),
            lower=lambda x, y: (x.norm() - y.sum()) ** 2,
            project_x=box(0.1, 10),
            project_y=box(low),
        )
        self.game = Game(problem, x0, y0)
        self._solution = np.full(n, 0.5), np.full(n, low)
        self._first = self._distance(x0, y0)
        self.trace, self._goal = [1.0], goal

    def _distance(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
        return float(((x - self._solution[0]) ** 2).sum() + ((y - self._solution[1]) ** 2).sum())

    def __call__(self, at: Result) -> bool:
        assert at.y is not None
        self.trace.append(self._distance(at.x, at.y) / self._first)
        return self.trace[-1] < self._goal


def answers(x: float) -> NDArray[np.float64]:
    """Return the y that brute force tries: -2x to 2x, with both ends of [-x, x] among them, (k, 1)."""
    return x * np.linspace(-2, 2, 1601)[:, None]
