"""A Single-Loop Gradient Algorithm for Pessimistic Bilevel Optimization via Smooth Approximation.

Problem. A leader picks x, a follower then picks any minimiser y of f(x, .), and the leader has to expect
the worst of them: ``min_x max_{y in S(x)} F(x, y)`` with ``S(x) = argmin_{y in Y} f(x, y)``. The inner
maximum over a solution set is neither smooth nor easy to evaluate.

Idea. The set S(x) is replaced by a penalty on ``f(x, y) - f(x, z)``, z being the follower's own best answer,
and two small terms make the saddle point in (y, z) unique, so that the value is smooth in x. One ascent step
in y, one descent step in z and one descent step in x then follow each other, while the penalty grows and the
regularisation fades; no second derivative and no inner loop is needed.

    psi(x, y, z) = F(x, y) - rho (f(x, y) - f(x, z)) - sigma <y, z> + sigma/2 |z|^2            (1)
    phi_{rho,sigma}(x) = min_z max_y psi(x, y, z)                                              (2)

F is the leader's objective, f the follower's, rho_k = rho_0 k^p the penalty, sigma_k = sigma_0 k^-q the
regularisation, alpha_k = alpha_0 k^-s the step in x and beta_k = beta_0 k^(-q-2p) the step in y and z.

Differs from the paper.
1. Equations and settings are those of the authors' public program for the synthetic example; the paper's
   numbering is INFERRED: the paper was not available, (1) and (2) are ours.
2. f convex in y and F concave in y are needed for the saddle point; INFERRED, and not checked at run time.
3. A tolerance on the projected steps may end the run; the program stops at a known solution or a step count.
4. z starts where y does; INFERRED.

Not covered. Stochastic gradients, lower-level constraints that depend on x, the spam and hyper-representation
experiments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers, slope
from lunwen.methods._given import number, whole
from lunwen.methods.bilevel._brute_force import optimistic_value, pessimistic_value, smooth_value
from lunwen.methods.bilevel._problem import BilevelProblem, Callback, Result, Run
from lunwen.methods.bilevel._sipba_data import Game, Synthetic, answers, interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from torch import Tensor

    Point = tuple[Tensor, Tensor, Tensor]  # x (n,), y (m,), z (m,)

__all__ = ["Settings", "optimistic_value", "pessimistic_value", "sipba", "smooth_value"]

CARD = Card(
    paper_id="001-15",
    title=("A Single-Loop Gradient Algorithm for Pessimistic Bilevel Optimization via Smooth Approximation"),
    authors=("Qichao Cao", "Shangzhi Zeng", "Jin Zhang"),
    venue="NeurIPS",
    year=2025,
    url="https://arxiv.org/abs/2509.26240",
    area="bilevel",
    needs=("numpy", "torch"),
    seconds=150,
    example="""
from lunwen.methods.bilevel import BilevelProblem, box
from lunwen.methods.bilevel.sipba import Settings, sipba

# A toll x; the driver does not care which of the detours |y| <= x to take, the leader fears the dearest.
problem = BilevelProblem(
    upper=lambda x, y: ((x - 1.5) ** 2 + y).sum(),
    lower=lambda x, y: ((y.abs() - x).relu() ** 2).sum(),
    project_x=box(0, 3),
    project_y=box(-4, 4),
)
result = sipba(problem, x0=[2.0], y0=[0.0], settings=Settings(alpha0=0.02, beta0=0.02), steps=1000)
print(result.x, result.y, result.message)  # the pessimistic optimum is x = 1
""",
    unchecked=(
        "spam classification and hyper-representation: no mail collections here, nor data in their place",
        "the convergence rate of the theorems: an upper bound whose constants are not given in the abstract",
    ),
)


class Weights(NamedTuple):
    """The steps and penalties of one step."""

    alpha: float
    beta: float
    rho: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Settings:
    """The steps and penalties at step k = 1, 2, ...; all defaults from the authors' synthetic program."""

    alpha0: float = 0.1  # alpha_k = alpha0 k^-s, the step in x
    beta0: float = 0.001  # beta_k = beta0 k^(-q-2p), the step in y and z; wants beta0 rho0 |d2f/dy2| < 2
    rho0: float = 10.0  # rho_k = rho0 k^p, the penalty
    sigma0: float = 0.01  # sigma_k = sigma0 k^-q, the regularisation
    p: float = 0.001
    q: float = 0.001
    s: float = 0.1  # hyper-representation in the program: p = q = .01, s = 8p + 8q, sigma0 = 1e-4

    def __post_init__(self) -> None:
        """Refuse what is not a settings.

        Raises:
            UsageError: a factor not above 0, or an exponent below 0.
        """
        for name in ("alpha0", "beta0", "rho0", "sigma0", "p", "q", "s"):
            factor = name.endswith("0")
            number(name, getattr(self, name), above=0 if factor else None, least=None if factor else 0)

    def at(self, k: int) -> Weights:
        """Return the steps and penalties of step ``k``."""
        return Weights(
            alpha=self.alpha0 * k**-self.s,
            beta=self.beta0 * k ** (-self.q - 2 * self.p),
            rho=self.rho0 * k**self.p,
            sigma=self.sigma0 * k**-self.q,
        )


