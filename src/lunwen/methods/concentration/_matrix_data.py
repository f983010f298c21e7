"""What the claims on matrices draw: symmetric, with eigenvalues in [0, 1] and a known mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import ortho_group

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

P = np.array([0.8, 0.15, 0.05])  # the mean's eigenvalues; the variance's are p (1 - p)
FRAME: Floats = ortho_group.rvs(3, random_state=0)  # three fixed orthonormal projections


@dataclass(frozen=True, slots=True)
class Law:
    """A process with constant conditional mean ``M``, and how to draw ``(n, paths, d, d)`` of it."""

    name: str
    M: Floats
    draw: Callable[[np.random.Generator, int, int], Floats]

    def distance(self, center: Floats) -> Floats:
        """Return the spectral norms of ``center[..., d, d]`` - M."""
        distance: Floats = np.abs(np.linalg.eigvalsh(center - self.M)).max(-1)
        return distance

    def missed(self, center: Floats, radius: Floats) -> NDArray[np.bool_]:
        """Return which balls do not hold the mean."""
        return np.asarray(self.distance(center) > radius)


def framed(eigenvalues: Floats) -> Floats:
    """Return the matrices with these ``eigenvalues[..., 3]`` in the fixed frame."""
    framed_: Floats = (FRAME * eigenvalues[..., None, :]) @ FRAME.T
    return framed_


def plain_radius(U: Floats, L: float) -> Floats:
    """Return D2 without the prior in the running variance, of matrices with one frame.

    ``U[n, paths, 3]`` are their eigenvalues.
    """
    i = np.arange(1.0, len(U) + 1)[:, None, None]
    mean = (U.cumsum(0) - U) / np.maximum(i - 1, 1)
    variance = ((U**2).cumsum(0) - U**2) / np.maximum(i - 1, 1) - mean**2
    v = variance.max(-1)
    v[0] = 1 / 4
    g = np.sqrt(2 * L / (len(U) * np.maximum(v, 5 * L / len(U))))
    psi = -np.log1p(-g) - g
    radius: Floats = (L + (psi[..., None] * (U - mean) ** 2).sum(0).max(-1)) / g.sum(0)
    return radius


def squares(X: Floats) -> Floats:
    """Return the sum of the squared deviations from the mean."""
    centered = X - X.mean(-3, keepdims=True)
    squares: Floats = (centered @ centered).sum(-3)
    return squares


def _signs(rng: np.random.Generator, n: int, paths: int) -> Floats:
    """Projections onto (+-sqrt p_1, +-sqrt p_2, +-sqrt p_3): they do not commute."""
    u: Floats = rng.choice([-1.0, 1.0], (n, paths, 3)) * np.sqrt(P)
    return u[..., :, None] * u[..., None, :]


def _axes(rng: np.random.Generator, n: int, paths: int) -> Floats:
    """Projections onto axis j with probability p_j: the same mean and variance."""
    e: Floats = np.eye(3)[rng.choice(3, (n, paths), p=P)]
    return e[..., :, None] * e[..., None, :]


def _switching(rng: np.random.Generator, n: int, paths: int) -> Floats:
    """Signs after a matrix whose first entry was below 1, else axes: not independent."""
    signs, axes = _signs(rng, n, paths), _axes(rng, n, paths)
    X = np.empty_like(signs)
    last = signs[0]
    for i in range(n):
        last = X[i] = np.where((last[:, :1, :1] < 1), signs[i], axes[i])
    return X


def _rare(rng: np.random.Generator, n: int, paths: int) -> Floats:
    return np.where(rng.random((n, paths, 1, 1)) < 0.05, np.diag([1.0, 0.0, 0.0]), 0.0)


SIGNS = Law("rank one", np.diag(P), _signs)
SWITCHING = Law("switching", np.diag(P), _switching)
COINS = Law("coins, d = 1", np.array([[0.05]]), lambda *args: _rare(*args)[..., :1, :1])
RARE = Law("rare", np.diag([0.05, 0.0, 0.0]), _rare)
