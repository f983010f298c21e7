r"""Beyond $\tilde{O}(\sqrt{T})$ Constraint Violation for Online Convex Optimization with Adversarial Constraints.

Problem. A learner plays a point and then sees a convex cost and a convex constraint, both chosen by an adversary.
Regret and cumulative violation (CCV) should grow slowly. The best policy known kept both near sqrt(T); where
safety matters more than cost, that is too much violation.

Idea. Charge violation by an exponential of the violation so far, with a rate set by beta: the more there was,
the dearer it gets. Give the charged costs to a learner whose regret scales with the best expert's loss and with
whatever range the costs turn out to have; the comparator never violates, so its loss stays at most T. Regret near
sqrt(T) + T^beta then buys violation near T^(1 - beta).

    Q_t = Q_{t-1} + <p_t, g_t>                                                                   (1)
    l_t = f_t + Phi'(Q_t) g_t,    Phi(q) = e^(lambda q) - 1                                      (2)
    lambda = min(T^(beta - 1), 1 / 2) / (c ln N)                                                 (3)

p_t are the weights on N experts, f_t their costs and g_t their violations in [0, 1], Q_t the violation so far,
l_t the charged cost, T the horizon. For M-smooth functions on a set of diameter D, M D^2 stands for ln N.

Differs from the paper.
1. INFERRED: the paper was not available beyond its introduction; policy and rate follow from the abstract and
   the authors' earlier Lyapunov argument ("Optimal Algorithms for Online Convex Optimization with Adversarial
   Constraints", 2023). The constant c = 2 and the cap in (3) are ours.
2. INFERRED: the learner of experts is AdaHedge (de Rooij et al., 2014), that of smooth functions projected
   gradient descent with AdaGrad-norm steps, M D^2 its ln N. The paper has a small-loss bound of its own.
3. INFERRED: ``CoveringCOCO`` plays the mean of its net's points; by convexity it costs at most the mean cost.
   One of the net's points has to be safe throughout.

Not covered. Sets other than boxes; costs and violations outside [0, 1] (scale them); an unknown horizon.
"""  # noqa: E501 - the title is one line

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import CouldNot, UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers, slope
from lunwen.methods.online._adahedge import AdaHedge
from lunwen.methods.online._box import Box, covering
from lunwen.methods.online._coco_games import (
    SQUARE,
    Leader,
    PrimalDual,
    contrary,
    exponent,
    play_distances,
    play_hinges,
    tempting,
)
from lunwen.methods.online._game import Game, array, number, run_game

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    OfPoints = Callable[[Floats], Floats]  # (n, d) -> (n,)
    Play = Callable[[int, int, str], float]  # seed, horizon, name -> violation

__all__ = [
    "AdaHedge",
    "Box",
    "ConstrainedExpert",
    "CoveringCOCO",
    "Game",
    "SmoothCOCO",
    "covering",
    "run_game",
]

CARD = Card(
    paper_id="001-11",
    title=(
        "Beyond $\\tilde{O}(\\sqrt{T})$ Constraint Violation for Online Convex Optimization with "
        "Adversarial Constraints"
    ),
    authors=("Abhishek Sinha", "Rahul Vaze"),
    venue="NeurIPS",
    year=2025,
    url="https://arxiv.org/abs/2505.06709",
    area="online",
    needs=("numpy",),
    seconds=155,
    example="""\
import numpy as np
from lunwen.methods.online.coco import ConstrainedExpert, run_game

rng = np.random.default_rng(0)

def market(t, p):  # five suppliers: the last three are cheap and late in one of five deliveries
    return rng.uniform([.4, .5, 0, 0, 0], [.8, 1, .5, .5, .5]), (rng.random(5) < [0, 0, .2, .2, .2]) * 1.0

for beta in (0.5, 0.75, 0.9):
    game = run_game(ConstrainedExpert(5, horizon=10_000, beta=beta), market)
    print(f"beta {beta}: {game.ccv:.0f} late deliveries, regret {game.regret:.0f}")
""",
    unchecked=(
        "optimality of the exchange: the bounds are upper bounds, and nothing here shows that none is better",
        "the dependence on dimension and on the number of experts: only the horizon varies",
    ),
)

C = 2.0  # of Eq. 3; the small-loss bound's constant


