"""Papers as CSL-JSON, what reference managers and citation styles read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from lunwen.corpus.markup import plain
from lunwen.export.cite_key import cite_key, keyed
from lunwen.export.link import arxiv_link, page_link
from lunwen.export.person import read_person
from lunwen.export.publication import Kind, publication

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lunwen.corpus.paper import Author, Paper

_TYPES = {
    Kind.CONFERENCE: "paper-conference",
    Kind.JOURNAL: "article-journal",
    Kind.PREPRINT: "article",
    Kind.MANUSCRIPT: "manuscript",
}


def csl_item(paper: Paper, key: str | None = None) -> dict[str, Any]:
    """Turn a paper into an item of CSL-JSON (schema of CSL 1.0.2); its ``id`` is its citation key."""
    kind, name = publication(paper)
    arxiv = paper.identifiers.get("arxiv")
    preprint = {"number": f"arXiv:{arxiv}", "publisher": "arXiv"} if kind is Kind.PREPRINT and arxiv else {}
    item = {
        "id": key or cite_key(paper),
        "type": _TYPES[kind],
        "title": plain(paper.title),
        "author": [_name(author) for author in paper.authors],
        "issued": _issued(paper),
        "container-title": name if kind in (Kind.CONFERENCE, Kind.JOURNAL) else None,
        "event-title": paper.venue if kind is Kind.CONFERENCE else None,
        "genre": name if kind is Kind.MANUSCRIPT else None,
        "volume": paper.volume,
        "page": (paper.pages or "").replace("–", "-").replace("--", "-"),
        "publisher": paper.publisher,
        "DOI": paper.identifiers.get("doi"),
        "URL": page_link(paper) or arxiv_link(paper),
        "keyword": ", ".join(paper.keywords),
        "abstract": plain(paper.abstract or ""),
        **preprint,
    }
    return {name: value for name, value in item.items() if value}


def csl_json(papers: Iterable[Paper], style: str = "scholar") -> Iterator[str]:
    """Write the papers as one JSON array of CSL items, a line for each."""
    before = "[\n"
    for paper, key in keyed(papers, style):
        yield before + orjson.dumps(csl_item(paper, key)).decode()
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _name(author: Author) -> dict[str, str]:
    person = read_person(author)
    if person.group or not person.given:
        return {"literal": person.family}
    parts = {"family": person.family, "given": person.given, "suffix": person.suffix}
    return {name: part for name, part in parts.items() if part}


def _issued(paper: Paper) -> dict[str, list[list[int]]]:
    """The date of the paper's own year as far as it is known; a date of another year is not of this paper."""
    date = paper.date or ""
    text = date if paper.year is None or date.startswith(f"{paper.year}") else str(paper.year)
    parts = [int(part) for part in text.split("-") if part.isdigit()]
    return {"date-parts": [parts]} if parts else {}
