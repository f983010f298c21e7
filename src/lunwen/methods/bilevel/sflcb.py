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
    4. Claim ``saves_gradients`` measures ||grad Phi_delta||, which exists at kinks of Phi too; both loops
       have one rho and one step of y, and the one loop takes a longer step along x than the authors'.
    5. The support vector machine's bounds are penalised more than in the authors' code: with a light
       penalty Phi has many local minima, in which any two solvers end apart.

Not covered.
    The rate itself; constraints that are not linear; stochastic gradients; the transport experiment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers, slope
from lunwen.methods._given import number, whole
from lunwen.methods.bilevel._problem import BilevelProblem, Result, Run
from lunwen.methods.bilevel._sflcb_data import (
    CONVEXITY,
    TRAIN,
    bottoms,
    distances,
    machine,
    nested,
    quadratic,
    split,
    toy,
)
from lunwen.methods.bilevel._sflcb_exact import Optimum, hyperobjective

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
    seconds=120,
    example="""
from lunwen.methods.bilevel import BilevelProblem, LinearConstraint
from lunwen.methods.bilevel.sflcb import Settings, hyperobjective, sflcb

# fees x on two machines; jobs y settle near 3 - x, but no more than 1 in all; we want them at (1, 0)
problem = BilevelProblem(
    upper=lambda x, y: (y[0] - 1) ** 2 + y[1] ** 2 + 0.1 * x @ x,
    lower=lambda x, y: ((y - 3 + x) ** 2).sum(),
    constraint=LinearConstraint(A=[[1, 1]], B=[[0, 0]], b=[1]),
)
result = sflcb(problem, [0, 0], settings=Settings(delta=0.01, lr=0.1, lr_x=2), steps=1000)
print(result.x.round(3), result.y.round(3), round(hyperobjective(problem, result.x).value, 3))
""",
    unchecked=(
        "O(eps^-3) against O(eps^-3 log 1/eps): no measurement tells a factor log 1/eps from a constant",
    ),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How ``sflcb`` moves. What went well: ``lr`` and ``rho`` near 1 / the largest singular value of A.

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
        delta, so that it bounds an estimate of ||grad Phi_delta||.

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
    if warm and (len(warm.u), len(warm.y)) != A.shape:
        raise UsageError("warm is of another problem. Give what hyperobjective(problem, x0) returns")
    delta, rho, lr = settings.delta, settings.rho, settings.lr
    lr_x = lr if settings.lr_x is None else settings.lr_x
    y0, u0 = (warm.y, warm.u) if warm else (np.zeros(A.shape[1]), np.zeros(len(A)))
    x, y = run.start(x0, y0)
    hx = h.excess(x)
    Y, U = y.repeat(2, 1), torch.as_tensor(u0).repeat(2, 1)  # rows: y's player (y, u), z's (z, v)
    floor = torch.where(h.equal, 0.0, -torch.inf)  # equalities have no slack
    S = (hx + Y @ A.T).clamp(max=0.0).maximum(floor)
    signs = torch.tensor([1.0, -1.0 if value else 0.0], dtype=torch.float64)

    def smooth(x: Tensor, y: Tensor, z: Tensor) -> Tensor:  # the part of K that autograd is needed for
        return delta * f(x, y) + g(x, y) - g(x if value else x.detach(), z)

    converged = False
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
        converged = residual <= tol
        if not run.goes_on(x, Y[0], residual=residual):
            break
    return run.result(x, Y[0], converged=converged, z=Y[1], u=U[0], v=U[1])


