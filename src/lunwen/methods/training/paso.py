"""PASO: Step Parallel Stochastic Optimization.

Problem. A training run is a chain: step t + 1 needs the weights that step t left, so more machines can
widen a step but not shorten the chain.

Idea. Fix all mini-batches in advance and read the whole run as one triangular system of nonlinear
equations, whose unknowns are the weights after every step. Guess them all, evaluate all gradients at the
guesses at the same time, rebuild the guesses by a scan that needs no gradient, and repeat: after k rounds
the first k states are exact. A window of p guesses slides over the run, past those that have stopped
changing.

(1)  w_t = w_{t-r} + sum_{tau=t-r}^{t-1} u_tau(w_tau, s_tau)
(2)  delta <- rho delta + (1 - rho) c mean_i e_i

w_t: weights after t steps; s_t: state of the optimizer (momenta); u_tau: its update from mini-batch tau; r:
order (1 is Jacobi's iteration, p is Picard's, anchored at the window's left edge). e_i: root mean square
change of guess i in a round; delta: tolerance; rho, c: the rate and the scale of its moving average. The
window slides to the first guess with e_i > delta, at least by one.

Differs from the paper. 1. INFERRED: the paper was not available. Reviews name the fixed-point iteration,
the window p, the order r, the tolerance with a moving average, uniqueness and the bound K <= T; the default
order, the form of (2) and the scan of the momenta are our reading. 2. Gradients run as one batch on one
machine; K counts rounds, each of which would need p workers.

Not covered. Wall-clock gains, weight decay, schedules of the step size, layers with randomness or buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lunwen.errors import UsageError
from lunwen.methods._card import Card
from lunwen.methods._claim import Trials, claim
from lunwen.methods._evidence import Curve, Evidence, Finding, Picture, numbers
from lunwen.methods.training._derivative import Array, gradients_of
from lunwen.methods.training._digits import Digits
from lunwen.methods.training._given import as_many, check_number, check_whole, check_window, finite_vector

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
    seconds=100,
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
        "Llama-3.2-1B and the diffusion model: too large for two cores.",
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
                change = np.sqrt(np.mean((rebuilt[1:, 0] - x[1:, 0]) ** 2, axis=1))  # e_i
            moving = np.flatnonzero(~(change <= tol))  # so written, a NaN moves too
            slide = int(moving[0]) + 1 if moving.size else p
            if not np.isfinite(rebuilt[slide]).all():
                raise UsageError(
                    f"the weights are not finite after step {t + slide}. "
                    "Look for NaN in the data, or give a smaller lr"
                )
            yield rebuilt[1 : slide + 1], change
            x = np.concatenate([rebuilt[slide:], np.repeat(rebuilt[-1:], slide, axis=0)])
            t += slide
            finite = change[np.isfinite(change)]
            if self.tol_ema is not None and finite.size:
                tol = self.tol_ema * tol + (1 - self.tol_ema) * self.tol_scale * float(finite.mean())  # (2)

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
    window: int = 32  # p; paper does not say
    tol: float = 1e-3  # delta; paper does not say. Below the RMS size of one update, or nothing is iterated
    order: int | None = None  # r; None is Picard, r = p. Paper does not say
    tol_ema: float | None = None  # rho; paper does not say. None: delta stays; else it also grows with errors
    tol_scale: float = 0.1  # c; paper does not say
    momentum: float = 0.9  # of torch
    betas: tuple[float, float] = (0.9, 0.999)  # of torch
    eps: float = 1e-8  # of torch

    def __post_init__(self) -> None:
        if self.base not in ("sgd", "momentum", "adam"):
            raise UsageError(f"base {self.base!r} is unknown. Give one of: 'sgd', 'momentum', 'adam'")
        check_window(self.window, self.order, self.tol)
        for name, value in (("lr", self.lr), ("tol_scale", self.tol_scale), ("eps", self.eps)):
            check_number(name, value, above=0)
        for name, value in (("tol_ema", self.tol_ema or 0), ("momentum", self.momentum)):
            check_number(name, value, at_least=0, below=1)
        if np.shape(self.betas) != (2,):
            raise UsageError(f"betas = {self.betas!r} is no pair. Give two numbers, such as (0.9, 0.999)")
        for value in self.betas:
            check_number("betas", value, at_least=0, below=1)

    def run(
        self, grad_fn: Gradients, w0: ArrayLike, batches: Sequence[Any] | NDArray[Any]
    ) -> tuple[Array, Info]:
        """Return w_T [P] after one step per entry of ``batches``, and what it took.

        ``grad_fn(W[p, P], batches[p]) -> G[p, P]`` evaluates gradient i at guess i on batch i.

        Raises:
            UsageError: ``w0`` or the gradients have no fitting shape, no batches, or the run diverges.
        """
        w = finite_vector("w0", w0)
        if not hasattr(batches, "__getitem__") or len(batches) == 0:
            raise UsageError(
                "batches is empty or no sequence. Give one batch per step, in a list or an array"
            )

        def evaluate(W: Array, t: NDArray[np.int64]) -> Array:
            return as_many("grad_fn", grad_fn(W, batches[t[0] : t[-1] + 1]), W)

        x0 = np.zeros(({"sgd": 1, "momentum": 2, "adam": 3}[self.base], w.size))
        x0[0] = w
        window = _Window(self.window, self.order, self.tol, self.tol_ema, self.tol_scale)
        changes = []
        for final, change in window.solve(evaluate, self._step, x0, len(batches)):
            w = final[-1, 0]
            changes.append(change)
        errors = tuple(float(change.max()) for change in changes)
        return w.copy(), Info(len(batches), len(changes), sum(map(len, changes)), errors)

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

    ``phi(W[p, d], t[p]) -> [p, d]`` maps many states at once; the window is the whole trajectory by default.

    Raises:
        UsageError: an argument is out of its range, or a state is not finite.
    """
    w = finite_vector("w0", w0)
    check_whole("steps", steps)
    size = steps if window is None else window
    check_window(size, order, tol)
    rounds = _Window(size, order, tol).solve(
        lambda W, t: as_many("phi", phi(W, t), W) - W, lambda x, u, _: x + u, w[None], steps
    )
    path = [w[None], *(final[:, 0] for final, _ in rounds)]
    return np.concatenate(path), len(path) - 1


