"""``lunwen sync`` and ``lunwen sources``: follow what sites publish."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.column import align, when
from lunwen.doors.cli.progress import progress
from lunwen.doors.cli.screen import give, give_json, read_screen, say, say_failures
from lunwen.doors.cli.session import Session, command
from lunwen.errors import NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.sync.page import Edition
    from lunwen.corpus.sync.report import SyncReport
    from lunwen.corpus.sync.survey import Followable
    from lunwen.doors.cli.screen import Screen
    from lunwen.library import Library

COUNTS = ("new", "changed", "gone", "back", "unchanged", "failed")
_YEARS = re.compile(r"((?:19|20)\d\d)(?:(?:\.\.|-)((?:19|20)\d\d))?")

EXAMPLES = """\b
Examples:
  lunwen sync icml 2026
  lunwen sync iclr 2024..2026 --site openreview --with-rejected
  lunwen sync arxiv cs.LG
  lunwen sync https://raw.githubusercontent.com/Papercopilot/paperlists/main/icml/icml2025.json
  lunwen sync --all                 all that was synced before; for cron
  lunwen sync --forget icml 2026    no longer with --all; its papers stay
"""


@command("sync", epilog=EXAMPLES)
@click.argument("words", nargs=-1, metavar="[VENUE [YEAR]... | URL...]")
@click.option("--all", "all_", is_flag=True, help="Everything that was synced before.")
@click.option("--forget", is_flag=True, help="Follow it no longer.")
@click.option("--site", metavar="SITE", help="Where, if a venue is at several sites: lunwen sources VENUE.")
@click.option("--with-rejected", is_flag=True, help="Rejected and withdrawn papers too, from now on.")
@click.option("--offline", is_flag=True, help="Ask nobody; read what was fetched before.")
@click.option("--fresh", is_flag=True, help="Fetch and read everything again.")
@click.option("--accept-fewer", is_flag=True, help="Believe a site that lists fewer than half of its papers.")
def sync(
    session: Session,
    *,
    words: tuple[str, ...],
    all_: bool,
    forget: bool,
    site: str | None,
    offline: bool,
    **options: bool,
) -> int:
    """Follow what sites publish.

    Brings in what is new or changed at a VENUE (its latest year, or those given) or at a URL, and follows it
    from now on: --all does so for everything followed. A paper that a site no longer lists stays and is
    marked. What stopped in the middle goes on there the next time.
    """
    if all_ and (words or forget or site):
        raise UsageError("--all is everything that is followed. Leave out the rest, or --all")
    if not all_ and not words:
        raise UsageError("nothing to sync. Give a VENUE with a YEAR, a URL, or --all; known: lunwen sources")
    if not all_:
        editions = read_editions(words, site)
    with session.open_library(write=True) as library:
        if all_:
            editions = _followed(library)
        if forget:
            return _forget(session, library, editions)
        from lunwen.corpus.sync.run import SyncOptions  # noqa: PLC0415 - only here

        with progress() as report_progress:
            report = library.sync(
                editions, options=SyncOptions(**options), offline=offline, progress=report_progress
            )
    if session.as_json:
        give_json(report.as_dict())
    else:
        _give_report(report)
    if report.interrupted:
        say("lunwen: stopped; what came is kept, and the same sync goes on from there")
        return 130
    return 1 if report.went_wrong else 0


def read_editions(words: Sequence[str], site: str | None = None) -> list[Edition]:
    """Return the editions that words name: a venue with years or ranges of them, or addresses.

    Raises:
        UnknownName: no such venue or year.
        UsageError: an address that cannot be followed.
    """
    from lunwen.corpus.sync.edition import find_edition  # noqa: PLC0415 - only here

    if any("://" in word for word in words):
        return [find_edition(word) for word in words]
    if words[0].lower() == "arxiv":
        return [find_edition(" ".join(words))]
    name, years = list(words), list[int | None]()
    while len(name) > 1 and (found := _YEARS.fullmatch(name[-1])):
        years[:0] = range(int(found[1]), int(found[2] or found[1]) + 1)
        name.pop()
    venue = " ".join(name)
    return [find_edition(venue, year, site=site) for year in dict.fromkeys(years or [None])]


def _followed(library: Library) -> list[Edition]:
    followed = library.followed()
    if not followed:
        raise UsageError(
            "nothing is followed yet. Follow a venue with: lunwen sync VENUE YEAR; known: lunwen sources"
        )
    return followed


def _forget(session: Session, library: Library, editions: Sequence[Edition]) -> int:
    for edition in editions:
        library.unfollow(edition)
    if session.as_json:
        give_json([{"edition": edition.name, "forgotten": True} for edition in editions])
    else:
        for edition in editions:
            say(f"lunwen: {edition.name} is no longer followed; its papers stay")
    return 0


def _give_report(report: SyncReport) -> None:
    rows: list[list[str | int]] = [["edition", "outcome", *COUNTS]]
    rows += [
        [one.edition, one.outcome.value, *(getattr(one, name) for name in COUNTS)] for one in report.editions
    ]
    for line in align(rows):
        give(line)
    for one in report.editions:
        if one.reason:  # some begin with its name
            told = one.reason.removeprefix(f"{one.edition}: ").removeprefix(f"{one.edition} ")
            say(f"lunwen: {one.edition}: {told}")
    say_failures([failure for one in report.editions for failure in one.failures], "lunwen sync")
    if report.offline:
        say("lunwen: offline: nobody was asked, all of it is what was fetched before")
    say(f"lunwen: {report.seconds:.1f} s")


@command("sources")
@click.argument("words", nargs=-1)
def sources(session: Session, *, words: tuple[str, ...]) -> None:
    """List what can be followed, and how what is followed stands.

    All, or what has the WORDS in its venue, site or years: "lunwen sources icml".
    """
    with session.open_library() as library:
        found = library.sources(" ".join(words))
    if not found:
        raise NotFound(f'no source has "{" ".join(words)}". List all with: lunwen sources')
    if session.as_json:
        give_json([one.as_dict() for one in found])
        return
    screen = read_screen()
    width = max(len(one.venue) for one in found)
    for one in found:
        for line in _source_lines(one, width, screen):
            give(line)


def _source_lines(one: Followable, width: int, screen: Screen) -> Iterator[str]:
    from lunwen.corpus.sync.edition import say_years  # noqa: PLC0415 - only here

    licence = screen.style(one.licence, dim=True)
    parts = (f"{one.venue:<{width}}", f"{one.site:<12}", say_years(one.years), licence)
    yield "  ".join(part for part in parts if part.strip())
    for edition in one.editions:
        stands = f"{edition.papers:,} papers, {edition.outcome} {when(edition.synced or '')}"
        yield f"{'':<{width}}  {edition.edition}: {stands}"
        if edition.reason:
            yield f"{'':<{width}}  {screen.style(edition.reason, dim=True)}"
