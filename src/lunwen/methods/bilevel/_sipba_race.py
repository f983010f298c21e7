"""How many gradients loops need that differ in their inner steps, each with the best steps of one grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from lunwen.methods.bilevel._problem import BilevelProblem, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from lunwen.methods.bilevel._sipba_data import Course, Point, Weights

    Array = NDArray[np.float64]
    Turn = Callable[[Run, BilevelProblem, Point, Weights], Point]


@dataclass(frozen=True)
class Track:
    """A course, the error to stay below, and the grid of steps alpha0 and beta0."""

    course: Callable[[Sequence[int]], Course]
    goal: float
    alphas: tuple[float, float]
    betas: tuple[float, float]
    fine: tuple[int, int]  # how many of either
    most: int  # gradients

    def best(
        self, turn: Turn, unit: Callable[[int], Weights], seeds: Sequence[int]
    ) -> tuple[Array, float, float]:
        """Return the gradients of each seed at the steps with the least mean over the seeds, and these steps.

        ``unit`` has the weights at alpha0 = beta0 = 1.
        """
        few, many = self.fine
        grid = np.meshgrid(np.geomspace(*self.alphas, few), np.geomspace(*self.betas, many))
        alphas, betas = (each.ravel() for each in grid)
        course = self.course([*seeds] * len(alphas))
        each = len(course.x0) // len(alphas)  # coordinates of one pair of steps; y has as many
        alpha0, beta0 = (torch.from_numpy(steps.repeat(each)) for steps in (alphas, betas))

        def weights(k: int) -> Weights:
            at = unit(k)
            return at._replace(alpha=at.alpha * alpha0, beta=at.beta * beta0)

        costs = self._race(turn, course, weights).reshape(len(alphas), len(seeds))
        least = int(np.log(costs).mean(axis=1).argmin())
        return costs[least], float(alphas[least]), float(betas[least])

    def _race(self, turn: Turn, course: Course, weights: Callable[[int], Weights]) -> Array:
        """Return the gradients until the error stays below the goal; a run may pass it and leave."""
        run = Run("race", course.problem, None, {"project_x", "project_y"})
        x, y = run.start(course.x0, course.y0)
        point, above, each, k = (x, y, y), np.zeros(len(course.errors(x, y))), 0, 0
        while run.n_gradients + each <= self.most:
            k += 1
            point = turn(run, course.problem, point, weights(k))
            each = each or run.n_gradients
            above[~(course.errors(*point[:2]) < self.goal).numpy()] = run.n_gradients
        return np.where(above < run.n_gradients, above + each, self.most)
