"""Importing: 110,522 papers and the ICML 2026 program; time, memory, and what a second import costs."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from benchmarks._report import LUNWEN, SHARED, need_shared, table, write

CORPORA = SHARED / "corpora"
BIG = [str(CORPORA / "conference-papers.jsonl.gz")]
ICML = sorted(map(str, (CORPORA / "icml-2026").glob("*.gz")))


def run(library: Path, *arguments: str) -> tuple[float, float, str]:
    """Return seconds, resident MB at most, and what was printed."""
    command = ["/usr/bin/time", "-f", "%e %M", *LUNWEN, "--library", str(library), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, kilobytes = re.findall(r"([\d.]+) (\d+)\s*$", done.stderr)[0]
    return float(seconds), int(kilobytes) / 1024, done.stdout


def main() -> None:
    need_shared()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, files, limit in (
            ("conference-papers, 110,522 records", BIG, 90),
            ("ICML 2026, both files", ICML, 8),
        ):
            library = Path(folder) / name.split(",")[0].replace(" ", "-")
            seconds, megabytes, said = run(library, "import", *files)
            again, _, _ = run(library, "import", *files)
            print(said)
            rows.append((name, f"{seconds:.1f}", f"≤ {limit}", f"{megabytes:,.0f}", f"{again:.1f}"))
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()) / 2**20
    head = ("file", "import and index, s", "target, s", "resident, MB", "the same again, s")
    write("importing", "Importing", table(head, rows), f"Both libraries on disk: {size:,.0f} MB.")


if __name__ == "__main__":
    main()
