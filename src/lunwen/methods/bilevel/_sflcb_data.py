"""What SFLCB is measured on: a curve with valleys, random quadratic lower levels, support vector machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy.linalg import block_diag
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from torch import Tensor

from lunwen.methods.bilevel._problem import BilevelProblem, LinearConstraint, box
from lunwen.methods.bilevel._sflcb_exact import hyperobjective

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Key = int | tuple[int, int]  # of a random problem: a seed, or a seed and which of its copies

CONVEXITY = 0.5  # mu_g of the random lower problems
TRAIN, VALIDATION = 40, 100


def toy(n: int) -> BilevelProblem:
    """Return the authors' toy n times side by side: none touches another's numbers."""
    return BilevelProblem(
        upper=lambda x, y: valleys(x, y).sum(),
        lower=lambda x, y: ((y - 2 * x) ** 2).sum(),
        project_x=box(0, 3),
        constraint=LinearConstraint(A=np.eye(n), B=-np.eye(n), b=np.zeros(n)),
    )


def valleys(x: Tensor, y: Tensor) -> Tensor:
    return torch.exp(2 - y) / (2 + torch.cos(6 * x)) + 0.5 * torch.log((4 * x - 2) ** 2 + 1)


def bottoms() -> Array:
    """Return the local minima of the toy's Phi(x) = f(x, x) in (0, 3): y <= x is active for every x > 0."""
    grid = torch.linspace(0, 3, 300_001, dtype=torch.float64)
    phi = valleys(grid, grid).numpy()
    return grid.numpy()[1:-1][(phi[1:-1] < phi[:-2]) & (phi[1:-1] < phi[2:])]


def quadratic(*keys: Key) -> BilevelProblem:
    """Return random problems with quadratic lower levels side by side, a key for each: 4 x, 10 y, 6 rows.

    Each has mu_g = CONVEXITY and l_f = sqrt(10). x stays within a thousand, so that where one diverges the
    others keep their numbers.
    """
    H, G, goal, A, B, b = drawn(*keys)
    curved, tilt, wanted = (torch.from_numpy(part) for part in (H, G, goal))

    def upper(x: Tensor, y: Tensor) -> Tensor:
        return torch.sqrt(1 + (y.reshape(-1, 10) - wanted) ** 2).sum() + 0.5 * x @ x

    def lower(x: Tensor, y: Tensor) -> Tensor:
        each = y.reshape(-1, 10, 1)
        return (each * (0.5 * curved @ each + tilt @ x.reshape(-1, 4, 1))).sum()

    return BilevelProblem(
        upper,
        lower,
        project_x=box(-1e3, 1e3),
        constraint=LinearConstraint(A=block_diag(*A), B=block_diag(*B), b=b.ravel()),
    )


def drawn(*keys: Key) -> tuple[Array, ...]:
    """Return H, G, goal, A, B, b of random problems, stacked: g is y'Hy / 2 + y'Gx."""
    return tuple(np.stack(parts) for parts in zip(*map(_drawn, keys), strict=True))


def _drawn(key: Key) -> tuple[Array, ...]:
    rng = np.random.default_rng([*np.atleast_1d(key), 2])
    root = rng.standard_normal((10, 10))
    H = root @ root.T / 10
    H += (CONVEXITY - np.linalg.eigvalsh(H)[0]) * np.eye(10)
    G, goal = rng.standard_normal((10, 4)) / 2, rng.standard_normal(10)
    A, B = rng.standard_normal((6, 10)) / 10**0.5, rng.standard_normal((6, 4)) / 2
    return H, G, goal, A, B, rng.uniform(0, 1, 6)


def distances(problem: BilevelProblem, points: Array, deltas: tuple[float, ...]) -> Array:
    """Return how far Phi_delta is from Phi, (4, deltas, points).

    In value, lower solution, gradient, and gradient without what the multipliers add to it.
    """
    gap, h = np.zeros((4, len(deltas), len(points))), problem.constraint
    assert h is not None
    for j, x in enumerate(points):
        exact = hyperobjective(problem, x)
        for i, delta in enumerate(deltas):
            near = hyperobjective(problem, x, delta)
            pull = h.B.numpy().T @ (near.u - exact.u) / delta
            gap[:, i, j] = (
                exact.value - near.value,
                np.linalg.norm(near.y - exact.y),
                np.linalg.norm(near.gradient - exact.gradient),
                np.linalg.norm(near.gradient - pull - exact.gradient),
            )
    return gap


def of_bounds(gap: Array, deltas: tuple[float, ...]) -> tuple[float, float]:
    """Return the largest shares of the bounds that ``distances`` of values and of lower solutions are."""
    steepest = 10**0.5  # l_f
    unit = np.array(deltas)[:, None] * steepest / CONVEXITY
    return float((gap[0] / (unit * steepest / 2)).max()), float((gap[1] / (2 * unit)).max())


def split(*seed: int) -> tuple[Array, Array]:
    """Return (1, features) times the label of 40 rows to train on and 100 to validate on, (rows, 31) each."""
    X, label = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0) / X.shape[1] ** 0.5
    signed = np.column_stack((X, np.ones(len(X)))) * (2.0 * label - 1)[:, None]
    order = np.random.default_rng(seed).permutation(len(X))
    return signed[order[:TRAIN]], signed[order[TRAIN : TRAIN + VALIDATION]]


def machine(data: list[tuple[Array, Array]]) -> BilevelProblem:
    """Return the tuning of a machine per split: x is how far each margin may fall short of 1, y (w, bias)."""
    held = torch.from_numpy(np.stack([validation for _, validation in data]))  # (splits, 100, 31)
    weight = torch.ones(31, dtype=torch.float64)
    weight[-1] = 0.1  # of the bias; .01 in the authors' code
    weight = weight.repeat(len(data))
    n = TRAIN * len(data)
    return BilevelProblem(
        upper=lambda x, y: _loss(held, y) + 5 / TRAIN * x @ x,
        lower=lambda _, y: 0.5 * (weight * y) @ y,
        constraint=LinearConstraint(
            A=block_diag(*(-train for train, _ in data)), B=-np.eye(n), b=-np.ones(n)
        ),
    )


def nested(problem: BilevelProblem, begin: Array) -> float:
    """Return the upper objective at the end of L-BFGS, with exact lower solutions and hypergradients."""

    def hyper(x: Array) -> tuple[float, Array]:
        return hyperobjective(problem, x)[:2]

    return float(minimize(hyper, begin, jac=True, method="L-BFGS-B").fun)


def _loss(held: Tensor, y: Tensor) -> Tensor:
    return torch.exp(1 - held @ y.reshape(-1, 31, 1)).mean(dim=1).sum()
