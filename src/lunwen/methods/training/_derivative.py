"""Derivatives of a loss in torch, and what a user's own function of gradients returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import functional_call, grad, vmap

from lunwen.errors import UsageError
from lunwen.methods._given import array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from torch import nn

Array = NDArray[np.float64]
Loss = Callable[[Tensor], Tensor]
STOPPED = (RuntimeError, TypeError, ValueError, IndexError, AttributeError)


def function(name: str, value: object) -> None:
    """Refuse what cannot be called.

    Raises:
        UsageError: it cannot.
    """
    if not callable(value):
        raise UsageError(f"{name} is {value!r}. Give a function")


def returned(name: str, values: ArrayLike, like: Array) -> Array:
    """Return what a user's function ``name`` gave as an array of the shape of ``like``; it may not be finite.

    Raises:
        UsageError: it is not numbers, or of another shape.
    """
    found = array(f"what {name} returned", values, finite=False)
    if found.shape != like.shape:
        raise UsageError(f"{name} returned shape {found.shape}. Return shape {like.shape}, that of its input")
    return found


def differentiate(value: Tensor, x: Tensor) -> Tensor:
    """Return the gradient of a scalar at ``x``, which can be differentiated again."""
    if not value.requires_grad:  # what does not depend on x
        return torch.zeros_like(x)
    (result,) = torch.autograd.grad(value, x, create_graph=True, allow_unused=True, materialize_grads=True)
    return result


def loss_gradient(f: Loss, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return ``x`` as a leaf of its own, and the gradient of ``f`` there, which can be differentiated again.

    Raises:
        UsageError: the loss stops with an error, or returns no real scalar of torch.
    """
    function("the loss", f)
    x = x.detach().requires_grad_()
    try:
        value = f(x)
    except STOPPED as error:
        raise UsageError(
            f"the loss stopped at x of shape {tuple(x.shape)}: {_first_line(error)}. "
            "Write it in functions of torch, for a tensor of that shape"
        ) from error
    if not isinstance(value, Tensor) or value.numel() != 1 or value.is_complex():
        given = (
            f"shape {tuple(value.shape)}, {value.dtype}"
            if isinstance(value, Tensor)
            else type(value).__name__
        )
        raise UsageError(f"the loss returned {given}. Return one real number as a tensor of torch")
    return x, differentiate(value, x)


def gradient(f: Loss) -> Callable[[ArrayLike], Array]:
    """Return the gradient of a loss in torch as a function of arrays."""

    def gradient_at(x: ArrayLike) -> Array:
        g: Array = loss_gradient(f, torch.tensor(array("x", x)))[1].detach().numpy()
        return g

    return gradient_at


def directional_smoothness(f: Loss, x: ArrayLike) -> float:
    """Return g'Hg / |g|^2 at ``x``: the curvature of ``f`` along its gradient, 0 where that is 0.

    Raises:
        UsageError: the loss has no finite derivatives there.
    """
    g, Hg = _curvature(f, array("x", x))
    squared = float((g * g).sum())
    along = float((g * Hg).sum()) / squared if squared else 0.0
    if not np.isfinite(along):
        raise UsageError("the derivatives of the loss at x are not finite. Look for NaN in its data, or at 0")
    return along


def smoothness_along(f: Loss, path: Array) -> Array:
    """Return the mean of g'Hg / |g|^2 over a path [steps, seeds, d] of a sum of losses, one per seed."""
    pairs = (_curvature(f, x) for x in path)
    mean: Array = np.mean([(g * Hg).sum(axis=1) / (g * g).sum(axis=1) for g, Hg in pairs], axis=0)
    return mean


def _curvature(f: Loss, at: Array) -> tuple[Array, Array]:
    """Return g and H g."""
    x, g = loss_gradient(f, torch.tensor(at))
    return g.detach().numpy(), differentiate((g * g).sum() / 2, x).detach().numpy()


def gradients_of(
    module: nn.Module, loss: Callable[[Tensor, Tensor], Tensor], X: Any, y: Any
) -> tuple[Callable[[Array, ArrayLike], Array], Array]:
    """Return many gradients at once of a torch module on rows of ``X`` and ``y``, and its weights [P].

    The function maps W [p, P] and p batches, each a row of sample numbers, to G [p, P]. Weights that need no
    gradient are left out; the module itself stays as it is.

    Raises:
        UsageError: nothing to train, ``X`` and ``y`` are no numbers or of different lengths; by the function,
            sample numbers that are none, or a module that cannot run for many weights at once.
    """
    if not hasattr(module, "named_parameters"):
        raise UsageError(f"module is {module!r}. Give a torch.nn.Module")
    function("loss", loss)
    named = {name: value.detach() for name, value in module.named_parameters() if value.requires_grad}
    if not named:
        raise UsageError("the module has no weights that need a gradient. Give one that has some")
    sizes = [value.numel() for value in named.values()]
    dtype = next(iter(named.values())).dtype
    inputs, targets = _tensor("X", X, dtype), _tensor("y", y, dtype)
    if len(inputs) != len(targets):
        raise UsageError(f"X has {len(inputs)} rows, y {len(targets)}. Give as many")

    def value(w: Tensor, batch: Tensor) -> Tensor:
        parts = zip(named.items(), torch.split(w, sizes), strict=True)
        weights = {name: part.reshape(like.shape).to(like.dtype) for (name, like), part in parts}
        return loss(functional_call(module, weights, (inputs[batch],)), targets[batch])

    batched = vmap(grad(value))

    def grad_fn(W: Array, batches: ArrayLike) -> Array:
        rows = array("batches", batches, ndim=2)  # [p, rows of a batch]
        if ((rows % 1 != 0) | (rows < 0) | (rows >= len(inputs))).any():
            raise UsageError(
                f"batches hold what is no row of X. Give whole numbers from 0 to {len(inputs) - 1}"
            )
        try:
            G: Array = batched(torch.tensor(W), torch.tensor(rows.astype(np.int64))).double().numpy()
        except STOPPED as error:
            raise UsageError(
                f"the module or its loss cannot run for many weights at once: {_first_line(error)}. "
                "Give it after module.eval(), a loss of (outputs, targets), and X of the module's width, "
                "as floats unless it holds codes for an embedding"
            ) from error
        return G

    return grad_fn, torch.cat([one.flatten() for one in named.values()]).double().numpy()


def _tensor(name: str, values: Any, dtype: torch.dtype) -> Tensor:
    """Return rows as a tensor in the precision of the weights; whole ones, labels or codes, as integers.

    Tables of mixed columns come as objects, of which only whole targets are taken for labels.
    """
    found = array(name, values)
    if found.ndim == 0:
        raise UsageError(f"{name} is one number. Give one row per sample")
    if isinstance(values, Tensor):
        integers = not (values.is_floating_point() or values.dtype == torch.bool)
    else:
        kind = np.asarray(values).dtype.kind
        integers = kind in "iu" or (kind == "O" and name == "y" and bool((found % 1 == 0).all()))
    return torch.tensor(found).to(torch.int64 if integers else dtype)


def _first_line(error: Exception) -> str:
    return (str(error).strip().split("\n")[0].split(". ")[0] or type(error).__name__).rstrip(". ")