class ConstrainedExpert:
    """The policy for experts: ``act`` gives weights, ``observe`` takes costs and violations.

    Args:
        n: how many experts.
        horizon: T, how many rounds there will be.
        beta: the exchange, from 0 to 1: regret near sqrt(T) + T^beta, violation near T^(1 - beta).
        rate: lambda, where it shall not follow from Eq. 3.
    """

    def __init__(self, n: int, horizon: int, beta: float, rate: float | None = None) -> None:
        self.learner = AdaHedge(n)
        self.horizon = horizon
        self.charge = _Charge(horizon, beta, math.log(n), rate)
        self._p = self.learner.weights()

    @property
    def ccv(self) -> float:
        """Q_t, the violation so far."""
        return self.charge.ccv

    def act(self) -> Floats:
        """Return the weights of the coming round."""  # (n,)
        return self._p.copy()

    def observe(self, cost: ArrayLike, violation: ArrayLike) -> None:
        """Take in what each expert would have cost and violated; violation below 0 is none.

        Raises:
            UsageError: other than n finite numbers, at most 1, costs at least 0; or the horizon is over.
            CouldNot: there has been more violation than any game with a safe expert allows.
        """
        f = self._numbers(cost, "cost")
        g = np.maximum(self._numbers(violation, "violation", signed=True), 0)
        price = self.charge.after(float(self._p @ g))
        self.learner.update(f + price * g, self._p)  # Eq. 2
        self._p = self.learner.weights()

    def _numbers(self, values: ArrayLike, name: str, *, signed: bool = False) -> Floats:
        found = array(values, name)
        if found.shape != (self.learner.n,):
            raise UsageError(f"{name} has shape {found.shape}; it is ({len(self._p)},). Give one per expert")
        most = found[found.argmax()]  # NaN if there is one; quicker than max()
        least = 0.0 if signed else found[found.argmin()]
        if not (least >= 0 and most <= 1):
            stray = least if most <= 1 else most
            raise UsageError(f"{name} has {stray}; it is from 0 to 1. Scale it by its largest value")
        return found


class CoveringCOCO:
    """The policy for any convex functions with values in [0, 1], on a box of few dimensions."""

    def __init__(
        self, domain: Box, horizon: int, beta: float, *, eps: float, rate: float | None = None
    ) -> None:
        self.points = covering(domain, eps)
        if len(self.points) < 2:
            raise UsageError(f"eps={eps} covers the box with one point; a choice needs 2. Take a smaller eps")
        self.expert = ConstrainedExpert(len(self.points), horizon, beta, rate=rate)

    def act(self) -> Floats:
        """Return the point of the coming round."""  # (d,)
        return np.asarray(self.expert.act() @ self.points, float)

    def observe(self, cost: OfPoints, violation: OfPoints) -> None:
        """Take in the round's functions of points; refuses what ``ConstrainedExpert.observe`` refuses."""
        self.expert.observe(cost(self.points), violation(self.points))


class SmoothCOCO:
    """The policy for smooth functions that are nowhere negative, by their gradients.

    Args:
        domain: where points are played.
        horizon: T, how many rounds there will be.
        beta: the exchange, from 0 to 1.
        smoothness: M, how fast gradients of costs and violations change at most.
        rate: lambda, where it shall not follow from Eq. 3.
    """

    def __init__(
        self, domain: Box, horizon: int, beta: float, *, smoothness: float = 1.0, rate: float | None = None
    ) -> None:
        if not 0 < number(smoothness) < math.inf:
            raise UsageError(f"smoothness={smoothness}; it is above 0. Bound the second derivatives")
        self.domain = domain
        self.charge = _Charge(horizon, beta, smoothness * domain.diameter**2, rate)
        self._low, self._high = np.array(domain.low), np.array(domain.high)
        self._x: Floats = (self._low + self._high) / 2
        self._squares = 0.0  # of the gradients so far

    def act(self) -> Floats:
        """Return the point of the coming round."""  # (d,)
        return self._x.copy()

    def observe(self, cost_gradient: ArrayLike, violation: float, violation_gradient: ArrayLike) -> None:
        """Take in, at the point played, the cost's gradient, the violation and its gradient.

        Raises:
            UsageError: gradients of another shape or not finite, a violation that is, or the horizon is over.
            CouldNot: there has been more violation than any game with a safe point allows.
        """
        gradients = [array(one, "a gradient") for one in (cost_gradient, violation_gradient)]
        if any(one.shape != self._x.shape or not math.isfinite(one @ one) for one in gradients):
            raise UsageError(f"a gradient is not {len(self._x)} finite numbers. Give one per dimension")
        if not math.isfinite(number(violation)):
            raise UsageError(f"violation={violation}; it is a finite number. Correct it")
        price = self.charge.after(max(0.0, violation))
        gradient = gradients[0] + (price * gradients[1] if violation > 0 else 0)  # of Eq. 2
        self._squares += float(gradient @ gradient)
        if self._squares:
            step = self.domain.diameter / math.sqrt(self._squares)
            self._x = np.minimum(np.maximum(self._x - step * gradient, self._low), self._high)


