"""Where benchmarks read from and write to; each result says when and on what it was measured."""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

REPOSITORY = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("LUNWEN_SHARED") or REPOSITORY.parent / "shared")
RESULTS = REPOSITORY / "benchmarks" / "results"
LUNWEN = [sys.executable, "-m", "lunwen"]


def need_shared() -> None:
    """Stop with a reason where the real papers are not there."""
    if not SHARED.is_dir():
        sys.exit(f"no real papers in {SHARED}; name their folder in LUNWEN_SHARED")


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def write(name: str, title: str, *parts: str) -> None:
    """Print a result and keep it as ``results/<name>.md``."""
    cores = os.cpu_count()
    versions = ", ".join(f"{package} {version(package)}" for package in ("lunwen", "tantivy"))
    where = f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {cores} cores, {versions}"
    text = "\n\n".join([f"# {title}", f"Measured {where}.", *parts]) + "\n"
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)
