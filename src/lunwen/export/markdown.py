"""Papers as a list in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lunwen.corpus.markup import segments
from lunwen.export.link import arxiv_link, paper_link, web

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lunwen.corpus.paper import Paper

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~$]")
_URL = re.compile(r"[()<>\\\s\x00-\x1f]")
_AUTHORS = 6  # then et al.


def markdown(papers: Iterable[Paper]) -> Iterator[str]:
    """Write each paper as one item: its linked title, authors, venue and year, and where to read it.

    Maths stays between dollars, as most readers of Markdown expect it.
    """
    for paper in papers:
        title, link = _text(paper.title) or "Untitled", _url(paper_link(paper))
        names = [_escape(" ".join(author.name.split())) for author in paper.authors]
        people = ", ".join(names[:_AUTHORS] if len(names) > _AUTHORS + 1 else names)
        people += " et al." if len(names) > _AUTHORS + 1 else ""
        venue = f"*{_escape(' '.join(paper.venue.split()))}*" if paper.venue else ""
        sent_back = "" if paper.status.shown else f"({paper.status})"
        place = " ".join(part for part in (venue, str(paper.year or ""), sent_back) if part)
        head = f"**[{title}]({link})**" if link else f"**{title}**"
        more = [f"[{label}]({_url(url)})" for label, url in _more(paper) if url and _url(url) != link]
        yield (
            "- "
            + ". ".join(part for part in (head, people.rstrip("."), place, " · ".join(more)) if part)
            + "\n"
        )


def _text(text: str) -> str:
    pieces = (
        f"${piece.text}$" if piece.kind in ("math", "display") else _escape(piece.text)
        for piece in segments(text)
    )
    return " ".join("".join(pieces).split())


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)


def _more(paper: Paper) -> Iterator[tuple[str, str]]:
    yield "PDF", web(paper.urls.get("pdf"))
    yield "arXiv", arxiv_link(paper)
    yield "Code", web(paper.urls.get("code"))


def _url(url: str) -> str:
    """An address that cannot end its parentheses."""
    return _URL.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), url)
