"""Feature conformal prediction as it was first: FCP, the baseline of the fast form."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

import torch
from torch import nn

from lunwen.errors import CouldNot, LimitError, UsageError
from lunwen.methods._given import number, whole
from lunwen.methods.conformal._split import BandConformal, dual, floating, generator, outputs_of, quantile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

MOST = 200  # steps of a descent; authors' code


class FeatureConformalRegressor(BandConformal):
    """Prediction bands by descent in the features and bounds through the head: FCP, the slow original.

    Args:
        encoder: from rows to features, fitted on other rows than those of ``calibrate``.
        head: a Sequential of linear layers and activations that only grow; fitted to y of mean size about 1.
        alpha: the share of true answers that may lie outside their band.
        ball: the norm in which features are close; authors' code: inf.
        steps: of the descent; None: the first number whose bands cover a fifth of the calibration rows,
            which is scored with the others afterwards (authors' code), so coverage is not exact.
        lr: of the descent; authors' code: 1e-2.
        random_state: chooses that fifth.

    Attributes:
        steps_: the number of steps that was taken.
    """

    def __init__(
        self,
        encoder: nn.Module,
        head: nn.Module,
        alpha: float = 0.1,
        *,
        ball: float = math.inf,
        steps: int | None = None,
        lr: float = 1e-2,
        random_state: int | None = None,
    ) -> None:
        self.encoder = encoder
        self.head = head
        self.alpha = alpha
        self.ball = ball
        self.steps = steps
        self.lr = lr
        self.random_state = random_state

    @torch.enable_grad()
    def scores_of(self, v: Tensor, y: Tensor) -> Tensor:
        """Return how far the descent goes from each row's features, shape (n,)."""
        number("lr", self.lr, above=0)
        self.band(v, 0.0)  # a head that cannot be bounded is refused before the descent
        self.steps_ = self._enough_steps(v, y) if self.steps is None else whole("steps", self.steps)
        return next(islice(self._descent(v, y), self.steps_ - 1, None))

    def band(self, v: Tensor, Q: float) -> tuple[Tensor, Tensor]:
        """Return bounds of the head over the ball of radius Q, shape (n, m)."""
        return ball_bounds(self.head_, v, Q, ball=self.ball)

    def _descent(self, v: Tensor, y: Tensor) -> Iterator[Tensor]:
        """Yield how far the descent has gone from v towards features that give y, after 1, 2, ... steps."""
        u = v.clone().requires_grad_()
        off = start = outputs_of(self.head_, u) - y
        while True:
            u = (u - self.lr * torch.autograd.grad(off.square().sum(), u)[0]).detach().requires_grad_()
            off = outputs_of(self.head_, u) - y
            if not off.abs().median() <= start.abs().median():  # NaN is no better
                raise CouldNot(
                    f"the descent moves away from y with lr {self.lr}. Give a smaller lr, or fit the network "
                    "to y divided by its mean size"
                )
            yield (u.detach() - v).flatten(1).norm(self.ball, dim=1)

    def _enough_steps(self, v: Tensor, y: Tensor) -> int:
        step = next(self._covering(v, y), None)
        if step is None:
            raise CouldNot(
                f"no descent of {MOST} steps covers the held-out fifth. Give a larger lr, or steps"
            )
        return step

    def _covering(self, v: Tensor, y: Tensor) -> Iterator[int]:
        """Yield each number of steps whose bands cover enough of a held-out fifth."""
        fifth = len(v) // 5
        if fifth == 0:
            raise LimitError(f"{len(v)} calibration rows were given. Give at least 5, or steps")
        order = torch.from_numpy(generator(self.random_state).permutation(len(v)))
        held, others = order[:fifth], order[fifth:]
        descent = self._descent(v[others], y[others])
        for step, distances in zip(range(1, MOST + 1), descent, strict=False):
            Q = quantile(distances.cpu().numpy(), self.alpha)
            low, high = self.band(v[held], Q)
            inside = ((low <= y[held]) & (y[held] <= high)).all(dim=1)
            if float(inside.double().mean()) >= 1 - self.alpha:
                yield step


class SearchingAll(FeatureConformalRegressor):
    """FCP as in its authors' code: it tries all numbers of steps, then takes the first that covers."""

    def _covering(self, v: Tensor, y: Tensor) -> Iterator[int]:
        yield from list(super()._covering(v, y))


def ball_bounds(
    head: nn.Module, v: Tensor, radius: float, *, ball: float = math.inf
) -> tuple[Tensor, Tensor]:
    """Return bounds of the head over all features within ``radius`` of v, by interval bound propagation.

    Raises:
        UsageError: the head is not made of linear layers and activations that only grow, or does not take v.
    """
    number("radius", radius, least=0)
    floating(v)
    low, high = v - radius, v + radius
    for place, layer in enumerate(_layers(head)):
        if isinstance(layer, nn.Linear):
            if low.shape[-1] != layer.in_features:
                raise UsageError(
                    f"a layer of the head takes {layer.in_features} features, {low.shape[-1]} come to it. "
                    "Give the encoder and the head of one network"
                )
            middle = layer((low + high) / 2)
            if place == 0:  # the ball itself, by the dual norm of each row of weights
                half = radius * layer.weight.norm(dual(ball), dim=1)
            else:
                half = (high - low) / 2 @ layer.weight.abs().T
            low, high = middle - half, middle + half
        elif isinstance(layer, (nn.ReLU, nn.LeakyReLU, nn.Tanh, nn.Sigmoid, nn.Identity, nn.Dropout)):
            low, high = layer(low), layer(high)
        else:
            raise UsageError(
                f"the head holds {type(layer).__name__}, which FCP cannot bound. Give a Sequential of "
                "Linear, ReLU, LeakyReLU, Tanh, Sigmoid; FastFeatureConformalRegressor takes any head"
            )
    return low, high


def _layers(head: nn.Module) -> Iterator[nn.Module]:
    """Yield the layers in the order in which they work; one may stand at several places."""
    if isinstance(head, nn.Sequential):
        for part in head:
            yield from _layers(part)
    else:
        yield head
