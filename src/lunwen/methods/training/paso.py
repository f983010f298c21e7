"""PASO: Step Parallel Stochastic Optimization.

Problem. A training run is a chain: step t + 1 needs the weights that step t left, so more machines can
widen a step but not shorten the chain.

Idea. Fix all mini-batches in advance and read the whole run as one triangular system of nonlinear
equations, whose unknowns are the weights after every step. Guess them all, evaluate all gradients at the
guesses at the same time, rebuild the guesses by a scan that needs no gradient, and repeat: after k rounds
the first k states are exact. A window of p guesses slides over the run, past those that have stopped
changing.

(1)  w_t = w_{t-r} + sum_{tau=t-r}^{t-1} u_tau(w_tau, s_tau)
(2)  delta <- rho delta + (1 - rho) c mean_i min(e_i, e_0)

w_t: weights after t steps; s_t: state of the optimizer (momenta); u_tau: its update from mini-batch tau; r:
order (1 is Jacobi's iteration, p is Picard's, anchored at the window's left edge). e_i: root mean square
change of guess i in a round; e_0: size of the window's first update; delta: tolerance; rho, c: the rate and
the scale of its moving average. The window slides to the first guess with e_i > delta, at least by one.

Where u is gradient descent's, of rate lr on a loss of curvature L, the error of k rounds is about
(lr L p)^k / k!: the steps that a round settles grow with p only up to a small multiple of 1 / (e lr L). Nor
can they exceed about (p + 1) / 2: a new guess is a copy, so every step is visited at least twice.

Differs from the paper. 1. INFERRED: the paper was not available. Reviews name the fixed-point iteration,
the window p, the order r, the tolerance with a moving average, uniqueness and the bound K <= T; the default
order, the form of (2), the scan of the momenta and new guesses as copies of the last one are our reading.
2. Delta is measured in e_0, which is exact, so that it means the same for every scale of weights; a fixed
delta is there too, and (2) moves either. There no change counts for more than e_0, or the far guesses of a
wide window would raise delta until everything seems still. 3. Gradients run as one batch on one machine; K
counts rounds, each of which would need p workers.

Not covered. Wall-clock gains, weight decay, schedules of the step size, layers that draw at random or count
while they train.
"""
# Over 400 lines: a solver for any map, three optimizers on it, and claims on two inputs for each.

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers, slope
from lunwen.methods._given import choice, number, vector, whole
from lunwen.methods.training._derivative import Array, function, gradients_of, returned
from lunwen.methods.training._digits import CENTRED, DISTANCE, INPUTS, LRS, MODELS, Digits

__all__ = ["Info", "StepParallelOptimizer", "gradients_of", "solve_tne"]

Gradients = Callable[[Array, Any], ArrayLike]
Evaluate = Callable[[Array, NDArray[np.int64]], Array]
Step = Callable[[Array, Array, int], Array]

CARD = Card(
    paper_id="000-03",
    title="PASO: Step Parallel Stochastic Optimization",
    authors=(
        "Jianrong Lu",
        "Zhuoya Gu",
        "Haobo Li",
        "Zhiyu Zhu",
        "Yechao Zhang",
        "Jianhai Chen",
        "Minghui Yang",
        "Junwei Liu",
        "Jian Wang",
        "Qinming He",
        "Hui Liu",
        "Junhui Hou",
    ),
    venue="ICML",
    year=2026,
    url="https://openreview.net/forum?id=pqG8AQFqhG",
    area="training",
    needs=("numpy", "sklearn", "torch"),
    seconds=120,
    example="""\
import numpy as np
from lunwen.methods.training.paso import StepParallelOptimizer

rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 5))
y = X @ [1.0, -2.0, 0.5, 0.0, 3.0] + 0.1 * rng.normal(size=1000)
batches = rng.integers(1000, size=(400, 16))  # one row of samples per step

def gradients(W, batches):  # all guesses at once: [p, 5], [p, 16] -> [p, 5]
    error = np.einsum("pbd,pd->pb", X[batches], W) - y[batches]
    return np.einsum("pb,pbd->pd", error, X[batches]) / 16

weights, info = StepParallelOptimizer("sgd", 0.05, window=32).run(gradients, np.zeros(5), batches)
print(weights.round(2), info.steps, "steps in", info.parallel_steps, "rounds")""",
    unchecked=(
        "Wall-clock time up to 4.5 times shorter: a round needs as many devices as the window is wide.",
        "On one machine, 32 gradients in one batch cost less than 32 steps, but the second visits undo that.",
        "Up to 21 times fewer steps, on Llama-3.2-1B and a diffusion model: too large for two cores.",
    ),
)