class _Charge:
    """The violation so far, and what the next one costs."""

    def __init__(self, horizon: int, beta: float, complexity: float, rate: float | None) -> None:
        if not isinstance(horizon, int | np.integer) or horizon < 1:
            raise UsageError(f"horizon={horizon} rounds; it is a whole number from 1. Give the number")
        if not 0 <= number(beta) <= 1:
            raise UsageError(f"beta={beta}; it is from 0 (low regret) to 1 (low violation). Try 0.75")
        if rate is not None and not 0 < number(rate) < math.inf:
            raise UsageError(f"rate={rate}; it is above 0. Leave it out to have it follow from beta")
        self.horizon = horizon
        self.rate = rate or min(horizon ** (beta - 1), 0.5) / (C * complexity)  # Eq. 3
        self.ccv = 0.0
        self.round = 0

    def after(self, violation: float) -> float:
        """Add a round's violation and return Phi'(Q_t): the price holds for this round already."""
        if self.round == self.horizon:
            raise UsageError(f"a round after the last of {self.horizon}. Start with a longer horizon")
        self.round += 1
        self.ccv += violation  # Eq. 1
        if self.rate * self.ccv > 300:  # e^300: the price's square cannot be a number much longer
            raise CouldNot(
                f"violation {self.ccv:.0f} after {self.round} rounds: none seems to be safe. Add one that is"
            )
        return self.rate * math.exp(self.rate * self.ccv)


N = 8  # experts of the claims' games
PREVIOUS = "the previous policy, rate 1 / (2 sqrt T)"
DUAL = "a primal-dual policy"
PILOTS = "the game, its prices and the horizons were chosen after trials, to fit the time there is"
LINEAR = "with beta = 0.5 violation is all but linear at these horizons: its price is too low to stop it"


@claim(
    says="Violation grows like T^(1 - beta) where the best policy known had sqrt(T), and beta tunes it.",
    where="abstract, Constrained Expert",
    kind="number",
)
def violation(trials: Trials) -> Evidence:
    """Exponent of violation between the two longest horizons; cheap experts violate at random."""
    betas = trials.pick(fast=(0.75, 0.9), full=(0.5, 0.75, 0.9))
    horizons = trials.pick(fast=(1000, 4000), full=(1000, 4000, 16_000, 64_000))

    def play(seed: int, T: int, name: str) -> float:
        player = PrimalDual(N, T) if name == DUAL else ConstrainedExpert(N, T, *_settings(name, T))
        return run_game(player, tempting(np.random.default_rng(seed), N, T)).ccv

    ccv = _measure(trials, horizons, play, (*(f"beta = {beta}" for beta in betas), PREVIOUS, DUAL))
    others = (other for other in ("beta = 0.5", PREVIOUS, DUAL) if other in ccv)
    pairs = (("beta = 0.9", "beta = 0.75"), *(("beta = 0.75", other) for other in others))
    less = (
        Finding(
            what=f"violation at T = {horizons[-1]}, {name}, over {other}",
            values=numbers(ccv[name][:, -1]),
            baseline=numbers(ccv[other][:, -1]),
            limit=1,
            side="<=",
        )
        for name, other in pairs
    )
    curves = tuple(
        Curve(label=name, x=numbers(horizons), y=numbers(found.mean(axis=0))) for name, found in ccv.items()
    )
    return Evidence(
        findings=(*(exponent(horizons, ccv, f"beta = {b}", b) for b in betas), *less),
        control=exponent(horizons, ccv, PREVIOUS, 0.75),
        picture=Picture(x="horizon T", y="cumulative violation", curves=curves, log="xy"),
        notes=(
            "with beta = 0.5 violation is linear up to T = 4000: its price is too low to stop it",
            PILOTS,
        ),
    )


