"""``lunwen fetch``: papers' PDFs, kept in the library, their text searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lunwen.doors.cli.progress import progress
from lunwen.doors.cli.result import say_pdf
from lunwen.doors.cli.screen import give, give_json, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.shape import pdf_dict
from lunwen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.corpus.pdf.cabinet import Pdf
    from lunwen.library import Library

EXAMPLES = """\b
Examples:
  lunwen fetch 2505.21336 P17-1001
  lunwen fetch 2505.21336 --fresh
  lunwen fetch 10.1000/xyz --file ~/Downloads/paper.pdf
  lunwen fetch 2505.21336 --drop
  lunwen search 'text:"strongly convex"'
"""


@command("fetch", epilog=EXAMPLES)
@click.argument("papers", metavar="ID…", nargs=-1, required=True)
@click.option("--file", "path", metavar="PATH", help="Keep a copy of this PDF, which you have, instead.")
@click.option("--fresh", is_flag=True, help="Fetch a PDF again that is here.")
@click.option("--drop", is_flag=True, help="Remove the PDF and its text instead.")
def fetch(session: Session, *, papers: tuple[str, ...], path: str | None, fresh: bool, drop: bool) -> int:
    """Fetch the PDFs of papers and make their text searchable, as in: lunwen search text:WORD.

    ID: as for "lunwen show". PDFs come from sites that offer them to everybody, and lie in the library's
    folder.
    """
    if sum([path is not None, fresh, drop]) > 1:
        raise UsageError("--file, --fresh and --drop do not go together. Give one of them")
    if path is not None and len(papers) > 1:
        raise UsageError(f"--file is one paper's PDF, and {len(papers)} papers are named. Name one")
    with session.open_library() as library:  # for reading: others may write while a PDF comes
        papers = tuple(library.paper(paper).paper_id for paper in papers)
        failed = False
        if drop:
            library.drop_pdfs(papers)
            _tell(session, [{"paper_id": one, "outcome": "dropped"} for one in dict.fromkeys(papers)])
        elif path is not None:
            pdf = library.take_pdf(papers[0], path)
            _tell(session, [_shape(papers[0], "kept", pdf)], {papers[0]: pdf})
        else:
            failed = _fetch(session, library, papers, fresh=fresh)
        if library.behind:
            say("lunwen: another process writes; what changed in the texts is found once it has ended")
    return 1 if failed else 0


def _fetch(session: Session, library: Library, papers: Sequence[str], *, fresh: bool) -> bool:
    from lunwen.corpus.fetch.client import open_fetcher  # noqa: PLC0415 - long to load

    with open_fetcher() as fetcher, progress() as report:
        found = library.fetch_pdfs(papers, fetcher, fresh=fresh, progress=report)
    shapes = [_shape(one.paper_id, one.outcome, one.pdf, one.reason) for one in found]
    _tell(session, shapes, {one.paper_id: one.pdf for one in found if one.pdf and not one.reason})
    return any(one.outcome == "failed" for one in found)


def _shape(paper_id: str, outcome: str, pdf: Pdf | None, reason: str = "") -> dict[str, Any]:
    shape: dict[str, Any] = {"paper_id": paper_id, "outcome": outcome, "pdf": pdf and pdf_dict(pdf)}
    return shape | ({"reason": reason} if reason else {})


def _tell(session: Session, shapes: list[dict[str, Any]], kept: dict[str, Pdf] | None = None) -> None:
    if session.as_json:
        give_json(shapes)
        return
    for one in shapes:
        pdf = (kept or {}).get(one["paper_id"])
        if pdf:
            give(str(pdf.path))
            say(f"lunwen: {one['paper_id']}: {one['outcome']}, {say_pdf(pdf)}")
        else:
            say(f"lunwen: {one['paper_id']}: {one.get('reason') or one['outcome']}")
