"""Sharp empirical Bernstein inequalities for the variance of bounded random variables.

Problem. A variance is to be bounded from both sides, at a stated level and for any sample size, from
observations of known range. The usual bound treats the sample's standard deviation as self-bounding: its
width ignores how much the squared deviations really vary, and it asks for independence.

Idea. The squared deviation of the next observation from a mean guessed beforehand is a bounded variable; its
conditional mean is the variance plus the guess's squared error. An empirical Bernstein inequality, with
weights chosen beforehand, bounds it from above as it stands. From below the guess's error has to be paid for:
a Bennett bound limits it in terms of the variance itself, and a quadratic equation gives the variance back.

For X_i in [0, 1], conditional variance s2, psi_E(l) = -log(1 - l) - l, psi_P(l) = e^l - l - 1, level a:

    s2 <= (sum l_i Z_i + sum psi_E(l_i) (Z_i - m_i)^2 + log 1/a) / sum l_i,      Z_i = (X_i - mu_i)^2
    s2 >= the root of  A s2^2 + B s2 + C = D - R

mu_i, m_i and v_i estimate from the past alone the mean, the variance and the variance of Z; the weight l_i
follows from v_i. From below, Z is taken about a mean with weights w_i; D is the weighted mean of Z, R its
Bernstein radius at level a1. With W = sum w_j, P = sum psi_P(w_j) over the past and a2 = a - a1, the weighted
means of (P/W)^2, 2 log(2/a2) P/W^2 and (log(2/a2)/W)^2 are A, B - 1 and C. Line by line: ``_variance_sides``.

Differs from the paper.
1. INFERRED: the paper was not available beyond its abstract. The formulas follow public code of others that
   refers to its section 4.4, and were derived again.
2. INFERRED: at a fixed sample size the mean's weights w_i fall with i log(i + 1), not with n. With weights
   for n the bound from below stays several times wider than the oracle's: the control of ``sharp``.
3. INFERRED: the mean's share of the level from below is 1/(2 + log n) at a fixed n, 1/2 in a sequence.
   A share that vanishes more slowly than any power of n gives the oracle's constant.
4. INFERRED: in a Hilbert space squares become squared norms, and the error of the mean is bounded as Pinelis
   (1994) bounds the norm of a martingale. In one dimension that is the scalar bound, so both are one code.

Not covered. The authors' other constructions; conditional variances that change.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers
from lunwen.methods.concentration._coverage import coverage
from lunwen.methods.concentration._sample import check_bounds, check_level, finite, unit_interval
from lunwen.methods.concentration._variance_data import (
    BETA_2_6,
    BETA_5_5,
    LAWS,
    RARE,
    RARE_VECTORS,
    SWITCHING,
    UNIFORM,
    Law,
    directed,
    half_widths,
    hoeffding_std,
    normal_bounds,
    plug_in,
)
from lunwen.methods.concentration._variance_sides import Sides

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "Interval",
    "VarianceConfidenceSequence",
    "hilbert_variance_ci",
    "oracle_variance_radius",
    "std_ci",
    "variance_ci",
]

LEVEL = 0.05  # of the claims

CARD = Card(
    paper_id="000-18",
    title="Sharp empirical Bernstein inequalities for the variance of bounded random variables",
    authors=("Diego Martinez Taboada", "Aaditya Ramdas"),
    venue="ICML",
    year=2026,
    url="https://openreview.net/forum?id=oqkiE71wrC",
    area="concentration",
    needs=("numpy", "scipy"),
    seconds=45,
    example=(
        "import numpy as np\n"
        "from lunwen.methods.concentration.variance_bernstein import VarianceConfidenceSequence, std_ci\n"
        "\n"
        "waits = np.random.default_rng(0).beta(2, 6, 2000) * 60  # minutes, never more than an hour\n"
        "print(std_ci(waits, alpha=0.05, bounds=(0, 60)))\n"
        "\n"
        "watch = VarianceConfidenceSequence(alpha=0.05, bounds=(0, 60))\n"
        "for wait in waits:\n"
        "    variance = watch.update(wait)  # may be looked at, and stopped at, any time\n"
        "print(variance)\n"
    ),
    unchecked=(
        "That the bounds hold for every process: a simulation shows the processes that were drawn.",
        "Spaces of infinite dimension: the claim runs in 50 dimensions.",
    ),
)


class Interval(NamedTuple):
    """A lower and an upper bound; arrays where many samples were given."""

    lower: Any
    upper: Any


def variance_ci(
    x: ArrayLike,
    alpha: float = 0.05,
    *,
    method: Literal["eb", "maurer_pontil"] = "eb",
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """Return an interval that holds the variance of ``x[..., n]`` with probability 1 - ``alpha``.

    ``eb`` needs a constant conditional mean and variance, ``maurer_pontil`` (2009, Theorem 10) independence.

    Raises:
        UsageError: not finite, out of bounds, too few, or a setting out of its range.
    """
    unit, width = unit_interval(x, bounds, fewest=2 if method == "maurer_pontil" else 1)
    check_level(alpha)
    if method == "maurer_pontil":
        deviation = unit.std(-1, ddof=1)
        radius = math.sqrt(2 * math.log(2 / alpha) / (unit.shape[-1] - 1))
        low, high = np.maximum(deviation - radius, 0.0), np.minimum(deviation + radius, 0.5)
        return _interval(low**2, high**2, width**2)
    if method != "eb":
        raise UsageError(f'no method "{method}". Allowed: eb, maurer_pontil. Choose one')
    return _fixed(unit[..., None], alpha, width**2)


def std_ci(
    x: ArrayLike,
    alpha: float = 0.05,
    *,
    method: Literal["eb", "maurer_pontil"] = "eb",
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """Return the same for the standard deviation: the roots of the variance's bounds.

    Raises:
        UsageError: as ``variance_ci``.
    """
    low, high = variance_ci(x, alpha, method=method, bounds=bounds)
    return _interval(np.sqrt(low), np.sqrt(high), 1.0)


def hilbert_variance_ci(X: ArrayLike, alpha: float = 0.05, *, radius: float = 0.5) -> Interval:
    """Return the interval of E||X - EX||^2 for ``X[..., n, d]``, norms up to ``radius``; d does not enter.

    Raises:
        UsageError: not finite, longer vectors, no observation, or a setting out of its range.
    """
    points = finite(X)
    check_level(alpha)
    if points.ndim < 2 or 0 in points.shape:
        raise UsageError(
            f"X of shape {points.shape}. Allowed: (..., n, d), n and d at least 1. Give one row each"
        )
    longest = float(np.sqrt((points**2).sum(-1).max()))
    if not 0 < radius < math.inf or longest > radius * (1 + 1e-12):
        raise UsageError(
            f"norms up to {longest:g}, radius {radius:g}. Allowed: norms <= radius. Give a larger radius"
        )
    return _fixed(points / (2 * radius), alpha, (2 * radius) ** 2)


def oracle_variance_radius(n: float, alpha: float, spread: float) -> float:
    """Return Bernstein's radius of one side, ``spread`` = V[(X - mu)^2] and the mean known, X in [0, 1]."""
    return math.sqrt(2 * spread * math.log(1 / alpha) / n) + math.log(1 / alpha) / (3 * n)


