"""A small network or logistic regression on scikit-learn's digits, and its training in sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

if TYPE_CHECKING:
    from numpy.typing import NDArray

TORCH: dict[str, tuple[Any, dict[str, float]]] = {
    "sgd": (torch.optim.SGD, {}),
    "momentum": (torch.optim.SGD, {"momentum": 0.9}),
    "adam": (torch.optim.Adam, {}),
}


class Digits:
    """A model with ``hidden`` tanh units, 0 for logistic regression, and ``steps`` batches of 32."""

    def __init__(self, seed: int, steps: int, hidden: int) -> None:
        rng = np.random.default_rng(seed)
        digits = load_digits()
        self.X, self.y = torch.tensor(digits.data / 16), torch.tensor(digits.target)  # [1797, 64], [1797]
        self.batches = rng.integers(len(self.y), size=(steps, 32))
        first = [nn.Linear(64, hidden), nn.Tanh()] if hidden else []
        self.model = nn.Sequential(*first, nn.Linear(hidden or 64, 10)).double()
        self.loss = nn.CrossEntropyLoss()
        with torch.no_grad():
            for layer in self.model:
                if isinstance(layer, nn.Linear):
                    width = layer.in_features**-0.5
                    for weights in layer.parameters():  # distributed as torch does, from a seed of ours
                        weights.copy_(torch.tensor(rng.uniform(-width, width, size=weights.shape)))

    def in_sequence(self, base: str, lr: float) -> NDArray[np.float64]:
        """Return the weights after one step of torch's own optimizer per batch; the model stays as it is."""
        start = nn.utils.parameters_to_vector(self.model.parameters()).detach().clone()
        kind, settings = TORCH[base]
        optimizer = kind(self.model.parameters(), lr=lr, **settings)
        for batch in torch.tensor(self.batches):
            optimizer.zero_grad()
            self.loss(self.model(self.X[batch]), self.y[batch]).backward()
            optimizer.step()
        w = nn.utils.parameters_to_vector(self.model.parameters()).detach().clone()
        nn.utils.vector_to_parameters(start, self.model.parameters())
        return w.numpy()

    def loss_at(self, w: NDArray[np.float64]) -> float:
        """Return the loss of weights ``w`` on all digits."""
        start = nn.utils.parameters_to_vector(self.model.parameters()).detach().clone()
        nn.utils.vector_to_parameters(torch.tensor(w), self.model.parameters())
        with torch.no_grad():
            loss = float(self.loss(self.model(self.X), self.y))
        nn.utils.vector_to_parameters(start, self.model.parameters())
        return loss
