"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.ingest import Progress


FEW = 50  # so few, and long each: a rate says nothing


@contextmanager
def progress() -> Iterator[Progress | None]:
    """Show what long work reports: done, total (None where it is not known), what; count, rate, time."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress as bars  # noqa: PLC0415 - only long work pays for it
    from rich.console import Console  # noqa: PLC0415

    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[rate]}"),
        bars.TimeElapsedColumn(),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as display:
        tasks: dict[str, bars.TaskID] = {}

        def report(done: int, total: int | None, what: str) -> None:
            if what not in tasks:
                tasks[what] = display.add_task(what, total=total, rate="")
            task = display.tasks[tasks[what]]
            task.total = total  # what update leaves as it was where it is None: not known, or no longer
            rate = f"{task.speed:,.0f}/s" if task.speed and (total or done) > FEW else ""
            display.update(task.id, completed=done, rate=rate)

        yield report