@dataclass(frozen=True, slots=True)
class Info:
    """What a parallel run did: ``errors`` is the largest RMS change of a guess in each round."""

    steps: int  # T
    parallel_steps: int  # K
    grad_evals: int  # about p K, against T in sequence
    errors: tuple[float, ...]

    @property
    def step_reduction(self) -> float:
        """T / K."""
        return self.steps / self.parallel_steps


class _Window(NamedTuple):
    """The sliding window over a triangular system."""

    size: int
    order: int | None
    tol: float
    in_updates: bool = True  # tol is a share of the first update's size, else a change of weights
    tol_ema: float | None = None
    tol_scale: float = 0.1

    def solve(self, evaluate: Evaluate, step: Step, x0: Array, steps: int) -> Iterator[tuple[Array, Array]]:
        """Yield per round the states that became final, and the RMS change of every guess of the window.

        ``evaluate(W[p, P], t[p]) -> u[p, P]`` is what runs in parallel, ``step(x[k, P], u[P], t)`` the cheap
        rest; row 0 of a state are the weights.
        """
        x = np.repeat(x0[None], min(self.size, steps) + 1, axis=0)  # [p + 1, k, P]; row 0 is exact
        t, tol = 0, self.tol
        while t < steps:
            x = x[: steps - t + 1]
            p = len(x) - 1
            u = evaluate(x[:-1, 0].copy(), np.arange(t, t + p))  # [p, P], all at once
            with np.errstate(over="ignore", invalid="ignore"):  # of far guesses, which later rounds mend
                rebuilt = self._rebuild(step, x, u, t)
                change = _rms(rebuilt[1:, 0] - x[1:, 0])  # e_i
                update = float(_rms(rebuilt[1, 0] - x[0, 0]))  # e_0
                unit = update if self.in_updates else 1.0
                still = (change <= tol * unit) & np.isfinite(change)
            moving = np.flatnonzero(~still)
            slide = int(moving[0]) + 1 if moving.size else p
            if not np.isfinite(rebuilt[slide]).all():
                raise UsageError(
                    f"the weights are not finite after step {t + slide}. "
                    "Look for NaN in the data, or take smaller steps"
                )
            yield rebuilt[1 : slide + 1], change
            x = np.concatenate([rebuilt[slide:], np.repeat(rebuilt[-1:], slide, axis=0)])
            t += slide
            finite = change[np.isfinite(change)]
            if self.tol_ema is not None and finite.size and unit:
                error = float(np.minimum(finite, update).mean()) / unit
                tol = self.tol_ema * tol + (1 - self.tol_ema) * self.tol_scale * error  # (2)

    def _rebuild(self, step: Step, x: Array, u: Array, t: int) -> Array:
        """Return (1) at the updates ``u``, each state from ``order`` steps before or the left edge."""
        order = self.order or self.size
        rebuilt = x.copy()
        for i in range(len(u)):
            if i < order:
                rebuilt[i + 1] = step(rebuilt[i], u[i], t + i)
            else:
                state = x[i + 1 - order]
                for tau in range(i + 1 - order, i + 1):
                    state = step(state, u[tau], t + tau)
                rebuilt[i + 1] = state
        return rebuilt


