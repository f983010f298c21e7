"""The games that claims on constrained online learning are played in, who plays otherwise, and exponents.

Every game is played by all policies on all seeds at once: what is played is (policies, seeds, n or d), what
the adversary draws is (seeds, ...), so that all policies meet the same draws.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers, slope
from lunwen.methods.online._adahedge import AdaHedge
from lunwen.methods.online._box import Box
from lunwen.methods.online._game import Game, Ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Adversary = Callable[[int, Floats], tuple[Any, Any]]
    Play = Callable[[int], Game]  # a horizon, or a number of experts
    Key = float | str  # beta, or the name of a policy that knows none
    Results = dict[Key, Floats]  # by policy, (seeds, sizes)
    Draw = Callable[[np.random.Generator, int], tuple[Floats, ...]]  # so many rounds of one seed

SQUARE = Box([-0.5, -0.5], [0.5, 0.5])
LINE = Box(-0.5, 0.5)
EDGE = -0.4  # of the safe part, where gradients are played
CENTRE = -0.45  # in the middle of it
QUARTER = -0.25  # in the middle of the safe half of the line


def rounds(seeds: Iterable[int], draw: Draw, block: int = 1000) -> Iterator[tuple[Floats, ...]]:
    """Yield round by round, without end, what was drawn for each seed, (seeds, ...)."""
    rngs = [np.random.default_rng(seed) for seed in seeds]
    while True:
        blocks = zip(*(draw(rng, block) for rng in rngs), strict=True)
        yield from zip(*(np.stack(parts, axis=1) for parts in blocks), strict=True)


def tempting(seeds: Iterable[int], n: int) -> Adversary:
    """Two safe experts, one a fifth dearer; the others cost a third and violate in three rounds of ten."""
    safe, price = np.arange(n) < 2, np.full(n, 0.3)
    price[:2] = 1, 0.8

    def draw(rng: np.random.Generator, count: int) -> tuple[Floats, ...]:
        late = (rng.random((count, n)) < 0.3) & ~safe
        return rng.random((count, n)) * price, late.astype(np.float64)

    drawn = rounds(seeds, draw)
    return lambda _, __: next(drawn)  # type: ignore[return-value]


def contrary(seeds: Iterable[int], n: int, *, free: bool) -> Adversary:
    """The heaviest safe expert pays; the unsafe half always violates and pays nothing, or as much."""
    safe = n // 2  # so many, the first
    g = (np.arange(n) >= safe).astype(np.float64)
    drawn = rounds(seeds, lambda rng, count: (rng.uniform(0.5, 1, count),))

    def answer(_: int, p: Floats) -> tuple[Floats, Floats]:
        price = next(drawn)[0][:, None]
        f = np.zeros_like(p) + (0 if free else g * price)
        heaviest = p[..., :safe].argmax(axis=-1)[..., None]
        np.put_along_axis(f, heaviest, np.broadcast_to(price, heaviest.shape), axis=-1)
        return f, g

    return answer


def distances(seeds: Iterable[int]) -> Adversary:
    """On the square, costs |x - a| / 2 draw to (.4, .4); violation is twice the excess of one x_i over 0."""
    drawn = rounds(
        seeds,
        lambda rng, count: (
            rng.uniform(0.3, 0.5, size=(count, 1, 2)),
            np.eye(2)[rng.integers(2, size=count)][:, None],
        ),
    )

    def answer(_: int, __: Floats) -> tuple[Any, Any]:
        a, i = next(drawn)  # (seeds, 1, 2)
        return (
            lambda x: np.sqrt(((x - a) ** 2).sum(axis=-1)) / 2,
            lambda x: 2 * np.maximum((x * i).sum(axis=-1), 0),
        )

    return answer


class Slopes:
    """On the line, costs slope up from -1/4 to where the learner is; violation is twice the excess over 0."""

    def __init__(self, seeds: Iterable[int]) -> None:
        self.drawn = rounds(seeds, lambda rng, count: (rng.uniform(0.5, 1, count),))
        self.total = np.zeros(())

    def __call__(self, _: int, x: Floats) -> tuple[Any, Any]:
        """Answer a round."""
        (steep,) = next(self.drawn)
        up = np.where(x[..., 0] > QUARTER, steep, -steep)[..., None]
        self.total = self.total + up[..., 0]
        return (
            lambda y: 0.5 + up * (y[..., 0] - QUARTER) / 2,
            lambda y: 2 * np.maximum(y[..., 0], 0) * np.ones_like(up),
        )

    def best(self, horizon: int) -> Floats:
        """Return the cost of the best point from -1/2 to 0, whether in a net or not."""
        return horizon / 2 - np.abs(self.total) / 8


class Points(Protocol):
    """Who plays points by gradients."""

    @property
    def ccv(self) -> Floats:
        """The violation so far."""

    def act(self) -> Floats:
        """Return points."""

    def observe(self, cost_gradient: Floats, violation: Floats, violation_gradient: Floats) -> None:
        """Take in a round."""


def play_hills(seeds: Iterable[int], player: Points, horizon: int) -> Game:
    """On the square, costs |x - a|^2 / 2 draw towards (.4, .4); the safe part is below ``EDGE``."""
    drawn = rounds(seeds, lambda rng, count: (0.4 + 0.1 * rng.normal(size=(count, 2)),))
    paid, centre, spread = np.zeros(()), np.zeros(()), np.zeros(())
    for _ in range(horizon):
        (a,) = next(drawn)
        x = player.act()
        player.observe(x - a, *squared(x))
        paid = paid + ((x - a) ** 2).sum(axis=-1) / 2
        centre, spread = centre + a, spread + (a * a).sum(axis=-1)
    u = np.clip(centre / horizon, SQUARE.low, EDGE)  # the best safe point
    best = (horizon * (u * u).sum(axis=-1) + spread) / 2 - (u * centre).sum(axis=-1)
    return Game(paid - best, player.ccv)


def play_swings(seeds: Iterable[int], player: Points, horizon: int) -> Game:
    """As ``play_hills`` but for costs that rise from ``CENTRE``, within the safe part, to where x_0 is."""
    drawn = rounds(seeds, lambda rng, count: (rng.uniform(0.5, 1, count),))
    paid, level, slant = np.zeros(()), np.zeros(()), np.zeros(())
    for _ in range(horizon):
        (steep,) = next(drawn)
        x = player.act()
        up = np.where(x[..., 0] > CENTRE, 1.0, -1.0)
        root = steep + up * (x[..., 0] - CENTRE)  # the cost is root^2 / 2
        player.observe((root * up)[..., None] * np.array([1.0, 0.0]), *squared(x))
        paid = paid + root**2 / 2
        level, slant = level + steep**2 / 2, slant + steep * up
    u = np.clip(-slant / horizon, SQUARE.low[0] - CENTRE, EDGE - CENTRE)
    return Game(paid - (level + slant * u + horizon * u * u / 2), player.ccv)


def squared(x: Floats) -> tuple[Floats, Floats]:
    """Return half the squared excess over ``EDGE``, and its gradient."""
    over = np.maximum(x - EDGE, 0)
    return (over * over).sum(axis=-1) / 2, over


class Hedge(AdaHedge):
    """Exponential weights at the one rate that is best for losses in [0, 1]."""

    def __init__(self, n: int, horizon: int, games: tuple[int, ...]) -> None:
        super().__init__(n, games)
        self._rate = np.sqrt(8 * np.log(n) / horizon)

    @property
    def rate(self) -> Floats:
        """The learning rate."""
        return np.asarray(self._rate)


class PrimalDual:
    """Exponential weights on the Lagrangian, its multiplier raised by gradient steps of 1 / sqrt(T)."""

    def __init__(self, n: int, horizon: int, games: tuple[int, ...]) -> None:
        self.horizon, self.round = horizon, 0
        self.learner = Hedge(n, horizon, games)
        self.ledger = Ledger((*games, n))

    @property
    def ccv(self) -> Floats:
        """The violation so far."""
        return self.ledger.ccv

    @property
    def regret(self) -> Floats:
        """The cost less that of the best safe expert."""
        return self.ledger.paid - self.ledger.best

    def act(self) -> Floats:
        """Return the weights of the coming round."""
        return self.learner.weights()

    def observe(self, cost: Floats, violation: Floats) -> None:
        """Take in a round."""
        p = self.act()
        self.ledger.enter(p, cost, violation)
        multiplier = self.ccv / math.sqrt(self.horizon)
        self.learner.update(cost + multiplier[..., None] * violation, p)


PILOTS = "games and horizons were chosen after trials, horizons by the formula of the documentation"
PREVIOUS = "the previous policy, rate 1 / (2 sqrt T)"
DUAL = "a primal-dual policy of exponential weights"


def beta_of_each(horizon: int, betas: Sequence[float], complexity: float, seeds: int) -> Floats:
    """Return beta for each policy, (policies, seeds); last the previous one's, where Eq. 3 is its rate."""
    previous = 0.5 + math.log(complexity) / math.log(horizon)
    return np.repeat([*betas, previous], seeds).reshape(-1, seeds)


