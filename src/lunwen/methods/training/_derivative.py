"""Derivatives of a loss in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import functional_call, grad, vmap

from lunwen.errors import UsageError
from lunwen.methods.training._given import finite_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from torch import nn

Array = NDArray[np.float64]
Loss = Callable[[Tensor], Tensor]


def differentiate(value: Tensor, x: Tensor) -> Tensor:
    """Return the gradient of a scalar at ``x``, which can be differentiated again.

    Raises:
        UsageError: it is no scalar of torch.
    """
    if not isinstance(value, Tensor) or value.numel() != 1:
        given = f"shape {tuple(value.shape)}" if isinstance(value, Tensor) else type(value).__name__
        raise UsageError(f"the loss returned {given}. Return one number as a tensor of torch")
    if not value.requires_grad:  # what does not depend on x
        return torch.zeros_like(x)
    (result,) = torch.autograd.grad(value, x, create_graph=True, allow_unused=True, materialize_grads=True)
    return result


def gradient(f: Loss) -> Callable[[Array], Array]:
    """Return the gradient of a loss in torch as a function of arrays."""

    def gradient_at(x: Array) -> Array:
        point = torch.tensor(x, dtype=torch.float64).requires_grad_()
        return differentiate(f(point), point).detach().numpy()

    return gradient_at


def directional_smoothness(f: Loss, x: ArrayLike) -> float:
    """Return g'Hg / |g|^2 at ``x``: the curvature of ``f`` along its gradient, 0 where that is 0."""
    point = torch.tensor(finite_array("x", x)).requires_grad_()
    g = differentiate(f(point), point)
    squared = (g * g).sum().item()
    return (g * differentiate((g * g).sum() / 2, point)).sum().item() / squared if squared else 0.0


def gradients_of(
    module: nn.Module, loss: Callable[[Tensor, Tensor], Tensor], X: Tensor, y: Tensor
) -> tuple[Callable[[Array, NDArray[np.int64]], Array], Array]:
    """Return many gradients at once of a torch module on rows of ``X`` and ``y``, and its weights [P].

    The function maps W [p, P] and p batches, each a row of sample numbers, to G [p, P]. Weights that need no
    gradient are left out; the module itself stays as it is.
    """
    named = {name: value.detach() for name, value in module.named_parameters() if value.requires_grad}
    sizes = [value.numel() for value in named.values()]

    def value(w: Tensor, batch: Tensor) -> Tensor:
        parts = zip(named.items(), torch.split(w, sizes), strict=True)
        weights = {name: part.reshape(like.shape).to(like.dtype) for (name, like), part in parts}
        return loss(functional_call(module, weights, (X[batch],)), y[batch])

    batched = vmap(grad(value))

    def grad_fn(W: Array, batches: NDArray[np.int64]) -> Array:
        G: Array = batched(torch.tensor(W), torch.as_tensor(np.asarray(batches))).numpy()
        return G

    return grad_fn, torch.cat([one.flatten() for one in named.values()]).double().numpy()
