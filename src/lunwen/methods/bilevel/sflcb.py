"""A Single-Loop First-Order Algorithm for Linearly Constrained Bilevel Optimization.

Problem.
    A lower problem is strongly convex in y, but its feasible set, ``B x + A y <= b``, moves with the upper
    variable x. The upper objective at the lower optimum, Phi(x) = f(x, y*(x)), then has kinks wherever the
    set of active rows changes, and its gradient by implicit differentiation needs Hessians.

Idea.
    Two copies of the lower variable, y and z, play on one penalised, augmented Lagrangian: y lowers
    delta f + g, z lowers g alone, and x follows the difference of the two. All move once in every step from
    the same point, by gradients of f and g only: there is no inner loop and no Hessian.

Phi_delta(x) = min_y max_z f(x, y) + [g(x, y) - g(x, z)] / delta, both under h(x, .) = B x + A . - b <= 0.
0 <= Phi - Phi_delta <= delta l_f^2 / (2 mu_g) and ||y_delta* - y*|| <= 2 delta l_f / mu_g, where l_f bounds
||grad_y f|| and g is mu_g-strongly convex in y.

K = delta f(x, y) + g(x, y) - g(x, z) + u'(h(x, y) - s) + rho/2 ||h(x, y) - s||^2
    - v'(h(x, z) - t) - rho/2 ||h(x, z) - t||^2
with slacks s, t <= 0 (the paper's alpha and beta) and multipliers u, v.

Differs from the paper.
    1. One rho and one step for y, z, slacks and multipliers, as the authors' code has it; x may have its own.
    2. The multipliers step from the same point as all else; in the authors' toy they go first.
    3. Phi_delta, its bounds and that gradients agree to O(delta) are taken from a summary: INFERRED, the
       paper was not available. The double loop (the paper compares with BLOCC) takes our own inner steps.
    4. Claim ``saves_gradients`` measures ||grad Phi_delta||, which exists at kinks of Phi too; the step of x
       is longer than the authors', who have one step for all. Goals and problems are ours.
    5. The support vector machine's bounds are penalised more than in the authors' code: with a light
       penalty Phi has many local minima, in which any two solvers end apart.

Not covered.
    The rate itself; constraints that are not linear; stochastic gradients; the transport experiment.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers, slope
from lunwen.methods._given import number, whole
from lunwen.methods.bilevel._problem import BilevelProblem, Result, Run, gradient
from lunwen.methods.bilevel._sflcb_data import (
    TRAIN,
    bottoms,
    distances,
    machine,
    nested,
    of_bounds,
    quadratic,
    split,
    toy,
)
from lunwen.methods.bilevel._sflcb_exact import Optimum, hyperobjective
from lunwen.methods.bilevel._sflcb_race import DELTA, GRID, fewest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from lunwen.methods._claim import Trials
    from lunwen.methods.bilevel._problem import Callback

    Array = NDArray[np.float64]

__all__ = ["Optimum", "Settings", "hyperobjective", "sflcb"]

CARD = Card(
    paper_id="003-02",
    title="A Single-Loop First-Order Algorithm for Linearly Constrained Bilevel Optimization",
    authors=("Wei Shen", "Jiawei Zhang", "Minhui Huang", "Cong Shen"),
    venue="NeurIPS",
    year=2025,
    url="https://arxiv.org/abs/2510.24710",
    area="bilevel",
    needs=("numpy", "scipy", "sklearn", "torch"),
    seconds=200,
    example="""
from lunwen.methods.bilevel import BilevelProblem, LinearConstraint
from lunwen.methods.bilevel.sflcb import Settings, hyperobjective, sflcb

# a budget x is shared out near the wishes 1, 2, 3; we pay for it and want y[0] at 2: by hand, x = 6.75
problem = BilevelProblem(
    upper=lambda x, y: (y[0] - 2) ** 2 + 0.5 * x[0],
    lower=lambda x, y: (y[0] - 1) ** 2 + (y[1] - 2) ** 2 + (y[2] - 3) ** 2,
    constraint=LinearConstraint(A=[[1, 1, 1]], B=[[-1]], b=[0], equal=True),  # y[0] + y[1] + y[2] = x
)
result = sflcb(problem, [5], settings=Settings(delta=0.01, lr=0.1, lr_x=3), steps=1000)
print(f"budget {result.x[0]:.3f}, shares {result.y.round(3)}; {result.message}")
for x in (result.x, [6.75]):
    print(f"Phi({x[0]:.3f}) = {hyperobjective(problem, x).value:.4f}")