def label(key: Key) -> str:
    """Return the name of a policy."""
    return key if isinstance(key, str) else f"beta = {key}"


def series(sizes: Iterable[int], keys: Sequence[Key], play: Play) -> tuple[Results, Results]:
    """Return violation and regret of each policy, (seeds, sizes)."""
    games = [play(int(size)) for size in sizes]
    ccv, regret = (np.stack([getattr(game, name) for game in games], axis=-1) for name in ("ccv", "regret"))
    return dict(zip(keys, ccv, strict=True)), dict(zip(keys, regret, strict=True))


def curves(sizes: Iterable[float], results: Results) -> tuple[Curve, ...]:
    """Return each policy's mean by size."""
    x = numbers(sizes)
    return tuple(Curve(label=label(key), x=x, y=numbers(one.mean(axis=0))) for key, one in results.items())


def exponent(
    what: str,
    key: Key,
    horizons: tuple[int, ...],
    results: Results,
    limit: float,
    *,
    margin: float | None = None,
) -> Finding:
    """Per seed, the exponent between the two longest horizons; below one half it still beats sqrt(T)."""
    return Finding(
        what=f"exponent of {what}, {label(key)}, T = {horizons[-2]} to {horizons[-1]}",
        values=numbers(slope(horizons[-2:], one[-2:]) for one in results[key]),
        limit=limit,
        side="<=",
        margin=max(0.0, 0.5 - limit) if margin is None else margin,
    )


def exchange(betas: tuple[float, ...], horizons: tuple[int, ...], draw: Play, swing: Play) -> Evidence:
    """Return the exponents of violation in one game and, for the least beta, of regret in the other."""
    ccv, gained = series(horizons, (*betas, PREVIOUS), draw)
    _, regret = series(horizons, (*betas, PREVIOUS), swing)
    least, gain = betas[0], f"{max(one[:, -1].mean() for one in gained.values()):.0f}"
    return Evidence(
        findings=(
            *(exponent("violation", b, horizons, ccv, 1 - b + 0.1) for b in betas),
            exponent("regret, costs swing within the safe part", least, horizons, regret, max(0.6, least)),
        ),
        control=exponent("violation", PREVIOUS, horizons, ccv, 0.35),
        picture=Picture(x="horizon T", y="cumulative violation", curves=curves(horizons, ccv), log="xy"),
        notes=(
            f"where violation is measured regret is {gain} or less at T = {horizons[-1]}; hence two games",
            PILOTS,
        ),
    )
