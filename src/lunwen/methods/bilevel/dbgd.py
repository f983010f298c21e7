"""On the Complexity of Finding Stationary Points in Nonconvex Simple Bilevel Optimization.

Problem. Among the minimisers of a lower objective g one wants a small upper objective f: ``min f(x)`` over
``argmin g``. Where both are smooth but neither need be convex, a global solution is out of reach, and what a
stationary point should be is itself a question.

Idea. A point is called stationary when g is nearly stationary and f can only be improved at the price of g:
a multiplier cancels the gradient of f by that of g. Dynamic barrier gradient descent moves along the vector
nearest to the gradient of f that still lets g fall by a given share of its own squared gradient. A step and
a share that both shrink with the number of steps K make both residuals vanish; p shifts speed between them.

    d = grad f + lam grad g,  lam = max((b |grad g|^2 - <grad f, grad g>) / |grad g|^2, 0)      (1)
    x <- x - eta d,           eta = c K^(-1/(3+p)),  b = K^(-p/(3+p))                           (2)
    mean |d|^2 = O(K^(-(1+p)/(3+p))),  mean |grad g|^2 = O(K^(-2/(3+p)))                        (3)

lam is the multiplier, b the share, eta the step (below one over the gradients' Lipschitz constants), c its
constant, p >= 0 the balance; (3) is the abstract's complexity max(eps_f^(-(3+p)/(1+p)), eps_g^(-(3+p)/2)). It
takes smooth f and g, both bounded below, and grad f bounded along the run.

Differs from the paper.
1. INFERRED: the paper was not available. (1) is dynamic barrier descent with the barrier b |grad g|^2; the
   exponents of (2) are those that give the abstract's complexity, eps_f and eps_g bounding squared norms.
2. Stationarity is read as |grad f + lam grad g|^2 <= eps_f for a lam >= 0 and |grad g|^2 <= eps_g; INFERRED.
3. (3) is about means over the run, so the iterate returned is the one with the least sum of both squared
   norms, each in units of its rate; the paper may choose otherwise.
4. Where |grad g| is below 1e-14 |grad f|, g binds nothing: its gradient is rounding, (1) would divide by it.

Not covered. Constraints, stochastic gradients, the constants and the tightness of the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers, slope
from lunwen.methods._given import array, number, vector, whole
from lunwen.methods.bilevel._dbgd_data import Problems, Way
from lunwen.methods.bilevel._problem import BilevelProblem, Callback, Result, Run, check_problem, gradient

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

    Array = NDArray[np.float64]

__all__ = ["Stationarity", "dbgd", "dbgd_direction", "stationarity"]

CARD = Card(
    paper_id="001-18",
    title="On the Complexity of Finding Stationary Points in Nonconvex Simple Bilevel Optimization",
    authors=("Jincheng Cao", "Ruichen Jiang", "Erfan Yazdandoost Hamedani", "Aryan Mokhtari"),
    venue="NeurIPS",
    year=2025,
    url="https://arxiv.org/abs/2507.23155",
    area="bilevel",
    needs=("numpy", "torch"),
    seconds=60,
    example="""
import torch
from lunwen.methods.bilevel import BilevelProblem
from lunwen.methods.bilevel.dbgd import dbgd, stationarity