""",
    unchecked=(
        "O(eps^-3) against O(eps^-3 log 1/eps): no measurement tells a factor log 1/eps from a constant",
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How ``sflcb`` moves. The defaults are safe where curvatures and constraints are near 1, and slow.

    Quicker: ``lr`` near 1 / (L + rho sigma^2), L the largest curvature of the lower objective in y, sigma the
    largest singular value of A; then ``lr_x`` from ``lr`` upwards, as long as the residual falls.

    Attributes:
        delta: the weight of the upper objective; errors are O(delta), steps along x shrink with it.
        rho: of the augmented Lagrangian.
        lr: the step of y, z, slacks and multipliers.
        lr_x: the step of x; ``lr`` where it is None.
    """

    delta: float = 0.1  # the authors' toy; .01 for their SVM
    rho: float = 1.0  # the authors' toy; the paper bounds it by (mu_g - delta l_f1) / sigma_max(A)^2
    lr: float = 0.01  # the authors' toy; .001 for their SVM
    lr_x: float | None = None  # the authors' code has one step for all

    def __post_init__(self) -> None:
        """Refuse what is not above 0.

        Raises:
            UsageError: a setting is not.
        """
        for name in ("delta", "rho", "lr", "lr_x"):
            if name != "lr_x" or self.lr_x is not None:
                number(name, getattr(self, name), above=0)


def sflcb(
    problem: BilevelProblem,
    x0: ArrayLike,
    *,
    settings: Settings = Settings(),
    steps: int = 10_000,
    tol: float = 0.0,
    warm: Optimum | None = None,
    callback: Callback | None = None,
) -> Result:
    """Minimise the upper objective over x by one loop of gradient steps (the paper's SFLCB).

    Args:
        problem: one with a constraint; of projections it heeds ``project_x``.
        x0: where x starts, (n,).
        settings: step lengths and weights.
        steps: at most so many; the authors' toy takes the default.
        tol: done when no variable moves faster than this, per step length; 0 in the authors' code.
        warm: where the lower players start, as ``hyperobjective(problem, x0)`` gives it; else at 0.
        callback: called after every step; True stops.

    Returns:
        x, y; ``more`` has z, u, v; ``history["residual"]`` the fastest move per step length, that of x over
        delta, so that it bounds an estimate of ||grad Phi_delta||; ``history["violation"]`` how far the worst
        row is from being kept.

    Raises:
        UsageError: x0 or ``warm`` does not fit the problem, or a setting is out of range.
    """
    if not isinstance(settings, Settings):
        raise UsageError(f"settings is {settings!r}. Give Settings(...)")
    steps, tol = whole("steps", steps), number("tol", tol, least=0)
    return _play(problem, x0, settings, steps, tol=tol, warm=warm, callback=callback)


def _play(  # noqa: PLR0913 - sflcb's own arguments, and the two in which its rivals differ
    problem: BilevelProblem,
    x0: ArrayLike,
    settings: Settings,
    steps: int = 10_000,
    *,
    tol: float = 0.0,
    warm: Optimum | None = None,
    callback: Callback | None = None,
    inner: int = 1,
    value: bool = True,
) -> Result:
    """Run SFLCB, or with ``inner`` > 1 a double loop, or without ``value`` one that keeps z out of x."""
    run = Run("sflcb", problem, callback, {"project_x", "constraint"})
    h = problem.constraint
    assert h is not None
    f, g, A, B = problem.upper, problem.lower, h.A, h.B
    if warm is not None and (not isinstance(warm, Optimum) or (len(warm.u), len(warm.y)) != A.shape):
        raise UsageError("warm is not of this problem. Give what hyperobjective(problem, x0) returns")
    delta, rho, lr = settings.delta, settings.rho, settings.lr
    lr_x = lr if settings.lr_x is None else settings.lr_x
    y0, u0 = (warm.y, warm.u) if warm is not None else (np.zeros(A.shape[1]), np.zeros(len(A)))
    x, y = run.start(x0, y0)
    for name in ("upper", "lower"):  # in their sum one that torch cannot follow would pass for a constant
        if not all(part.isfinite().all() for part in gradient(getattr(problem, name), x, y)):
            raise UsageError(f"{name} has no finite gradient at the start. Start elsewhere, by x0 or warm")
    hx = h.excess(x)
    Y, U = y.repeat(2, 1), torch.as_tensor(u0).repeat(2, 1)  # rows: y's player (y, u), z's (z, v)
    floor = torch.where(h.equal, 0.0, -torch.inf)  # equalities have no slack
    S = (hx + Y @ A.T).clamp(max=0.0).maximum(floor)
    signs = torch.tensor([1.0, -1.0 if value else 0.0], dtype=torch.float64)

    def smooth(x: Tensor, y: Tensor, z: Tensor) -> Tensor:  # the part of K that autograd is needed for
        return delta * f(x, y) + g(x, y) - g(x if value else x.detach(), z)

    converged, hint, bound = False, "", math.inf
    while run.iterations < steps and not converged:
        for _ in range(inner):
            R = hx + Y @ A.T - S  # h - slack, dK/du and -dK/dv
            P = U + rho * R
            kx, ky, kz = run.gradient(smooth, x, Y[0], Y[1])
            run.n_gradients += 2  # three objectives at a point each
            D = torch.stack((ky, -kz)) + P @ A
            slack = (S + lr * P).clamp(max=0.0).maximum(floor)
            fast = D.norm(), R.norm(), (slack - S).norm() / lr
            Y, S, U = Y - lr * D, slack, U + lr * R
        ahead = problem.project_x(x - lr_x * (kx + B.T @ (signs @ P)))
        residual = float(max(*fast, (ahead - x).norm() / (lr_x * delta)))
        x, hx = ahead, h.excess(ahead)
        over = hx + A @ Y[0]
        violation = float((over - over.clamp(max=0.0).maximum(floor)).abs().max())
        converged = residual <= tol
        hint = f"still moving, residual {residual:.2g}; constraints off by {violation:.2g}"
        if not run.goes_on(x, Y[0], residual=residual, violation=violation):
            break
        if residual > bound:
            hint = "it diverges, choose smaller steps"
            break
        bound = min(bound, 1e6 * max(residual, 1.0))
    return run.result(x, Y[0], converged=converged, hint=hint, z=Y[1], u=U[0], v=U[1])


