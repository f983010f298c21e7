"""Split conformal prediction around a network in two parts: what the fast and the slow method share."""

from __future__ import annotations

import copy
import math
from numbers import Real
from typing import TYPE_CHECKING, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from torch import nn

from lunwen.errors import CouldNot, LimitError, UsageError
from lunwen.methods.conformal._given import at_least, rows, targets

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    Floats = NDArray[np.float64]


class FeatureConformal(BaseEstimator):  # type: ignore[misc]
    """What the estimators below share: frozen copies of the network, and features of rows."""

    encoder: nn.Module
    head: nn.Module
    alpha: float
    encoder_: nn.Module
    head_: nn.Module

    def freeze(self) -> None:
        """Copy the network in evaluation mode: training it later leaves what was calibrated as it is."""
        for name, part in (("encoder", self.encoder), ("head", self.head)):
            if not isinstance(part, nn.Module):
                raise UsageError(
                    f"{name} is {type(part).__name__}. Give a torch.nn.Module; nn.Identity() for none"
                )
        if not isinstance(self.alpha, Real) or not 0 < self.alpha < 1:
            raise LimitError(f"alpha is {self.alpha}. Allowed: between 0 and 1. For 90 % coverage give 0.1")
        self.encoder_, self.head_ = (
            copy.deepcopy(part).eval().requires_grad_(False) for part in (self.encoder, self.head)
        )

    def features_of(self, X: NDArray[Any]) -> Tensor:
        like = next(iter([*self.encoder_.parameters(), *self.head_.parameters()]), torch.empty(0))
        inputs = torch.tensor(X, dtype=like.dtype, device=like.device)
        try:
            with torch.no_grad():
                return self.encoder_(inputs)  # type: ignore[no-any-return]
        except RuntimeError as error:
            raise UsageError(
                f"the encoder does not take X of shape {X.shape}. Give the columns it was fitted on"
            ) from error

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
        at_least(self.ball, "ball", 1)
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
        self.scores_ = finite(scores)
        self.quantile_ = quantile(self.scores_, self.alpha)
        return self

    def predict_interval(self, X: ArrayLike) -> tuple[Floats, Floats]:
        """Return the lower and the upper end of each row's band, of the shape of y.

        Raises:
            NotFittedError: calibrate was not called.
            UsageError: X holds no rows of numbers.
        """
        ends = self.band(self.calibrated_features(X), self.quantile_)
        low, high = map(finite, ends)
        return (low[:, 0], high[:, 0]) if self._flat else (low, high)


def finite(values: Tensor) -> Floats:
    """Return what a network gave as float64.

    Raises:
        CouldNot: it is not finite.
    """
    if not torch.isfinite(values).all():
        raise CouldNot(
            f"the network or y goes beyond {values.dtype}, or the network gives NaN. "
            "Scale X and y, or train the network with a smaller learning rate"
        )
    return values.cpu().numpy().astype(np.float64)


def outputs_of(head: nn.Module, v: Tensor) -> Tensor:
    """Return the head's outputs, shape (n, m).

    Raises:
        UsageError: it does not take these features, or gives something else.
    """
    try:
        outputs = head(v)
    except RuntimeError as error:
        raise UsageError(
            f"the head does not take features of shape {tuple(v.shape)}. Give the columns that the encoder "
            "was fitted on, and the head that belongs to it"
        ) from error
    if outputs.ndim not in {1, 2} or len(outputs) != len(v):
        shape = tuple(outputs.shape)
        raise UsageError(
            f"the head gives shape {shape} for {len(v)} rows. Allowed: (rows,) or (rows, outputs)"
        )
    return outputs.reshape(len(v), -1)  # type: ignore[no-any-return]


def quantile(scores: Floats, alpha: float) -> float:
    """Return the ceil((n + 1)(1 - alpha))-th smallest score."""
    n = len(scores)
    rank = max(1, math.ceil((n + 1) * (1 - alpha) - 1e-9))  # 0.9 * 10 shall be 9
    if rank > n:
        least = math.ceil(1 / alpha - 1e-9) - 1
        raise LimitError(
            f"alpha {alpha} needs {least} calibration rows, {n} were given. Give more, or a larger alpha"
        )
    return float(np.partition(scores, rank - 1)[rank - 1])


def dual(ball: float) -> float:
    """Return the order of the norm that is dual to the one of order ``ball``, 1 or more."""
    at_least(ball, "ball", 1)
    return 1.0 if math.isinf(ball) else math.inf if ball == 1 else ball / (ball - 1)