@claim(
    says="The exchange holds against an adversary that sees what is played.",
    where="abstract, adversarial constraints",
    kind="number",
)
def adversary(trials: Trials) -> Evidence:
    """Exponent of violation; unsafe experts are free, and the heaviest safe one always pays."""

    def play(seed: int, T: int, name: str) -> float:
        player = ConstrainedExpert(N, T, *_settings(name, T))
        return run_game(player, contrary(np.random.default_rng(seed), N)).ccv

    shorter = "a quarter of the horizons of ``violation``: the exponent still falls as they grow"
    return _exchange(trials, trials.pick(fast=(1000, 4000), full=(4000, 16_000)), play, shorter)


@claim(says="Regret grows like sqrt(T) + T^beta.", where="abstract, Constrained Expert", kind="number")
def regret(trials: Trials) -> Evidence:
    """Exponent of regret where the heaviest expert always pays; the control follows the leader."""
    horizons = trials.pick(fast=(250, 1000, 4000), full=(1000, 2000, 4000))
    cases = (("dear", 0.5), ("dear", 0.75), ("dear", 0.9), ("free", 0.9), ("dear, leader followed", 0.5))
    exponents: dict[tuple[str, float], list[float]] = {case: [] for case in cases}
    for seed in trials:
        for (unsafe, beta), found in exponents.items():
            regrets = []
            for T in horizons:
                player = ConstrainedExpert(N, T, beta)
                if "leader" in unsafe:
                    player.learner = Leader(N)
                opponent = contrary(np.random.default_rng(seed), N, free=unsafe == "free")
                regrets.append(run_game(player, opponent).regret)
            found.append(slope(horizons, regrets))
    *findings, control = (
        Finding(
            what=f"exponent of regret, beta = {beta}, unsafe experts {unsafe}",
            values=numbers(found),
            limit=max(0.5, beta) + 0.1,
            side="<=",
        )
        for (unsafe, beta), found in exponents.items()
    )
    negative = "where violating pays and beta is small, regret is negative and has no exponent"
    return Evidence(findings=tuple(findings), control=control, notes=(negative, PILOTS))


@claim(
    says="For smooth functions a policy of gradients alone attains the exchange.",
    where="abstract, M-smooth functions",
    kind="number",
)
def smooth(trials: Trials) -> Evidence:
    """Exponent of violation; quadratic costs draw past half-spaces, squared hinges are the violations."""

    def play(seed: int, T: int, name: str) -> float:
        beta, rate = _settings(name, T)
        return play_hinges(np.random.default_rng(seed), SmoothCOCO(SQUARE, T, beta, rate=rate), T)

    return _exchange(trials, trials.pick(fast=(1000, 4000), full=(16_000, 64_000)), play, LINEAR)


@claim(
    says="By covering the decision set the exchange carries over to bounded convex functions.",
    where="abstract",
    kind="number",
)
def covered(trials: Trials) -> Evidence:
    """Exponent of violation on a square, with distances as costs and hinges as violations."""

    def play(seed: int, T: int, name: str) -> float:
        beta, rate = _settings(name, T)
        player = CoveringCOCO(SQUARE, T, beta, eps=0.1, rate=rate)
        return play_distances(np.random.default_rng(seed), player, T)

    return _exchange(trials, (1000, 4000), play, LINEAR)


def _settings(name: str, horizon: int) -> tuple[float, float | None]:
    """Return beta and rate; the previous policy's rate knows no beta."""
    return (0.5, 0.5 / math.sqrt(horizon)) if name == PREVIOUS else (float(name.rsplit(maxsplit=1)[-1]), None)


def _measure(
    trials: Trials, horizons: tuple[int, ...], play: Play, names: Sequence[str]
) -> dict[str, Floats]:
    """Return what is violated under each name, by seed and horizon."""
    ccv = [[[play(seed, T, name) for T in horizons] for name in names] for seed in trials]
    return dict(zip(names, np.swapaxes(ccv, 0, 1), strict=True))  # (seeds, horizons) each


def _exchange(trials: Trials, horizons: tuple[int, ...], play: Play, *notes: str) -> Evidence:
    betas = trials.pick(fast=(0.75, 0.9), full=(0.5, 0.75, 0.9))
    ccv = _measure(trials, horizons, play, (*(f"beta = {beta}" for beta in betas), PREVIOUS))
    return Evidence(
        findings=tuple(exponent(horizons, ccv, f"beta = {beta}", beta) for beta in betas),
        control=exponent(horizons, ccv, PREVIOUS, 0.75),
        notes=(*notes, PILOTS),
    )
