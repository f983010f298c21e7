"""Serving 110,522 papers to 32 parallel clients over loopback, each asking again once it is answered."""

from __future__ import annotations

import http.client
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

from benchmarks._report import LUNWEN, need_shared, table, write
from benchmarks.searching import PAPERS, TYPED

CLIENTS = 32
SECONDS = float(os.environ.get("LUNWEN_BENCH_SECONDS", "15"))
WORDS = [
    *("robust", "optimization", "graph", "transformer", "diffusion", "bandit", "causal", "privacy", "speech"),
    *("vision", "language", "model", "policy", "reward", "kernel", "sparse", "bayesian", "variational"),
    *("attention", "retrieval", "generation", "detection", "segmentation", "planning", "control"),
]


def client(port: int, seed: int, distinct: bool, out: list[tuple[float, int, int]], until: float) -> None:
    """Ask until the time is over; note seconds, status and bytes of each answer."""
    rng = random.Random(seed)  # noqa: S311  queries, no secrets
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while time.perf_counter() < until:
        query = " ".join(rng.sample(WORDS, 3)) if distinct else rng.choice(TYPED)
        path = "/?" + urlencode({"q": query})
        start = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        out.append((time.perf_counter() - start, answer.status, len(body)))


def resident(pid: int) -> float:
    """Return a process's resident MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


def main() -> None:
    need_shared()
    with tempfile.TemporaryDirectory() as folder:
        ready = os.environ.get("LUNWEN_BENCH_LIBRARY")
        place = Path(ready) if ready else Path(folder) / "library"
        if not ready:
            subprocess.run(
                [*LUNWEN, "--library", str(place), "import", str(PAPERS)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        command = [*LUNWEN, "--library", str(place), "serve", "--port", "8699"]
        server = subprocess.Popen(command, stdout=sys.stderr)
        rows = []
        try:
            wait_for(8699)
            for kind, distinct in (
                ("15 typed queries", False),
                ("three random words, hardly two the same", True),
            ):
                out: list[tuple[float, int, int]] = []
                until = time.perf_counter() + SECONDS
                threads = [
                    threading.Thread(target=client, args=(8699, seed, distinct, out, until))
                    for seed in range(CLIENTS)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                times = sorted(seconds * 1e3 for seconds, _, _ in out)
                wrong = sum(status != 200 for _, status, _ in out)
                rows.append(
                    (
                        kind,
                        f"{len(out) / SECONDS:,.0f}",
                        f"{statistics.median(times):.0f}",
                        f"{times[int(0.95 * len(times))]:.0f}",
                        wrong,
                        f"{statistics.median(size for _, _, size in out) / 1024:.0f}",
                        f"{resident(server.pid):.0f}",
                    )
                )
        finally:
            server.terminate()
            server.wait()
    head = ("asked", "pages/s", "median, ms", "95th percentile, ms", "errors", "page, kB", "resident, MB")
    write(
        "serving",
        "Serving 32 parallel clients",
        table(head, rows),
        f"{SECONDS:.0f} s each; the clients run on the same two cores. "
        "Target: 95th percentile ≤ 120 ms, no error.",
    )


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.05)
    sys.exit("the server did not start")


if __name__ == "__main__":
    main()
