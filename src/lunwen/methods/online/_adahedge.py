"""AdaHedge, the learner of experts whose losses have any scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


LEAST = 1e-200  # a gap below this is none: the rate, its inverse, would be no number


class AdaHedge:
    """Exponential weights over ``n`` experts whose rate follows from the losses, of any scale and sign.

    Source: de Rooij, van Erven, Gruenwald, Koolen (2014), Figure 1.
    """

    def __init__(self, n: int) -> None:
        if not isinstance(n, int | np.integer) or n < 2:
            raise UsageError(f"n={n} experts; a choice needs 2 or more. Give a whole number, n >= 2")
        self.n = n
        self.loss = np.zeros(n)  # cumulative
        self.gap = 0.0  # cumulative mixability gap; the rate is ln n / gap

    def weights(self) -> Floats:
        """Return the weights of the coming round."""  # (n,)
        above = self.loss - self.loss[self.loss.argmin()]  # quicker than min()
        w = np.exp(-math.log(self.n) / self.gap * above) if self.gap > LEAST else (above == 0).astype(float)
        return np.asarray(w / w.sum())

    def update(self, loss: Floats, p: Floats) -> None:
        """Take in the losses of a round that was played with weights ``p``."""
        likely = loss[p > 0]
        best = likely[likely.argmin()]
        mix = best
        if self.gap > LEAST:
            rate = math.log(self.n) / self.gap
            mix -= math.log(p @ np.exp(np.minimum(-rate * (loss - best), 0))) / rate
        self.gap += max(0.0, float(p @ loss - mix))
        self.loss += loss
