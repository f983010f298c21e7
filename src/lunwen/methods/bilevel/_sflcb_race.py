"""How few gradients a loop of SFLCB's kind needs, counted step by step, on many random problems at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from lunwen.methods.bilevel._sflcb_data import drawn, quadratic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from lunwen.methods.bilevel._problem import BilevelProblem, Result
    from lunwen.methods.bilevel._sflcb_data import Key
    from lunwen.methods.bilevel.sflcb import Settings

    Array = NDArray[np.float64]

DELTA = 0.03
GRID = (
    *((0.2, 2), (0.2, 6), (0.2, 0.6), (0.2, 20), (0.2, 0.2), (0.1, 20), (0.1, 6), (0.1, 2), (0.2, 0.06)),
    *((0.3, 2), (0.3, 6), (0.3, 0.6), (0.3, 20), (0.3, 0.2)),  # at an lr of .35 runs diverge
)
LOOK = 50  # steps of x that are looked at together


def square(*keys: Key) -> BilevelProblem:
    """Return random problems side by side, with upper objectives |y - goal|^2 / 2 + |x|^2 / 2."""
    goal = torch.from_numpy(drawn(*keys)[2]).ravel()
    return replace(quadratic(*keys), upper=lambda x, y: 0.5 * ((y - goal) ** 2).sum() + 0.5 * x @ x)


def slopes(key: Key, x: Array) -> Array:
    """Return ||grad Phi_delta|| of a ``square`` problem at each x, (n, 4) -> (n,): exact, and quick."""
    H, G, goal, A, B, b = (part[0] for part in drawn(key))
    d = b - x @ B.T
    z, v = _minima(H, x @ G.T, A, d)
    y, u = _minima(H + DELTA * np.eye(10), x @ G.T - DELTA * goal, A, d)
    return np.asarray(np.linalg.norm(x + ((y - z) @ G + (u - v) @ B) / DELTA, axis=1))


def _minima(H: Array, q: Array, A: Array, d: Array) -> tuple[Array, Array]:
    """Return argmin y'Hy / 2 + q'y under A y <= d and the multipliers, for each q and d.

    By trying all 64 sets of active rows: at the optimum's no multiplier is negative, no row is broken.
    """
    inverse = np.linalg.inv(H)
    N, far = A @ inverse @ A.T, d + q @ inverse @ A.T  # (6, 6), (n, 6)
    solved = np.zeros((64, 6, 6))
    for each, on in zip(solved, product([False, True], repeat=6), strict=True):
        each[np.ix_(on, on)] = np.linalg.inv(N[np.ix_(on, on)])
    u = -np.einsum("sij,nj->nsi", solved, far)
    wrong = np.maximum(-u, -far[:, None] - u @ N).max(axis=-1)  # (n, 64)
    u = u[np.arange(len(u)), wrong.argmin(axis=1)]
    return -(q + u @ A) @ inverse, u


def fewest(
    play: Callable[..., Any],
    grid: Iterable[Settings],
    keys: Sequence[Key],
    goals: Sequence[float],
    most: int,
) -> Array:
    """Return the fewest gradients, with any settings of the grid, to each goal, (problems, goals).

    A goal is a limit of ||grad Phi_delta||, which exists at kinks of Phi too; what does not come there counts
    as ``most``.
    """
    best = np.full((len(keys), len(goals)), float(most))
    x0 = 2 * np.stack([np.random.default_rng(key).standard_normal(4) for key in keys])
    for settings in grid:
        counts: list[int] = []
        path: list[Array] = []

        def there(now: Result, counts: list[int] = counts, path: list[Array] = path) -> bool:
            counts.append(now.n_gradients)
            path.append(now.x.reshape(-1, 4))
            if len(path) < LOOK and now.n_gradients < most:
                return False
            along = np.stack(path, axis=1)  # (problems, steps, 4)
            for k in np.flatnonzero((best > counts[0]).any(axis=1)).tolist():
                within = slopes(keys[k], along[k])[:, None] <= np.array(goals)
                first = np.where(within.any(axis=0), np.array(counts)[within.argmax(axis=0)], most)
                best[k] = np.minimum(best[k], first)
            counts.clear()
            path.clear()
            return not (best > now.n_gradients).any()

        play(square(*keys), x0.ravel(), settings, there)
    return best
