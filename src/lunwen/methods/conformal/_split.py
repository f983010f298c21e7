"""Split conformal prediction around a network in two parts: what the fast and the slow method share."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import NotFittedError
from torch import nn

from lunwen.errors import CouldNot, LimitError, UsageError
from lunwen.methods._given import array, level, number, whole

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
        level(self.alpha)
        with torch.no_grad():  # a scripted module's copied weights would be part of a graph
            self.encoder_, self.head_ = (copy.deepcopy(part).eval() for part in (self.encoder, self.head))
        for weight in [*self.encoder_.parameters(), *self.head_.parameters()]:
            weight.requires_grad_(False)

    def inputs_of(self, X: Floats) -> Tensor:
        like = next(iter([*self.encoder_.parameters(), *self.head_.parameters()]), torch.empty(0))
        return torch.tensor(X, dtype=like.dtype, device=like.device)

    def features_of(self, inputs: Tensor) -> Tensor:
        with torch.no_grad():
            return _given_by(self.encoder_, inputs, "encoder", "Give the columns that it was fitted on")

    def check_calibrated(self) -> None:
        if not hasattr(self, "quantile_"):
            raise NotFittedError(f"{type(self).__name__} is not calibrated yet. Call calibrate(X, y) first")


class BandConformal(RegressorMixin, FeatureConformal):  # type: ignore[misc]
    """Prediction bands by a score of features and answers, and a band for each quantile of it."""

    ball: float
    ends: ClassVar[int] = 1  # outputs of the head for each answer

    def scores_of(self, v: Tensor, y: Tensor) -> Tensor:
        """Return the score of each row, shape (n,), from features and answers (n, m)."""
        raise NotImplementedError

    def band(self, v: Tensor, Q: float) -> tuple[Tensor, Tensor]:
        """Return both ends of each row's band, shape (n, m), for the quantile Q."""
        raise NotImplementedError

    @torch.inference_mode(False)
    def calibrate(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Score rows that the network was not fitted on.

        Raises:
            UsageError: rows that are no numbers, a network that does not fit them, or too few for alpha.
            CouldNot: numbers that are no use, such as a network's that gives NaN.
        """
        self.freeze()
        dual(self.ball)
        given, wanted = rows(X), array("y", y)
        if wanted.ndim not in {1, 2} or len(wanted) != len(given):
            raise UsageError(
                f"y has shape {wanted.shape} for {len(given)} rows of X. Give one row of y for each"
            )
        v = self.features_of(self.inputs_of(given))
        self._flat = wanted.ndim == 1
        answers = wanted.reshape(len(given), -1)
        outputs = outputs_of(self.head_, v).shape[1]
        if outputs != self.ends * answers.shape[1]:
            raise UsageError(
                f"y has shape {wanted.shape}, the head gives {outputs} outputs. "
                f"Give a head with {self.ends} for each column of y"
            )
        self.scores_ = finite(self.scores_of(v, torch.as_tensor(answers, dtype=v.dtype, device=v.device)))
        self.quantile_ = quantile(self.scores_, self.alpha)
        return self

    fit = calibrate  # the name by which cross-validation calls it

    @torch.inference_mode(False)
    def predict_interval(self, X: ArrayLike) -> tuple[Floats, Floats]:
        """Return the lower and the upper end of each row's band, of the shape of y.

        Raises:
            NotFittedError: calibrate was not called.
            UsageError: X holds no rows of numbers that the network takes.
        """
        self.check_calibrated()
        low, high = map(finite, self.band(self.features_of(self.inputs_of(rows(X))), self.quantile_))
        return (low[:, 0], high[:, 0]) if self._flat else (low, high)

    def predict(self, X: ArrayLike) -> Floats:
        """Return the middle of each row's band, of the shape of y.

        Raises:
            NotFittedError: calibrate was not called.
            UsageError: X holds no rows of numbers that the network takes.
        """
        return np.asarray(np.mean(self.predict_interval(X), axis=0))


def rows(X: ArrayLike) -> Floats:
    """Return X as finite numbers of at least two dimensions.

    Raises:
        UsageError: it is none.
    """
    given = array("X", X)
    if given.ndim < 2:
        raise UsageError(f"X has shape {given.shape}. Give shape (rows, columns), or more dimensions")
    return given


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
    return values.double().cpu().numpy()


def floating(v: Tensor) -> None:
    """Check features.

    Raises:
        UsageError: they are no tensor of floating point numbers.
    """
    if not isinstance(v, torch.Tensor) or not v.is_floating_point():
        raise UsageError(
            f"v is {getattr(v, 'dtype', type(v).__name__)}. Give a tensor of floating point numbers"
        )


def outputs_of(head: nn.Module, v: Tensor) -> Tensor:
    """Return the head's outputs, shape (n, m).

    Raises:
        UsageError: it does not take these features, or gives something else.
    """
    outputs = _given_by(head, v, "head", "Give the encoder and the head of one network")
    if outputs.ndim > 2:
        raise UsageError(
            f"the head gives shape {tuple(outputs.shape)}. Give one that gives (rows,) or (rows, outputs)"
        )
    return outputs.reshape(len(v), -1)


def _given_by(part: nn.Module, inputs: Tensor, name: str, hint: str) -> Tensor:
    try:
        outputs: Any = part(inputs.clone())  # a first layer that works in place would change what is kept
    except (AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        why = str(error).split("\n", 1)[0].rstrip(".:")
        raise UsageError(f"the {name} does not take shape {tuple(inputs.shape)}: {why}. {hint}") from error
    if not isinstance(outputs, torch.Tensor) or outputs.ndim == 0 or len(outputs) != len(inputs):
        gives = (
            f"shape {tuple(outputs.shape)}" if isinstance(outputs, torch.Tensor) else type(outputs).__name__
        )
        raise UsageError(
            f"the {name} gives {gives} for {len(inputs)} rows. Give one that gives a tensor of a row for each"
        )
    return outputs


def quantile(scores: Floats, alpha: float) -> float:
    """Return the ceil((n + 1)(1 - alpha))-th smallest score.

    Raises:
        LimitError: there are fewer.
    """
    n = len(scores)
    rank = max(1, math.ceil((n + 1) * (1 - alpha) - 1e-9))  # 0.9 * 10 shall be 9
    if rank > n:
        least = math.ceil(1 / alpha - 1e-9) - 1
        raise LimitError(
            f"alpha {alpha} needs {least} calibration rows, {n} were given. Give more, or a larger alpha"
        )
    return float(np.partition(scores, rank - 1)[rank - 1])


def dual(ball: float) -> float:
    """Return the order of the norm that is dual to the one of order ``ball``.

    Raises:
        LimitError: it is not 1 or more; infinity is.
    """
    if ball == math.inf:
        return 1.0
    order = number("ball", ball, least=1, hint="or math.inf")
    return math.inf if order == 1 else order / (order - 1)


def generator(random_state: int | None) -> np.random.Generator:
    """Return what draws.

    Raises:
        LimitError: the seed is no whole number.
    """
    given = random_state is None
    return np.random.default_rng(None if given else whole("random_state", random_state, least=0))