# Of all x that fit two measurements of four unknowns, the one nearest to a guess.
A, b = torch.tensor([[1.0, 1, 0, 0], [0, 0, 1, -1]]).double(), torch.tensor([1.0, 2]).double()
problem = BilevelProblem(upper=lambda x: (x**2).sum(), lower=lambda x: ((A @ x - b) ** 2).sum())
result = dbgd(problem, x0=[3.0, 0, 0, 0], steps=3000)
print(result.x, stationarity(problem, result.x))  # the exact answer is .5, .5, 1, -1
""",
    unchecked=(
        "that the bounds are tight: they are upper bounds, a run may be faster",
        "that no earlier discrete-time method has such a bound: a statement about the literature",
    ),
)


class Stationarity(NamedTuple):
    """How far from stationary a point is."""

    upper_residual: float  # |grad f + lam grad g|^2
    lower_residual: float  # |grad g|^2
    lam: float  # the best multiplier >= 0


def stationarity(problem: BilevelProblem, x: ArrayLike | Tensor) -> Stationarity:
    """Return both squared residuals at ``x``, for the multiplier that makes the upper one least.

    At an exact minimiser of g no multiplier exists, for its gradient is 0: there the upper one is
    ``|grad f|^2``, large even at the best of answers. Read it where the lower one is above rounding.

    Raises:
        UsageError: x is not a finite vector, or not one that the problem takes.
    """
    check_problem("stationarity", problem)
    point = torch.from_numpy(vector("x", x))
    gf, gg = (gradient(each, point)[0].numpy() for each in (problem.upper, problem.lower))
    d, lam = _project(gf, gg, 0.0)  # with b = 0, (1) is the least-squares multiplier
    return Stationarity(_square(d), _square(gg), float(lam[0]))


def dbgd_direction(
    gf: ArrayLike | Tensor, gg: ArrayLike | Tensor, b: ArrayLike | Tensor
) -> tuple[Tensor, Tensor]:
    """Return d and lam of (1): the projection of ``gf`` onto the d with ``<d, gg> >= b |gg|^2``.

    Args:
        gf: gradients of f, (..., n).
        gg: gradients of g, (..., n).
        b: the share of g's own descent that is kept, a number or (..., 1).

    Returns:
        d (..., n) and lam (..., 1). Where gg vanishes nothing binds: d is gf and lam 0.

    Raises:
        UsageError: gradients that are not finite or of unequal shapes, a share below 0 or of another shape.
    """
    gf, gg, b = array("gf", gf), array("gg", gg), array("b", b)
    if gf.shape != gg.shape or not gf.ndim:
        raise UsageError(f"gf has shape {gf.shape}, gg {gg.shape}. Give both as (..., n)")
    if (b < 0).any() or b.shape not in {(), (*gf.shape[:-1], 1)}:
        raise UsageError(f"b has shape {b.shape}, least {b.min():g}. Give a number >= 0, or (..., 1)")
    d, lam = _project(gf, gg, b)
    return torch.from_numpy(d), torch.from_numpy(lam)


def _project(gf: Array, gg: Array, b: Array | float) -> tuple[Array, Array]:
    with np.errstate(over="ignore", invalid="ignore"):  # whoever diverges is told of it elsewhere
        square = (gg * gg).sum(-1, keepdims=True)
        known = square > _ROUNDING * (gf * gf).sum(-1, keepdims=True)
        needed = b - (gf * gg).sum(-1, keepdims=True) / np.where(known, square, 1.0)
        lam = np.where(known, np.maximum(needed, 0.0), 0.0)  # eq. 1
        return gf + lam * gg, lam


def _square(v: Array) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(v @ v)


_ROUNDING = 1e-28  # a squared norm below this share of the other's is rounding


def _schedule(steps: int, p: float, step_const: float) -> tuple[float, float]:
    return step_const * steps ** (-1 / (3 + p)), steps ** (-p / (3 + p))  # eq. 2: eta, b


def dbgd(
    problem: BilevelProblem,
    x0: ArrayLike | Tensor,
    *,
    steps: int = 1000,
    p: float = 1.0,
    step_const: float = 0.1,
    tol: float | tuple[float, float] = 0.0,
    callback: Callback | None = None,
) -> Result:
    """Find a stationary point of ``min f`` over ``argmin g``, both functions of x alone.

    Args:
        problem: f as ``upper``, g as ``lower``; neither need be convex; no projections, no constraint.
        x0: start, (n,); not at an exact minimiser of g, where g binds nothing and x leaves for f's minimum.
        steps: K; step and share depend on it, so a longer run is another run.
        p: the balance, >= 0: at 0 the residual of g falls fastest; larger favours f. Paper: any constant.
        step_const: c; paper does not say. At most such that ``eta = c K^(-1/(3+p))`` is below one over the
            Lipschitz constants of the gradients. A smaller one ends nearer, a larger one gets there sooner:
            halve it, with more steps, until the answer stays.
        tol: eps_f and eps_g, or one number for both; the run ends where ``|d|^2`` and ``|grad g|^2`` are
            no larger. 0: all steps are taken, and the run does not count as converged.
        callback: told every step where the run is, not which of its iterates is the best; True or
            StopIteration stops.

    Returns:
        The best iterate x, its multiplier ``more["lam"]``, the ``more["last"]`` iterate, and of every step
        ``direction`` = ``|d|^2``, ``lower_residual`` = ``|grad g|^2`` and ``lam``. At p = 0 the last iterate
        is often much nearer to a solution: the best has the least residuals, not the least distance.

    Raises:
        UsageError: a start, a setting or a problem that it cannot begin with.
    """
    run = Run("dbgd", problem, callback)
    steps, p = whole("steps", steps), number("p", p, least=0)
    eta, b = _schedule(steps, p, number("step_const", step_const, above=0))
    eps_f, eps_g = _tolerances(tol)
    (x,) = run.start(x0)
    rates = steps ** (-(1 + p) / (3 + p)), steps ** (-2 / (3 + p))  # eq. 3
    best, score, best_lam, converged, hint = x, math.inf, np.zeros(1), False, ""
    while run.iterations < steps:
        gf, gg = (run.gradient(each, x)[0].numpy() for each in (problem.upper, problem.lower))
        d, lam = _project(gf, gg, b)
        direction, lower = _square(d), _square(gg)
        converged = bool(direction <= eps_f and lower <= eps_g)
        here = direction / rates[0] + lower / rates[1]
        if converged or here < score:
            best, score, best_lam = x, here, lam
            hint = f"|d|^2 {direction:.1e}, |grad g|^2 {lower:.1e} at the best iterate"
        if converged:
            break
        x = x - eta * torch.from_numpy(d)  # eq. 2
        if not run.goes_on(x, direction=direction, lower_residual=lower, lam=lam[0]):
            break
    return run.result(best, converged=converged, hint=hint, lam=torch.from_numpy(best_lam), last=x)


def _tolerances(tol: Any) -> tuple[float, float]:
    """Return eps_f and eps_g."""
    several = isinstance(tol, Sequence) or getattr(tol, "ndim", 0) > 0
    each = [one.item() if hasattr(one, "item") else one for one in (tol if several else (tol, tol))]
    if len(each) != 2:
        raise UsageError(f"tol is {tol!r}. Give a number of at least 0, or eps_f and eps_g")
    eps_f, eps_g = (number("tol", one, least=0, hint="or eps_f and eps_g") for one in each)
    return eps_f, eps_g


def _way(steps: int, p: float, step_const: float = 0.3) -> Way:
    return Way(*_schedule(steps, p, step_const))


@claim(
    says="Both residuals fall with the number of steps at the stated rates: at p = 0 and p = 1, and the "
    "upper one at p = 3.",
    where="abstract; the exponents of (3)",
    kind="number",
)
def falls_at_the_stated_rates(trials: Trials) -> Evidence:
    """Measure the exponent of K in the run's mean residuals, over the last decade of K."""
    lengths = trials.pick(fast=(1000, 3162, 10_000), full=(500, 5000, 50_000, 158_114, 500_000))
    last, problems = lengths[-3:], Problems(list(trials))
    fixed = trials.pick(fast=(1.0, math.inf), full=(1.0, 10.0, 100.0, math.inf))
    labels = {1.0: "f + g", 10.0: "f + 10 g", 100.0: "f + 100 g", math.inf: "f and g in turn"}
    names = [
        "DBGD, p = 0",
        "DBGD, p = 1",
        "DBGD, p = 3",
        *map(labels.__getitem__, fixed),
        "DBGD, p = 1, c = 1",
    ]

    def mean(steps: int) -> Array:
        ours, rivals = [_way(steps, p) for p in (0.0, 1.0, 3.0)], [Way(0.3, fixed=lam) for lam in fixed]
        return problems.means(steps, [*ours, *rivals, _way(steps, 1.0, 1.0)], _project)

    means = np.stack([mean(steps) for steps in lengths])  # (lengths, measures, ways, seeds)
    falls = np.apply_along_axis(lambda run: slope(last, run.tolist()), 0, means[-3:])  # without lengths
    own = falls[2, :3].mean(axis=-1)
    rate = partial(Finding, side="<=", margin=0.1)

    def exponent(residual: int, p: int, bound: float) -> Finding:
        what = f"exponent of {('|grad f + lam grad g|^2', '|grad g|^2')[residual]}, p = {p}"
        return rate(what=what, values=numbers(falls[residual, (0, 1, 3).index(p)]), limit=bound + 0.1)

    def told(way: int) -> str:
        upper, lower = (f"{means[-1, i, way].mean():.1e} ({falls[i, way].mean():.2f})" for i in (0, 1))
        return f"{names[way]}: {upper} and {lower}."

    curves = [
        Curve(label=names[way], x=numbers(means[:, 1, way].mean(-1)), y=numbers(means[:, 0, way].mean(-1)))
        for way in range(len(names) - 1)
    ]
    return Evidence(
        findings=(
            exponent(0, 0, -1 / 3),
            exponent(1, 0, -2 / 3),
            exponent(0, 1, -1 / 2),
            exponent(1, 1, -1 / 2),
            exponent(0, 3, -2 / 3),
        ),
        control=rate(
            what="the slower of both exponents, the best of fixed multipliers and of turns",
            values=numbers(falls[:, 3:-1].max(axis=0).min(axis=0)),
            limit=-1 / 2 + 0.1,
        ),
        picture=Picture(
            x="mean |grad g|^2", y="mean |grad f + lam grad g|^2", curves=tuple(curves), log="xy"
        ),
        notes=(
            f"Limits are (3) plus .1. The lines go through K = {', '.join(map(str, lengths))}; c = .3.",
            f"Upper and lower mean at K = {last[-1]}, with exponents:",
            *map(told, range(len(names))),
            "The upper one is taken with the best multiplier, for all alike. With that of DBGD it is |d|^2,",
            f"whose exponents at p = 0, 1, 3 are {', '.join(f'{fall:.2f}' for fall in own)}.",
            "The lower mean at p = 3 is not judged: its bound is -.33, and it is still on its way there.",
            "Others have a step of .3 over their multiplier. f + 100 g has less of both than p = 0 by then,",
            "but its |grad g|^2 is at its floor, |grad f|^2 / 100^2, and stays there however long the run.",
        ),
    )


