"""One round of PASO, all gradients of a window in one batch, against as many steps one after the other.

PASO counts rounds, each on as many devices as the window is wide. What one machine saves by evaluating a
window in one call is measured here: the same network, batches and precision, on one thread.
"""

from __future__ import annotations

import statistics
import time
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
import torch

from benchmarks._report import table, write
from lunwen.methods.training._digits import LRS, MODELS, Digits
from lunwen.methods.training.paso import StepParallelOptimizer

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = 15
WINDOWS = (4, 8, 16, 32, 64)
STEPS = 256


def main() -> None:
    torch.set_num_threads(1)
    write(
        "paso",
        "A round of PASO against steps in sequence",
        f"A round evaluates p gradients in one call; beside it p steps of torch.optim.SGD, and whole runs of "
        f"{STEPS} steps by both. Digits (centred pixels), batches of 32 and lr 0.05 are those of the claims. "
        f"torch {version('torch')}, double precision, one thread, medians of {REPEATS}.",
        table(
            (
                "model",
                "p",
                "round, ms",
                "p steps, ms",
                "steps / round",
                "T / K",
                "run, s",
                "run in sequence, s",
            ),
            [row for name, hidden in MODELS.items() for row in rows(name, hidden)],
        ),
        "Above 1, steps / round is what one machine gains from the batch alone. A run takes K rounds: it is "
        "quicker than the run in sequence where steps / round times T / K is above p.",
    )


def rows(name: str, hidden: int) -> list[tuple[object, ...]]:
    """Return a row of the table for each window."""
    digits = Digits(0, STEPS, hidden)
    grad_fn, w0, batches = digits.problem
    in_sequence = median(lambda: digits.in_sequence("sgd", LRS["sgd"]))
    found = []
    for p in WINDOWS:
        guesses = np.repeat(w0[None], p, axis=0)
        together = median(lambda guesses=guesses, p=p: grad_fn(guesses, batches[:p]))
        steps = in_sequence * p / STEPS
        optimizer = StepParallelOptimizer("sgd", LRS["sgd"], window=p)
        run = median(lambda optimizer=optimizer: optimizer.run(*digits.problem))
        saved = optimizer.run(*digits.problem)[1].step_reduction
        found.append(
            (
                name,
                p,
                f"{together * 1e3:.2f}",
                f"{steps * 1e3:.2f}",
                f"{steps / together:.2f}",
                f"{saved:.1f}",
                f"{run:.3f}",
                f"{in_sequence:.3f}",
            )
        )
    return found


def median(work: Callable[[], object]) -> float:
    """Return seconds, after one run to warm up."""
    work()
    taken = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
