"""AdaHedge, the learner of experts whose losses have any scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import UsageError
from lunwen.methods._given import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST = 1e-150  # a smaller gap is none: the rate, its inverse, times a loss would be no number


class AdaHedge:
    """Exponential weights over ``n`` experts whose rate follows from the losses, of any scale and sign.

    Source: de Rooij, van Erven, Gruenwald, Koolen (2014), Figure 1.

    Args:
        n: how many experts.
        games: the shape of the games that are played at once; arrays have it before the experts' axis.
    """

    def __init__(self, n: int, games: tuple[int, ...] = ()) -> None:
        if not isinstance(games, tuple):
            raise UsageError(f"games is {games!r}. Give a tuple, such as (3,)")
        self.loss = np.zeros((*games, whole("n", n, least=2, hint="a choice needs two")))  # cumulative
        self.gap = np.zeros((*games, 1))  # cumulative mixability gap

    @property
    def rate(self) -> Floats:
        """The learning rate, infinite but for rounding while there is no gap."""
        return math.log(self.loss.shape[-1]) / np.maximum(self.gap, LEAST)

    def weights(self) -> Floats:
        """Return the weights of the coming round."""  # (..., n)
        w = np.exp(-self.rate * (self.loss - self.loss.min(axis=-1, keepdims=True)))
        return np.asarray(w / w.sum(axis=-1, keepdims=True))

    def update(self, loss: Floats, p: Floats) -> None:
        """Take in the losses of a round that was played with weights ``p``."""
        best = np.where(p > 0, loss, np.inf).min(axis=-1, keepdims=True)
        likely = p * np.exp(np.minimum(-self.rate * (loss - best), 0))
        mix = best - np.log(likely.sum(axis=-1, keepdims=True)) / self.rate
        self.gap += np.maximum((p * loss).sum(axis=-1, keepdims=True) - mix, 0)
        self.loss += loss
