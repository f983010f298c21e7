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

lam is the multiplier, b the share, eta the step, c its constant (below one over the gradients' Lipschitz
constant), p >= 0 the balance; (3) is the abstract's complexity max(eps_f^(-(3+p)/(1+p)), eps_g^(-(3+p)/2)).

Differs from the paper.
1. INFERRED: the paper was not available. (1) is dynamic barrier descent with the barrier b |grad g|^2; the
   exponents of (2) are those that give the abstract's complexity, eps_f and eps_g bounding squared norms.
2. Stationarity is read as |grad f + lam grad g|^2 <= eps_f for a lam >= 0 and |grad g|^2 <= eps_g; INFERRED.
3. (3) is about means over the run, so the iterate returned is the one with the least sum of both squared
   norms, each in units of its rate; the paper may choose otherwise.

Not covered. Constraints, stochastic gradients, the constants and the tightness of the bounds.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers, slope
from lunwen.methods._given import array, number, vector, whole
from lunwen.methods.bilevel._problem import BilevelProblem, Callback, Result, Run, check_problem, gradient

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from torch import Tensor

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
    seconds=90,
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

    upper: float  # |grad f + lam grad g|^2
    lower: float  # |grad g|^2
    lam: float  # the best multiplier >= 0


def stationarity(problem: BilevelProblem, x: ArrayLike | Tensor) -> Stationarity:
    """Return both squared residuals at ``x``, for the multiplier that makes the upper one least.

    Raises:
        UsageError: x is not a finite vector.
    """
    check_problem("stationarity", problem)
    point = torch.from_numpy(vector("x", x))
    (gf,), (gg,) = gradient(problem.upper, point), gradient(problem.lower, point)
    d, lam = dbgd_direction(gf, gg, 0.0)  # with b = 0, (1) is the least-squares multiplier
    return Stationarity(float(d @ d), float(gg @ gg), float(lam))


def dbgd_direction(gf: Tensor, gg: Tensor, b: float | Tensor) -> tuple[Tensor, Tensor]:
    """Return d and lam of (1): the projection of ``gf`` onto the d with ``<d, gg> >= b |gg|^2``.

    Args:
        gf: gradients of f, (..., n).
        gg: gradients of g, (..., n).
        b: the share of g's own descent that is kept, a number or (..., 1).

    Returns:
        d (..., n) and lam (..., 1). Where gg vanishes nothing binds: d is gf and lam 0.

    Raises:
        UsageError: gradients of unequal shapes, or a share that is negative or of another shape.
    """
    gf, gg, b = (torch.as_tensor(each, dtype=torch.float64) for each in (gf, gg, b))
    if gf.shape != gg.shape or not gf.ndim:
        raise UsageError(f"gf has shape {tuple(gf.shape)}, gg {tuple(gg.shape)}; give both as (..., n)")
    if not bool((b >= 0).all()) or (b.ndim and b.shape[-1] != 1):
        raise UsageError(f"b has shape {tuple(b.shape)}, least {b.min():g}; give a number >= 0, or (..., 1)")
    square = (gg * gg).sum(-1, keepdim=True)
    lam = (b - (gf * gg).sum(-1, keepdim=True) / square.clamp_min(_TINY)).clamp_min(0.0)  # eq. 1
    lam = torch.where(square > _TINY, lam, 0.0)
    return gf + lam * gg, lam


