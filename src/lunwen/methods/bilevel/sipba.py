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
   numbering is INFERRED: the paper was not available, the numbers (1) and (2) are ours, and so is the rule
   by which ``Settings`` chooses alpha0 and beta0.
2. f convex in y and F concave in y are needed for the saddle point; INFERRED, and not checked at run time.
3. A tolerance on the projected steps may end the run; the program stops at a known solution or a step count.
4. The program for spam scales every gradient to length 1 and has steps of its own for each collection; here
   gradients keep their lengths. There all mail moves, in the metric of 100 principal components.
5. Where the paper sorts spam, the claim ``guards_a_filter`` has synthetic mail; of it spam alone moves.

Not covered. Stochastic gradients, lower-level constraints that depend on x, the hyper-representation
experiment, the paper's rivals (AdaProx, the relaxation of Scholtes).
"""

# Longer than other methods: five claims stand here with the rivals that they are measured against.

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers, slope
from lunwen.methods._given import number, whole
from lunwen.methods.bilevel._brute_force import optimistic_value, pessimistic_value, smooth_value
from lunwen.methods.bilevel._problem import BilevelProblem, Callback, Result, Run
from lunwen.methods.bilevel._sipba_data import Weights, answers, interval, synthetic
from lunwen.methods.bilevel._sipba_mail import HOPED, STILL, WORST, Mail
from lunwen.methods.bilevel._sipba_race import Track

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    from lunwen.methods.bilevel._sipba_data import Point
    from lunwen.methods.bilevel._sipba_race import Turn

__all__ = ["Settings", "optimistic_value", "pessimistic_value", "sipba", "smooth_value"]

CARD = Card(
    paper_id="001-15",
    title=("A Single-Loop Gradient Algorithm for Pessimistic Bilevel Optimization via Smooth Approximation"),
    authors=("Qichao Cao", "Shangzhi Zeng", "Jin Zhang"),
    venue="NeurIPS",
    year=2025,
    url="https://arxiv.org/abs/2509.26240",
    area="bilevel",
    needs=("numpy", "scipy", "torch"),
    seconds=180,
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
result = sipba(problem, x0=[2.0], y0=[0.0], settings=Settings(alpha0=0.02, beta0=0.02))
print(result)  # the pessimistic optimum is x = 1, with y = 1 (here + 1 / (2 rho))
""",
    unchecked=(
        "spam classification: no mail collections here; synthetic mail stands for them",
        "hyper-representation, and the paper's own rivals: AdaProx and the relaxation of Scholtes",
        "the convergence rate of the theorems: an upper bound whose constants are not given in the abstract",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The steps and penalties at step k = 1, 2, ...; steps are yours to choose, the rest is the authors'.

    A step in y that is too long lets y swing; one too short for that of x fails quietly: x ends near the
    minimiser of F alone, and only a large residual tells. So it ends, converged, with a sigma0 not far below
    ``|F_y| / |y|``, which lets z follow y or draws both to 0; nothing tells. With a rho0 too small for the
    scale of F, x is wrong and converged too; a large ``excess`` tells.

    Attributes:
        alpha0: ``alpha_k = alpha0 k^-s``, the step in x. Begin with ``beta0``, or with 1 / (rho0 |f_xx|) if
            that is less; halve it while the residual stays up. The authors' example: .1.
        beta0: ``beta_k = beta0 k^(-q-2p)``, the step in y and z. Begin with 1 / (rho0 |f_yy|). The authors'
            example: .001.
        rho0: ``rho_k = rho0 k^p``, the penalty. y leaves S(x) by about ``|F_y| / (rho0 |f_yy|)``: let that be
            little, by rho0 or by scaling f, before the steps are chosen.
        sigma0: ``sigma_k = sigma0 k^-q``, the regularisation: a hundredth of ``|F_y| / |y|`` or less. The
            authors: .01 in the synthetic example, 1e-4 in hyper-representation, 1e-6 for spam.
        p: of rho and beta. The authors' hyper-representation: p = q = .01, s = 8p + 8q.
        q: of sigma and beta.
        s: of alpha.
    """

    alpha0: float
    beta0: float
    rho0: float = 10.0
    sigma0: float = 1e-4
    p: float = 0.001
    q: float = 0.001
    s: float = 0.1

    def __post_init__(self) -> None:
        """Refuse what is no schedule.

        Raises:
            LimitError: a factor not above 0, or an exponent below 0.
        """
        for name in ("alpha0", "beta0", "rho0", "sigma0"):
            number(name, getattr(self, name), above=0)
        for name in ("p", "q", "s"):
            number(name, getattr(self, name), least=0)

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
    settings: Settings,
    steps: int = 5000,
    tol: float = 0.01,
    callback: Callback | None = None,
) -> Result:
    """Minimise over x the worst upper objective among the follower's best answers.

    Args:
        problem: F as ``upper``, concave in y, and f as ``lower``, convex in y; X and Y by projections.
        x0: start of x, (n,).
        y0: start of y and z, (m,).
        settings: steps and penalties.
        steps: at most so many.
        tol: ends when no projected gradient step (step / its length) is longer; 0: all steps are taken, and
            the run does not count as converged.
        callback: told every step; True or StopIteration stops.

    Returns:
        x; y, the worst answer; both but for O(1 / rho0), by which y leaves S(x), so that ``upper`` = F(x, y)
        is only near the worst value. The follower's own ``more["z"]``, (m,); and of every step the
        ``residual`` that tol is about, large at an end that means nothing, and the ``excess``
        f(x, y) - f(x, z): ``upper`` is off by about rho0 times it; if that is much, rho0 is too small.

    Raises:
        UsageError: a start, a setting or a problem that it cannot begin with.
    """
    if not isinstance(settings, Settings):
        raise UsageError(f"settings is {settings!r}. Give Settings(alpha0=..., beta0=...)")
    steps, tol = whole("steps", steps), number("tol", tol, least=0)
    return _play(_turn, (problem, x0, y0), settings, steps=steps, tol=tol, callback=callback)


def _play(
    turn: Turn,
    game: tuple[BilevelProblem, ArrayLike | Tensor, ArrayLike | Tensor],
    settings: Settings,
    *,
    steps: int,
    tol: float = 0.0,
    callback: Callback | None = None,
) -> Result:
    """Run SiPBA, or a method that differs from it in its turn alone."""
    problem, x0, y0 = game
    run = Run("sipba", problem, callback, {"project_x", "project_y"})
    x, y = run.start(x0, y0)
    point, residual, first = (x, y, y), np.inf, np.nan  # z starts where y does
    while run.iterations < steps and not residual <= tol:
        at, old = settings.at(run.iterations + 1), point
        point = turn(run, problem, old, at)
        moves = torch.stack([(new - was).norm() for new, was in zip(point, old, strict=True)])
        lengths = torch.tensor([at.alpha, at.beta, at.beta], dtype=torch.float64)
        residual = float((moves / lengths).max())  # NaN stays
        first = residual if run.iterations == 0 else first
        excess = problem.lower(*point[:2]) - problem.lower(point[0], point[2])
        if not run.goes_on(*point[:2], residual=residual, excess=excess):
            break
    why = "if it does not fall, alpha0 is too large or beta0 not near 1 / (rho0 |f_yy|)"
    hint = f"residual {residual:.1e} (at first {first:.1e}) is above tol; {why}"
    return run.result(*point[:2], converged=residual <= tol, hint=hint if tol else "", z=point[2])


def _turn(run: Run, problem: BilevelProblem, point: Point, at: Weights, inner: int = 1) -> Point:
    """Take the steps of one turn: y and z, then x. More than one ``inner`` step makes it a double loop."""
    x, y, z = point
    for _ in range(inner):
        y, z = _respond(run, problem, (x, y, z), at)
    return _lead(run, problem, (x, y, z), at), y, z


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
    says="A single loop solves the authors' synthetic example, in a number of steps that grows slowly with "
    "its size.",
    where="abstract; the authors' synthetic programs",
    kind="number",
)
def solves_the_synthetic_example(trials: Trials) -> Evidence:
    """Measure the error after 5000 steps at n = 100, and the steps to 1e-4 over the authors' range of n."""
    seeds, steps = list(trials), trials.pick(fast=900, full=5000)
    turns = {"SiPBA": _turn, "x follows F alone": _blindly, "optimistic penalty": _optimistically}
    courses = {who: synthetic(100, seeds) for who in turns}
    ends = [
        _play(turn, courses[who].game, AUTHORS, steps=steps, callback=courses[who])
        for who, turn in turns.items()
    ]
    sizes = trials.pick(fast=(100, 200), full=(200, 400, 600, 800, 1000))
    goal = trials.pick(fast="1e-2", full="1e-4")

    def needed(*, scaled: bool) -> NDArray[np.intp]:
        """Return the steps to the goal, (sizes, seeds)."""
        races = [synthetic(n, seeds, goal=float(goal)) for n in sizes]
        for n, course in zip(sizes, races, strict=True):
            settings = replace(AUTHORS, alpha0=AUTHORS.alpha0 * (n / 100 if scaled else 1))
            _play(_turn, course.game, settings, steps=10 * n + 1000, callback=course)
        return np.array([course.steps for course in races])

    def growth(which: str, steps: NDArray[np.intp]) -> Finding:
        return Finding(
            what=f"exponent of n in the steps to {goal}, n = {sizes[0]} to {sizes[-1]}, alpha0 = {which}",
            values=numbers(slope(sizes, run.tolist()) for run in steps.T),
            limit=0.5,
            side="<=",
            margin=0.5,
        )

    def told(which: str, steps: NDArray[np.intp]) -> str:
        means = zip(sizes, steps.mean(axis=1), strict=True)
        return f"Mean steps, alpha0 = {which}: {', '.join(f'{k:.0f} at n = {n}' for n, k in means)}."

    fixed, scaled = needed(scaled=False), needed(scaled=True)
    hopeful = courses["optimistic penalty"].trace[-1].mean()
    error = partial(Finding, limit=1e-4, side="<=", margin=9e-4, spread="every")
    curves = [
        Curve(label=who, x=numbers(range(1, steps + 1, 20)), y=numbers(np.mean(at.trace[::20], axis=1)))
        for who, at in courses.items()
    ]
    return Evidence(
        findings=(
            error(
                what=f"squared distance to the solution / at the start, n = 100, after {steps} steps",
                values=numbers(courses["SiPBA"].trace[-1]),
            ),
            growth(".1, the authors'", fixed),
            growth(".1 n / 100", scaled),
        ),
        control=error(
            what="squared distance / at the start, n = 100, where x follows F alone",
            values=numbers(courses["x follows F alone"].trace[-1]),
        ),
        picture=Picture(x="step", y="squared distance / at the start", log="y", curves=tuple(curves)),
        notes=(
            told(".1", fixed),
            told(".1 n / 100", scaled),
            "F's part in x is divided by n, so that a step that stays the same is too short for a large n.",
            f"Mean x at the end is {ends[0].x.mean():.3f}, not .5, as rho and sigma are finite.",
            f"An optimist ends there too, at {hopeful:.1e} in the mean: S(x) is a single point at the",
            "solution, which is a local one of the optimistic problem as well. This example tells how fast",
            "SiPBA is, not which optimum it finds.",
        ),
    )


@claim(
    says="Where the follower is indifferent, it finds the pessimistic optimum, not the optimistic one.",
    where="abstract",
    kind="number",
)
def finds_the_pessimistic_optimum(trials: Trials) -> Evidence:
    """Measure the gap to the brute-force optimum on one-dimensional problems with an interval of answers."""
    seeds, steps = list(trials), trials.pick(fast=400, full=3000)
    settings = Settings(alpha0=0.02, beta0=0.02)  # psi bends by 2 rho = 20 in x, y and z
    ends = [_play(turn, interval(seeds).game, settings, steps=steps).x for turn in (_turn, _optimistically)]
    mine: list[float] = []
    other: list[float] = []
    xs = np.linspace(0.02, 3, trials.pick(fast=40, full=300))
    for seed, x, hopeful in zip(seeds, *ends, strict=True):
        worst = partial(_at, partial(pessimistic_value, tie=TIE), interval([seed]).problem)
        hoped = partial(_at, partial(optimistic_value, tie=TIE), interval([seed]).problem)
        best, far = min(worst(x) for x in xs), worst(min(xs, key=hoped))
        mine.append((worst(x) - best) / (far - best))
        other.append((worst(hopeful) - best) / (far - best))
    gap = partial(Finding, limit=0.05, side="<=", margin=0.45, spread="every")
    return Evidence(
        findings=(gap(what="gap to the pessimistic optimum, an interval of answers", values=tuple(mine)),),
        control=gap(what="gap, an interval of answers, where y helps the leader", values=tuple(other)),
        notes=("The optimistic optimum has a gap of 1. Where y helps the leader, max over y is made min.",),
    )


@claim(
    says="It guards a filter against the worst of its senders' best answers, in many dimensions at once.",
    where="experiments; synthetic mail in place of the paper's collections",
    kind="order",
)
def guards_a_filter(trials: Trials) -> Evidence:
    """Measure the upper objective, and mistakes on new mail, under the worst of the best answers."""
    count = trials.pick(fast=20, full=60)
    mail, steps = Mail(list(trials), count), trials.pick(fast=400, full=2500)
    settings = Settings(alpha0=0.5 / count, beta0=0.05)  # x: |F_xx| is below 2 count; y: |f_yy| is 2
    game = (mail.problem, mail.x0, mail.y0)
    mine, other = (_play(turn, game, settings, steps=steps).x for turn in (_turn, _optimistically))
    best, hoped, still = mail.best(WORST), mail.best(HOPED), mail.best(STILL)
    least = mail.value(best)

    def gap(what: str, x: NDArray[np.float64]) -> Finding:
        values = numbers((mail.value(x) - least) / (mail.value(hoped) - least))
        return Finding(what=what, values=values, limit=0.05, side="<=", margin=0.45, spread="every")

    def mistakes(x: NDArray[np.float64]) -> str:
        return " / ".join(f"{mail.mistakes(x, side).mean():.3f}" for side in (WORST, HOPED))

    return Evidence(
        findings=(
            gap("gap to the exact pessimistic optimum, the filter (the optimistic one has 1)", mine),
            Finding(
                what="mistakes on new mail, worst answers / those of the optimistic solution",
                values=numbers(mail.mistakes(mine)),
                baseline=numbers(mail.mistakes(hoped)),
                limit=1.0,
                side="<=",
            ),
        ),
        control=gap("gap, the filter, where y helps the leader (max over y made min)", other),
        notes=(
            f"Mistakes, worst answers / those hoped for: {mistakes(mine)}; exact optimum {mistakes(best)};",
            f"optimistic solution {mistakes(hoped)}; filter that takes whims as they are {mistakes(still)}.",
            "The mail is synthetic, drawn by us: nine weights, eight features of each mail to be moved.",
        ),
    )


@claim(
    says="As the penalty grows and the regularisation fades, the smooth value tends to the pessimistic "
    "value.",
    where="abstract",
    kind="number",
)
def smooth_value_tends_to_the_pessimistic(trials: Trials) -> Evidence:
    """Measure the largest gap over x between (2) and the brute-force value, at rho t and sigma / t."""
    scales = (1.0, 4.0, 16.0, 64.0)
    xs, gaps, stiff = trials.pick(fast=(0.75, 1.5), full=(0.75, 1.0, 1.25, 1.5)), [], []
    for seed in trials:
        problem = interval([seed]).problem
        gaps.append([_largest_gap(problem, xs, 2 * t, 0.01 / t) for t in scales])
        stiff.append(_largest_gap(problem, xs, 2.0, 0.01 / scales[-1]))
    ratio = partial(Finding, baseline=tuple(gap[0] for gap in gaps), limit=0.1, side="<=", margin=0.4)
    return Evidence(
        findings=(
            ratio(
                what="gap of the smooth value at 64 rho and sigma / 64, over that at rho and sigma",
                values=numbers(gap[-1] for gap in gaps),
            ),
        ),
        control=ratio(
            what="gap of the smooth value at rho and sigma / 64, over that at rho and sigma",
            values=tuple(stiff),
        ),
    )


@claim(
    says="Avoiding inner loops makes it efficient: fewer gradients than a loop with inner steps in y and z.",
    where="abstract",
    kind="order",
)
def needs_fewer_gradients_than_a_double_loop(trials: Trials) -> Evidence:
    """Measure gradients until the error stays below a goal, each loop with the best steps of one grid."""
    seeds, inners, unit = list(trials), (1, 2, 5, 10, 50), replace(AUTHORS, alpha0=1.0, beta0=1.0)
    fine, most = trials.pick(fast=((3, 3), 1000), full=((9, 13), 4000))
    example = Track(partial(synthetic, 100), 1e-4, (0.1, 10), (2.5e-4, 4e-3), fine, most)
    off = replace(example, fine=(fine[0], fine[1] - 1))  # its betas leave out .001
    tracks = {
        "synthetic example": example,
        "interval of answers": Track(interval, 0.01, (0.01, 3), (3e-3, 0.3), fine, most),
    }
    findings, controls, curves, notes = [], [], [], []
    beside = [off.best(partial(_turn, inner=inner), unit.at, seeds)[0] for inner in inners]
    without = ", ".join(f"{np.exp(np.log(cost).mean()):.0f}" for cost in beside)
    for name, track in tracks.items():
        ends = {inner: track.best(partial(_turn, inner=inner), unit.at, seeds) for inner in inners}
        costs = {inner: numbers(end[0]) for inner, end in ends.items()}
        means = {inner: float(np.exp(np.log(cost).mean())) for inner, cost in costs.items()}
        best = min(inners[1:4], key=means.__getitem__)
        cost = partial(Finding, baseline=costs[best], limit=1.0, side="<=")
        findings.append(cost(what=f"gradients of one loop / of {best} inner steps, {name}", values=costs[1]))
        controls.append(cost(what=f"gradients of 50 inner steps / of {best}, {name}", values=costs[50]))
        curves.append(Curve(label=name, x=numbers(inners), y=tuple(means.values())))
        steps = "; ".join(f"{alpha:.2g}, {beta:.2g}" for _, alpha, beta in ends.values())
        each = ", ".join(f"{means[inner]:.0f}" for inner in inners)
        notes.append(f"Gradients of {', '.join(map(str, inners))} inner steps, {name}: {each}.")
        notes.append(f"Best alpha0, beta0 of {', '.join(map(str, inners))} inner steps there: {steps}.")
    return Evidence(
        findings=tuple(findings),
        control=controls[0],
        picture=Picture(x="inner steps", y="gradients, geometric mean", log="xy", curves=tuple(curves)),
        notes=(
            "One loop against the best of 2, 5 and 10 inner steps, each with its best alpha0 and beta0.",
            *notes,
            "At beta0 = .001, the authors', y swings with period two on the synthetic example; 2 inner steps",
            f"undo that, 5 do not. On a grid of {off.fine[1]} betas, .001 not among them, gradients of",
            f"{', '.join(map(str, inners))} inner steps there: {without}.",
        ),
    )


# What the claims compare with.

AUTHORS = Settings(alpha0=0.1, beta0=0.001, sigma0=0.01)
TIE = 1e-9  # brute force tries the ends of S(x) to rounding


def _at(value: Callable[..., float], problem: BilevelProblem, x: float) -> float:
    return value(problem, [x], answers(x))


def _largest_gap(problem: BilevelProblem, xs: tuple[float, ...], rho: float, sigma: float) -> float:
    smooth, worst = partial(smooth_value, rho=rho, sigma=sigma), partial(pessimistic_value, tie=TIE)
    return max(abs(_at(smooth, problem, x) - _at(worst, problem, x)) for x in xs)


def _blindly(run: Run, problem: BilevelProblem, point: Point, at: Weights) -> Point:
    """Lead by the gradient of F alone, as if the follower did not answer."""
    y, z = _respond(run, problem, point, at)
    return _lead(run, problem, (point[0], y, z), at._replace(rho=0.0)), y, z


def _optimistically(run: Run, problem: BilevelProblem, point: Point, at: Weights) -> Point:
    """Let y help the leader: x and y down on F + rho (f(x, y) - f(x, z)), z down on f."""
    x, y, z = point
    (_, F_y), (_, f_y) = run.gradient(problem.upper, x, y), run.gradient(problem.lower, x, y)
    _, f_z = run.gradient(problem.lower, x, z)
    y = problem.project_y(y - at.beta * (F_y + at.rho * f_y))
    z = problem.project_y(z - at.beta * at.rho * f_z)
    return _lead(run, problem, (x, y, z), at._replace(rho=-at.rho)), y, z