def sipba(
    problem: BilevelProblem,
    x0: ArrayLike | Tensor,
    y0: ArrayLike | Tensor,
    *,
    settings: Settings | None = None,
    steps: int = 5000,
    tol: float = 0.0,
    callback: Callback | None = None,
) -> Result:
    """Minimise over x the worst upper objective among the follower's best answers.

    Args:
        problem: F as ``upper``, concave in y, and f as ``lower``, convex in y.
        x0: start of x, (n,).
        y0: start of y and z, (m,).
        settings: steps and penalties; the paper's for its synthetic example where None.
        steps: at most so many.
        tol: ends when no projected gradient step (step / its length) is longer.
        callback: told every step; True stops.

    Returns:
        x, y, the follower's own answer ``more["z"]`` (m,), and of every step the ``residual`` tol is about.

    Raises:
        UsageError: a start that is not a finite vector, no whole number of steps, a negative tolerance.
    """
    run = Run("sipba", problem, callback, {"project_x", "project_y"})
    steps, tol = whole("steps", steps), number("tol", tol, least=0)
    settings = settings or Settings()
    x, y = run.start(x0, y0)
    z, residual = y, math.inf
    for k in range(1, steps + 1):
        old, at = (x, y, z), settings.at(k)
        y, z = _respond(run, problem, old, at)
        x = _lead(run, problem, (x, y, z), at)
        lengths = (at.alpha, at.beta, at.beta)
        residual = max(
            float((new - was).norm()) / length
            for new, was, length in zip((x, y, z), old, lengths, strict=True)
        )
        if not run.goes_on(x, y, residual=residual) or residual <= tol:
            break
    return run.result(x, y, converged=residual <= tol, z=z)


def _respond(run: Run, problem: BilevelProblem, point: Point, at: Weights) -> tuple[Tensor, Tensor]:
    """Take one step towards the saddle point of (1): up in y, down in z, both from ``point``."""
    x, y, z = point
    (_, F_y), (_, f_y) = run.gradient(problem.upper, x, y), run.gradient(problem.lower, x, y)
    _, f_z = run.gradient(problem.lower, x, z)
    up = F_y - at.rho * f_y - at.sigma * z  # d psi / d y
    down = at.rho * f_z - at.sigma * (y - z)  # d psi / d z
    return problem.project_y(y + at.beta * up), problem.project_y(z - at.beta * down)


def _lead(run: Run, problem: BilevelProblem, point: Point, at: Weights) -> Tensor:
    """Take one step down in x; the gradient of (2) is that of (1) at its saddle point."""
    x, y, z = point
    (F_x, _), (f_y, _) = run.gradient(problem.upper, x, y), run.gradient(problem.lower, x, y)
    f_z, _ = run.gradient(problem.lower, x, z)
    return problem.project_x(x - at.alpha * (F_x - at.rho * (f_y - f_z)))


