"""Starting: a whole ``lunwen search`` as a process, and ``import lunwen``."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._report import LUNWEN, SHARED, need_shared, table, write

RUNS = 15


def measure(command: list[str]) -> float:
    """Return the median of seconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    need_shared()
    with tempfile.TemporaryDirectory() as folder:
        ready = os.environ.get("LUNWEN_BENCH_LIBRARY")
        place = Path(ready) if ready else Path(folder) / "library"
        if not ready:
            papers = str(SHARED / "corpora" / "conference-papers.jsonl.gz")
            subprocess.run(
                [*LUNWEN, "--library", str(place), "import", papers], check=True, stdout=subprocess.DEVNULL
            )
        program = str(Path(sys.executable).with_name("lunwen"))
        rows = [
            ("python -c pass", f"{measure([sys.executable, '-c', 'pass']):.3f}", ""),
            ("import lunwen", f"{measure([sys.executable, '-c', 'import lunwen']):.3f}", "≤ 0.15"),
            (
                'lunwen search "first-order bilevel", 110,522 papers',
                f"{measure([program, '--library', str(place), 'search', 'first-order bilevel']):.3f}",
                "≤ 0.35",
            ),
        ]
    write("starting", "Starting", table(("process", "median, s", "target, s"), rows), f"{RUNS} runs each.")


if __name__ == "__main__":
    main()
