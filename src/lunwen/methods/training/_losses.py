"""Losses on which the paths of optimizers are compared: many small ones side by side in one sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from lunwen.errors import UsageError
from lunwen.methods._given import array, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike
    from torch import Tensor

    from lunwen.methods.training._derivative import Loss

Array = NDArray[np.float64]


class DiagonalLinearNetwork:
    """The regression y ~ X w with w = u^2 - v^2, a small model in which the optimizer biases the solution.

    Parameters are [2, d], u above v; with leading dimensions, those of ``X`` [..., n, d] and ``y`` [..., n],
    many networks are summed into one loss and train side by side.

    Raises:
        UsageError: ``X`` or ``y`` holds NaN, or their shapes do not fit.
    """

    def __init__(self, X: ArrayLike, y: ArrayLike) -> None:
        self.X, self.y = torch.tensor(array("X", X)), torch.tensor(array("y", y))
        if self.X.ndim < 2 or self.X.shape[:-1] != self.y.shape:
            raise UsageError(
                f"X has shape {tuple(self.X.shape)}, y {tuple(self.y.shape)}. Give X [n, d] and y [n]"
            )

    def start(self, scale: float) -> Array:
        """Return u = v = ``scale``, where w = 0.

        Raises:
            UsageError: ``scale`` is no number above 0, where the network cannot move.
        """
        return np.full(self._shape, number("scale", scale, above=0))

    def weights(self, parameters: ArrayLike) -> Array:
        """Return w [..., d].

        Raises:
            UsageError: the parameters are not finite numbers, or those of another network.
        """
        uv = array("parameters", parameters)
        self._check(uv.shape)
        return uv[..., 0, :] ** 2 - uv[..., 1, :] ** 2

    def loss(self, parameters: Tensor) -> Tensor:
        """Return the mean of (Xw - y)^2 / 2, summed over networks.

        Raises:
            UsageError: the parameters are those of another network.
        """
        parameters = torch.as_tensor(parameters, dtype=torch.float64)
        self._check(tuple(parameters.shape))
        w = parameters[..., 0, :] ** 2 - parameters[..., 1, :] ** 2
        residual = (self.X @ w[..., None])[..., 0] - self.y
        return (residual**2).sum() / (2 * self.y.shape[-1])

    @property
    def _shape(self) -> tuple[int, ...]:
        return (*self.X.shape[:-2], 2, self.X.shape[-1])

    def _check(self, shape: tuple[int, ...]) -> None:
        if shape != self._shape:
            raise UsageError(f"parameters has shape {shape}. Give shape {self._shape}, u above v")


def regressions(seeds: Iterable[int]) -> DiagonalLinearNetwork:
    """Return one network per seed: 20 normal rows of 30 features, of which 3 matter."""
    data = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(20, 30))
        data.append((X, X[:, :3] @ (rng.choice([-1.0, 1.0], 3) * rng.uniform(0.5, 1.5, 3))))
    return DiagonalLinearNetwork(*map(np.array, zip(*data, strict=True)))


def quadratics(seeds: Iterable[int]) -> tuple[Array, Array]:
    """Return the eigenvalues of one quadratic loss per seed, and its start, both [seeds, 5]."""
    draws = [np.random.default_rng(seed) for seed in seeds]
    return np.stack([rng.uniform(0.5, 2.0, size=5) for rng in draws]), np.stack(
        [r.normal(size=5) for r in draws]
    )


def quartics(seeds: Iterable[int]) -> tuple[Loss, Array]:
    """Return the sum of one quartic in two variables per seed, and its start [seeds, 2]."""
    draws = np.stack([np.random.default_rng(seed).uniform(0.5, 1.5, size=6) for seed in seeds])
    p = torch.tensor(draws.T)

    def loss(points: Tensor) -> Tensor:
        x, y = points[:, 0], points[:, 1]
        quartic = p[0] * x**4 + p[1] * y**4 + 2 * p[2] * x**2 * y**2
        return (quartic / 4 + (p[3] * x**2 + p[4] * y**2) / 2 + (p[5] - 1) * x * y).sum()

    return loss, np.stack([np.random.default_rng(seed).uniform(0.5, 1.0, size=2) for seed in seeds])


def networks(seeds: Iterable[int]) -> tuple[Loss, Array]:
    """Return the sum of the losses of one network of 3 tanh units per seed, and its start [seeds, 9]."""
    draws = [np.random.default_rng(seed) for seed in seeds]
    X = torch.tensor(np.stack([rng.normal(size=(8, 2)) for rng in draws]))
    y = torch.tanh(X[..., 0] - X[..., 1])

    def loss(weights: Tensor) -> Tensor:
        hidden = torch.tanh(X @ weights[:, :6].reshape(-1, 2, 3))
        return ((torch.einsum("spj,sj->sp", hidden, weights[:, 6:]) - y) ** 2).mean(dim=1).sum()

    return loss, np.stack([rng.normal(size=9) for rng in draws])
