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
means of (P/W)^2, 2 log(2/a2) P/W^2 and (log(2/a2)/W)^2 are A, B - 1 and C.

Differs from the paper.
1. INFERRED: the paper was not available beyond its abstract. The formulas follow public code of others that
   refers to its section 4.4, and were derived again.
2. INFERRED: at a fixed sample size the mean's weights w_i fall with i log(i + 1); the public code knows them
   for n too. With those the bound from below stays several times wider than the oracle's: see ``sharp``.
3. INFERRED: the mean's share of the level from below is 1/(2 + log n) at a fixed n, 1/2 in a sequence.
   A share that vanishes more slowly than any power of n gives the oracle's constant.
4. INFERRED: in a Hilbert space squares become squared norms, and the error of the mean is bounded as Pinelis
   (1994) bounds the norm of a martingale. In one dimension that is the scalar bound, so both are one code.

Not covered. The authors' other constructions; conditional variances that change.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers
from lunwen.methods.concentration._baselines import hoeffding_std, maurer_pontil, normal_bounds, plug_in
from lunwen.methods.concentration._coverage import coverage
from lunwen.methods.concentration._laws import BETA_5_5, LAWS, RARE, RARE_VECTORS, SWITCHING, UNIFORM, Law
from lunwen.methods.concentration._sample import amount, check_level, in_ball, one_path, unit_interval
from lunwen.methods.concentration._sums import Sums
from lunwen.methods.concentration._widths import half_widths

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Method = Literal["eb", "maurer_pontil"]

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
    seconds=65,
    example="""\
import numpy as np
from lunwen.methods.concentration.variance_bernstein import VarianceConfidenceSequence, std_ci

waits = np.random.default_rng(0).beta(2, 6, 2000) * 60  # minutes, never more than an hour
print(std_ci(waits, alpha=0.05, bounds=(0, 60)))

watch = VarianceConfidenceSequence(alpha=0.05, bounds=(0, 60))
for wait in waits:
    variance = watch.update(wait)  # may be looked at, and stopped at, any time
print(variance)""",
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
    x: ArrayLike, alpha: float = 0.05, *, method: Method = "eb", bounds: tuple[float, float] = (0.0, 1.0)
) -> Interval:
    """Return an interval that holds the variance of ``x[..., n]`` with probability 1 - ``alpha``.

    ``eb`` needs a constant conditional mean and variance, ``maurer_pontil`` (2009, Theorem 10) independence.

    Raises:
        UsageError: not finite, out of bounds, too few, or a setting out of its range.
    """
    if method not in ("eb", "maurer_pontil"):
        raise UsageError(f'no method "{method}". Allowed: eb, maurer_pontil. Choose one')
    check_level(alpha)
    unit, width = unit_interval(x, bounds, fewest=1 if method == "eb" else 2)
    if method == "eb":
        return _fixed(unit[..., None], alpha, width**2)
    return _interval(*maurer_pontil(unit, alpha), width**2)


