"""A small network or logistic regression on scikit-learn's digits, trained in sequence and in parallel."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from lunwen.methods.training._derivative import gradients_of

if TYPE_CHECKING:
    from lunwen.methods.training._derivative import Array

CENTRED = "centred pixels"
INPUTS = (CENTRED, "pixels / 16")
DISTANCE = "distance to w_T over the way from w_0"
MODELS = {"network": 32, "logistic regression": 0}  # tanh units
LRS = {"sgd": 0.05, "momentum": 0.01, "adam": 1e-3}
TORCH: dict[str, tuple[Any, dict[str, float]]] = {
    "sgd": (torch.optim.SGD, {}),
    "momentum": (torch.optim.SGD, {"momentum": 0.9}),
    "adam": (torch.optim.Adam, {}),
}
HELD_OUT = 500


class Digits:
    """A model with ``hidden`` tanh units, 0 for logistic regression, and ``steps`` batches of 32.

    Its ``problem`` is what StepParallelOptimizer.run takes: gradients, first weights, batches.
    """

    def __init__(self, seed: int, steps: int, hidden: int = 32, inputs: str = CENTRED) -> None:
        rng = np.random.default_rng(seed)
        pixels, labels = _digits()
        order = rng.permutation(len(labels))
        X, y = torch.tensor(pixels[order] / 16), torch.tensor(labels[order])  # [1797, 64], [1797]
        if inputs == CENTRED:
            X = X - X[HELD_OUT:].mean(dim=0)
        self.held_out = X[:HELD_OUT], y[:HELD_OUT]
        self.X, self.y = X[HELD_OUT:], y[HELD_OUT:]
        batches = rng.integers(len(self.y), size=(steps, 32))
        first = [nn.Linear(64, hidden), nn.Tanh()] if hidden else []
        self.model = nn.Sequential(*first, nn.Linear(hidden or 64, 10)).double()
        self.loss = nn.CrossEntropyLoss()
        with torch.no_grad():
            for layer in self.model:
                if isinstance(layer, nn.Linear):
                    width = layer.in_features**-0.5
                    for weights in layer.parameters():  # distributed as torch does, from a seed of ours
                        weights.copy_(torch.tensor(rng.uniform(-width, width, size=weights.shape)))
        self.problem = *gradients_of(self.model, self.loss, self.X, self.y), batches

    def in_sequence(self, base: str, lr: float) -> Array:
        """Return the weights after one step of torch's own optimizer per batch."""
        self._load(self.problem[1])
        kind, settings = TORCH[base]
        optimizer = kind(self.model.parameters(), lr=lr, **settings)
        for batch in torch.tensor(self.problem[2]):
            optimizer.zero_grad()
            self.loss(self.model(self.X[batch]), self.y[batch]).backward()
            optimizer.step()
        w: Array = parameters_to_vector(self.model.parameters()).detach().clone().numpy()
        return w

    def differences(self, w: Array, exact: Array) -> dict[str, float]:
        """Return how far weights ``w`` and their model are from ``exact`` and its model."""
        (loss, right), (exact_loss, exact_right) = self._quality(w), self._quality(exact)
        return {
            DISTANCE: float(np.linalg.norm(w - exact) / np.linalg.norm(exact - self.problem[1])),
            "relative change of the loss": abs(loss / exact_loss - 1),
            "change of the accuracy on held-out digits": abs(right - exact_right),
        }

    def largest_curvature(self, w: Array) -> float:
        """Return the largest eigenvalue of the Hessian of the training loss at ``w``, by the power method."""
        self._load(w)
        parameters = list(self.model.parameters())
        loss = self.loss(self.model(self.X), self.y)
        g = parameters_to_vector(torch.autograd.grad(loss, parameters, create_graph=True))
        v, value = torch.ones_like(g), 0.0
        for _ in range(20):
            v = v.detach() / v.norm()
            v = parameters_to_vector(torch.autograd.grad((g * v).sum(), parameters, retain_graph=True))
            value = float(v.norm())
        return value

    def _quality(self, w: Array) -> tuple[float, float]:
        """Return the loss on the training digits, and the accuracy on the held-out ones."""
        self._load(w)
        X, y = self.held_out
        with torch.no_grad():
            right = (self.model(X).argmax(dim=1) == y).double().mean()
            return float(self.loss(self.model(self.X), self.y)), float(right)

    def _load(self, w: Array) -> None:
        vector_to_parameters(torch.tensor(w), self.model.parameters())


@cache
def _digits() -> tuple[Array, Array]:
    pixels, labels = load_digits(return_X_y=True)
    return pixels, labels