class VarianceConfidenceSequence:
    """Intervals for the variance that hold at all times at once with probability 1 - ``alpha``.

    Raises:
        UsageError: a level or bounds out of their range.
    """

    def __init__(self, alpha: float = 0.05, *, bounds: tuple[float, float] = (0.0, 1.0)) -> None:
        check_level(alpha)
        check_bounds(bounds)
        self.bounds = bounds
        self.interval = Interval(0.0, (bounds[1] - bounds[0]) ** 2 / 4)
        self._sides = Sides(alpha / 2, horizon=None)

    def update(self, x: ArrayLike) -> Interval:
        """Take in one observation, or several in their order, and return the interval now.

        Raises:
            UsageError: not finite, or out of bounds.
        """
        unit, width = unit_interval(np.atleast_1d(finite(x)), self.bounds)
        bound = self._sides.feed(unit.reshape(-1, 1, 1))
        self.interval = Interval(
            max(self.interval.lower, float(bound.lower.max()) * width**2),
            min(self.interval.upper, float(bound.upper.min()) * width**2),
        )
        return self.interval


def _fixed(points: Floats, alpha: float, scale: float) -> Interval:
    """Return the interval of ``points[..., n, d]`` for their fixed n."""
    *many, n, d = points.shape
    paths = points.reshape(-1, n, d).swapaxes(0, 1)
    bound = Sides(alpha / 2, horizon=n).feed(paths)
    return _interval(bound.lower[-1].reshape(many), bound.upper[-1].reshape(many), scale)


