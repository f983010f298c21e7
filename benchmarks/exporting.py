"""Exporting 5,000 of 110,522 papers: each format as a whole command, and BibTeX read back and compared."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import bibtexparser

from benchmarks._report import LUNWEN, need_shared, table, write
from benchmarks.searching import PAPERS
from lunwen.corpus.markup import clean
from lunwen.corpus.paper import Record
from lunwen.corpus.source import SourceFile
from lunwen.corpus.sources.bibtex import Bibtex
from lunwen.export.format import FORMATS
from lunwen.library import open_library
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from lunwen.corpus.paper import Paper

VENUE = "NeurIPS"
MANY = 5_000
TIMES = int(os.environ.get("LUNWEN_BENCH_TIMES", "3"))
FEW = 250  # of references, each of which citeproc sets anew


def main() -> None:
    need_shared()
    with tempfile.TemporaryDirectory() as name:
        ready = os.environ.get("LUNWEN_BENCH_LIBRARY")
        place = Path(ready) if ready else Path(name) / "library"
        if not ready:
            run(place, "import", str(PAPERS))
        rows = []
        for form in FORMATS:
            papers = FEW if form == "reference" else MANY
            times = []
            for _ in range(TIMES):
                *took, text = run(place, "export", "--venue", VENUE, "-n", str(papers), "--format", form)
                times.append(took)
            wall, work = (min(column) for column in zip(*times, strict=True))
            target = "≤ 2" if form == "bibtex" else ""
            rows.append((form, f"{papers:,}", f"{wall:.2f}", f"{work:.2f}", f"{len(text) / 1e6:.1f}", target))
            if form == "bibtex":
                exported = text
        with open_library(place) as library:
            asked = list(islice(library.select(SearchRequest(venue=(VENUE,))), MANY))
    write(
        "exporting",
        f"Exporting 5,000 papers of {VENUE} out of 110,522",
        f"The whole command, with start and search, best of {TIMES}; references in APA. Work is processor "
        "time, which other programs on the machine lengthen less. "
        f"Load average of the machine meanwhile: {os.getloadavg()[1]:.1f}.",
        table(("format", "papers", "s", "of work, s", "MB", "target, s"), rows),
        "The BibTeX read back:",
        table(("what", "found", "target"), compare(exported, asked)),
    )


def run(place: Path, *arguments: str) -> tuple[float, float, bytes]:
    """Return the seconds that a command takes and works, and what it prints."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([*LUNWEN, "--library", str(place), *arguments], check=True, capture_output=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, work, done.stdout


def compare(exported: bytes, papers: list[Paper]) -> list[tuple[str, str, str]]:
    """Count what a reader of BibTeX refuses, and what differs once it is read."""
    parsed = bibtexparser.parse_string(exported.decode())
    file = SourceFile(name="export.bib", head=exported[:65_536], open=lambda: io.BytesIO(exported))
    records = [record for record in Bibtex().read(file) if isinstance(record, Record)]
    assert len(records) == len(papers)
    differ = {"titles": 0, "authors": 0, "years": 0}
    for paper, record in zip(papers, records, strict=True):
        title = clean(record.title or "", record.markup)
        names = [clean(author.name, record.markup) for author in record.authors]
        pairs = {
            "titles": (title, paper.title),
            "authors": (names, [author.name for author in paper.authors]),
            "years": (record.year, paper.year),
        }
        for what, (read, meant) in pairs.items():
            if read != meant:
                differ[what] += 1
                print(f"{what}: {meant!r} came back as {read!r}")
    keys = {entry.key for entry in parsed.entries}
    return [
        ("entries that bibtexparser refuses", str(len(parsed.failed_blocks)), "0"),
        ("keys, each once, ASCII", f"{len([key for key in keys if key.isascii()]):,}", f"{len(papers):,}"),
        *((f"{what} that differ", str(count), "0") for what, count in differ.items()),
    ]


if __name__ == "__main__":
    main()
