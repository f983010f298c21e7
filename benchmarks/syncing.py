"""Following sites on loopback: a real program, and 100,000 made-up records of arXiv, killed on the way."""

from __future__ import annotations

import gzip
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from tests.server import Answer, serving

from benchmarks._report import LUNWEN, SHARED, need_shared, table, write
from lunwen.corpus.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server import Request, Server

LATENCY = 0.02
PROGRAM = SHARED / "corpora" / "icml-2026"
AGAIN = 5  # times that an unchanged program is asked about
RECORDS = int(os.environ.get("LUNWEN_BENCH_RECORDS", "100000"))
PAGE = 1_300
KILLS = (5, 11, 7, 13, 9)  # pages that each life asks for before its end
# arXiv's three seconds between two requests would be most of the time, and are left out
UNPACED = """import sys
from lunwen.corpus.fetch import limit
from lunwen.doors.cli import main
limit.PACES["arxiv.org"] = 0
sys.exit(main())"""
HARVEST = [sys.executable, "-c", UNPACED, "sync", "arxiv", "cs.LG", "--json"]
OAI = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-11-30T00:00:07Z</responseDate>
<request verb="ListRecords">http://oaipmh.arxiv.org/oai</request><ListRecords>{records}
<resumptionToken completeListSize="{total}">{token}</resumptionToken></ListRecords></OAI-PMH>"""
RECORD = """<record><header><identifier>oai:arXiv.org:{name}</identifier><datestamp>{day}</datestamp>
<setSpec>cs:cs:LG</setSpec></header><metadata><arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>{name}</id>
<created>{day}</created><authors>{authors}</authors><title>{title}</title><categories>cs.LG</categories>
<license>http://creativecommons.org/licenses/by/4.0/</license><abstract>  {abstract}
</abstract></arXiv></metadata></record>"""
WORDS = [
    *(
        "kettle",
        "teapot",
        "handle",
        "spout",
        "boiling",
        "steam",
        "copper",
        "tin",
        "rim",
        "lid",
        "pour",
        "slow",
    ),
    *(
        "quick",
        "warm",
        "cold",
        "cup",
        "saucer",
        "tray",
        "shelf",
        "kitchen",
        "table",
        "hand",
        "cloth",
        "water",
    ),
    *("leaf", "bitter", "sweet", "minute", "hour", "morning", "evening", "guest", "host", "habit", "measure"),
    *("error", "bound", "sample", "noise", "estimate", "model", "method", "result", "wheel", "cog", "tooth"),
]


def main() -> None:
    need_shared()
    with tempfile.TemporaryDirectory() as name, serving() as server:
        server.latency = LATENCY
        rows = [*follow_program(server, Path(name)), *harvest(server, Path(name))]
    write(
        "syncing",
        "Following sites",
        f"Whole commands against a server on the same cores, {LATENCY * 1_000:.0f} ms before each answer. "
        f"The program of ICML 2026 with its abstracts, 6,797 events; {RECORDS:,} made-up records of arXiv, "
        f"{PAGE:,} a page, without the three seconds between two requests that arXiv asks for. Memory: of "
        "all processes (PSS), at its highest. "
        f"Load average of the machine meanwhile: {os.getloadavg()[1]:.1f}.",
        table(("what", "found", "target"), rows),
    )


def follow_program(server: Server, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Sync the program, then ask again while nothing changes."""
    for path in PROGRAM.glob("*.json.gz"):
        file = f"/static/virtual/data/{path.name.removesuffix('.gz')}"
        server.put("icml.cc", file, gzip.decompress(path.read_bytes()), etag=f'"{path.name}"', zipped=True)
    env = environment(server, folder / "program")
    first, said = run([*LUNWEN, "sync", "icml", "2026", "--json"], env)
    yield "the program synced, s", f"{first:.2f}", "≤ 10"
    sent, times = server.sent, []
    for _ in range(AGAIN):
        took, said = run([*LUNWEN, "sync", "icml", "2026", "--json"], env)
        times.append(took)
    papers = said["editions"][0]["unchanged"]
    yield f"synced again, {papers:,} papers unchanged (best of {AGAIN}), s", f"{min(times):.2f}", "≤ 0.5"
    yield "bytes of body sent for that", f"{server.sent - sent}", "0"