def _interval(low: Floats, high: Floats, scale: float) -> Interval:
    low, high = np.asarray(low) * scale, np.asarray(high) * scale
    return Interval(low, high) if low.ndim else Interval(float(low), float(high))


@claim(
    says="The interval holds the variance at its level where the conditional mean and variance are constant, "
    "with or without independence.",
    where="abstract",
    kind="bound",
)
def covers(trials: Trials) -> Evidence:
    """Count the samples whose interval misses the variance, per law and sample size."""
    paths = trials.pick(fast=60, full=400)
    misses, plain = defaultdict(list), []
    for seed in trials:
        rng = np.random.default_rng(seed)
        for law in (*LAWS, SWITCHING):
            for n in (50, 200, 1000):
                interval = variance_ci(law.draw(rng, (n, paths)).T, LEVEL)
                misses[f"misses, {law.name}, n = {n}"].append(law.missed(*interval))
        x = RARE.draw(rng, (50, paths))
        plain.append(RARE.missed(*plug_in((x - x.mean(0)) ** 2, LEVEL)))
    control = "misses of the mean of squares with its standard error, rare events, n = 50"
    return coverage(misses, control, plain, paths=paths, level=LEVEL)


@claim(
    says="The sequence of intervals holds at all times at once, so that one may stop whenever one likes.",
    where="abstract",
    kind="bound",
)
def anytime(trials: Trials) -> Evidence:
    """Count the paths on which some interval of the sequence misses the variance."""
    n, paths = trials.pick(fast=(2000, 40), full=(5000, 50))
    misses, plain = defaultdict(list), []
    for seed in trials:
        rng = np.random.default_rng(seed)
        for law in (UNIFORM, RARE, SWITCHING):
            x = law.draw(rng, (n, paths))
            bound = Sides(LEVEL / 2, horizon=None).feed(x[..., None] - 0.5)
            missed = law.missed(bound.lower.max(0), bound.upper.min(0))
            misses[f"paths with any miss, {law.name}"].append(missed)
        low, high = normal_bounds(UNIFORM.draw(rng, (n, paths)), LEVEL)[:, 30:]
        plain.append(UNIFORM.missed(low.max(0), high.min(0)))
    control = "the same of an interval for a fixed n, read after each observation, uniform"
    return coverage(misses, control, plain, paths=paths, level=LEVEL)


@claim(says="The method extends to separable Hilbert spaces.", where="abstract", kind="bound")
def hilbert(trials: Trials) -> Evidence:
    """Count misses of E||X - EX||^2 for vectors in 50 dimensions that are rarely not zero."""
    d, paths = 50, trials.pick(fast=50, full=200)
    misses, plain = defaultdict(list), []
    for seed in trials:
        rng = np.random.default_rng(seed)
        for n in (50, 500):
            X = directed(rng, RARE_VECTORS.draw(rng, (n, paths)), d)  # (n, paths, d)
            interval = hilbert_variance_ci(X.swapaxes(0, 1), LEVEL)
            misses[f"misses, n = {n}"].append(RARE_VECTORS.missed(*interval))
            if n == 50:
                plain.append(RARE_VECTORS.missed(*plug_in(((X - X.mean(0)) ** 2).sum(-1), LEVEL)))
    control = "misses of the mean of squares with its standard error, n = 50"
    return coverage(misses, control, plain, paths=paths, level=LEVEL)