@dataclass(frozen=True)
class StepParallelOptimizer:
    """SGD, momentum or Adam whose steps are solved for together.

    Raises:
        UsageError: a setting is out of its range.
    """

    base: str  # "sgd", "momentum" or "adam"
    lr: float
    _: KW_ONLY
    window: int = 32  # p; paper does not say. More than about 3 / (lr L) saves nothing
    tol: float | None = None  # delta, in ``tol_unit``; None is 0.3 updates, paper does not say. 0 is exact
    tol_unit: str = "update"  # e_0, or "weight": a fixed delta, which has no default
    order: int | None = None  # r; None is Picard, r = p. Paper does not say
    tol_ema: float | None = None  # rho; paper does not say. None: delta stays; else up to max(delta, c)
    tol_scale: float = 0.1  # c; paper does not say
    momentum: float = 0.9  # of torch
    betas: tuple[float, float] = (0.9, 0.999)  # of torch
    eps: float = 1e-8  # of torch

    def __post_init__(self) -> None:
        choice("base", self.base, ("sgd", "momentum", "adam"))
        whole("window", self.window)
        whole("order", 1 if self.order is None else self.order)
        number("tol", 0 if self.tol is None else self.tol, least=0)
        if choice("tol_unit", self.tol_unit, ("update", "weight")) == "weight" and self.tol is None:
            raise UsageError(
                "tol is None. Give a change of weights, such as 1e-3, or leave tol_unit at 'update'"
            )
        for name, value in (("lr", self.lr), ("tol_scale", self.tol_scale), ("eps", self.eps)):
            number(name, value, above=0)
        if len(vector("betas", self.betas)) != 2:
            raise UsageError(f"betas is {self.betas!r}. Give two numbers, such as (0.9, 0.999)")
        rho = 0 if self.tol_ema is None else self.tol_ema
        named = (("tol_ema", rho), ("momentum", self.momentum), *(("betas", beta) for beta in self.betas))
        for name, value in named:
            number(name, value, least=0, below=1)

    def run(
        self,
        grad_fn: Gradients,
        w0: ArrayLike,
        batches: Sequence[Any] | NDArray[Any],
        *,
        path: bool = False,
    ) -> tuple[Array, Info]:
        """Return w_T [P] after one step per entry of ``batches``, and what it took.

        ``grad_fn(W[p, P], batches[p]) -> G[p, P]`` evaluates gradient i at guess i on batch i. With ``path``,
        the weights after every step come back, [T + 1, P].

        Raises:
            UsageError: ``w0`` or the gradients have no fitting shape, no batches, or the run diverges.
        """
        function("grad_fn", grad_fn)
        w, steps = vector("w0", w0), _count(batches)

        def evaluate(W: Array, t: NDArray[np.int64]) -> Array:
            return returned("grad_fn", grad_fn(W, batches[t[0] : t[-1] + 1]), W)

        x0 = np.zeros(({"sgd": 1, "momentum": 2, "adam": 3}[self.base], w.size))
        x0[0] = w
        in_updates = self.tol_unit == "update"
        tol = 0.3 if self.tol is None else self.tol
        window = _Window(self.window, self.order, tol, in_updates, self.tol_ema, self.tol_scale)
        kept, changes = [w[None]], []
        for final, change in window.solve(evaluate, self._step, x0, steps):
            kept = [*kept, final[:, 0]] if path else [final[-1:, 0]]
            changes.append(change)
        errors = tuple(float(change.max()) for change in changes)
        info = Info(steps, len(changes), sum(map(len, changes)), errors)
        return np.concatenate(kept) if path else kept[0][0].copy(), info

    def _step(self, x: Array, g: Array, t: int) -> Array:
        """One step of the optimizer from gradient ``g``: weights, momentum, second momentum."""
        if self.base == "sgd":
            return x - self.lr * g
        if self.base == "momentum":
            v = self.momentum * x[1] + g
            return np.stack([x[0] - self.lr * v, v])
        first, second = self.betas
        m = first * x[1] + (1 - first) * g
        v = second * x[2] + (1 - second) * g**2
        m_hat, v_hat = m / (1 - first ** (t + 1)), v / (1 - second ** (t + 1))
        return np.stack([x[0] - self.lr * m_hat / (np.sqrt(v_hat) + self.eps), m, v])


def solve_tne(
    phi: Callable[[Array, NDArray[np.int64]], ArrayLike],
    w0: ArrayLike,
    steps: int,
    *,
    tol: float = 0.0,
    window: int | None = None,
    order: int | None = None,
) -> tuple[Array, int]:
    """Return the trajectory [steps + 1, d] of w_{t+1} = phi(w_t, t), and the rounds, at most ``steps``.

    ``phi(W[p, d], t[p]) -> [p, d]`` maps many states at once; the window is the whole trajectory by default,
    and ``tol`` a share of the size of its first step.

    Raises:
        UsageError: an argument is out of its range, or a state is not finite.
    """
    function("phi", phi)
    w = vector("w0", w0)
    size = whole("steps", steps) if window is None else whole("window", window)
    whole("order", 1 if order is None else order)
    rounds = _Window(size, order, number("tol", tol, least=0)).solve(
        lambda W, t: returned("phi", phi(W, t), W) - W, lambda x, u, _: x + u, w[None], whole("steps", steps)
    )
    path = [w[None], *(final[:, 0] for final, _ in rounds)]
    return np.concatenate(path), len(path) - 1