@claim(
    says="the single loop solves the synthetic example, in a number of steps that grows slowly with its size",
    where="abstract; the authors' synthetic program",
    kind="number",
)
def solves_the_synthetic_example(trials: Trials) -> Evidence:
    """Measure the relative error within 5000 steps, and the steps to 1e-4 for several n."""
    sizes = trials.pick(fast=(100,), full=(20, 100, 400))
    exact, blind, needed = [], [], []
    for seed in trials:
        runs = {n: Synthetic(n, seed) for n in sizes}
        for at in runs.values():
            sipba(*at.game, steps=5000, callback=at)
        exact.append(runs[100])
        needed.append([len(at.trace) - 1 for at in runs.values()])
        blind.append(Synthetic(100, seed))
        steps = len(exact[-1].trace) - 1  # as many as SiPBA takes
        _play(_blindly, blind[-1].game, Settings(), steps=steps, callback=blind[-1])
    hopeful = Synthetic(100, 0)
    _play(_optimistically, hopeful.game, Settings(), steps=trials.pick(fast=200, full=1000), callback=hopeful)
    error = partial(Finding, limit=1e-4, side="<=", margin=9e-4, spread="every")
    ends = numbers(at.trace[-1] for at in exact)
    findings = [error(what="squared distance to the solution / at the start, n = 100", values=ends)]
    notes: tuple[str, ...] = ()
    if trials.full:
        exponent = partial(Finding, limit=0.5, margin=0.5, side="<=")  # at most in proportion to n
        of_all, of_last = [slope(sizes, n) for n in needed], [slope(sizes[-2:], n[-2:]) for n in needed]
        findings.append(exponent(what=f"exponent of n in the steps to 1e-4, {sizes}", values=tuple(of_all)))
        findings.append(exponent(what=f"the same, {sizes[-2:]} alone", values=tuple(of_last)))
        on = Synthetic(100, 0, goal=0.0)
        x = sipba(*on.game, steps=5000, callback=on).x.mean()
        bias = f"mean x is {x:.3f}, not .5, as rho and sigma are finite"
        notes = (
            f"An optimistic penalty method comes to {hopeful.trace[-1]:.1e} too: one best answer at the end.",
            f"After all 5000 steps the distance is {on.trace[-1]:.1e}; {bias}.",
        )
    shown = {"SiPBA": exact[0], "x follows F alone": blind[0], "optimistic penalty": hopeful}
    curves = [
        Curve(label=who, x=numbers(range(0, len(at.trace), 20)), y=tuple(at.trace[::20]))
        for who, at in shown.items()
    ]
    return Evidence(
        findings=tuple(findings),
        control=error(what="the same, x follows F alone", values=numbers(at.trace[-1] for at in blind)),
        picture=Picture(x="step", y="squared distance / at the start", log="y", curves=tuple(curves)),
        notes=notes,
    )


@claim(
    says="where the follower is indifferent, it finds the pessimistic optimum, not the optimistic one",
    where="abstract",
    kind="number",
)
def finds_the_pessimistic_optimum(trials: Trials) -> Evidence:
    """Measure the gap to the brute-force optimum on a one-dimensional problem with an interval of answers."""
    settings = Settings(alpha0=0.02, beta0=0.02)  # psi bends by 2 rho = 20 in x, y and z
    steps = trials.pick(fast=400, full=3000)
    mine: list[float] = []
    other: list[float] = []
    xs = np.linspace(0.02, 3, trials.pick(fast=40, full=300))
    for seed in trials:
        game = Game(interval(seed), [2.0], [0.0])
        worst = partial(_at, pessimistic_value, game.problem)
        best = min(worst(x) for x in xs)
        hoped = min(xs, key=partial(_at, optimistic_value, game.problem))
        for gaps, end in (
            (mine, sipba(*game, settings=settings, steps=steps)),
            (other, _play(_optimistically, game, settings, steps=steps)),
        ):
            gaps.append((worst(end.x[0]) - best) / (worst(hoped) - best))
    gap = partial(Finding, limit=0.05, side="<=", margin=0.45, spread="every")
    return Evidence(
        findings=(
            gap(what="gap to the pessimistic optimum (the optimistic one has 1)", values=numbers(mine)),
        ),
        control=gap(
            what="the same gap, where y helps the leader (max over y made min)", values=numbers(other)
        ),
    )


@claim(
    says="as the penalty grows and the regularisation fades, the smooth value tends to the pessimistic value",
    where="abstract",
    kind="number",
)
def smooth_value_tends_to_the_pessimistic(trials: Trials) -> Evidence:
    """Measure the largest gap over x between (2) and the brute-force value, at rho t and sigma / t."""
    scales = (1.0, 4.0, 16.0, 64.0)
    xs, gaps, stiff = trials.pick(fast=(0.75, 1.5), full=(0.75, 1.0, 1.25, 1.5)), [], []
    for seed in trials:
        problem = interval(seed)
        gaps.append([_largest_gap(problem, xs, 2 * t, 0.01 / t) for t in scales])
        stiff.append(_largest_gap(problem, xs, 2.0, 0.01 / scales[-1]))
    ratio = partial(Finding, baseline=tuple(gap[0] for gap in gaps), limit=0.1, side="<=", margin=0.4)
    return Evidence(
        findings=(ratio(what="gap at t = 64 in gaps at t = 1", values=numbers(gap[-1] for gap in gaps)),),
        control=ratio(what="the same where sigma fades and the penalty stays", values=tuple(stiff)),
    )