@claim(
    says="The intervals are narrower than those of the usual inequality from self-bounding variables.",
    where="abstract; experiments",
    kind="order",
)
def narrower(trials: Trials) -> Evidence:
    """Compare the widths of the intervals of the standard deviation with Maurer and Pontil's."""
    paths, largest = trials.pick(fast=4, full=40), 10_000
    ours, usual = defaultdict(list), defaultdict(list)
    plain = f"the same with the range in place of the spread (Hoeffding), {BETA_5_5.name}, n = {largest}"
    for seed in trials:
        rng = np.random.default_rng(seed)
        for law in LAWS:
            for n in (500, 2000, largest):
                x = law.draw(rng, (n, paths)).T
                what = f"width over Maurer and Pontil's, {law.name}, n = {n}"
                ours[what].append(_width(*std_ci(x, LEVEL)))
                usual[what].append(_width(*std_ci(x, LEVEL, method="maurer_pontil")))
        x = BETA_5_5.draw(rng, (largest, paths)).T
        ours[plain].append(_width(*hoeffding_std((x - BETA_5_5.mean) ** 2, LEVEL)))
        usual[plain].append(_width(*std_ci(x, LEVEL, method="maurer_pontil")))
    findings = [
        Finding(what=what, values=numbers(ours[what]), baseline=numbers(usual[what]), limit=1.0, side="<=")
        for what in (*(what for what in ours if what != plain), plain)
    ]
    return Evidence(findings=tuple(findings[:-1]), control=findings[-1])


def _width(low: Floats, high: Floats) -> float:
    return float(np.mean(high - low))


@claim(
    says="For independent data the leading term of each side's width is that of the Bernstein bound which "
    "knows the mean and the variance of the squared deviations.",
    where="abstract",
    kind="number",
)
def sharp(trials: Trials) -> Evidence:
    """Divide each side's width by the oracle's radius, over n; beyond what can be drawn, by the moments."""
    limit, far, laws = 1.1, 1e8, (UNIFORM, BETA_2_6)
    sizes = trials.pick(fast=(1000, 10_000, 100_000), full=(1000, 10_000, 100_000, 1_000_000))
    drawn, plain = [], []
    for seed in trials:
        rng = np.random.default_rng(seed)
        drawn.append([[_ratios(law, rng, n) for n in sizes] for law in laws])
        plain.append(_ratios(UNIFORM, rng, sizes[-1], mean_horizon=sizes[-1])[0])
    ratios = np.array(drawn)  # (seeds, laws, sizes, sides)
    findings, curves = [], []
    for a, law in enumerate(laws):
        beyond = np.array(half_widths(law, far, LEVEL)) / oracle_variance_radius(far, LEVEL, law.spread)
        for b, side in enumerate((f"from below, {law.name}", f"from above, {law.name}")):
            what = f"width over the oracle's, {side}"
            first, *_, last = (numbers(column) for column in ratios[:, a, :, b].T)
            late = (float(beyond[b]),) * len(last)
            falls = f"{what}, n = {sizes[-1]}, as a part of that at {sizes[0]}"
            findings += [
                Finding(what=f"{what}, n = 1e8 by moments", values=late, limit=limit, side="<="),
                Finding(what=falls, values=last, baseline=first, limit=1.0, side="<="),
            ]
            y = numbers((*ratios[:, a, :, b].mean(0), late[0]))
            curves.append(Curve(label=side, x=(*map(float, sizes), far), y=y))
    control = f"width over the oracle's, from below, uniform, n = {sizes[-1]}, the mean's weights for n"
    return Evidence(
        findings=tuple(findings),
        control=Finding(what=control, values=numbers(plain), limit=limit, side="<="),
        picture=Picture(x="n", y="half-width / oracle's", curves=tuple(curves), log="x"),
        notes=("The last point of each curve is computed from the law's moments, the others from samples.",),
    )


def _ratios(
    law: Law, rng: np.random.Generator, n: int, *, mean_horizon: int | None = None
) -> tuple[float, float]:
    """Return the widths below and above the estimates over the oracle's, of one sample."""
    x = law.draw(rng, (n, 1))[..., None] - 0.5
    bound = Sides(LEVEL, horizon=n, mean_horizon=mean_horizon).feed(x)
    oracle = oracle_variance_radius(n, LEVEL, law.spread)
    low, high = bound.lower_centre - bound.lower, bound.upper - bound.upper_centre
    return float(low[-1, 0]) / oracle, float(high[-1, 0]) / oracle