def harvest(server: Server, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Harvest the records, killed several times on the way."""
    archive = Archive()
    server.route("oaipmh.arxiv.org", "/oai", archive.answer)
    env = environment(server, folder / "arxiv")
    memory = Memory()
    began = time.perf_counter()
    for pages in KILLS:
        archive.left = pages
        archive.due.clear()
        child = subprocess.Popen(HARVEST, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with memory.watching(child.pid):
            archive.due.wait()
            child.send_signal(signal.SIGKILL)
            child.wait()
    archive.left = -1
    child = subprocess.Popen(HARVEST, env=env, stdout=subprocess.PIPE)
    with memory.watching(child.pid):
        out, _ = child.communicate()
    seconds = time.perf_counter() - began
    (edition,) = orjson.loads(out)["editions"]
    with Store.open(folder / "arxiv" / "library") as store:
        held = [one.identifiers["arxiv"] for one in store.all_papers()]
    asked = (RECORDS + PAGE - 1) // PAGE
    yield f"{RECORDS:,} records by OAI, killed {len(KILLS)} times, s", f"{seconds:.0f}", ""
    yield "pages asked for, of those needed", f"{archive.asked} of {asked}", ""
    yield "the last report: outcome, new", f"{edition['outcome']}, {edition['new']:,}", f"done, {RECORDS:,}"
    yield "records lost", f"{len({archive_id(number) for number in range(RECORDS)} - set(held)):,}", "0"
    yield "records doubled", f"{len(held) - len(set(held)):,}", "0"
    yield "memory, MB", f"{memory.most:.0f}", "≤ 300"


def environment(server: Server, folder: Path) -> dict[str, str]:
    """Return the environment of a command that knows only this server and this folder."""
    places = {"LUNWEN_LIBRARY": folder / "library", "LUNWEN_CACHE": folder / "cache"}
    return {**os.environ, "LUNWEN_MIRROR": server.url, **{name: str(one) for name, one in places.items()}}


def run(command: list[str], env: dict[str, str]) -> tuple[float, dict[str, Any]]:
    """Return the seconds that a command takes, and its JSON."""
    start = time.perf_counter()
    done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start, orjson.loads(done.stdout)


def archive_id(number: int) -> str:
    """Return the name of a record."""
    return f"{2001 + number // 9_000:04}.{number % 9_000 + 1:05}"


class Archive:
    """arXiv's OAI; it says when the reader is to be killed."""

    def __init__(self) -> None:
        self.left = -1  # pages until then
        self.due = threading.Event()
        self.asked = 0

    def answer(self, request: Request) -> Answer:
        self.asked += 1
        if self.left == 0:
            self.due.set()
        self.left -= 1
        start = int(request.query.get("resumptionToken", "0"))
        end = min(start + PAGE, RECORDS)
        body = OAI.format(
            records="".join(map(_record, range(start, end))),
            total=RECORDS,
            token=str(end) if end < RECORDS else "",
        )
        return Answer(body=body, media_type="text/xml", zipped=True)


def _record(number: int) -> str:
    chance = random.Random(number)  # noqa: S311  the same record whenever it is asked for
    authors = "".join(
        f"<author><keyname>{chance.choice(WORDS).title()}{number}</keyname><forenames>Ada</forenames></author>"
        for _ in range(chance.randint(1, 6))
    )
    return RECORD.format(
        name=archive_id(number),
        day=f"2020-01-{1 + number * 28 // RECORDS:02}",
        authors=authors,
        title=f"{' '.join(chance.choices(WORDS, k=9)).capitalize()} {number}",
        abstract=f"{' '.join(chance.choices(WORDS, k=160)).capitalize()}.",
    )


class Memory:
    """The most MB that a process and those it started held together."""

    def __init__(self) -> None:
        self.most = 0.0

    @contextmanager
    def watching(self, pid: int) -> Iterator[None]:
        over = threading.Event()
        thread = threading.Thread(target=self._watch, args=(pid, over))
        thread.start()
        yield
        over.set()
        thread.join()

    def _watch(self, pid: int, over: threading.Event) -> None:
        while not over.wait(0.1):
            with suppress(OSError, StopIteration):  # one of them has just ended
                self.most = max(self.most, sum(map(_held, _family(pid))))


def _family(pid: int) -> Iterator[int]:
    """Return a process and all that it and its threads started."""
    yield pid
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            yield from _family(int(child))


def _held(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1_024


if __name__ == "__main__":
    main()
