"""Serving 110,522 papers to 32 parallel clients over loopback, each asking again once it is answered.

Of every kind a third of the time is asked before anything is counted, so that growth is of a server at work.
``LUNWEN_BENCH_SECONDS`` says how long each kind is asked, ``LUNWEN_BENCH_LIBRARY`` where a library is.
"""

from __future__ import annotations

import gzip
import http.client
import json
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
from typing import NamedTuple
from urllib.parse import urlencode

from benchmarks._report import LUNWEN, need_shared, table, write
from benchmarks.searching import PAPERS, TYPED

CLIENTS = 32
SECONDS = float(os.environ.get("LUNWEN_BENCH_SECONDS", "60"))
PORT = 8699
KINDS = (  # what is asked, where, and by which name
    ("page, 15 typed queries", "/", "q", False),
    ("page, three random words", "/", "q", True),
    ("API, 15 typed queries", "/api/search", "query", False),
    ("API, three random words", "/api/search", "query", True),
)
WORDS = [
    *("robust", "optimization", "graph", "transformer", "diffusion", "bandit", "causal", "privacy", "speech"),
    *("vision", "language", "model", "policy", "reward", "kernel", "sparse", "bayesian", "variational"),
    *("attention", "retrieval", "generation", "detection", "segmentation", "planning", "control"),
]


class Answer(NamedTuple):
    """One answer to one client."""

    seconds: float
    is_right: bool  # whether it is what was asked for
    size: int  # bytes sent


def client(kind: tuple[str, str, str, bool], seed: int, out: list[Answer], until: float) -> None:
    """Ask until the time is over."""
    _, path, name, distinct = kind
    rng = random.Random(seed)  # noqa: S311  queries, no secrets
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=30)
    while time.perf_counter() < until:
        query = " ".join(rng.sample(WORDS, 3)) if distinct else rng.choice(TYPED)
        start = time.perf_counter()
        connection.request("GET", f"{path}?{urlencode({name: query})}", headers={"accept-encoding": "gzip"})
        answer = connection.getresponse()
        body = answer.read()
        seconds = time.perf_counter() - start
        out.append(Answer(seconds, answer.status == 200 and is_right(path, answer, body), len(body)))


def is_right(path: str, answer: http.client.HTTPResponse, body: bytes) -> bool:
    """Whether an answer of the API is a search's; seldom looked at: clients share the processors."""
    if path == "/" or random.random() > 0.02:  # noqa: S311  a sample
        return True
    text = gzip.decompress(body) if answer.headers["content-encoding"] == "gzip" else body
    return "total" in json.loads(text)


def held(pid: int) -> float:
    """Return the MB that a process and those it started hold, each page of memory counted once."""
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    own = int(re.findall(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[0]) / 1024
    return own + sum(held(int(one)) for one in started)


def ask_for(kind: tuple[str, str, str, bool], seconds: float, first_seed: int) -> list[Answer]:
    """Let all clients ask for so long."""
    out: list[Answer] = []
    until = time.perf_counter() + seconds
    threads = [
        threading.Thread(target=client, args=(kind, first_seed + seed, out, until)) for seed in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return out


def measure(kind: tuple[str, str, str, bool], pid: int) -> tuple[object, ...]:
    """Return the row of one kind of question."""
    ask_for(kind, SECONDS / 3, 0)
    before = held(pid)
    out = ask_for(kind, SECONDS, CLIENTS)
    after = held(pid)
    times = sorted(one.seconds * 1e3 for one in out)
    return (
        kind[0],
        f"{len(out) / SECONDS:,.0f}",
        f"{statistics.median(times):.0f}",
        f"{times[int(0.95 * len(times))]:.0f}",
        sum(not one.is_right for one in out),
        f"{statistics.median(one.size for one in out) / 1024:.0f}",
        f"{after:.0f}",
        f"{100 * (after / before - 1):+.1f} %",
    )


def main() -> None:
    ready = os.environ.get("LUNWEN_BENCH_LIBRARY")
    if not ready:
        need_shared()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(ready) if ready else Path(folder) / "library"
        if not ready:
            subprocess.run(
                [*LUNWEN, "--library", str(place), "import", str(PAPERS)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        command = [*LUNWEN, "--library", str(place), "serve", "--port", str(PORT)]
        server = subprocess.Popen(command, stdout=sys.stderr)
        try:
            wait_for(PORT)
            rows = [measure(kind, server.pid) for kind in KINDS]
        finally:
            server.terminate()
            server.wait()
    head = (
        *("asked", "answers/s", "median, ms", "95th percentile, ms", "errors", "body, kB"),
        *("memory, MB", "growth"),
    )
    write(
        "serving",
        "Serving 32 parallel clients",
        table(head, rows),
        f"{SECONDS:.0f} s each, after {SECONDS / 3:.0f} s that are not counted; the clients run on the same "
        "cores and ask again at once. Bodies as sent. Memory: of all processes (PSS), and how it grows. "
        "Targets: no error; 95th percentile ≤ 120 ms for a page, ≤ 80 ms for the API; growth ≤ 5 %.",
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
