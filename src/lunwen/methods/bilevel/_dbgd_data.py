"""What dbgd is measured on: nonconvex problems, a seed each, on which DBGD and others run side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from lunwen.methods.bilevel._problem import BilevelProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    Array = NDArray[np.float64]
    Direction = Callable[[Array, Array, Array], tuple[Array, Array]]  # gf, gg, b -> d, lam


class Way(NamedTuple):
    """A way to descend: DBGD with a step and a share, or gradient descent with a multiplier that is fixed."""

    eta: float
    b: float = math.nan
    fixed: float = math.nan  # of f + fixed g, with a step eta / fixed; infinite: of f and g by turns


class Problems:
    """f = sum 1 - cos(x - c) + |x - c|^2 / 20 and g = sum r^2 / (1 + r^2), r = A x - b of rank 8 in 20."""

    def __init__(self, seeds: Sequence[int]) -> None:
        draws = [_draw(seed) for seed in seeds]
        self.x0, self.A, self.b, self.c = (np.stack(each) for each in zip(*draws, strict=True))

    def gradients(self, x: Array) -> tuple[Array, Array]:
        """Return those of f and g, (ways, seeds, 20): by hand, since autograd would take most of the time."""
        away = x - self.c
        r = (self.A @ x[..., None])[..., 0] - self.b
        pull = 2 * r / (1 + r * r) ** 2
        return np.sin(away) + 0.1 * away, (pull[..., None, :] @ self.A)[..., 0, :]

    def problem(self, seed: int) -> BilevelProblem:
        """Return one of them as a user would write it."""
        A, b, c = (torch.from_numpy(part[seed]) for part in (self.A, self.b, self.c))

        def upper(x: Tensor) -> Tensor:
            return (1 - (x - c).cos()).sum() + 0.05 * ((x - c) ** 2).sum()

        def lower(x: Tensor) -> Tensor:
            square = (A @ x - b) ** 2
            return (square / (1 + square)).sum()

        return BilevelProblem(upper, lower)

    def means(self, steps: int, ways: Sequence[Way], direction: Direction) -> Array:
        """Return the means over a run of both residuals and of |d|^2, (3, ways, seeds).

        The upper one is |grad f + lam grad g|^2 with the best lam >= 0, whatever way is gone; d is of DBGD.
        """
        eta, share, fixed = np.array(ways).T[:, :, None, None]
        ours, turns = np.isnan(fixed), np.isinf(fixed)
        shorter = np.where(ours | turns, 1.0, np.maximum(fixed, 1.0))
        multiplier = np.where(ours | turns, 0.0, fixed)
        shares = np.stack((np.where(ours, share, 0.0), np.zeros_like(share)))  # the best: 0
        x = np.broadcast_to(self.x0, (len(ways), *self.x0.shape))
        total = np.zeros((3, *x.shape[:2]))
        for k in range(steps):
            gf, gg = self.gradients(x)
            d, best = direction(gf, gg, shares)[0]
            total += (best * best).sum(-1), (gg * gg).sum(-1), (d * d).sum(-1)
            sums = np.where(turns, gg if k % 2 else gf, (gf + multiplier * gg) / shorter)
            x = x - eta * np.where(ours, d, sums)
        return total / steps


def _draw(seed: int) -> tuple[Array, ...]:
    rng, n, rank = np.random.default_rng(seed), 20, 8
    A, b = rng.standard_normal((rank, n)) / math.sqrt(n), rng.standard_normal(rank)
    return 2 * rng.standard_normal(n), A, b, 2 * rng.standard_normal(n)  # x0, A, b, c