_TINY = 1e-200  # below it a squared norm is rounding, and dividing by it overflows


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
        problem: f as ``upper``, g as ``lower``; neither need be convex; it has no projections.
        x0: start, (n,).
        steps: K; step and share depend on it, so a longer run is another run.
        p: the balance, >= 0; larger favours f, 0 favours g. Paper: any constant.
        step_const: c; paper does not say; below one over the Lipschitz constants of the gradients.
        tol: eps_f and eps_g, or one number for both; the run ends where ``|d|^2`` and ``|grad g|^2`` are
            no larger.
        callback: told every step; True stops.

    Returns:
        The best iterate x, its multiplier ``more["lam"]``, the ``more["last"]`` iterate, and of every step
        ``direction`` = ``|d|^2``, ``lower`` = ``|grad g|^2`` and ``lam``.

    Raises:
        UsageError: a start that is not a finite vector, a setting out of range, or a projection.
    """
    run = Run("dbgd", problem, callback)
    steps, p = whole("steps", steps), number("p", p, least=0)
    eta, b = _schedule(steps, p, number("step_const", step_const, above=0))
    eps = array("tol", tol)
    if eps.shape not in {(), (2,)} or (eps < 0).any():
        raise UsageError(f"tol is {tol!r}. Give a number >= 0, or eps_f and eps_g")
    eps_f, eps_g = np.broadcast_to(eps, 2)
    (x,) = run.start(x0)
    rates = steps ** (-(1 + p) / (3 + p)), steps ** (-2 / (3 + p))  # eq. 3
    best, score, best_lam, converged = x, math.inf, torch.zeros(1, dtype=x.dtype), False
    for _ in range(steps):
        (gf,), (gg,) = run.gradient(problem.upper, x), run.gradient(problem.lower, x)
        d, lam = dbgd_direction(gf, gg, b)
        direction, lower = float(d @ d), float(gg @ gg)
        converged = bool(direction <= eps_f and lower <= eps_g)
        here = direction / rates[0] + lower / rates[1]
        if converged or here < score:
            best, score, best_lam = x, here, lam
        if converged:
            break
        x = x - eta * d  # eq. 2
        if not run.goes_on(x, direction=direction, lower=lower, lam=lam):
            break
    return run.result(best, converged=converged, lam=best_lam, last=x)


@claim(
    says="both residuals fall with the number of steps at the stated rates, for any balance p",
    where="abstract; the exponents of (3)",
    kind="number",
)
def falls_at_the_stated_rates(trials: Trials) -> Evidence:
    """Measure the exponent of K in the run's mean residuals, over the last decade of K."""
    lengths = trials.pick(fast=(500, 1500, 5000), full=(100, 1000, 10_000, 31_623, 100_000))
    last = lengths[-3:]
    problems = _Problems(trials)
    ways = {
        "DBGD, p = 0": _Way(p=0.0),
        "DBGD, p = 1": _Way(p=1.0),
        "DBGD, p = 3": _Way(p=3.0),
        "f + g": _Way(p=0.0, fixed=1.0),
        "f + 10 g": _Way(p=0.0, fixed=10.0),
        "f + 100 g": _Way(p=0.0, fixed=100.0),
        "f and g in turn": _Way(p=0.0, fixed=math.inf),
    }
    means = {steps: problems.means(steps, list(ways.values())) for steps in lengths}

    def exponents(way: int, residual: int) -> tuple[float, ...]:
        runs = np.array([means[steps][residual][way].tolist() for steps in last])  # (lengths, seeds)
        return numbers(slope(last, run) for run in runs.T.tolist())

    of_g = {
        label: (np.mean(exponents(way, 1)), means[last[-1]][1][way].mean()) for way, label in enumerate(ways)
    }
    others = "; ".join(f"{label} {slope:.2f}, {end:.1e}" for label, (slope, end) in list(of_g.items())[3:])
    rate = partial(Finding, side="<=", margin=0.1)
    curves = [
        Curve(label=label, x=numbers(lengths), y=numbers(float(means[K][1][way].mean()) for K in lengths))
        for way, label in enumerate(ways)
    ]
    return Evidence(
        findings=(
            rate(what="exponent of |d|^2, p = 0", values=exponents(0, 0), limit=-1 / 3 + 0.1),
            rate(what="exponent of |grad g|^2, p = 0", values=exponents(0, 1), limit=-2 / 3 + 0.1),
            rate(what="exponent of |d|^2, p = 1", values=exponents(1, 0), limit=-1 / 2 + 0.1),
            rate(what="exponent of |grad g|^2, p = 1", values=exponents(1, 1), limit=-1 / 2 + 0.1),
            rate(what="exponent of |d|^2, p = 3", values=exponents(2, 0), limit=-2 / 3 + 0.1),
        ),
        control=rate(
            what="exponent of |grad g|^2, f + g by gradient descent instead of the barrier",
            values=exponents(3, 1),
            limit=-1 / 2 + 0.1,
        ),
        picture=Picture(x="steps K", y="mean |grad g|^2", curves=tuple(curves), log="xy"),
        notes=(
            "Limits are (3) plus .1.",
            f"Not judged: at p = 3 |grad g|^2 has {of_g['DBGD, p = 3'][0]:.2f}; (3) has -.33.",
            f"|grad g|^2 of others, exponent and mean at K = {last[-1]}: {others}.",
        ),
    )