def std_ci(
    x: ArrayLike, alpha: float = 0.05, *, method: Method = "eb", bounds: tuple[float, float] = (0.0, 1.0)
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
    check_level(alpha)
    return _fixed(in_ball(X, radius) / (2 * radius), alpha, (2 * radius) ** 2)


def oracle_variance_radius(n: ArrayLike, alpha: float, spread: ArrayLike) -> Any:  # a float or an array
    """Return Bernstein's radius of one side, ``spread`` = V[(X - mu)^2] and the mean known, X in [0, 1].

    Raises:
        UsageError: no positive n, a negative spread, or a level out of its range.
    """
    check_level(alpha)
    n, spread, log = amount("n", n), amount("spread", spread, zero=True), math.log(1 / alpha)
    return np.sqrt(2 * spread * log / n) + log / (3 * n)


class VarianceConfidenceSequence:
    """Intervals for the variance that hold at all times at once with probability 1 - ``alpha``.

    Raises:
        UsageError: a level or bounds out of their range.
    """

    def __init__(self, alpha: float = 0.05, *, bounds: tuple[float, float] = (0.0, 1.0)) -> None:
        check_level(alpha, bounds)
        self.bounds = bounds
        self.interval = Interval(0.0, (bounds[1] - bounds[0]) ** 2 / 4)
        self._sides = _Sides(alpha / 2, horizon=None)

    def update(self, x: ArrayLike) -> Interval:
        """Take in one observation, or several in their order, and return the interval now.

        Raises:
            UsageError: not finite, several paths, or out of bounds.
        """
        unit, width = unit_interval(one_path(x), self.bounds)
        lower, upper, *_ = self._sides.feed(unit[:, None, None])
        low, high = float(lower.max()) * width**2, float(upper.min()) * width**2
        self.interval = Interval(max(self.interval.lower, low), min(self.interval.upper, high))
        return self.interval


def _fixed(points: Floats, alpha: float, scale: float) -> Interval:
    """Return the interval of ``points[..., n, d]`` for their fixed n."""
    *many, n, d = points.shape
    paths = points.reshape(-1, n, d).swapaxes(0, 1)
    lower, upper, *_ = _Sides(alpha / 2, horizon=n).feed(paths)
    return _interval(lower[-1].reshape(many), upper[-1].reshape(many), scale)


def _interval(low: Floats, high: Floats, scale: float) -> Interval:
    low, high = np.asarray(low) * scale, np.asarray(high) * scale
    return Interval(low, high) if low.ndim else Interval(float(low), float(high))


class _Sides:
    """The two one-sided bounds, each at ``level``, of p paths in the ball of radius 1/2, fed piece by piece.

    ``horizon`` is the sample size where it is fixed, None for a sequence; ``mean_horizon`` is that of w.
    """

    C1, C2, C3, C5 = 0.5, 1 / 16, 1 / 4, 2.0  # public code: cap of l, priors of v and m, cap of w

    def __init__(self, level: float, *, horizon: float | None, mean_horizon: float | None = None) -> None:
        self.horizon, self.mean_horizon = horizon, mean_horizon
        share = 1 / (2 + math.log(horizon or 1))  # a2 / a
        self.log_a, self.log_2 = math.log(1 / level), math.log(2 / (level * share))
        self.log_1 = math.log(1 / (level * (1 - share)))
        self._seen, self._sums = 0, Sums()

    def feed(self, x: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Go on with ``x[n, p, d]``; return the lower and the upper bounds and their centres, each (n, p)."""
        before, through = self._sums.before, self._sums.through
        i = self._seen + np.arange(1.0, len(x) + 1)[:, None]  # (n, 1)
        self._seen += len(x)
        clock = self.horizon or i * np.log(i + 1)
        mean_clock = self.mean_horizon or i * np.log(i + 1)

        mu = before("x", x) / i[..., None]  # prior 0: the middle of the ball
        Z = ((x - mu) ** 2).sum(-1)  # (n, p)
        m = before("Z", Z, self.C3) / i
        v = before("(Z - m)^2", (Z - m) ** 2, self.C2) / i
        l = np.minimum(np.sqrt(2 * self.log_a / (v * clock)), self.C1)  # noqa: E741 - lambda
        total = through("l", l)
        centre = through("l Z", l * Z) / total
        upper = centre + (through("psi (Z - m)^2", _psi_e(l) * (Z - m) ** 2) + self.log_a) / total

        w = np.minimum(np.sqrt(2 * self.log_2 / (m * mean_clock)), self.C5)
        W, P = before("w", w), before("psi w", np.expm1(w) - w)  # psi_P
        started = (W > 0) & (self.log_2 + m * P < W)  # before, the mean's error may be 1
        W = np.where(W > 0, W, 1.0)
        Z = ((x - before("w x", w[..., None] * x) / W[..., None]) ** 2).sum(-1)
        v = before("lower (Z - m)^2", (Z - m) ** 2, self.C2) / i
        l = np.where(started, np.minimum(np.sqrt(2 * self.log_1 / (v * clock)), self.C1), 0.0)  # noqa: E741
        total = through("lower l", l)
        known = np.where(total > 0, total, 1.0)
        D = through("lower l Z", l * Z) / known
        R = (through("lower psi (Z - m)^2", _psi_e(l) * (Z - m) ** 2) + self.log_1) / known
        A = through("A", l * (P / W) ** 2) / known
        B = 1 + through("B", l * 2 * self.log_2 * P / W**2) / known
        C = through("C", l * (self.log_2 / W) ** 2) / known
        rest = np.where(total > 0, np.maximum(D - R - C, 0.0), 0.0)
        lower = 2 * rest / (B + np.sqrt(B**2 + 4 * A * rest))  # the root, written so that A may be 0
        return lower, np.minimum(upper, 0.25), D, centre


def _psi_e(l: Floats) -> Floats:  # noqa: E741
    return -np.log1p(-l) - l


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
            x = law.draw(rng, (n, paths))[..., None] - 0.5
            lower, upper, *_ = _Sides(LEVEL / 2, horizon=None).feed(x)
            misses[f"paths with any miss, {law.name}"].append(law.missed(lower.max(0), upper.min(0)))
        low, high = normal_bounds(UNIFORM.draw(rng, (n, paths)), LEVEL)[:, 30:]
        plain.append(UNIFORM.missed(low.max(0), high.min(0)))
    control = "the same of an interval for a fixed n, read after each observation, uniform"
    return coverage(misses, control, plain, paths=paths, level=LEVEL)


@claim(says="The method extends to separable Hilbert spaces.", where="abstract", kind="bound")
def hilbert(trials: Trials) -> Evidence:
    """Count misses of E||X - EX||^2 for vectors in 50 dimensions that are rarely not zero."""
    paths = trials.pick(fast=50, full=200)
    misses, plain = defaultdict(list), []
    for seed in trials:
        rng = np.random.default_rng(seed)
        for n in (50, 500):
            X = RARE_VECTORS.draw(rng, (n, paths))  # (n, paths, 50)
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
    widths = defaultdict(list)
    for seed in trials:
        rng = np.random.default_rng(seed)
        for law in LAWS:
            for n in (500, 2000, largest):
                x = law.draw(rng, (n, paths)).T
                what = f"width over Maurer and Pontil's, {law.name}, n = {n}"
                widths[what].append(_pair(std_ci(x, LEVEL), x))
        x = BETA_5_5.draw(rng, (largest, paths)).T
        plain = hoeffding_std((x - BETA_5_5.mean) ** 2, LEVEL)
        widths[f"Hoeffding's, by the range, {BETA_5_5.name}, n = {largest}"].append(_pair(plain, x))
    *findings, control = (
        Finding(what=what, values=numbers(ours), baseline=numbers(usual), limit=1.0, side="<=")
        for what, (ours, usual) in ((what, zip(*pairs, strict=True)) for what, pairs in widths.items())
    )
    return Evidence(findings=tuple(findings), control=control)


def _pair(interval: tuple[Floats, Floats], x: Floats) -> list[float]:
    """Return the mean widths of the interval and of Maurer and Pontil's."""
    return [float(np.mean(b - a)) for a, b in (interval, std_ci(x, LEVEL, method="maurer_pontil"))]


@claim(
    says="For independent data the leading term of each side's width is that of the Bernstein bound which "
    "knows the mean and the variance of the squared deviations.",
    where="abstract",
    kind="number",
)
def sharp(trials: Trials) -> Evidence:
    """Divide each side's width by the oracle's radius, over n; beyond what can be drawn, by the moments."""
    limit, far, laws = 1.1, 1e8, [law for law in LAWS if law.spread > 0]
    sizes = trials.pick(fast=(1000, 10_000, 100_000), full=(1000, 10_000, 100_000, 1_000_000))
    drawn, fixed, plain = [], [], []
    for seed in trials:
        rng = np.random.default_rng(seed)
        paths = {n: min(10, sizes[-1] // n) for n in sizes}
        drawn.append([[_ratios(law, rng, n, paths[n]) for n in sizes] for law in laws])
        fixed.append(_ratios(UNIFORM, rng, sizes[-1], 1, mean_horizon=sizes[-1])[0])
        low, high = maurer_pontil(UNIFORM.draw(rng, (sizes[-1], 1))[:, 0], 2 * LEVEL)
        plain.append((high - low) / 2 / oracle_variance_radius(sizes[-1], LEVEL, UNIFORM.spread))
    ratios = np.array(drawn)  # (seeds, laws, sizes, sides)
    findings, curves = [], []
    for a, law in enumerate(laws):
        beyond = numbers(half_widths(law, far, LEVEL) / oracle_variance_radius(far, LEVEL, law.spread))
        for b, side in enumerate(("below", "above")):
            what = f"width over the oracle's, from {side}, {law.name}"
            late = (beyond[b],) * len(ratios)
            findings.append(Finding(what=f"{what}, n = 1e8", values=late, limit=limit, side="<="))
            for n, (before, after) in zip(
                sizes[1:], pairwise(map(numbers, ratios[:, a, :, b].T)), strict=True
            ):
                where = f"{what}, n = {n}, over that at a tenth of n"
                findings.append(Finding(what=where, values=after, baseline=before, limit=1.0, side="<="))
            y = (*ratios[:, a, :, b].mean(0), beyond[b])
            curves.append(Curve(label=f"from {side}, {law.name}", x=numbers((*sizes, far)), y=numbers(y)))
    control = f"half of the width of Maurer and Pontil's over the oracle's, uniform, n = {sizes[-1]}"
    return Evidence(
        findings=tuple(findings),
        control=Finding(what=control, values=numbers(plain), limit=limit, side="<="),
        picture=Picture(x="n", y="half-width / oracle's", curves=tuple(curves[:4]), log="x"),
        notes=(
            "n = 1e8 is computed from the law's moments, the others from samples.",
            "Each step of n is judged by itself and all must fall: samples of different n are drawn apart.",
            "The worst step of each seed, tried first with one sample, was undecided: it counts chance too.",
            f"With the mean's weights for n, from below, uniform, n = {sizes[-1]}: {np.mean(fixed):.2f}.",
            "Not of Bernoulli(0.5): its squared deviations do not vary, so the oracle's leading term is 0.",
        ),
    )


def _ratios(
    law: Law, rng: np.random.Generator, n: int, paths: int, *, mean_horizon: int | None = None
) -> Floats:
    """Return the mean widths below and above the estimates over the oracle's, of some samples."""
    x = law.draw(rng, (n, paths))[..., None] - 0.5
    lower, upper, below, above = _Sides(LEVEL, horizon=n, mean_horizon=mean_horizon).feed(x)
    widths = np.stack([below - lower, upper - above])[:, -1].mean(-1)
    return np.asarray(widths / oracle_variance_radius(n, LEVEL, law.spread))
