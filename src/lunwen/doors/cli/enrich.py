"""``lunwen enrich``: links, citations and ORCIDs for papers in the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lunwen.doors.cli.asking import takes_request
from lunwen.doors.cli.column import align
from lunwen.doors.cli.progress import progress
from lunwen.doors.cli.screen import give, give_json, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import Number
from lunwen.doors.selection import COLLECTION, LIMIT, read_ids, select_papers

if TYPE_CHECKING:
    from lunwen.retrieval.request import SearchRequest

EXAMPLES = """\b
Examples:
  lunwen enrich                          all papers; for cron, after lunwen sync --all
  lunwen enrich --venue ICML --year 2026 --no-orcids
  lunwen enrich --collection starred --by-title
  lunwen enrich --no-citations --no-orcids   only links: nobody is asked
"""


@command("enrich", epilog=EXAMPLES)
@takes_request(without=("limit", "offset"))
@click.option("-n", "--limit", type=Number(LIMIT), metavar="N", help=LIMIT.help)
@click.option(
    "--ids", metavar="ID,ID", multiple=True, help="These papers instead of a search; may be repeated."
)
@click.option("--collection", metavar="NAME", help=COLLECTION.help)
@click.option("--links/--no-links", default=True, help="Code, project page and PDF.", show_default=True)
@click.option("--citations/--no-citations", default=True, help="How often it is cited.", show_default=True)
@click.option("--orcids/--no-orcids", default=True, help="ORCIDs of the authors.", show_default=True)
@click.option("--by-title", is_flag=True, help="Ask for papers without a DOI too, one by one.")
@click.option("--fresh", is_flag=True, help="Ask again for what was counted in the last 30 days.")
@click.option("--offline", is_flag=True, help="Ask nobody; read what was fetched before.")
def enrich(session: Session, request: SearchRequest, **given: Any) -> int:
    """Add links, citations and ORCIDs to papers.

    To all that a search finds, or without words and filters to all there are. Links are found in abstracts
    and made of ids; OpenAlex and Crossref are asked for the rest by DOI and arXiv id. Nothing that a
    publisher says is replaced, and lunwen show --provenance says who said what.
    """
    from lunwen.corpus.enrich.run import EnrichOptions  # noqa: PLC0415 - only here

    chosen = {name: given[name] for name in ("links", "citations", "orcids", "by_title", "fresh")}
    with session.open_library(write=True) as library, progress() as report_progress:
        papers = select_papers(
            library,
            request,
            ids=read_ids(given["ids"] or None),
            collection=given["collection"],
            limit=given["limit"],
        )
        report = library.enrich(
            papers, options=EnrichOptions(**chosen), offline=given["offline"], progress=report_progress
        )
    if session.as_json:
        give_json(report.as_dict())
    else:
        rows: list[list[str | int]] = [["source", "papers", "found", "changed"]]
        rows += [[step.source, step.papers, step.found, step.changed] for step in report.steps]
        for line in align(rows):
            give(line)
        for step in report.steps:
            if step.reason:
                say(f"lunwen: {step.source}: {step.reason}")
        say(f"lunwen: {report.seconds:.1f} s")
    if report.interrupted:
        say("lunwen: stopped; what was found is kept")
        return 130
    return 1 if report.went_wrong else 0
