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
    lambda = min(T^(beta - 1), 1 / 2) / (c K),    K = ln N                                       (3)

p_t are the weights on N experts, f_t their costs and g_t their violations in [0, 1], Q_t the violation so far,
l_t the charged cost, T the horizon. For M-smooth functions on a set of diameter D, K = M D^2.

The price lambda e^(lambda Q) begins low. Where every round tempts to violate by v, violation is linear until
T^beta is about (c K / v) log(c K T^(1 - beta)): a small beta protects nothing before long.

Differs from the paper.
1. INFERRED: the paper was not available beyond its introduction; policy and rate follow from the abstract and
   the authors' earlier Lyapunov argument ("Optimal Algorithms for Online Convex Optimization with Adversarial
   Constraints", 2023). The cap in (3) and c = 2 are ours. AdaHedge's bound, 2 sqrt(S L ln N) + S (16/3 ln N + 2)
   for losses of range S and a best expert's loss L, proves the exchange for c = 16/3 + 2 / ln N; the bound of
   gradient descent, 1.5 D sqrt(2 M S L) + 4.5 S M D^2, does for c = 4.5. That 2, the constant at AdaHedge's
   root, is enough for both is measured and not proved.
2. INFERRED: the learner of experts is AdaHedge (de Rooij et al., 2014), that of smooth functions projected
   gradient descent with AdaGrad-norm steps. The paper has a small-loss bound of its own.
3. INFERRED: ``CoveringCOCO`` plays the mean of its net's points; by convexity it costs at most the mean cost.
   Its regret is against the safe points of the net, one of which there has to be; against all safe points it
   is up to eps times the costs' slope a round more, hence an eps that falls like 1 / sqrt(T).