@claim(
    says="with a constraint that moves with x, it ends in a valley of the upper objective from anywhere",
    where="experiments",
    kind="order",
)
def finds_the_valleys(trials: Trials) -> Evidence:
    """Runs from random x end within 1e-3 of a local minimum of Phi(x) = f(x, x)."""
    each = trials.pick(fast=20, full=40)
    starts = [np.random.default_rng(seed).uniform(0, 3, each) for seed in trials]
    side_by_side = toy(each * len(starts))
    lowest = bottoms()
    settings, steps = trials.pick(fast=(Settings(lr=0.05), 1500), full=(Settings(), 10_000))

    def finding(*, value: bool) -> Finding:
        ends = _play(side_by_side, np.concatenate(starts), settings, steps, value=value).x.reshape(-1, each)
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
    says="the penalised problem's values, lower solutions and gradients are the original's up to O(delta)",
    where="abstract",
    kind="bound",
)
def stays_close(trials: Trials) -> Evidence:
    """Gaps and their slopes in delta, at random x of random quadratic lower problems."""
    deltas, count = (1.0, 0.3, 0.1, 0.03), trials.pick(fast=5, full=20)
    quotients, slopes, gaps, kinds = [], [], [], []
    for seed in trials:
        rng, problem = np.random.default_rng(seed), quadratic(seed)
        points = rng.standard_normal((count, 4))
        gap = distances(problem, points, deltas)  # (4, deltas, points)
        kinds.append(len({tuple(hyperobjective(problem, x).u > 0) for x in points}))
        steepest, convexity = 10**0.5, CONVEXITY  # l_f, mu_g
        scale = np.array(deltas)[:, None] * steepest / convexity
        quotients.append(
            (gap[0].min(), (gap[0] / (scale * steepest / 2)).max(), (gap[1] / (2 * scale)).max())
        )
        gaps.append(gap.mean(axis=2))
        slopes.append([slope(deltas, list(row)) for row in gaps[-1]])

    def order(what: str, which: int) -> Finding:
        return Finding(
            what=what, values=numbers(row[which] for row in slopes), limit=0.8, side=">=", margin=0.3
        )

    mean = np.mean(gaps, axis=0)
    names = ("Phi - Phi_delta", "||y_delta* - y*||", "gradients", "gradients, multipliers left out")
    return Evidence(
        findings=(
            _every("least Phi - Phi_delta", [row[0] for row in quotients], 0, ">="),
            _every("largest (Phi - Phi_delta) / its bound", [row[1] for row in quotients], 1, "<="),
            _every("largest ||y_delta* - y*|| / its bound", [row[2] for row in quotients], 1, "<="),
            order("exponent of delta in Phi - Phi_delta", 0),
            order("exponent of delta in ||y_delta* - y*||", 1),
            order("exponent of delta in ||grad Phi_delta - grad Phi||", 2),
            _every("sets of active rows among the x", kinds, 2, ">="),
        ),
        control=order("exponent of delta in the gradients' distance, multipliers left out", 3),
        notes=("beside a kink of Phi gradients agree only once delta is small",),
        picture=Picture(
            x="delta",
            y="mean distance",
            log="xy",
            curves=tuple(
                Curve(label=name, x=deltas, y=numbers(row)) for name, row in zip(names, mean, strict=True)
            ),
        ),
    )


@claim(
    says="one loop needs no more gradients than a double loop with inner solves for every step of x",
    where="abstract",
    kind="order",
)
def saves_gradients(trials: Trials) -> Evidence:
    """Gradients of f and g until ||grad Phi_delta|| <= 0.3 and 0.1, each with the best steps of one grid."""
    goals, most = trials.pick(fast=((1.0,), 3000), full=((0.3, 0.1), 2000))
    grid = trials.pick(fast=(0.6,), full=(20.0, 6.0, 60.0, 2.0, 0.6))  # of lr_x
    loops = trials.pick(fast=(3,), full=(3, 10))
    one, each, control = [], [], []
    for seed in trials:
        x0 = 2 * np.random.default_rng(seed).standard_normal(4)
        race = partial(_fewest, quadratic(seed), x0, grid, goals, most)
        one.append(race(1))
        each.append([race(inner) for inner in loops])
        control.append(race(1, value=False))

    ratio = partial(Finding, limit=1.0, side="<=", margin=0.1)
    races = list(zip(goals, *map(np.transpose, (one, np.min(each, axis=1), control)), strict=True))
    medians = ", ".join(f"{np.median(mine / other):.2f}" for _, mine, other, _ in races)
    longest = ", ".join(f"{m:.2f}" for m in np.median(np.divide(one, np.array(each)[:, -1]), axis=0))
    goal, _, other, without = races[0]
    what = "gradients of one loop / of the double loop, to"
    return Evidence(
        findings=tuple(
            ratio(what=f"{what} {goal}", values=numbers(mine), baseline=numbers(other))
            for goal, mine, other, _ in races
        ),
        control=ratio(what=f"{what} {goal}, z left out", values=numbers(without), baseline=numbers(other)),
        notes=(
            f"median ratio over the problems: {medians}; to {loops[-1]} inner steps alone: {longest}",
            f"each has its best step of x among {grid}, the double loop its best inner steps of {loops} too",
            f"what did not get there in {most} gradients counts as {most}; counts are up to a quarter high",
            "tolerances are ours; an earlier grid of steps of x ended at 6, at times too short for either",
        ),
    )