def _rms(changes: Array) -> Array:
    root: Array = np.sqrt(np.mean(changes**2, axis=-1))
    return root


def _count(batches: Any) -> int:
    """Return how many batches can be sliced off; a torch dataset of tensors slices into columns."""
    try:
        if len(batches) > 0 and len(batches[:0]) == 0 and not isinstance(batches, str | bytes):
            return len(batches)
    except (TypeError, LookupError):
        pass
    raise UsageError(
        f"batches is a {type(batches).__name__}, empty or no sequence. "
        "Give one batch per step, in a list or an array"
    )


@claim(
    says="The system has one solution, the run in sequence, and takes no more rounds than that has steps.",
    where="abstract",
    kind="identity",
)
def sequential_solution(trials: Trials) -> Evidence:
    """Compare w_T with torch's own optimizers on the same batches, at a fixed tolerance of 1e-8."""
    runs = {f"{base}, lr {lr:g}": (base, lr) for base, lr in (*LRS.items(), ("sgd", 1.0))}
    apart, rounds, control = defaultdict(list), defaultdict(list), []
    for seed in trials:
        digits = {name: Digits(seed, trials.pick(fast=20, full=200), inputs=name) for name in INPUTS}
        for name, (base, lr) in runs.items():
            off = []
            for inputs, one in digits.items():
                exact = one.in_sequence(base, lr)
                w, info = _fixed(base, lr, 1e-8).run(*one.problem)
                rounds[f"{inputs}, {name}"].append(info.parallel_steps / info.steps)
                off.append(np.abs(w - exact).max())
            apart[name].append(max(off))
        one = digits[CENTRED]
        control.append(np.abs(_large_batch("sgd", one) - one.in_sequence("sgd", LRS["sgd"])).max())
    return Evidence(
        findings=(
            *(_at_most(1e-6, f"{FURTHEST}, {name}", values) for name, values in apart.items()),
            *(_at_most(1.0, f"K / T at p = 32, {name}", values) for name, values in rounds.items()),
        ),
        control=_at_most(1e-6, f"{FURTHEST}, sgd, {LARGE_BATCH}", control),
    )


@claim(
    says="Many times fewer steps one after the other lead to a model of the same quality, by SGD and Adam.",
    where="abstract",
    kind="order",
)
def fewer_steps(trials: Trials) -> Evidence:
    """Measure T / K at p = 32, and how the model differs from that of the run in sequence."""
    steps = trials.pick(fast=64, full=600)
    saved, work, apart, once = (defaultdict(list) for _ in range(4))
    for seed in trials:
        worst: dict[str, float] = defaultdict(float)
        for (model, hidden), inputs in product(MODELS.items(), INPUTS):
            digits = Digits(seed, steps, hidden, inputs)
            for base in ("sgd", "adam"):
                exact = digits.in_sequence(base, LRS[base])
                w, info = StepParallelOptimizer(base, LRS[base]).run(*digits.problem)
                saved[f"{model}, {inputs}, {base}"].append(info.step_reduction)
                work[f"{model}, {inputs}, {base}"].append(info.grad_evals / steps)
                for what, value in digits.differences(w, exact).items():
                    worst[f"{what}, {base}"] = max(worst[f"{what}, {base}"], value)
                if (model, base) == ("network", "sgd"):
                    once[inputs].append([*digits.differences(_large_batch(base, digits), exact).values()])
        for what, value in worst.items():
            apart[what].append(value)
    far = {inputs: np.mean(rows, axis=0) for inputs, rows in once.items()}
    first = {inputs: Digits(trials.seeds[0], steps, inputs=inputs).problem for inputs in INPUTS}
    larger = {
        (lr, inputs): StepParallelOptimizer("sgd", lr).run(*problem)[1].step_reduction
        for lr, (inputs, problem) in product((0.2, 1.0), first.items())
    }
    return Evidence(
        findings=(
            *(  # fewer steps at all, T / K > 1, is the claim's direction
                Finding(
                    what=f"T / K at p = 32, {name}", values=numbers(values), limit=5.0, side=">=", margin=4.0
                )
                for name, values in saved.items()
            ),
            *(_at_most(0.01, f"{what}, worst of models and inputs", all_) for what, all_ in apart.items()),
        ),
        control=_at_most(
            0.01, f"{DISTANCE}, network, {CENTRED}, sgd, {LARGE_BATCH}", [row[0] for row in once[CENTRED]]
        ),
        notes=(
            "Gradients per step: " + ", ".join(f"{name} {np.mean(one):.1f}" for name, one in work.items()),
            "Of larger steps fewer are saved. T / K of SGD on the network of the first seed: "
            + ", ".join(f"lr {lr:g} {value:.1f} ({inputs})" for (lr, inputs), value in larger.items()),
            "One round per window is SGD with batches and step size 32 times as large. The network ends "
            + ", ".join(
                f"{one[0]:.0%} off with the loss changed by {one[1]:.1%} ({name})"
                for name, one in far.items()
            )
            + ": where it is stable and only the loss matters, it is cheaper.",
        ),
    )