@claim(
    says="The system has one solution, the run in sequence, and takes no more rounds than that has steps.",
    where="abstract",
    kind="identity",
)
def sequential_solution(trials: Trials) -> Evidence:
    """Compare w_T with torch's own optimizers on the same batches, at a tolerance of 1e-8."""
    runs = {f"{base}, lr {lr:g}": (base, lr) for base, lr in (*SETTINGS.items(), ("sgd", 1.0))}
    apart: dict[str, list[float]] = {name: [] for name in runs}
    rounds: dict[str, list[float]] = {name: [] for name in runs}
    control = []
    for seed in trials:
        digits = Digits(seed, trials.pick(fast=32, full=200), hidden=32)
        for name, (base, lr) in runs.items():
            w, info = _solve(digits, base, lr, tol=1e-8)
            apart[name].append(np.abs(w - digits.in_sequence(base, lr)).max())
            rounds[name].append(1 / info.step_reduction)
        w, _ = _solve(digits, "sgd", SETTINGS["sgd"], tol=np.inf)
        control.append(np.abs(w - digits.in_sequence("sgd", SETTINGS["sgd"])).max())
    return Evidence(
        findings=(
            *(_at_most(1e-6, f"{DISTANCE}, {name}", values) for name, values in apart.items()),
            *(_at_most(1.0, f"K / T, {name}", values) for name, values in rounds.items()),
        ),
        control=_at_most(1e-6, f"{DISTANCE}, sgd, {CONTROL}", control),
    )


