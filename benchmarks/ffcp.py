"""Feature conformal prediction, slow (FCP) and fast (FFCP), and MAPIE's split conformal bands, in one run.

Each time is of calibrating and predicting together, the median of seeds; all are measured in turn on the
same network and rows, with one thread. Beside it: how often the bands cover, and how long they are over
MAPIE's.
"""

from __future__ import annotations

import statistics
import time
from importlib.metadata import version

import torch

from benchmarks._report import table, write
from lunwen.methods.conformal._fcp import SearchingAll
from lunwen.methods.conformal._regression_data import NAMES, inside, problem, width
from lunwen.methods.conformal.ffcp import FastFeatureConformalRegressor, FeatureConformalRegressor

SEEDS = range(5)
SIZES = (300, 1000, 3000)  # rows to calibrate with, and as many to predict
FAST = "FFCP"


def main() -> None:
    torch.set_num_threads(1)
    rows = [row for size in SIZES for row in measure("friedman1", size)]
    head = ("rows", "method", "seconds", "times FFCP", "steps", "coverage", "length / split")
    others = [(name, *row[1:]) for name in NAMES for row in measure(name, 1000)]
    write(
        "ffcp",
        "Feature conformal prediction, slow and fast",
        "A network of 2 + 2 layers, 64 wide. FCP with the settings of its authors' code (balls of the "
        "greatest difference, descent with rate .01, interval bounds), its number of steps found "
        "by trying all 200 (authors' code), stopping at the first that covers (the same bands), fixed. "
        f"torch {version('torch')}, mapie {version('mapie')}.",
        table(head, rows),
        "All data, 1,000 rows to calibrate with (diabetes: 133).",
        table(("data", *head[1:]), others),
        f"Medians of {len(SEEDS)} seeds; one thread. FCP's lengths are those of bounds of its sets, so not "
        "alike with FFCP's.",
    )


def measure(name: str, size: int) -> list[tuple[object, ...]]:
    """Return a row of the table for each method."""
    found: dict[str, list[tuple[float, float, float, float]]] = {}
    for seed in SEEDS:
        given = problem(name, seed, 400 + 2 * size if size > 300 else 1000)
        cal, new, y = given.halves()
        network = given.encoder, given.head
        split = given.split_width()
        for method, bands in (
            ("FCP, all 200 numbers of steps tried", SearchingAll(*network, random_state=seed)),
            (
                "FCP, stopping at the first that covers",
                FeatureConformalRegressor(*network, random_state=seed),
            ),
            ("FCP, 100 steps", FeatureConformalRegressor(*network, steps=100)),
            (FAST, FastFeatureConformalRegressor(*network)),
        ):
            started = time.perf_counter()
            bands.calibrate(*cal).predict_interval(new)
            seconds = time.perf_counter() - started
            steps = getattr(bands, "steps_", 1)  # one gradient
            found.setdefault(method, []).append(
                (seconds, steps, inside(bands, new, y), width(bands, new) / split)
            )
    fast = [seconds for seconds, *_ in found[FAST]]
    rows = []
    for method, seeds in found.items():
        seconds, steps, share, length = map(statistics.median, zip(*seeds, strict=True))
        ratio = statistics.median(one[0] / other for one, other in zip(seeds, fast, strict=True))
        rows.append(
            (size, method, f"{seconds:.4f}", f"{ratio:.1f}", f"{steps:.0f}", f"{share:.3f}", f"{length:.2f}")
        )
    return rows


if __name__ == "__main__":
    main()
