"""The games that claims on constrained online learning are played in, and those who play otherwise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lunwen.methods._evidence import Finding, numbers, slope
from lunwen.methods.online._adahedge import AdaHedge
from lunwen.methods.online._box import Box

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Adversary = Callable[[int, Floats], tuple[Floats, Floats]]

SQUARE = Box((-0.5, -0.5), (0.5, 0.5))


def tempting(rng: np.random.Generator, n: int, rounds: int) -> Adversary:
    """Two safe experts; the others cost a third and violate in three rounds of ten."""
    safe = np.arange(n) < 2
    costs = rng.random((rounds, n)) * np.where(safe, 1.0, 0.3)
    violations = (rng.random((rounds, n)) < 0.3) * ~safe * 1.0
    return lambda t, _: (costs[t], violations[t])


def contrary(rng: np.random.Generator, n: int, *, free: bool = True) -> Adversary:
    """The heaviest safe expert pays; the unsafe half always violates and pays as much, or nothing."""
    safe = n // 2  # so many, the first
    g = (np.arange(n) >= safe).astype(np.float64)

    def answer(_: int, p: Floats) -> tuple[Floats, Floats]:
        price = rng.uniform(0.5, 1)
        f: Floats = np.zeros(n) if free else g * price
        f[p[:safe].argmax()] = price
        return f, g

    return answer


class Leader(AdaHedge):
    """The learner without its hedge: all weight on the best so far."""

    def update(self, loss: Floats, p: Floats) -> None:  # noqa: ARG002 - the leader has no rate
        """Take in the losses of a round."""
        self.loss += loss


class PrimalDual:
    """Exponential weights on the Lagrangian, its multiplier raised by gradient steps, at rates of sqrt(T)."""

    def __init__(self, n: int, horizon: int) -> None:
        self.horizon = horizon
        self.loss = np.zeros(n)
        self.multiplier = 0.0
        self.rate = math.sqrt(math.log(n) / horizon)
        self._p = np.full(n, 1 / n)

    def act(self) -> Floats:
        """Return the weights of the coming round."""
        w = np.exp(-self.rate * (self.loss - self.loss[self.loss.argmin()]))
        self._p = w / w.sum()
        return self._p

    def observe(self, cost: Floats, violation: Floats) -> None:
        """Take in a round."""
        self.multiplier += float(self._p @ violation) / math.sqrt(self.horizon)
        self.loss += cost + self.multiplier * violation


class Player(Protocol):
    """Who plays points."""

    def act(self) -> Floats:
        """Return a point."""

    def observe(self, *seen: Any) -> None:
        """Take in a round."""


def play_hinges(rng: np.random.Generator, player: Player, horizon: int) -> float:
    """Costs |x - a|^2 / 2 draw towards (.4, .4); violation is half the squared excess of one x_i over 0."""
    ccv = 0.0
    targets, sides = 0.4 + 0.1 * rng.normal(size=(horizon, 2)), rng.integers(2, size=horizon)
    for a, i in zip(targets, sides, strict=True):
        x, excess = player.act(), np.zeros(2)
        excess[i] = over = max(0.0, x[i])
        player.observe(x - a, over**2 / 2, excess)
        ccv += over**2 / 2
    return ccv


def play_distances(rng: np.random.Generator, player: Player, horizon: int) -> float:
    """Costs |x - a| / 2 draw towards (.4, .4); what one x_i exceeds 0 by is violation."""
    ccv = 0.0
    for _ in range(horizon):
        a, i = rng.uniform(0.3, 0.5, size=2), rng.integers(2)
        ccv += max(0.0, float(player.act()[i]))
        player.observe(
            lambda x, a=a: np.sqrt(((x - a) ** 2).sum(axis=1)) / 2, lambda x, i=i: np.maximum(x[:, i], 0)
        )
    return ccv


def exponent(horizons: tuple[int, ...], ccv: dict[str, Floats], name: str, beta: float) -> Finding:
    """Per seed, the exponent between the two longest horizons; below one half it still beats sqrt(T)."""
    return Finding(
        what=f"exponent of violation, {name}, T = {horizons[-2]} to {horizons[-1]}",
        values=numbers(slope(horizons[-2:], one[-2:]) for one in ccv[name]),
        limit=1 - beta + 0.1,
        side="<=",
        margin=max(0.0, 0.5 - (1 - beta + 0.1)),
    )