Not covered. An unknown horizon; nets in more than a few dimensions; for experts and nets, costs and violations
outside [0, 1] (scale them).
"""  # noqa: E501 - the title is one line

# Over 400 lines: three learners, for three kinds of sets, and the six claims on what they have in common.

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from lunwen.errors import CouldNot, LimitError, UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers
from lunwen.methods._given import array, number, whole
from lunwen.methods.online._adahedge import LEAST, AdaHedge
from lunwen.methods.online._box import Box, cells, covering
from lunwen.methods.online._coco_games import (
    DUAL,
    LINE,
    PILOTS,
    PREVIOUS,
    SQUARE,
    Hedge,
    PrimalDual,
    Slopes,
    beta_of_each,
    contrary,
    curves,
    distances,
    exchange,
    exponent,
    label,
    play_hills,
    play_swings,
    series,
    tempting,
)
from lunwen.methods.online._game import Game, Ledger, run_game

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    OfPoints = Callable[[Floats], ArrayLike]  # (n, d) -> (n,)

    from lunwen.methods.online._coco_games import Adversary

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
    seconds=110,
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
        "the dependence on d and M: d enters as the ln N of a net, M by scaling costs and violations alone",
    ),
)

C = 2.0  # c of Eq. 3
MOST_ROUNDS = 10**12
MOST_POINTS = 10_000  # of a net that nobody chose


class _Policy:
    """What all have: the violation so far, and what the next one costs; arrays for several games at once."""

    def __init__(self, horizon: int, beta: ArrayLike, complexity: float) -> None:
        self.horizon = whole("horizon", horizon, most=MOST_ROUNDS)
        odd = isinstance(beta, bool | np.bool_ | str)
        power = array("beta", math.nan if odd else beta, finite=False) - 1
        if not ((power >= -1) & (power <= 0)).all():
            hint = "0 for low regret, 1 for low violation, such as 0.75"
            raise LimitError(f"beta is {beta!r}. Give a number from 0 to 1, {hint}")
        self.rate = np.minimum(self.horizon**power, 0.5) / (C * complexity)  # Eq. 3
        self.ccv: Floats = np.zeros(self.rate.shape)
        self.round = 0

    def _price(self, violation: Floats) -> Floats:
        """Add a round's violation and return Phi'(Q_t): the price holds for this round already."""
        if self.round == self.horizon:
            raise UsageError(f"the last of {self.horizon} rounds has been played. Give a longer horizon")
        self.round += 1
        self.ccv = self.ccv + violation  # Eq. 1
        if (self.rate * self.ccv > 300).any():  # e^300: the price's square cannot be a number much longer
            raise CouldNot(
                f"violation {self.ccv.max():g} after {self.round} rounds: more than where something is safe. "
                "Add what is safe, or scale violations down"
            )
        return self.rate * np.exp(self.rate * self.ccv)


class ConstrainedExpert(_Policy):
    """The policy for experts: ``act`` gives weights, ``observe`` takes costs and violations.

    Args:
        n: how many experts.
        horizon: T, how many rounds there will be.
        beta: the exchange, from 0 to 1: regret near sqrt(T) + T^beta, violation near T^(1 - beta). Of an
            array each entry plays a game of its own; weights, costs and violations are (..., n) then.
        learner: another learner in AdaHedge's place.

    Attributes:
        horizon: T.
        round: how many rounds have been played.
        ccv: Q_t, the violation so far.
        ledger: the cost so far, that of each expert, and which have not violated.
    """

    def __init__(
        self,
        n: int,
        horizon: int,
        beta: ArrayLike,
        *,
        learner: AdaHedge | None = None,
    ) -> None:
        n = whole("n", n, least=2, hint="a choice needs two")
        super().__init__(horizon, beta, math.log(n))
        if not isinstance(learner, AdaHedge | None):
            raise UsageError(f"learner is {learner!r}. Give an AdaHedge, or one derived from it")
        self.learner = learner or AdaHedge(n, self.rate.shape)
        self._p = self.learner.weights()
        if self._p.shape != (*self.rate.shape, n):
            raise UsageError(f"learner has weights {self._p.shape}. Give one of {(*self.rate.shape, n)}")
        self.ledger = Ledger(self._p.shape)

    @property
    def regret(self) -> Floats:
        """The cost so far, less that of the best expert that has never violated.

        Raises:
            CouldNot: there is none.
        """
        return self.ledger.paid - self.ledger.best

    def act(self) -> Floats:
        """Return the weights of the coming round."""  # (n,)
        return self._p.copy()

    def observe(self, cost: ArrayLike, violation: ArrayLike) -> None:
        """Take in what each expert would have cost and violated; violation below 0 is none.

        Raises:
            UsageError: other than n finite numbers, at most 1, costs at least 0; or the horizon is over.
            CouldNot: there has been more violation than any game with a safe expert allows.
        """
        f = self._numbers("cost", cost)
        g = np.maximum(self._numbers("violation", violation, least=-math.inf), 0)
        price = self._price((self._p * g).sum(axis=-1))
        self.ledger.enter(self._p, f, g)
        self.learner.update(f + price[..., None] * g, self._p)  # Eq. 2
        self._p = self.learner.weights()

    def _numbers(self, name: str, values: ArrayLike, *, least: float = 0.0) -> Floats:
        found = array(name, values)
        if found.shape != self._p.shape[-max(1, found.ndim) :]:
            raise UsageError(
                f"{name} has shape {found.shape}. Give {self._p.shape}, one number for each expert"
            )
        low, high = found.min(), found.max()
        if low < least:
            raise UsageError(f"{name} holds {low:g}. Give costs from 0 to 1: add a constant, then divide")
        if high > 1:
            raise UsageError(f"{name} holds {high:g}. Give at most 1: divide all rounds by the largest value")
        return found


class CoveringCOCO:
    """The policy for any convex functions with values in [0, 1], on a box of few dimensions.

    Args:
        domain: where points are played.
        horizon: T, how many rounds there will be.
        beta: the exchange, as of ``ConstrainedExpert``, an array of them too.
        eps: how far from a point of the net a point of the domain may be. Costs of slope L may cost up to
            L eps a round more than at the best point, and a point of the net must be safe. Without it the
            diameter / sqrt(T), which keeps that at sqrt(T), or what 10,000 points at most allow.

    Attributes:
        horizon, round: as of ``ConstrainedExpert``.
        ccv: the violation so far of the points played, at most the net's mean that is charged.
        regret: the cost so far, less that of the best point of the net that has never violated.
    """

    def __init__(
        self,
        domain: Box,
        horizon: int,
        beta: ArrayLike,
        *,
        eps: float | None = None,
    ) -> None:
        if not isinstance(domain, Box):
            raise UsageError(f"domain is {domain!r}. Give a Box")
        self.eps = _fineness(domain, whole("horizon", horizon, most=MOST_ROUNDS)) if eps is None else eps
        self.points = covering(domain, self.eps)  # (N, d)
        if len(self.points) < 2 and eps is None:
            raise LimitError(
                f"domain has {len(domain.low)} dimensions, more than {MOST_POINTS} points can cover. "
                "Give an eps, or use SmoothCOCO"
            )
        if len(self.points) < 2:
            raise UsageError(f"eps is {eps!r}, which covers the box with one point. Give a smaller eps")
        self.expert = ConstrainedExpert(len(self.points), horizon, beta)
        self.horizon = self.expert.horizon
        self.paid = self.ccv = np.zeros(self.expert.ccv.shape)

    @property
    def round(self) -> int:
        """How many rounds have been played."""
        return self.expert.round

    @property
    def regret(self) -> Floats:
        """The cost so far, less that of the best point of the net that has never violated."""
        return self.paid - self.expert.ledger.best

    def act(self) -> Floats:
        """Return the point of the coming round."""  # (d,)
        return self.expert.act() @ self.points

    def observe(self, cost: OfPoints, violation: OfPoints) -> None:
        """Take in the round's functions, which get points (n, d) and return their values (n,).

        Raises:
            UsageError: what they return is refused by ``ConstrainedExpert.observe``.
            CouldNot: no point of the net has been safe in all rounds.
        """
        x = self.act()[..., None, :]
        (f, own), (g, over) = (
            [_called(name, function, points) for points in (self.points, x)]
            for name, function in (("cost", cost), ("violation", violation))
        )
        self.expert.observe(f, g)
        self.paid, self.ccv = self.paid + own[..., 0], self.ccv + np.maximum(over[..., 0], 0)
        if not self.expert.ledger.safe.any(axis=-1).all():
            raise CouldNot(
                f"none of the net's {len(self.points)} points has been safe up to round {self.round}. "
                f"Give an eps smaller than {self.eps:g}, or constraints that some point keeps"
            )


class SmoothCOCO(_Policy):
    """The policy for smooth functions that are nowhere negative, by their gradients.

    What grows like T^(1 - beta) is the sum of the violations as given. A constraint ``g <= 0`` that is not
    smooth at 0, a linear one for instance, is given as ``max(g, 0)^2 / 2``; then it is the sum of squares.
    K of Eq. 3 is the smoothness times the square of the domain's diameter. Where it is 100,000 times the
    usual violation no beta protects within 100,000 rounds, and no other units help: a smaller box does, and
    a smoothness no larger than it is.

    Args:
        domain: where points are played.
        horizon: T, how many rounds there will be.
        beta: the exchange, as of ``ConstrainedExpert``, an array of them too.
        smoothness: M, how fast gradients of costs and violations change at most.
        project: the projection onto the set of points, where that is only a part of the domain; a function
            of points (..., d).

    Attributes:
        horizon, round, ccv: as of ``ConstrainedExpert``.
    """

    def __init__(
        self,
        domain: Box,
        horizon: int,
        beta: ArrayLike,
        *,
        smoothness: float,
        project: Callable[[Floats], Floats] | None = None,
    ) -> None:
        if not isinstance(domain, Box):
            raise UsageError(f"domain is {domain!r}. Give a Box")
        self.smoothness = number("smoothness", smoothness, above=0, hint="a bound of the second derivatives")
        self.diameter = domain.diameter
        complexity = self.smoothness * self.diameter**2
        if not 1e-100 < complexity < 1e100:
            raise LimitError(f"smoothness x diameter^2 is {complexity:g}. Give the box in other units")
        if project is not None and not callable(project):
            raise UsageError(f"project is {project!r}. Give a function of points (..., d)")
        super().__init__(horizon, beta, complexity)
        self._domain, self._project = domain, project
        middle = (domain.low + domain.high) / 2
        self._x = self._nearest(np.broadcast_to(middle, (*self.rate.shape, len(middle))).copy())
        self._squares = np.zeros((*self.rate.shape, 1))  # of the gradients so far

    def act(self) -> Floats:
        """Return the point of the coming round."""  # (d,)
        return self._x.copy()

    def observe(self, cost_gradient: ArrayLike, violation: ArrayLike, violation_gradient: ArrayLike) -> None:
        """Take in, at the point played, the cost's gradient, the violation and its gradient.

        Raises:
            UsageError: not finite numbers of the right shape, a violation below 0, one whose gradient is
                longer than that of a smooth function can be; or the horizon is over.
            CouldNot: there has been more violation than any game with a safe point allows.
        """
        df, dg = array("cost_gradient", cost_gradient), array("violation_gradient", violation_gradient)
        for name, given in (("cost_gradient", df), ("violation_gradient", dg)):
            if given.shape != self._x.shape:
                raise UsageError(f"{name} has shape {given.shape}. Give {self._x.shape}, as the point has")
            if np.abs(given).max() > 1e100:
                raise UsageError(f"{name} holds {np.abs(given).max():g}. Give functions in other units")
        g = array("violation", violation)
        if g.shape != self.rate.shape:
            raise UsageError(f"violation has shape {g.shape}. Give {self.rate.shape}, one number for a game")
        if (g < 0).any():
            raise UsageError(f"violation is {violation!r}. Give it at least 0, as max(g, 0)^2 / 2 is")
        longest = 2 * self.smoothness * g  # the square of the gradient of a function that is nowhere below 0
        if ((dg * dg).sum(axis=-1) > longest * (1 + 1e-9)).any():
            raise UsageError(
                f"violation_gradient is {violation_gradient!r} where violation is {violation!r}: with "
                f"smoothness {self.smoothness:g} it is no longer than sqrt(2 x smoothness x violation). "
                "Give max(g, 0)^2 / 2, or a larger smoothness"
            )
        gradient = df + self._price(g)[..., None] * dg  # of Eq. 2
        self._squares += (gradient * gradient).sum(axis=-1, keepdims=True)
        step = self.diameter / np.sqrt(np.maximum(self._squares, LEAST))
        self._x = self._nearest(self._x - step * gradient)

    def _nearest(self, x: Floats) -> Floats:
        if self._project is None:
            return self._domain.nearest(x)
        near = array("what project returned", self._project(x))
        if near.shape != x.shape:
            raise UsageError(f"project returned shape {near.shape}. Give {x.shape}, as the point has")
        return near


def _fineness(domain: Box, horizon: int) -> float:
    """Return the diameter / sqrt(T), or as much more as MOST_POINTS take."""
    eps = domain.diameter / math.sqrt(max(horizon, 16))
    while cells(domain, eps).prod() > MOST_POINTS:
        eps *= 1.02
    return eps


def _called(name: str, function: OfPoints, points: Floats) -> Floats:
    try:
        found = array(f"what {name} returned", function(points))
    except UsageError:
        raise
    except Exception as error:
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise UsageError(
            f"{name} failed at an array of shape {points.shape}: {reason}. "
            "Give a function that takes points (n, d) and returns their values (n,)"
        ) from error
    if found.shape[-1:] != points.shape[-2:-1]:
        wanted = f"{points.shape[:-1]}, one number for each point"
        raise UsageError(f"{name} returned shape {found.shape} for points {points.shape}. Give {wanted}")
    return found


N = 8  # experts of the claims' games
HEDGE = "beta = 0.9, Hedge of fixed rate"
REGRET = "regret where violating does not pay"


@claim(
    says="Violation grows like T^(1 - beta) where the best policy known had sqrt(T), and beta tunes it.",
    where="abstract, Constrained Expert",
    kind="number",
)
def violation(trials: Trials) -> Evidence:
    """Exponent of violation between the two longest horizons; cheap experts violate at random."""
    betas = trials.pick(fast=(0.75, 0.9), full=(0.5, 0.75, 0.9))
    horizons = trials.pick(fast=(1000, 4000), full=(1000, 4000, 16_000, 64_000))
    last, seeds = horizons[-1], trials.seeds
    games = (1, len(seeds))
    ccv, regret = series(
        horizons, (*betas, PREVIOUS), lambda T: _experts(T, betas, seeds, tempting(seeds, N))
    )
    dual = series(horizons, (DUAL,), lambda T: run_game(PrimalDual(N, T, games), tempting(seeds, N)))
    ccv, regret = ccv | dual[0], regret | dual[1]
    pairs = ((0.9, 0.75), *((0.75, other) for other in (0.5, PREVIOUS, DUAL) if other in ccv))
    less = (
        Finding(
            what=f"violation at T = {last}, {label(one)}, over {label(other)}",
            values=numbers(ccv[one][:, -1]),
            baseline=numbers(ccv[other][:, -1]),
            limit=1,
            side="<=",
        )
        for one, other in pairs
    )
    paid = "; ".join(f"{label(key)}: {one[:, -1].mean():.0f}" for key, one in regret.items())
    return Evidence(
        findings=(
            *(exponent("violation", b, horizons, ccv, 1 - b + 0.1) for b in betas),
            *less,
        ),
        control=exponent("violation", PREVIOUS, horizons, ccv, 0.35),
        picture=Picture(x="horizon T", y="cumulative violation", curves=curves(horizons, ccv), log="xy"),
        notes=(
            f"mean regret at T = {last}, below 0 because the cheap experts violate: {paid}",
            "with beta = 0.5 violation is linear up to T = 4000, and from there on above both baselines",
            PILOTS,
        ),
    )


@claim(
    says="The exchange, regret near sqrt(T) + T^beta for violation near T^(1 - beta), holds against an "
    "adversary that sees what is played.",
    where="abstract, adversarial constraints",
    kind="number",
)
def adversary(trials: Trials) -> Evidence:
    """Exponents of both; unsafe experts are free, and the heaviest safe one always pays."""
    betas = trials.pick(fast=(0.75, 0.9), full=(0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0))
    horizons = trials.pick(fast=(1000, 4000), full=(4000, 16_000, 64_000))
    seeds, shown = trials.seeds, [b for b in betas if b in {0.5, 0.75, 0.9}]
    ccv, regret = series(
        horizons, (*betas, PREVIOUS), lambda T: _experts(T, betas, seeds, contrary(seeds, N, free=True))
    )
    exchange = (
        Curve(
            label=f"T = {T}, beta = {betas[-1]} to {betas[0]}",
            x=numbers(ccv[b][:, at].mean() for b in betas),
            y=numbers(regret[b][:, at].mean() for b in betas),
        )
        for at, T in enumerate(horizons)
    )
    return Evidence(
        findings=(
            *(exponent("violation", b, horizons, ccv, 1 - b + 0.1) for b in shown),
            *(exponent("regret", b, horizons, regret, b) for b in shown if b > 0.5),
        ),
        control=exponent("violation", PREVIOUS, horizons, ccv, 0.35),
        picture=Picture(x="cumulative violation", y="regret", curves=tuple(exchange), log="x"),
        notes=("with beta = 0.5 violating is so cheap that regret is negative and has no exponent", PILOTS),
    )


@claim(
    says="Regret near sqrt(T) and next to no violation go together where violating does not pay.",
    where="abstract, Constrained Expert",
    kind="number",
)
def regret(trials: Trials) -> Evidence:
    """As ``adversary``, but unsafe experts pay as much; the control learns by Hedge instead of AdaHedge."""
    horizons = trials.pick(fast=(1000, 4000), full=(4000, 16_000, 64_000))
    betas, seeds = (0.5, 0.9), trials.seeds
    games = (len(betas) + 1, len(seeds))

    def play(T: int, learner: AdaHedge | None = None) -> Game:
        return _experts(T, betas, seeds, contrary(seeds, N, free=False), learner=learner)

    ccv, paid = series(horizons, (*betas, PREVIOUS), play)
    fixed = series(horizons, (*betas, PREVIOUS), lambda T: play(T, Hedge(N, T, games)))
    ccv[HEDGE] = fixed[0][0.9]
    return Evidence(
        findings=(
            exponent("regret", 0.5, horizons, paid, 0.6),
            exponent("violation", 0.9, horizons, ccv, 0.2, margin=0.1),
        ),
        control=exponent("violation", HEDGE, horizons, ccv, 0.2, margin=0.1),
        picture=Picture(x="horizon T", y="cumulative violation", curves=curves(horizons, ccv), log="xy"),
        notes=(
            (
                f"mean regret at T = {horizons[-1]}, beta = 0.9: {paid[0.9][:, -1].mean():.0f}, "
                f"of Hedge {fixed[1][0.9][:, -1].mean():.0f}"
            ),
        ),
    )


@claim(
    says="Violation grows with the number of experts at most like ln N, regret at most like sqrt(ln N).",
    where="abstract, Constrained Expert",
    kind="bound",
)
def many_experts(trials: Trials) -> Evidence:
    """Shares of log(T) / lambda where cheap experts violate, of sqrt(T ln N) in the game of ``regret``."""
    betas = trials.pick(fast=(0.75, 0.9), full=(0.5, 0.75, 0.9))
    T, counts = trials.pick(fast=2000, full=16_000), np.array([4, 16, 64, 256])
    seeds, entropy = trials.seeds, np.log(counts)
    ends = betas[0], betas[-1]
    ccv, _ = series(counts, (*betas, PREVIOUS), lambda n: _experts(T, betas, seeds, tempting(seeds, n), n=n))
    _, regret = series(
        counts, (*ends, PREVIOUS), lambda n: _experts(T, ends, seeds, contrary(seeds, n, free=False), n=n)
    )
    known = dict(zip(ccv, (*betas, 0.75), strict=True))  # the previous policy is held to the bound of 0.75
    bounds = {key: 2 * T ** (1 - beta) * entropy * math.log(T) for key, beta in known.items()}

    def share(what: str, key: float | str, values: Floats, of: Floats, words: str) -> Finding:
        return Finding(
            what=f"largest {what} / ({words}), {label(key)}, N = {counts[0]} to {counts[-1]}, T = {T}",
            values=numbers((values / of).max(axis=-1)),
            limit=1,
            side="<=",
            spread="every",
        )

    *violated, control = (
        share("violation", key, one, bounds[key], "2 T^(1 - beta) ln N log T") for key, one in ccv.items()
    )
    drawn = [*curves(entropy, {b: ccv[b] for b in betas})]
    drawn += [Curve(label="its bound", x=numbers(entropy), y=numbers(bounds[b]), dashed=True) for b in betas]
    return Evidence(
        findings=(
            *violated,
            *(share(REGRET, b, regret[b], np.sqrt(T * entropy), "sqrt(T ln N)") for b in ends),
        ),
        control=control,
        picture=Picture(x="ln N", y="cumulative violation", curves=tuple(drawn), log="y"),
        notes=(
            "the log T is what the tilde hides; the control is held to the bound of beta = 0.75",
            "regret is that of a game where violating does not pay; in that of violation it is below 0",
        ),
    )


@claim(
    says="For smooth functions a policy of gradients alone attains the exchange.",
    where="abstract, M-smooth functions",
    kind="number",
)
def smooth(trials: Trials) -> Evidence:
    """Exponents: of violation where costs draw out of the safe part, of regret where they swing within it."""
    betas = trials.pick(fast=(0.75, 0.9), full=(0.5, 0.75, 0.9))
    horizons = trials.pick(fast=(1000, 4000), full=(16_000, 64_000, 256_000))

    def player(T: int) -> SmoothCOCO:
        each = beta_of_each(T, betas, SQUARE.diameter**2, len(trials.seeds))
        return SmoothCOCO(SQUARE, T, each, smoothness=1)

    return exchange(
        betas,
        horizons,
        lambda T: play_hills(trials.seeds, player(T), T),
        lambda T: play_swings(trials.seeds, player(T), T),
    )


@claim(
    says="By covering the decision set the exchange carries over to bounded convex functions.",
    where="abstract",
    kind="number",
)
def covered(trials: Trials) -> Evidence:
    """Exponents: of violation on a square where costs draw out of its safe part, of regret on a line.

    The square's net is the same for all horizons, the line's becomes finer as the theorem's does.
    """
    betas = trials.pick(fast=(0.75, 0.9), full=(0.5, 0.75, 0.9))
    horizons = trials.pick(fast=(1000, 4000), full=(4000, 16_000, 64_000))
    seeds = trials.seeds

    def player(domain: Box, T: int, eps: float | None = None) -> CoveringCOCO:
        count = len(CoveringCOCO(domain, T, 0.5, eps=eps).points)
        return CoveringCOCO(domain, T, beta_of_each(T, betas, math.log(count), len(seeds)), eps=eps)

    def swing(T: int) -> Game:
        learner, slopes = player(LINE, T), Slopes(seeds)
        ccv = run_game(learner, slopes).ccv
        return Game(learner.paid - slopes.best(T), ccv)

    return exchange(betas, horizons, lambda T: run_game(player(SQUARE, T, 0.1), distances(seeds)), swing)


def _experts(
    horizon: int,
    betas: Sequence[float],
    seeds: range,
    game: Adversary,
    *,
    n: int = N,
    learner: AdaHedge | None = None,
) -> Game:
    each = beta_of_each(horizon, betas, math.log(n), len(seeds))
    return run_game(ConstrainedExpert(n, horizon, each, learner=learner), game)