@claim(
    says="With a constraint that moves with x, it ends in a valley of the upper objective from anywhere.",
    where="experiments",
    kind="order",
)
def finds_the_valleys(trials: Trials) -> Evidence:
    """Runs from random x end within 1e-3 of a local minimum of Phi(x) = f(x, x)."""
    each = trials.pick(fast=10, full=20)
    starts = [np.random.default_rng(seed).uniform(0, 3, each) for seed in trials]
    together, lowest = toy(each * len(starts)), bottoms()
    settings, steps = trials.pick(fast=(Settings(lr=0.05), 1500), full=(Settings(), 10_000))

    def finding(*, value: bool) -> Finding:
        ends = _play(together, np.concatenate(starts), settings, steps, value=value).x.reshape(-1, each)
        hits = (np.abs(ends[..., None] - lowest).min(axis=-1) < 1e-3).sum(axis=1)
        return Finding(
            what="runs that end within 1e-3 of a local minimum" + ("" if value else ", z left out"),
            values=numbers(hits),
            trials=(each,) * len(starts),
            limit=0.95,
            side=">=",
            margin=0.05,
            spread="rate",
        )

    return Evidence(
        findings=(finding(value=True),),
        control=finding(value=False),
        notes=("the constraint is active for every x here, so that delta does not matter",),
    )


@claim(
    says="The penalised problem's values, lower solutions and gradients are the original's up to O(delta).",
    where="abstract",
    kind="bound",
)
def stays_close(trials: Trials) -> Evidence:
    """Gaps, and their slopes over the three least delta, at random x of random quadratic lower problems."""
    deltas, count = (1.0, 0.3, 0.1, 0.03, 0.01), trials.pick(fast=4, full=15)
    shares, slopes, gaps, kinds = [], [], [], set()
    for seed in trials:
        points, problem = np.random.default_rng(seed).standard_normal((count, 4)), quadratic(seed)
        kinds |= {(seed, *(hyperobjective(problem, x).u > 0)) for x in points}
        gap = distances(problem, points, deltas)  # (4, deltas, points)
        shares.append((gap[0].min(), *of_bounds(gap, deltas)))
        gaps.append(gap.mean(axis=2))
        slopes.append([slope(deltas[2:], list(row[2:])) for row in gaps[-1]])

    def order(what: str, which: int) -> Finding:
        return Finding(
            what=what, values=numbers(row[which] for row in slopes), limit=0.8, side=">=", margin=0.3
        )

    def every(what: str, values: Sequence[float], limit: float, side: Literal["<=", ">="]) -> Finding:
        return Finding(what=what, values=numbers(values), limit=limit, side=side, spread="every")

    least, values, solutions = zip(*shares, strict=True)
    mean = np.mean(gaps, axis=0)
    names = ("Phi - Phi_delta", "||y_delta* - y*||", "gradients", "gradients, multipliers left out")
    curves = (Curve(label=name, x=deltas, y=numbers(row)) for name, row in zip(names, mean, strict=True))
    return Evidence(
        findings=(
            every("least Phi - Phi_delta", least, 0, ">="),
            every("largest (Phi - Phi_delta) / its bound", values, 1, "<="),
            every("largest ||y_delta* - y*|| / its bound", solutions, 1, "<="),
            order("exponent of delta in Phi - Phi_delta", 0),
            order("exponent of delta in ||y_delta* - y*||", 1),
            order("exponent of delta in ||grad Phi_delta - grad Phi||", 2),
        ),
        control=order("exponent of delta in the gradients' distance, multipliers left out", 3),
        notes=(
            "beside a kink of Phi gradients agree only once delta is small, so slopes leave out 1 and 0.3",
            f"{count} x a seed, with {len(kinds) / len(trials.seeds):.0f} sets of active rows in the mean",
        ),
        picture=Picture(x="delta", y="mean distance", log="xy", curves=tuple(curves)),
    )


