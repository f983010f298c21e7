"""Synthetic mail whose senders answer the filter; in place of the paper's collections of spam.

A filter marks a mail y as spam where ``w . y + b > 0``. A sender of spam moves three features against the
filter as far as it pays, for the move costs; five others it sets by whim: all within reach of the mail as it
was costs the sender the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy.optimize import minimize

from lunwen.methods.bilevel._problem import BilevelProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    Array = NDArray[np.float64]

COSTLY, WHIMS = 3, 5
WIDTH = COSTLY + WHIMS
PRICE, REACH, RIDGE = 2.0, 1.5, 0.05
WORST, STILL, HOPED = -1.0, 0.0, 1.0  # which way the whims go: against the filter, nowhere, towards it


class Mail:
    """Filters x = (w, b), one for each seed: what answers make of them, and the best that there are."""

    def __init__(self, seeds: Sequence[int], count: int, new: int = 2000) -> None:
        rngs = [np.random.default_rng(seed) for seed in seeds]
        far = [rng.uniform(0.5, 1.5, WIDTH) * rng.choice((-1, 1), WIDTH) for rng in rngs]
        self._far, self._rngs = np.stack(far)[:, None, :], rngs
        self._old, self._new = self._draw(count), self._draw(new)
        spam, ham = (torch.from_numpy(each) for each in self._old)  # (seeds, count, WIDTH)
        self.problem = self._problem(spam, ham)
        self.x0 = np.full(len(rngs) * (WIDTH + 1), 0.1)
        self.y0 = self._old[0].ravel()

    def _draw(self, count: int) -> tuple[Array, Array]:
        spam, ham = np.stack([rng.standard_normal((2, count, WIDTH)) for rng in self._rngs], axis=1)
        return spam + self._far / 2, ham - self._far / 2

    @staticmethod
    def _problem(spam: Tensor, ham: Tensor) -> BilevelProblem:
        def parts(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            x = x.reshape(len(spam), WIDTH + 1, 1)
            return x[:, :-1], x[:, -1], y.reshape(spam.shape)

        def upper(x: Tensor, y: Tensor) -> Tensor:  # the logistic loss of all mail, and a ridge
            w, b, moved = parts(x, y)
            loss = torch.nn.functional.softplus
            found, spared = (moved @ w)[..., 0] + b, (ham @ w)[..., 0] + b
            return loss(-found).sum() + loss(spared).sum() + RIDGE / 2 * spam.shape[1] * (w**2).sum()

        def lower(x: Tensor, y: Tensor) -> Tensor:  # what the senders pay, and how they score where it counts
            w, _, moved = parts(x, y)
            costly, whims = (moved - spam)[..., :COSTLY], (moved - spam)[..., COSTLY:]
            paid = (costly**2).sum() + ((whims.abs() - REACH).relu() ** 2).sum()
            scored: Tensor = (moved[..., :COSTLY] @ w[:, :COSTLY]).sum()
            return scored + PRICE / 2 * paid

        return BilevelProblem(upper, lower)

    def value(self, x: Array, side: float = WORST) -> Array:
        """Return the upper objective of each filter, with exact answers."""
        spam, ham = self._old
        filters = zip(x.reshape(len(spam), -1), spam, ham, strict=True)
        return np.array([len(old) * _loss(own, old, kept, side) for own, old, kept in filters])

    def mistakes(self, x: Array, side: float = WORST) -> Array:
        """Return the share of new mail that each filter takes for the other kind."""
        parts = zip(x.reshape(len(self._new[0]), -1), *self._new, strict=True)
        missed = [
            np.mean(_answered(own, spam, side) <= 0) + np.mean(ham @ own[:-1] + own[-1] > 0)
            for own, spam, ham in parts
        ]
        return np.array(missed) / 2

    def best(self, side: float = WORST) -> Array:
        """Return the filters that are best where the answers go to one side, by L-BFGS and exact answers.

        Of answers hoped for, the solution next to the filters of whims that stay: that problem is not convex.
        """
        mail = zip(*self._old, strict=True)
        own = [_descend(spam, ham, side) for spam, ham in mail]
        return np.concatenate(own)


def _answered(x: Array, spam: Array, side: float, size: float | None = None) -> Array:
    """Return how spam scores once its senders have answered; ``size`` is |w|_1 of the whims."""
    w, b = x[:-1], x[-1]
    size = np.abs(w[COSTLY:]).sum() if size is None else size
    return np.asarray(spam @ w + b + side * REACH * size - (w[:COSTLY] ** 2).sum() / PRICE)


def _loss(x: Array, spam: Array, ham: Array, side: float, size: float | None = None) -> float:
    w, b = x[:-1], x[-1]
    found, spared = np.logaddexp(0, -_answered(x, spam, side, size)), np.logaddexp(0, ham @ w + b)
    return float(found.mean() + spared.mean() + RIDGE / 2 * w @ w)


def _descend(spam: Array, ham: Array, side: float) -> Array:
    if side == HOPED:
        return np.asarray(minimize(_loss, _descend(spam, ham, STILL), args=(spam, ham, side)).x)

    def joined(v: Array) -> Array:  # weights of whims as differences of two numbers >= 0: no kink at 0
        return np.concatenate((v[:COSTLY], v[COSTLY:WIDTH] - v[WIDTH:-1], v[-1:]))

    def loss(v: Array) -> float:
        return _loss(joined(v), spam, ham, side, size=v[COSTLY:-1].sum())

    bounds = [(None, None)] * COSTLY + [(0, None)] * (2 * WHIMS) + [(None, None)]
    return joined(minimize(loss, np.full(WIDTH + WHIMS + 1, 0.1), bounds=bounds).x)