@claim(
    says="avoiding inner loops makes it efficient: fewer gradients than a loop that first solves for y and z",
    where="abstract",
    kind="order",
)
def needs_fewer_gradients_than_a_double_loop(trials: Trials) -> Evidence:
    """Measure gradients until the error stays below 1e-4, n = 100, each method at its best step in x."""
    inners = trials.pick(fast=(1, 10, 50), full=(1, 2, 5, 10, 50))
    alphas = trials.pick(fast=(0.3, 3.0), full=(0.3, 0.5, 1.0, 3.0, 10.0, 0.1))
    most = trials.pick(fast=3000, full=6000)
    costs = [[_cheapest(seed, inner, alphas, most) for inner in inners] for seed in trials]
    columns = {inner: numbers(column) for inner, column in zip(inners, zip(*costs, strict=True), strict=True)}
    cost = partial(Finding, baseline=columns[10], limit=1.0, side="<=")
    means = np.exp(np.log(costs).mean(axis=0))
    return Evidence(
        findings=(cost(what="gradients of the single loop / of 10 inner steps", values=columns[1]),),
        control=cost(what="gradients of 50 inner steps / of 10 inner steps", values=columns[50]),
        picture=Picture(
            x="inner steps",
            y="gradients until the error stays below 1e-4",
            log="xy",
            curves=(Curve(label="geometric mean", x=numbers(inners), y=numbers(means)),),
        ),
        notes=(
            f"With {inners[1]} inner steps: {means[1] / means[0]:.2f} times the gradients of one.",
            f"The best alpha0 was sought among {tuple(sorted(alphas))}; the authors' program has .1.",
            f"Runs pass 1e-4 and leave: it has to stay below up to {most} gradients; else {most} count.",
        ),
    )


# The turns of other methods, which the claims compare with.

Turn = Callable[["Run", BilevelProblem, "Point", Weights], "Point"]


def _at(value: Callable[..., float], problem: BilevelProblem, x: float) -> float:
    return value(problem, [x], answers(x))


def _largest_gap(problem: BilevelProblem, xs: tuple[float, ...], rho: float, sigma: float) -> float:
    smooth = partial(smooth_value, rho=rho, sigma=sigma)
    return max(abs(_at(smooth, problem, x) - _at(pessimistic_value, problem, x)) for x in xs)


def _play(
    turn: Turn, game: Game, settings: Settings, *, steps: int, callback: Callback | None = None
) -> Result:
    """Run a method that differs from SiPBA in its turn alone."""
    problem, run = game.problem, Run("sipba", game.problem, callback, {"project_x", "project_y"})
    x, y = run.start(game.x0, game.y0)
    z = y
    for k in range(1, steps + 1):
        x, y, z = turn(run, problem, (x, y, z), settings.at(k))
        if not run.goes_on(x, y):
            break
    return run.result(x, y)


def _double_loop(inner: int) -> Turn:
    """Take ``inner`` steps towards the saddle point for each step in x; with one it is SiPBA."""

    def turn(run: Run, problem: BilevelProblem, point: Point, at: Weights) -> Point:
        x, y, z = point
        for _ in range(inner):
            y, z = _respond(run, problem, (x, y, z), at)
        return _lead(run, problem, (x, y, z), at), y, z

    return turn


def _blindly(run: Run, problem: BilevelProblem, point: Point, at: Weights) -> Point:
    """Lead by the gradient of F alone, as if the follower did not answer."""
    y, z = _respond(run, problem, point, at)
    F_x, _ = run.gradient(problem.upper, point[0], y)
    return problem.project_x(point[0] - at.alpha * F_x), y, z


def _optimistically(run: Run, problem: BilevelProblem, point: Point, at: Weights) -> Point:
    """Let y help the leader: x and y down on F + rho (f(x, y) - f(x, z)), z down on f."""
    x, y, z = point
    (_, F_y), (_, f_y) = run.gradient(problem.upper, x, y), run.gradient(problem.lower, x, y)
    _, f_z = run.gradient(problem.lower, x, z)
    y = problem.project_y(y - at.beta * (F_y + at.rho * f_y))
    z = problem.project_y(z - at.beta * at.rho * f_z)
    return _lead(run, problem, (x, y, z), at._replace(rho=-at.rho)), y, z


def _cheapest(seed: int, inner: int, alphas: tuple[float, ...], most: int) -> int:
    """Return the fewest gradients after which the relative error stays below 1e-4, n = 100, or ``most``."""
    best = most
    for alpha0 in alphas:
        best = min(best, _settled(seed, inner, alpha0, best, most))
    return best


def _settled(seed: int, inner: int, alpha0: float, best: int, most: int) -> int:
    """Return when a run of ``most`` gradients passes 1e-4 for good: a run may pass the solution and leave."""
    at, each, above = Synthetic(100, seed, goal=0.0), 3 * inner + 3, 0

    def late(now: Result) -> bool:
        nonlocal above
        at(now)
        above = above if at.trace[-1] < 1e-4 else now.n_gradients
        return above + each > best

    end = _play(_double_loop(inner), at.game, Settings(alpha0=alpha0), steps=most // each, callback=late)
    return above + each if end.iterations == most // each and above < end.n_gradients else most