@claim(
    says="A larger p makes the upper residual smaller and the lower one larger.",
    where="abstract",
    kind="order",
)
def p_trades_one_residual_for_the_other(trials: Trials) -> Evidence:
    """Measure the run's mean residuals for p = 0, 1, 3 at one K."""
    steps = trials.pick(fast=10_000, full=31_623)
    held = _way(steps, 0.0)._replace(b=_way(steps, 1.0).b)  # the step of p = 0, the share of p = 1
    ways = [_way(steps, 0.0), _way(steps, 1.0), _way(steps, 3.0), held]
    d, g, _ = Problems(list(trials)).means(steps, ways, _project)
    smaller = partial(Finding, limit=1.0, side="<=")
    of = [numbers(residual) for residual in (*d, *g)]
    return Evidence(
        findings=(
            smaller(what="mean |grad f + lam grad g|^2, p = 1 / p = 0", values=of[1], baseline=of[0]),
            smaller(what="mean |grad f + lam grad g|^2, p = 3 / p = 1", values=of[2], baseline=of[1]),
            smaller(what="mean |grad g|^2, p = 0 / p = 1", values=of[4], baseline=of[5]),
            smaller(what="mean |grad g|^2, p = 1 / p = 3", values=of[5], baseline=of[6]),
        ),
        control=smaller(
            what="mean |grad g|^2, p = 0 / p = 1, the share b that of p = 1 in both",
            values=of[7],
            baseline=of[5],
        ),
    )
