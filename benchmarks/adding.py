"""Adding ten papers to 110,522: the whole command, both indexes swapped; and building both from scratch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks._report import LUNWEN, SHARED, need_shared, table, write


def main() -> None:
    need_shared()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / "library"
        if ready := os.environ.get("LUNWEN_BENCH_LIBRARY"):
            shutil.copytree(ready, place)
        else:
            papers = str(SHARED / "corpora" / "conference-papers.jsonl.gz")
            run(place, "import", papers)
        ten = Path(name) / "ten.jsonl"
        added = [add(place, ten, batch) for batch in range(5)]
        built = run(place, "reindex")
    rows = [
        ("ten new papers imported, both indexes swapped (best of 5)", f"{min(added):.2f}", "≤ 1.5"),
        ("the same, median", f"{sorted(added)[2]:.2f}", ""),
        ("both indexes built from scratch", f"{built:.1f}", "≤ 120"),
    ]
    write("adding", "Adding papers to 110,522", table(("work", "s", "target, s"), rows))


def add(place: Path, file: Path, batch: int) -> float:
    """Return the seconds that importing ten invented papers takes."""
    titles = [f"An invented paper on kettles, part {batch * 10 + part}" for part in range(10)]
    lines = [
        {"paper_id": f"kettle-{batch}-{part}", "title": title, "authors": [f"Ada Kettle{part}"], "year": 2026}
        for part, title in enumerate(titles)
    ]
    file.write_text("\n".join(json.dumps({**line, "abstract": f"{line['title']}."}) for line in lines))
    return run(place, "import", str(file))


def run(place: Path, *arguments: str) -> float:
    """Return the seconds that a command takes."""
    start = time.perf_counter()
    subprocess.run([*LUNWEN, "--library", str(place), *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
