"""Derivatives of a loss in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from lunwen.methods.training._given import finite_array

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Loss = Callable[[Tensor], Tensor]


def differentiate(value: Tensor, x: Tensor) -> Tensor:
    """Return the gradient of a scalar at ``x``, which can be differentiated again."""
    if not value.requires_grad:  # what does not depend on x
        return torch.zeros_like(x)
    (result,) = torch.autograd.grad(value, x, create_graph=True, allow_unused=True, materialize_grads=True)
    return result


def gradient(f: Loss) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return the gradient of a loss in torch as a function of arrays."""

    def grad(x: NDArray[np.float64]) -> NDArray[np.float64]:
        point = torch.tensor(x).requires_grad_()
        return differentiate(f(point), point).detach().numpy()

    return grad


def directional_smoothness(f: Loss, x: ArrayLike) -> float:
    """Return g'Hg / |g|^2 at ``x``: the curvature of ``f`` along its gradient, 0 where that is 0."""
    point = torch.tensor(finite_array("x", x)).requires_grad_()
    g = differentiate(f(point), point)
    squared = (g * g).sum().item()
    return (g * differentiate((g * g).sum() / 2, point)).sum().item() / squared if squared else 0.0