@claim(
    says="Many times fewer steps one after the other lead to a model of the same quality, by SGD and Adam.",
    where="abstract",
    kind="order",
)
def fewer_steps(trials: Trials) -> Evidence:
    """Measure T / K and the loss on all digits at p = 32 and a tolerance of 1e-3; the paper says up to 21."""
    steps = trials.pick(fast=100, full=600)
    models = (("network", 32), ("logistic regression", 0))
    runs = {f"{model}, {base}": (hidden, base) for model, hidden in models for base in ("sgd", "adam")}
    measured: dict[str, list[tuple[float, ...]]] = {name: [] for name in runs}
    large: dict[float, float] = {}
    control = []
    for seed in trials:
        for name, (hidden, base) in runs.items():
            digits = Digits(seed, steps, hidden)
            exact = digits.in_sequence(base, SETTINGS[base])
            w, info = _solve(digits, base, SETTINGS[base])
            loss, apart = digits.loss_at(exact), np.abs(w - exact).max()
            gap = abs(digits.loss_at(w) / loss - 1)
            measured[name].append((info.step_reduction, gap, info.grad_evals / steps, apart))
            if name == "network, sgd":
                w, _ = _solve(digits, base, SETTINGS[base], tol=np.inf)
                control.append(abs(digits.loss_at(w) / loss - 1))
                if not large:
                    large = {lr: _solve(digits, base, lr)[1].step_reduction for lr in (0.2, 1.0)}
    saved, gaps, work, off = (
        {name: [r[i] for r in all_] for name, all_ in measured.items()} for i in range(4)
    )
    return Evidence(
        findings=(
            *(  # fewer steps at all, T / K > 1, is the claim's direction
                Finding(what=f"T / K, {name}", values=numbers(values), limit=5.0, side=">=", margin=4.0)
                for name, values in saved.items()
            ),
            *(_at_most(0.01, f"{LOSS}, {name}", values) for name, values in gaps.items()),
        ),
        control=_at_most(0.01, f"{LOSS}, network, sgd, {CONTROL}", control),
        notes=(
            "Gradients per step: " + ", ".join(f"{name} {np.mean(m):.1f}" for name, m in work.items()),
            "T / K, network, sgd, seed 0: " + ", ".join(f"lr {lr:g} {one:.2f}" for lr, one in large.items()),
            f"{DISTANCE}: ".capitalize() + ", ".join(f"{name} {max(m):.1e}" for name, m in off.items()),
        ),
    )


@claim(
    says="A wider window takes no more rounds.",
    where="not in the abstract; what more devices are for",
    kind="order",
)
def wider_windows(trials: Trials) -> Evidence:
    """Measure by what T / K changes whenever the window doubles: at worst, in every run."""
    steps, windows = trials.pick(fast=(64, (4, 8, 16, 32)), full=(100, (4, 8, 16, 32, 64)))
    runs = {f"{base}, lr {lr:g}": (base, lr) for base, lr in (("sgd", 0.05), ("sgd", 0.2), ("adam", 1e-3))}
    saved: dict[str, list[list[float]]] = {name: [] for name in (*runs, CHUNKS)}
    for seed in trials:
        digits = Digits(seed, steps, hidden=32)
        for name, (base, lr) in runs.items():
            saved[name].append([_solve(digits, base, lr, window=p)[1].step_reduction for p in windows])
        saved[CHUNKS].append([steps / _rounds_by_chunks(digits, 0.2, p) for p in windows])
    *findings, control = (
        Finding(
            what=f"T / K over that at half the window, {name}, worst of p = {windows[1]} to {windows[-1]}",
            values=numbers(min(b / a for a, b in pairwise(row)) for row in rows),
            limit=1.0,
            side=">=",
            spread="every",
        )
        for name, rows in saved.items()
    )
    x = numbers(windows)
    curves = tuple(
        Curve(label=name, x=x, y=numbers(np.array(rows).mean(axis=0)), dashed=name not in runs)
        for name, rows in {**saved, "as many as the window": [x]}.items()
    )
    picture = Picture(x="window p", y="steps per round, T / K", curves=curves, log="xy")
    return Evidence(findings=tuple(findings), control=control, picture=picture, notes=(NOT_DECISIVE,))


SETTINGS = {"sgd": 0.05, "momentum": 0.01, "adam": 1e-3}  # step sizes
CONTROL = "one round per window, not repeated"
CHUNKS = "sgd, lr 0.2, one window after the other instead of sliding"
NOT_DECISIVE = "The control misses by little: even a run in sequence, T / K = 1 at every p, keeps this limit."
DISTANCE = "largest difference of a weight after the last step"
LOSS = "relative change of the loss"


def _solve(digits: Digits, base: str, lr: float, **settings: Any) -> tuple[Array, Info]:
    grad_fn, w0 = gradients_of(digits.model, digits.loss, digits.X, digits.y)
    return StepParallelOptimizer(base, lr, **settings).run(grad_fn, w0, digits.batches)


def _rounds_by_chunks(digits: Digits, lr: float, size: int) -> int:
    """Return how many rounds SGD takes where a window begins only when that before it is solved."""
    grad_fn, w = gradients_of(digits.model, digits.loss, digits.X, digits.y)
    rounds, optimizer = 0, StepParallelOptimizer("sgd", lr, window=size)
    for start in range(0, len(digits.batches), size):
        w, info = optimizer.run(grad_fn, w, digits.batches[start : start + size])
        rounds += info.parallel_steps
    return rounds


def _at_most(limit: float, what: str, values: list[float]) -> Finding:
    return Finding(what=what, values=numbers(values), limit=limit, side="<=", spread="every")
