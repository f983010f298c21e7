"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.ingest import Progress


@contextmanager
def progress() -> Iterator[Progress | None]:
    """Show what long work reports: done, total (None where it is not known), what; count, rate, time left."""
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
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=Console(stderr=True), transient=True) as display:
        tasks: dict[str, bars.TaskID] = {}

        def report(done: int, total: int | None, what: str) -> None:
            if what not in tasks:
                tasks[what] = display.add_task(what, total=total, rate="")
            speed = display.tasks[tasks[what]].speed
            display.update(tasks[what], completed=done, total=total, rate=f"{speed:,.0f}/s" if speed else "")

        yield report