@claim(
    says="a larger p makes the upper residual smaller and the lower one larger",
    where="abstract",
    kind="order",
)
def p_trades_one_residual_for_the_other(trials: Trials) -> Evidence:
    """Measure the run's mean residuals for p = 0, 1, 3 at one K."""
    steps = trials.pick(fast=2000, full=31_623)
    ways = [_Way(p=0.0), _Way(p=1.0), _Way(p=3.0), _Way(p=0.0, share=_schedule(steps, 1.0, 1.0)[1])]
    d, g = _Problems(trials).means(steps, ways)
    smaller = partial(Finding, limit=1.0, side="<=")
    of = [numbers(residual.tolist()) for residual in (*d, *g)]
    return Evidence(
        findings=(
            smaller(what="mean |d|^2, p = 1 / p = 0", values=of[1], baseline=of[0]),
            smaller(what="mean |d|^2, p = 3 / p = 1", values=of[2], baseline=of[1]),
            smaller(what="mean |grad g|^2, p = 0 / p = 1", values=of[4], baseline=of[5]),
            smaller(what="mean |grad g|^2, p = 1 / p = 3", values=of[5], baseline=of[6]),
        ),
        control=smaller(
            what="mean |grad g|^2, p = 0 / p = 1, the share b that of p = 1 in both",
            values=of[7],
            baseline=of[5],
        ),
    )


class _Way(NamedTuple):
    """A way to descend: a balance p, and where not None a share or a multiplier that do not depend on it."""

    p: float
    share: float | None = None
    fixed: float | None = None  # gradient descent on f + fixed g; infinite: on f and g by turns


class _Problems:
    """A nonconvex problem for every seed, side by side: g = sum r^2 / (1 + r^2), r = A x - b of rank 8."""

    def __init__(self, trials: Trials) -> None:
        draws = [_draw(seed) for seed in trials]
        stacked = [torch.from_numpy(np.stack(each)) for each in zip(*draws, strict=True)]
        self._x, self._A, self._b, self._c = stacked
        self._problem = BilevelProblem(upper=self._upper, lower=self._lower)

    def _upper(self, x: Tensor) -> Tensor:
        away = x - self._c
        return (1 - away.cos()).sum() + 0.05 * (away**2).sum()

    def _lower(self, x: Tensor) -> Tensor:
        square = (torch.einsum("srn,wsn->wsr", self._A, x) - self._b) ** 2
        return (square / (1 + square)).sum()

    def means(self, steps: int, ways: list[_Way]) -> tuple[Tensor, Tensor]:
        """Return the means over a run of K = ``steps`` of |d|^2 and |grad g|^2, (ways, seeds)."""
        plans = [_schedule(steps, way.p, 0.3) for way in ways]
        eta = torch.tensor([eta for eta, _ in plans], dtype=torch.float64)[:, None, None]
        shares = [b if way.share is None else way.share for way, (_, b) in zip(ways, plans, strict=True)]
        share = torch.tensor(shares, dtype=torch.float64)[:, None, None]
        fixed = torch.tensor([way.fixed or math.nan for way in ways], dtype=torch.float64)[:, None, None]
        shorter = fixed.clamp_min(1)  # a sum as steep as this takes a step as much shorter
        x = self._x.expand(len(ways), *self._x.shape)
        total_d = torch.zeros(x.shape[:2], dtype=torch.float64)
        total_g = torch.zeros_like(total_d)
        for k in range(steps):
            (gf,), (gg,) = gradient(self._problem.upper, x), gradient(self._problem.lower, x)
            d, _ = dbgd_direction(gf, gg, share)
            other = torch.where(fixed.isinf(), gg if k % 2 else gf, (gf + fixed * gg) / shorter)
            d = torch.where(fixed.isnan(), d, other)
            total_d += (d * d).sum(-1)
            total_g += (gg * gg).sum(-1)
            x = x - eta * d
        return total_d / steps, total_g / steps


def _draw(seed: int) -> tuple[NDArray[np.float64], ...]:
    rng, n, rank = np.random.default_rng(seed), 20, 8
    A, b = rng.standard_normal((rank, n)) / math.sqrt(n), rng.standard_normal(rank)
    return 2 * rng.standard_normal(n), A, b, 2 * rng.standard_normal(n)  # x0, A, b, c