@claim(
    says="it tunes a support vector machine's soft margins as well as exact lower solutions do",
    where="experiments",
    kind="order",
)
def tunes_an_svm(trials: Trials) -> Evidence:
    """Phi at the end, on scikit-learn's breast cancer data, over that of L-BFGS with exact hypergradients."""
    data = [split(seed) for seed in trials]
    alone = [machine([one]) for one in data]
    begin = np.zeros(TRAIN)  # hard margins
    first = [hyperobjective(problem, begin) for problem in alone]
    y, u = (np.concatenate(parts) for parts in zip(*((one.y, one.u) for one in first), strict=True))
    warm, best = Optimum(0.0, begin, y, u), [nested(problem, begin) for problem in alone]
    settings, steps = Settings(delta=0.1, rho=0.28, lr=0.11, lr_x=0.57), trials.pick(fast=1200, full=8000)

    def finding(what: str, *, value: bool) -> Finding:
        ends = _play(machine(data), np.zeros(TRAIN * len(data)), settings, steps, warm=warm, value=value).x
        reached = [
            hyperobjective(p, x).value for p, x in zip(alone, ends.reshape(len(data), -1), strict=True)
        ]
        return Finding(
            what=what, values=numbers(reached), baseline=numbers(best), limit=1.02, side="<=", margin=0.03
        )

    return Evidence(
        findings=(finding("validation objective / that of the nested solver", value=True),),
        control=finding("validation objective, z left out / that of the nested solver", value=False),
        notes=(
            "the splits run side by side as one problem; none touches another's numbers",
            "the objective is the exponential loss and x's penalty; both solvers start from hard margins",
        ),
    )


def _every(what: str, values: Sequence[float], limit: float, side: Literal["<=", ">="]) -> Finding:
    return Finding(what=what, values=numbers(values), limit=limit, side=side, spread="every")


def _fewest(
    problem: BilevelProblem,
    x0: Array,
    grid: tuple[float, ...],
    goals: tuple[float, ...],
    most: int,
    inner: int,
    *,
    value: bool = True,
) -> Array:
    """Return the fewest gradients, over lr_x in grid, until ||grad Phi_delta|| <= each goal; or most."""
    fewest, looked = np.full(len(goals), float(most)), 0

    def there(now: Result) -> bool:
        nonlocal looked
        if now.n_gradients >= fewest.max() or np.abs(now.x).max() > 1e6:  # too late, or diverging
            return True
        if now.n_gradients < max(looked + 30, 1.25 * looked) or now.history["residual"][-1] > 10:
            return False  # looked at lately, or far
        looked = now.n_gradients
        reached = np.linalg.norm(hyperobjective(problem, now.x, 0.03).gradient) <= np.array(goals)
        fewest[reached] = fewest[reached].clip(max=looked)
        return bool(reached.all())

    for lr_x in grid:
        looked = 0
        settings = Settings(delta=0.03, lr=0.2, lr_x=lr_x)
        _play(problem, x0, settings, callback=there, inner=inner, value=value)
    return fewest