@claim(
    says="More workers take fewer rounds.",
    where="not in the abstract; what a wider window is for",
    kind="order",
)
def wider_windows(trials: Trials) -> Evidence:
    """Measure with what power of the window p the steps per round T / K grow: 1 is ideal, a half asked."""
    steps, windows = trials.pick(fast=(64, (8, 32)), full=(240, (4, 8, 16, 32, 64)))
    runs: dict[str, tuple[str, str, int | None]] = {
        f"{inputs}, {base}": (inputs, base, None) for inputs in INPUTS for base in ("sgd", "adam")
    }
    runs[JACOBI] = (CENTRED, "sgd", 1)
    saved: dict[str, list[list[float]]] = {name: [] for name in runs}
    law: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for seed in trials:
        digits = {name: Digits(seed, steps, inputs=name) for name in INPUTS}
        for name, (inputs, base, order) in runs.items():
            one = digits[inputs]
            optimizers = [StepParallelOptimizer(base, LRS[base], window=p, order=order) for p in windows]
            ends, infos = zip(*(optimizer.run(*one.problem) for optimizer in optimizers), strict=True)
            saved[name].append([info.step_reduction for info in infos])
            if base == "sgd" and order is None:
                lr_curvature = LRS[base] * one.largest_curvature(ends[-1])
                law[inputs].append((lr_curvature, infos[-1].step_reduction * np.e * lr_curvature))
    *findings, control = (
        Finding(
            what=f"exponent of T / K over p = {windows[0]} to {windows[-1]}, {name}",
            values=numbers(slope(windows, row) for row in rows),
            limit=0.5,
            side=">=",
        )
        for name, rows in saved.items()
    )
    x = numbers(windows)
    curves = tuple(
        Curve(label=name, x=x, y=numbers(np.mean(rows, axis=0)), dashed=name in (JACOBI, IDEAL))
        for name, rows in {**saved, IDEAL: [[(p + 1) / 2 for p in windows]]}.items()
    )
    return Evidence(
        findings=tuple(findings),
        control=control,
        picture=Picture(x="window p", y="steps per round, T / K", curves=curves, log="xy"),
        notes=(
            "Seeds where T / K never falls from one window to the next: "
            + ", ".join(
                f"{name} {np.all(np.diff(rows) >= 0, axis=1).sum()} of {len(rows)}"
                for name, rows in saved.items()
                if name != JACOBI
            ),
            *(
                f"SGD, {inputs}: lr L = {np.mean(rows, axis=0)[0]:.3f} at the end of the run; "
                f"T / K at p = {windows[-1]} is {np.mean(rows, axis=0)[1]:.1f} / (e lr L)."
                for inputs, rows in law.items()
            ),
        ),
    )


FURTHEST = "largest difference of a weight after the last step"
LARGE_BATCH = "one round per window, not repeated"
JACOBI = "centred pixels, sgd, each guess rebuilt from the one before alone (order 1)"
IDEAL = "(p + 1) / 2, about the most there can be"


def _fixed(base: str, lr: float, tol: float) -> StepParallelOptimizer:
    return StepParallelOptimizer(base, lr, tol=tol, tol_unit="weight")


def _large_batch(base: str, digits: Digits) -> Array:
    """Return w_T where every guess is taken as the first round leaves it."""
    return _fixed(base, LRS[base], 1e300).run(*digits.problem)[0]


def _at_most(limit: float, what: str, values: list[float]) -> Finding:
    return Finding(what=what, values=numbers(values), limit=limit, side="<=", spread="every")
