"""Author pages among 110,000 papers: those with most papers, the commonest names, and anybody."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

from benchmarks._report import need_shared, table, write
from benchmarks.exporting import run
from benchmarks.searching import PAPERS
from lunwen.corpus.author import slug
from lunwen.library import Library, open_library

MANY = 100
TIMES = 5
TARGET = 50  # ms


def main() -> None:
    need_shared()
    with tempfile.TemporaryDirectory() as name:
        ready = os.environ.get("LUNWEN_BENCH_LIBRARY")
        place = Path(ready) if ready else Path(name) / "library"
        if not ready:
            run(place, "import", str(PAPERS))
        with open_library(place) as library:
            papers = Counter(
                one
                for paper in library._store.all_papers()  # noqa: SLF001 - every author there is
                for one in {slug(author.name) for author in paper.authors} - {""}
            )
            most = [one for one, _ in papers.most_common(MANY)]
            short = [one for one in sorted(papers) if len(one.partition("-")[0]) == 1 and "-" in one]
            chosen = random.Random(0)  # noqa: S311 - the same names each time
            groups = {
                f"the {MANY} with most papers": most,
                f"{MANY} names of initials alone": chosen.sample(short, MANY),
                f"{MANY} of all": chosen.sample(sorted(papers), MANY),
            }
            count = library.stats()["papers"]
            rows = [_row(library, what, names) for what, names in groups.items()]
    write(
        "author",
        f"Author pages: {len(papers):,} names on {count:,} papers",
        f"`Library.author` with everything an author's page shows, best of {TIMES} each, in processor time, "
        "which other programs on the machine lengthen less. "
        f"Load average of the machine meanwhile: {os.getloadavg()[1]:.1f}.",
        table(("authors", "papers of each", "median, ms", "slowest, ms", "target, ms"), rows),
    )


def _row(library: Library, what: str, names: list[str]) -> tuple[str, str, str, str, str]:
    found = [
        (min(_time(library, name) for _ in range(TIMES)), len(library.author(name).papers)) for name in names
    ]
    times = [took for took, _ in found]
    held = [papers for _, papers in found]
    return (
        what,
        f"{min(held)} to {max(held)}",
        f"{median(times) * 1e3:.1f}",
        f"{max(times) * 1e3:.1f}",
        f"≤ {TARGET}",
    )


def _time(library: Library, name: str) -> float:
    start = time.process_time()
    library.author(name)
    return time.process_time() - start


if __name__ == "__main__":
    main()
