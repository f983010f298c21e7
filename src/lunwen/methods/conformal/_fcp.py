"""Feature conformal prediction as it was first, and what its fast form shares with it."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from torch import nn

from lunwen.errors import CouldNot, LimitError, UsageError
from lunwen.methods.conformal._given import rows, targets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    Floats = NDArray[np.float64]

MOST = 200  # steps of a descent; authors' code


class FeatureConformal(BaseEstimator):  # type: ignore[misc]
    """What the estimators below share: frozen copies of the network, and features of rows."""

    encoder: nn.Module
    head: nn.Module
    alpha: float

    def freeze(self) -> None:
        """Copy the network in evaluation mode: training it later leaves what was calibrated as it is."""
        for name, part in (("encoder", self.encoder), ("head", self.head)):
            if not isinstance(part, nn.Module):
                raise UsageError(
                    f"{name} is {type(part).__name__}. Give a torch.nn.Module; nn.Identity() for none"
                )
        if not 0 < self.alpha < 1:
            raise LimitError(f"alpha is {self.alpha}. Allowed: between 0 and 1. For 90 % coverage give 0.1")
        self.encoder_, self.head_ = (
            copy.deepcopy(part).eval().requires_grad_(False) for part in (self.encoder, self.head)
        )

    def features_of(self, X: NDArray[Any]) -> Tensor:
        like = next(iter([*self.encoder_.parameters(), *self.head_.parameters()]), torch.empty(0))
        with torch.no_grad():
            return self.encoder_(torch.as_tensor(X, dtype=like.dtype, device=like.device))  # type: ignore[no-any-return]

    def calibrated_features(self, X: ArrayLike) -> Tensor:
        if not hasattr(self, "quantile_"):
            raise NotFittedError(f"{type(self).__name__} is not calibrated yet. Call calibrate(X, y) first")
        return self.features_of(rows(X))


class BandConformal(FeatureConformal):
    """Prediction bands by a score of features and answers, and a band for each quantile of it."""

    ball: float

    def score(self, v: Tensor, y: Tensor) -> Tensor:
        """Return the score of each row, shape (n,), from features and answers (n, m)."""
        raise NotImplementedError

    def band(self, v: Tensor, Q: float) -> tuple[Tensor, Tensor]:
        """Return both ends of each row's band, shape (n, m), for the quantile Q."""
        raise NotImplementedError

    def calibrate(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Score rows that the network was not fitted on.

        Raises:
            UsageError: rows that are no numbers, a network that does not fit them, or too few for alpha.
        """
        self.freeze()
        if not self.ball >= 1:
            raise LimitError(f"ball is {self.ball}. Allowed: a norm of 1 or more, math.inf too")
        given = rows(X)
        wanted = targets(y, len(given))
        v = self.features_of(given)
        outputs = outputs_of(self.head_, v).shape[1]
        if outputs != (1 if wanted.ndim == 1 else wanted.shape[1]):
            raise UsageError(
                f"y has shape {wanted.shape}, the head gives {outputs} outputs. Give a column for each"
            )
        self._flat = wanted.ndim == 1
        scores = self.score(v, torch.as_tensor(wanted, dtype=v.dtype, device=v.device).reshape(-1, outputs))
        self.scores_ = scores.cpu().numpy().astype(np.float64)
        self.quantile_ = quantile(self.scores_, self.alpha)
        return self

    def predict_interval(self, X: ArrayLike) -> tuple[Floats, Floats]:
        """Return the lower and the upper end of each row's band, of the shape of y.

        Raises:
            NotFittedError: calibrate was not called.
            UsageError: X holds no rows of numbers.
        """
        ends = self.band(self.calibrated_features(X), self.quantile_)
        low, high = (end.cpu().numpy().astype(np.float64) for end in ends)
        return (low[:, 0], high[:, 0]) if self._flat else (low, high)


class FeatureConformalRegressor(BandConformal):
    """Prediction bands by descent in the features and bounds through the head: FCP, the slow original.

    Args:
        encoder: from rows to features, fitted on other rows than those of ``calibrate``.
        head: a Sequential of linear layers and activations that only grow.
        alpha: the share of true answers that may lie outside their band.
        ball: the norm in which features are close; authors' code: inf.
        steps: of the descent; None: the first number whose bands cover a fifth of the calibration rows.
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

    def score(self, v: Tensor, y: Tensor) -> Tensor:
        self.steps_ = self.steps or self._enough_steps(v, y)
        distances = [distance for _, distance in zip(range(self.steps_), self._descent(v, y), strict=False)][
            -1
        ]
        if not torch.isfinite(distances).all():
            raise CouldNot(f"the descent diverged with lr {self.lr}. Give a smaller lr")
        return distances

    def band(self, v: Tensor, Q: float) -> tuple[Tensor, Tensor]:
        return ball_bounds(self.head_, v, Q, ball=self.ball)

    def _descent(self, v: Tensor, y: Tensor) -> Iterator[Tensor]:
        """Yield how far from v the features are that give y, after 1, 2, ... steps."""
        u = v.clone()
        while True:
            u.requires_grad_()
            loss = (outputs_of(self.head_, u) - y).square().sum()
            u = (u - self.lr * torch.autograd.grad(loss, u)[0]).detach()
            yield (u - v).flatten(1).norm(self.ball, dim=1)

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
            raise LimitError(
                f"{len(v)} calibration rows were given. Allowed: 5 or more, unless steps is given"
            )
        order = torch.from_numpy(np.random.default_rng(self.random_state).permutation(len(v)))
        held, others = order[:fifth], order[fifth:]
        descent = self._descent(v[others], y[others])
        for step, distances in zip(range(1, MOST + 1), descent, strict=False):
            Q = quantile(distances.cpu().numpy().astype(np.float64), self.alpha)
            low, high = self.band(v[held], Q)
            inside = ((low <= y[held]) & (y[held] <= high)).all(dim=1)
            if float(inside.double().mean()) >= 1 - self.alpha:
                yield step


def ball_bounds(
    head: nn.Module, v: Tensor, radius: float, *, ball: float = math.inf
) -> tuple[Tensor, Tensor]:
    """Return bounds of the head over all features within ``radius`` of v, by interval bound propagation.

    Raises:
        UsageError: the head is not made of linear layers and activations that only grow.
    """
    layers = [layer for layer in head.modules() if not isinstance(layer, nn.Sequential)]
    low, high = v - radius, v + radius
    for number, layer in enumerate(layers):
        if isinstance(layer, nn.Linear):
            middle = layer((low + high) / 2)
            if number == 0:  # the ball itself, by the dual norm of each row of weights
                half = radius * layer.weight.norm(dual(ball), dim=1)
            else:
                half = (high - low) / 2 @ layer.weight.abs().T
            low, high = middle - half, middle + half
        elif isinstance(layer, (nn.ReLU, nn.LeakyReLU, nn.Tanh, nn.Sigmoid, nn.Identity, nn.Dropout)):
            low, high = layer(low), layer(high)
        else:
            raise UsageError(
                f"the head holds {type(layer).__name__}, which FCP cannot bound. Allowed: a Sequential of "
                "Linear, ReLU, LeakyReLU, Tanh, Sigmoid. FastFeatureConformalRegressor takes any head"
            )
    return low, high


def dual(ball: float) -> float:
    """Return the order of the norm that is dual to the one of order ``ball``."""
    return 1.0 if math.isinf(ball) else math.inf if ball == 1 else ball / (ball - 1)


def outputs_of(head: nn.Module, v: Tensor) -> Tensor:
    outputs = head(v)
    if outputs.ndim not in {1, 2} or len(outputs) != len(v):
        shape = tuple(outputs.shape)
        raise UsageError(
            f"the head gives shape {shape} for {len(v)} rows. Allowed: (rows,) or (rows, outputs)"
        )
    return outputs.reshape(len(v), -1)  # type: ignore[no-any-return]


def quantile(scores: Floats, alpha: float) -> float:
    """Return the ceil((n + 1)(1 - alpha))-th smallest score."""
    n = len(scores)
    rank = math.ceil((n + 1) * (1 - alpha) - 1e-9)  # 0.9 * 10 shall be 9
    if rank > n:
        least = math.ceil(1 / alpha - 1e-9) - 1
        raise LimitError(
            f"alpha {alpha} needs {least} calibration rows, {n} were given. Give more, or a larger alpha"
        )
    return float(np.partition(scores, rank - 1)[rank - 1])
