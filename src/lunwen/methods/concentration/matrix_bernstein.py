"""Sharp Matrix Empirical Bernstein Inequalities.

Problem. The matrix Bernstein inequality bounds how far the mean of random symmetric matrices lies from what
is expected, tightly, but only for one who knows their variance. Empirical forms pay for estimating it.

Idea. Two closed forms whose leading term is the known-variance one, constant and all. The first puts a
variance estimated from pairs into the inequality and spends but a 1/n part of the level on that estimate. The
second normalises a supermartingale by itself, with weights chosen from the past: it needs no independence,
bounds a weighted mean, and holds at all times at once.

For X_1 .. X_n, d x d, eigenvalues in [0, 1], mean M, level a, L = log(d/a), psi(g) = -log(1 - g) - g:

    Eq. 17   D1 = A/(3n) + sqrt(2 |V*| A/n) + (sqrt(5/3) + 1) sqrt(A B)/n
    Eq. 28   D2 = (L + lambda_max(sum psi(g_i) (X_i - Xbar_{i-1})^2)) / sum g_i,  g_i = sqrt(2L/(n v_{i-1}))

V* = (1/n) sum over the pairs of (X_{2i-1} - X_{2i})^2 (Eq. 15), A = log(nd/((n-1)a)), B = log(2nd/a); |.| is
the spectral norm, Xbar_k the mean of the first k, V_k their variance, V_0 = I/4, v_k = max(|V_k|, 5L/n)
(Eq. 27). With probability 1 - a the largest eigenvalue of Xbar_n - M is below D1, that of the weighted mean
(sum g_i X_i / sum g_i) - M below D2. With V known the radius is L/(3n) + sqrt(2 |V| L/n) (Eq. 36).

Differs from the paper.
1. Its text was read with the formulas lost (sections 1 to 6); Eqs. 17, 27 and 28 are as others' notes restate
   them. A one-sided tail of V* gives Eq. 17 without the 2 in B; it is kept as noted.
2. Both sides at once, each at a/2: the paper writes down one side (Theorem 3.1, Corollary 4.3).
3. INFERRED: the sequence floors v_{i-1} by 5L/i, as Eq. 27 does with n; section 4 names no floor for it.

Not covered. The smaller radius at one stopping time by a random number drawn before (section 4); the
Efron-Stein form with the classical variance (appendix B.3).
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
from lunwen.methods.concentration._matrix_data import RARE, SIGNS, SWITCHING, framed, squares
from lunwen.methods.concentration._sample import amount, check_level, check_size, finite, unit_matrices
from lunwen.methods.concentration._sums import Sums

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Side = Literal["both", "one"]

__all__ = [
    "Ball",
    "MatrixConfidenceSequence",
    "matrix_bernstein_radius",
    "matrix_eb_martingale",
    "matrix_eb_plugin",
]

LEVEL = 0.05  # of the claims
PLUGIN = {1000: 1.589, 10_000: 1.214, 100_000: 1.072, 1_000_000: 1.024}  # Table 1

CARD = Card(
    paper_id="001-02",
    title="Sharp Matrix Empirical Bernstein Inequalities",
    authors=("Hongjian Wang", "Aaditya Ramdas"),
    venue="NeurIPS",
    year=2025,
    url="https://arxiv.org/abs/2411.09516",
    area="concentration",
    needs=("numpy", "scipy"),
    seconds=20,
    example=(
        "import numpy as np\n"
        "from lunwen.methods.concentration.matrix_bernstein import matrix_eb_martingale, matrix_eb_plugin\n"
        "\n"
        "x = np.random.default_rng(0).normal(size=(5000, 4)) * [1, 0.3, 0.2, 0.1]\n"
        "x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1)  # vectors in the unit ball\n"
        "outer = x[:, :, None] * x[:, None, :]  # their mean is the second moment\n"
        "for bound in (matrix_eb_plugin, matrix_eb_martingale):\n"
        "    ball = bound(outer, alpha=0.05)\n"
        "    print(np.linalg.eigvalsh(ball.center).round(3), 'within', round(ball.radius, 4))\n"
    ),
    unchecked=("That the bounds hold for every law: a simulation shows the laws that were drawn.",),
)


class Ball(NamedTuple):
    """What M is close to, and how close; arrays where many samples were given."""

    center: Floats
    radius: Any


def matrix_bernstein_radius(
    n: ArrayLike, d: int, var_norm: ArrayLike, alpha: float, bound: float = 1.0
) -> Any:  # a float or an array
    """Return the one-sided radius for known |V| (Eq. 36), eigenvalues of X - M up to ``bound``.

    Raises:
        UsageError: a negative |V|, n, d or bound not positive, or a level out of its range.
    """
    check_level(alpha)
    check_size(d)
    log, n = math.log(d / alpha), amount("n", n)
    leading = np.sqrt(2 * amount("var_norm", var_norm, zero=True) * log / n)
    return amount("bound", bound) * log / (3 * n) + leading


def matrix_eb_plugin(
    X: ArrayLike, alpha: float = 0.05, *, side: Side = "both", bounds: tuple[float, float] = (0.0, 1.0)
) -> Ball:
    """Return the mean of independent ``X[..., n, d, d]`` and the radius D1 (Theorem 3.1).

    With ``side`` "both" the spectral norm of center - M is bounded, with "one" its largest eigenvalue. Of an
    odd n the last matrix is left out.

    Raises:
        UsageError: not finite, not symmetric, out of bounds, n < 2, or a setting out of its range.
    """
    unit, low, width = unit_matrices(X, bounds, fewest=2)
    level = _level(alpha, side)
    n, d = unit.shape[-3] // 2 * 2, unit.shape[-1]
    unit = unit[..., :n, :, :]
    radius = _plugin_radius(n, d, _norm(_paired_variance(unit)), level, 1 / n)
    return _ball(unit.mean(-3), radius, low, width)


def matrix_eb_martingale(
    X: ArrayLike, alpha: float = 0.05, *, side: Side = "both", bounds: tuple[float, float] = (0.0, 1.0)
) -> Ball:
    """Return the weighted mean of ``X[..., n, d, d]`` and the radius D2 (Corollary 4.3), for a fixed n.

    Enough is that the conditional mean is constant. ``side`` is as in ``matrix_eb_plugin``.

    Raises:
        UsageError: not finite, not symmetric, out of bounds, or a setting out of its range.
    """
    unit, low, width = unit_matrices(X, bounds)
    process = _Weighted(_level(alpha, side), horizon=unit.shape[-3])
    center, total, weight = (part[-1] for part in process.feed(np.moveaxis(unit, -3, 0)))
    return _ball(center, process.radius(total, weight), low, width)


class MatrixConfidenceSequence:
    """Balls that all hold M at once, at all times, with probability 1 - ``alpha`` (Theorem 4.2).

    Raises:
        UsageError: a level, bounds or a dimension out of their range.
    """

    def __init__(
        self, d: int, alpha: float = 0.05, *, side: Side = "both", bounds: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        check_size(d)
        check_level(alpha, bounds)
        self.d, self.bounds = d, bounds
        self._process = _Weighted(_level(alpha, side), horizon=None)

    def update(self, X: ArrayLike) -> Ball:
        """Take in one ``X[d, d]``, or several ``X[n, d, d]`` in their order, and return the ball now.

        Raises:
            UsageError: not finite, not symmetric, of another size, or out of bounds.
        """
        given = finite(X)
        if given.shape[-2:] != (self.d, self.d) or given.ndim not in {2, 3}:
            size = f"({self.d}, {self.d})"
            raise UsageError(f"X of shape {given.shape}. Allowed: {size}, or several. Give one of that size")
        unit, low, width = unit_matrices(given.reshape(-1, self.d, self.d), self.bounds)
        center, total, weight = (part[-1] for part in self._process.feed(unit))
        return _ball(center, self._process.radius(total, weight), low, width)


class _Weighted:
    """A weighted mean and the parts of its radius, of matrices in [0, 1] fed piece by piece, time first."""

    def __init__(self, level: float, *, horizon: int | None) -> None:
        self.level, self.horizon = level, horizon
        self._seen, self._sums = 0, Sums()

    def feed(self, X: Floats) -> tuple[Floats, Floats, Floats]:
        """Go on with ``X[n, ..., d, d]``; return center, sum psi(g) (X - Xbar)^2 and sum g after each."""
        before, through, log = self._sums.before, self._sums.through, self._log(X)
        i = (self._seen + np.arange(1.0, len(X) + 1)).reshape(-1, *(1,) * (X.ndim - 1))  # (n, 1, ..., 1)
        n = i[..., 0, 0] if self.horizon is None else self.horizon
        past = np.maximum(i - 1, 1)
        mean = before("X", X) / past  # Xbar_{i-1}, Xbar_0 = 0
        V = before("X^2", X @ X) / past - mean @ mean
        v = np.where(i[..., 0, 0] == 1, 1 / 4, _norm(V))
        v = np.maximum(v, 5 * log / n)  # Eq. 27
        g = np.sqrt(2 * log / (n * v))
        self._seen += len(X)
        psi: Floats = -np.log1p(-g) - g
        total = through("psi", _over(psi) * ((X - mean) @ (X - mean)))
        weight = through("g", g)
        return through("gX", _over(g) * X) / _over(weight), total, weight

    def radius(self, total: Floats, weight: Floats) -> Floats:
        """Return D2."""
        radius: Floats = (self._log(total) + _norm(total)) / weight  # Eq. 28
        return radius

    def _log(self, X: Floats) -> float:
        return math.log(X.shape[-1] / self.level)


def _plugin_radius(n: int, d: int, var_norm: Any, level: float, share: float) -> Any:  # floats or arrays
    """Return D1 where ``share`` of the level pays for the variance: 1/n in the paper."""
    A = math.log(d / (level * (1 - share)))
    B = math.log(2 * d / (level * share))
    radius: Floats = (
        A / (3 * n) + np.sqrt(2 * var_norm * A / n) + (math.sqrt(5 / 3) + 1) * math.sqrt(A * B) / n
    )
    return radius  # Eq. 17


def _paired_variance(X: Floats) -> Floats:
    differences = X[..., 0::2, :, :] - X[..., 1::2, :, :]
    variance: Floats = (differences @ differences).sum(-3) / X.shape[-3]  # Eq. 15
    return variance


def _norm(V: Floats) -> Floats:
    """Return the spectral norm of positive semidefinite matrices."""
    return np.linalg.eigvalsh(V)[..., -1].astype(np.float64, copy=False)


def _over(weights: Floats) -> Floats:
    return weights[..., None, None]


def _ball(center: Floats, radius: Floats, low: float, width: float) -> Ball:
    moved = center * width + low * np.eye(center.shape[-1])
    return Ball(moved, radius * width if radius.ndim else float(radius) * width)


def _level(alpha: float, side: Side) -> float:
    check_level(alpha)
    if side not in ("both", "one"):
        raise UsageError(f'no side "{side}". Allowed: both, one. Choose one of them')
    return alpha / 2 if side == "both" else alpha


@claim(
    says="The radius from the pairs' variance has the leading term of the matrix Bernstein inequality that "
    "knows the variance; its table goes down to 1.024 of that radius.",
    where="abstract; Table 1",
    kind="number",
)
def plugin_sharp(trials: Trials) -> Evidence:
    """Repeat the table: three fixed projections with uniform eigenvalues, d = 3."""
    sizes = trials.pick(fast=(1000, 10_000, 1_000_000), full=(1000, 10_000, 100_000, 1_000_000))
    ours, even = defaultdict(list), defaultdict(list)
    for seed in trials:
        rng = np.random.default_rng(seed)
        for n in sizes:
            # these matrices commute: V* has the eigenvectors that they have
            U = rng.random((n, 3))
            variance = ((U[0::2] - U[1::2]) ** 2).sum(0).max() / n
            oracle = matrix_bernstein_radius(n, 3, 1 / 12, LEVEL)
            ours[n].append(_plugin_radius(n, 3, variance, LEVEL, 1 / n) / oracle)
            even[n].append(_plugin_radius(n, 3, variance, LEVEL, 1 / 2) / oracle)
    what, last = "D1 over the oracle's radius", sizes[-1]
    findings = []
    for n in sizes:
        values = numbers(np.array(ours[n]) / PLUGIN[n])
        findings += [
            Finding(what=f"{what}, n = {n}, over the table's", values=values, limit=1.05, side="<="),
            Finding(what=f"{what}, n = {n}, over the table's", values=values, limit=0.95, side=">="),
        ]
    halved = numbers(np.array(even[last]) / PLUGIN[last])
    control = f"{what}, n = {last}, over the table's, half of the level for the variance"
    return Evidence(
        findings=tuple(findings),
        control=Finding(what=control, values=halved, limit=1.05, side="<="),
        picture=_picture({"the paper's split": ours, "an even split": even}),
    )


@claim(
    says="The weighted mean's radius has that leading term too and comes near it sooner.",
    where="abstract; Table 1",
    kind="number",
)
def martingale_sharp(trials: Trials) -> Evidence:
    """Repeat the table for D2."""
    limits = trials.pick(fast={1000: 1.15, 10_000: 1.05}, full={1000: 1.15, 10_000: 1.05, 100_000: 1.05})
    ours, plain = defaultdict(list), defaultdict(list)
    for seed in trials:
        rng = np.random.default_rng(seed)
        for n in (100, *limits):
            X = framed(rng.random((min(4, 100_000 // n), n, 3)))
            oracle, log = matrix_bernstein_radius(n, 3, 1 / 12, LEVEL), math.log(3 / LEVEL)
            ours[n].append(float(np.mean(matrix_eb_martingale(X, LEVEL, side="one").radius)) / oracle)
            g = math.sqrt(8 * log / n)  # for the largest variance there is, 1/4
            radius = (log + (-math.log1p(-g) - g) * _norm(squares(X))) / (n * g)
            plain[n].append(float(np.mean(radius)) / oracle)
    what = "D2 over the oracle's radius"
    findings = [
        Finding(what=f"{what}, n = {n}", values=numbers(ours[n]), limit=limit, side="<=")
        for n, limit in limits.items()
    ]
    control = f"{what}, n = 10000, weights that do not follow the variance"
    return Evidence(
        findings=tuple(findings),
        control=Finding(what=control, values=numbers(plain[10_000]), limit=limits[10_000], side="<="),
        picture=_picture({"weights from the past": ours, "weights for the largest variance": plain}),
        notes=(f"The table, one run: 1.397, 1.105, 1.022, 1.007; here at n = 100 {np.mean(ours[100]):.3f}.",),
    )


@claim(says="The second radius is the smaller one at every sample size.", where="section 5.3", kind="order")
def tighter(trials: Trials) -> Evidence:
    """Divide D2 by D1, on the table's matrices."""
    sizes = trials.pick(fast=(100, 1000, 10_000), full=(100, 1000, 10_000, 100_000))
    ratios = defaultdict(list)
    for seed in trials:
        rng = np.random.default_rng(seed)
        for n in sizes:
            X = framed(rng.random((min(4, 100_000 // n), n, 3)))
            second, first = (bound(X, LEVEL).radius for bound in (matrix_eb_martingale, matrix_eb_plugin))
            ratios[n].append(float(np.mean(second / first)))
            if n == 10_000:
                hoeffding = math.sqrt(2 * math.log(2 * 3 / LEVEL) / n)  # Eq. 38: the range, not the variance
                ratios[0].append(float(np.mean(hoeffding / first)))
    return Evidence(
        findings=tuple(
            Finding(what=f"D2 over D1, n = {n}", values=numbers(ratios[n]), limit=1.0, side="<=")
            for n in sizes
        ),
        control=Finding(
            what="matrix Hoeffding over D1, n = 10000", values=numbers(ratios[0]), limit=1.0, side="<="
        ),
    )


@claim(
    says="The ball holds the mean at its level: the first for independent matrices, the second under "
    "martingale dependence too.",
    where="Theorem 3.1; Corollary 4.3",
    kind="bound",
)
def covers(trials: Trials) -> Evidence:
    """Count the balls that miss the mean, of matrices that do not commute, rare ones and dependent ones."""
    paths = trials.pick(fast=80, full=200)
    misses, plain = defaultdict(list), []
    for seed in trials:
        rng = np.random.default_rng(seed)
        for n in (40, 400):
            for law in (SIGNS, RARE, SWITCHING):
                X = law.draw(rng, n, paths).swapaxes(0, 1)
                bounds = {"D2": matrix_eb_martingale} | ({} if law is SWITCHING else {"D1": matrix_eb_plugin})
                for name, bound in bounds.items():
                    missed = law.missed(*bound(X, LEVEL)).sum()
                    misses[f"misses, {name}, {law.name}, n = {n}"].append(int(missed))
        X = RARE.draw(rng, 40, paths).swapaxes(0, 1)
        variance = _norm(squares(X)) / 40
        radius = matrix_bernstein_radius(40, 3, variance, LEVEL / 2)
        plain.append(int(RARE.missed(X.mean(1), radius).sum()))
    control = "misses, the known-variance radius with the sample's variance, rare, n = 40"
    return coverage(misses, control, plain, paths=paths, level=LEVEL)


@claim(
    says="The second inequality holds at stopping times: all balls of the sequence hold the mean at once.",
    where="abstract; Theorem 4.2",
    kind="bound",
)
def anytime(trials: Trials) -> Evidence:
    """Count the paths on which some ball of the sequence misses the mean."""
    n, paths = trials.pick(fast=(500, 30), full=(2000, 50))
    misses, plain = defaultdict(list), []
    for seed in trials:
        rng = np.random.default_rng(seed)
        for law in (SIGNS, RARE, SWITCHING):
            X = law.draw(rng, n, paths)
            process = _Weighted(LEVEL / 2, horizon=None)
            center, total, weight = process.feed(X)
            missed = law.missed(center, process.radius(total, weight)).any(0).sum()
            misses[f"paths with any miss, {law.name}"].append(int(missed))
            if law is RARE:
                i = np.arange(1.0, n + 1)[:, None]
                mean = X.cumsum(0) / i[..., None, None]
                variance = np.maximum(_norm(mean - mean @ mean), 0)
                radius = matrix_bernstein_radius(i, 3, variance, LEVEL / 2)
                plain.append(int(law.missed(mean, radius).any(0).sum()))
    control = "the same of the known-variance radius with the sample's variance, rare"
    return coverage(misses, control, plain, paths=paths, level=LEVEL)


def _picture(ratios: dict[str, dict[int, list[float]]]) -> Picture:
    curves = tuple(
        Curve(label=label, x=numbers(by_n), y=numbers(map(np.mean, by_n.values())))
        for label, by_n in ratios.items()
    )
    return Picture(x="n", y="radius / oracle's", curves=curves, log="x")
