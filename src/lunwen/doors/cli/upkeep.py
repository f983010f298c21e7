"""``lunwen doctor`` and ``lunwen reindex``: look after the library."""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter

import click

from lunwen.doors.cli.progress import progress
from lunwen.doors.cli.screen import give, give_json, say
from lunwen.doors.cli.session import Session, command


@command("doctor")
@click.option("--repair", is_flag=True, help="Mend what can be mended.")
def doctor(session: Session, *, repair: bool) -> int:
    """Check the library, and mend it.

    Looks at the records, at their identifiers, and whether the index holds them all.
    """
    with session.open_library(write=repair) as library:
        findings = library.doctor(repair)
        folder = str(library.folder)
    open_ones = [one for one in findings if not one.repaired]
    if session.as_json:
        give_json({"library": folder, "findings": [asdict(one) for one in findings], "sound": not open_ones})
        return 1 if open_ones else 0
    for one in findings:
        give(f"{'mended' if one.repaired else 'found '}  {one.count:,} {one.what}")
    if open_ones:
        say("lunwen: mend it with: lunwen doctor --repair")
        return 1
    give(f"{folder}: sound")
    return 0


@command("reindex")
def reindex(session: Session) -> None:
    """Build the search index again.

    It is made from the records; searches use the old one until the new one is done.
    """
    start = perf_counter()
    with session.open_library(write=True) as library, progress() as report:
        library.reindex(progress=report)
        papers = library.stats()["papers"]
    seconds = perf_counter() - start
    if session.as_json:
        give_json({"papers": papers, "seconds": round(seconds, 3)})
    else:
        give(f"{papers:,} papers indexed in {seconds:.1f} s")