@claim(
    says="One loop needs no more gradients than a double loop with inner solves for every step of x.",
    where="abstract",
    kind="order",
)
def saves_gradients(trials: Trials) -> Evidence:
    """Gradients of f and g until ||grad Phi_delta|| <= 0.3 and 0.1, each loop with the best of one grid."""
    goals, most, copies = trials.pick(fast=((1.0,), 900, 2), full=((0.3, 0.1), 6000, 4))
    pairs = GRID[: trials.pick(fast=2, full=len(GRID))]
    grid = [Settings(delta=DELTA, lr=lr, lr_x=lr_x) for lr, lr_x in pairs]
    loops = trials.pick(fast=(3,), full=(3, 10))
    keys = [(seed, copy) for seed in trials for copy in range(copies)]
    fewer = trials.pick(fast=600, full=1500)  # for the control, which never gets there

    def race(inner: int, goals: Sequence[float] = goals, most: int = most, *, value: bool = True) -> Array:
        """Return the seeds' geometric means, (goals, seeds), of what the best settings took."""

        def play(problem: BilevelProblem, x0: Array, settings: Settings, callback: Callback) -> None:
            _play(problem, x0, settings, most, inner=inner, value=value, callback=callback)

        counts = fewest(play, grid, keys, goals, most).reshape(-1, copies, len(goals))
        return np.asarray(np.exp(np.log(counts).mean(axis=1)).T)

    one, each = race(1), {inner: race(inner) for inner in loops}
    (blind,) = race(1, goals[:1], fewer, value=False)

    def ratio(mine: Array, inner: int, at: int, what: str = "") -> Finding:
        return Finding(
            what=f"gradients of one loop{what} / with {inner} inner steps, to {goals[at]}",
            values=numbers(mine),
            baseline=numbers(each[inner][at]),
            limit=1.0,
            side="<=",
        )

    return Evidence(
        findings=tuple(ratio(one[at], inner, at) for inner in loops for at in range(len(goals))),
        control=ratio(blind, loops[0], 0, ", z left out"),
        notes=(
            f"quadratic problems a seed, of which the geometric mean is taken: {copies}; delta = {DELTA}",
            "an earlier measurement, with coarser counts and unequal grids, could not decide",
            f"(lr, lr_x), the best of which each loop has for each problem: {str(pairs)[1:-1]}",
            f"what did not get there in {most} gradients counts as {most}, in the control as {fewer}",
        ),
    )


@claim(
    says="It tunes a support vector machine's soft margins as well as exact lower solutions do.",
    where="experiments",
    kind="order",
)
def tunes_an_svm(trials: Trials) -> Evidence:
    """Phi at the end, on scikit-learn's breast cancer data, over that of L-BFGS with exact hypergradients."""
    copies = trials.pick(fast=1, full=3)
    settings, steps = Settings(delta=0.03, rho=0.3, lr=0.1, lr_x=0.2), trials.pick(fast=600, full=8000)
    begin = np.zeros(TRAIN)  # hard margins
    ends: dict[bool, list[Array]] = {True: [], False: []}
    best = []
    for copy in range(copies):
        data = [split(seed, copy) for seed in trials]
        alone = [machine([one]) for one in data]
        best.append([nested(problem, begin) for problem in alone])
        first = [hyperobjective(problem, begin) for problem in alone]
        y, u = (np.concatenate(parts) for parts in zip(*((one.y, one.u) for one in first), strict=True))
        warm, together = Optimum(0.0, begin, y, u), machine(data)
        for value, found in ends.items():
            x = _play(together, np.tile(begin, len(data)), settings, steps, warm=warm, value=value).x
            at = zip(alone, x.reshape(len(data), -1), strict=True)
            found.append(np.array([hyperobjective(problem, one).value for problem, one in at]))

    def finding(what: str, *, value: bool) -> Finding:
        reached, other = (np.exp(np.log(part).mean(axis=0)) for part in (ends[value], best))
        return Finding(
            what=what, values=numbers(reached), baseline=numbers(other), limit=1.02, side="<=", margin=0.03
        )

    return Evidence(
        findings=(finding("validation objective / that of the nested solver", value=True),),
        control=finding("validation objective, z left out / that of the nested solver", value=False),
        notes=(
            f"splits a seed, of which the geometric mean is taken: {copies}",
            "splits run side by side as one problem, where none touches another's numbers",
            "settings were chosen on sixteen other splits",
            "the objective is the exponential loss and x's penalty; both solvers start from hard margins",
        ),
    )
