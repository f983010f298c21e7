"""``lunwen import``: files in, a report out."""

from __future__ import annotations

import gc
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.column import align
from lunwen.doors.cli.progress import progress
from lunwen.doors.cli.screen import give, give_json, say, say_failures
from lunwen.doors.cli.session import Session, command
from lunwen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.corpus.ingest import IngestReport

CATALOGUE = "catalogue"  # the word for the built-in papers, where no file has that name
COUNTS = ("added", "updated", "unchanged", "waiting", "failed")

EXAMPLES = """\b
Examples:
  lunwen import icml-2026-orals-posters.json.gz icml-2026-abstracts.json.gz
  lunwen import papers/ --as bibtex
  zcat dump.jsonl.gz | lunwen import -
  lunwen import catalogue
"""


@command("import", epilog=EXAMPLES)
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option(
    "--as", "source", metavar="FORMAT", help="Read the files as this format, whatever they look like."
)
@click.option("--list", "list_formats", is_flag=True, help="List the formats and stop.")
def import_files(session: Session, *, paths: tuple[str, ...], source: str | None, list_formats: bool) -> int:
    """Import papers from files.

    Each PATH is a file, a folder, an archive (.gz, .zip) or - for standard input. The format is
    found by looking into each file. What cannot be read is reported with file, line and reason; everything
    else is kept. The word "catalogue" imports the built-in papers.
    """
    if list_formats:
        _give_formats(session)
        return 0
    if not paths:
        raise UsageError(
            "no file to import. Give files, folders or - (standard input); formats: lunwen import --list"
        )
    gc.set_threshold(100_000, 20, 50)  # records hold no cycles: looking for them costs two parts in a hundred
    with session.open_library(write=True) as library, progress() as report_progress:
        reports = []
        files = [path for path in paths if path != CATALOGUE or Path(path).exists()]
        if len(files) < len(paths):
            reports.append(_timed(library.import_catalogue))
        if files:
            take_in = partial(library.import_files, files, source=source, progress=report_progress)
            reports.append(_timed(take_in))
    if session.as_json:
        give_json(reports[0].as_dict() if len(reports) == 1 else [one.as_dict() for one in reports])
    else:
        for one in reports:
            _give_report(one)
    if any(one.interrupted for one in reports):
        say("lunwen: stopped; what was read is kept, and the same import goes on from there")
        return 130
    return 1 if any(_went_wrong(one) for one in reports) else 0


def _timed(take_in: Callable[[], IngestReport]) -> IngestReport:
    """Import, and count the time of indexing too."""
    began = monotonic()
    report = take_in()
    return replace(report, seconds=round(monotonic() - began, 3))


def _went_wrong(report: IngestReport) -> bool:
    kept = report.added + report.updated + report.unchanged + report.waiting
    return bool(report.failed or report.failures or not kept)


def _give_formats(session: Session) -> None:
    from lunwen.corpus.sources import SOURCES  # noqa: PLC0415 - the sources take long to import

    if session.as_json:
        give_json([{"source": one.name, "says": one.says} for one in SOURCES])
        return
    for one in SOURCES:
        give(f"{one.name:<12} {one.says}")


def _give_report(report: IngestReport) -> None:
    rows: list[list[str | int]] = [["file", "source", *COUNTS]]
    rows += [[one.file, one.source, *(getattr(one, name) for name in COUNTS)] for one in report.files]
    if len(report.files) != 1:
        rows.append(["all", "", *(getattr(report, name) for name in COUNTS)])
    for line in align(rows):
        give(line)
    say_failures(report.failures, "lunwen import")
    if report.maybe_same:
        say(f"lunwen: {report.maybe_same:,} more pairs of papers may be the same; lunwen show says which")
    say(f"lunwen: {report.seconds:.1f} s")
