"""Papers as RIS, the tagged lines that reference managers exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.corpus.markup import plain
from lunwen.export.link import arxiv_link, page_link, web
from lunwen.export.person import read_person
from lunwen.export.publication import PROCEEDINGS, Kind, publication

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lunwen.corpus.paper import Author, Paper

_TYPES = {
    Kind.CONFERENCE: "CPAPER",  # CONF is whole proceedings
    Kind.JOURNAL: "JOUR",
    Kind.PREPRINT: "UNPB",
    Kind.MANUSCRIPT: "UNPB",
}


def ris(papers: Iterable[Paper]) -> Iterator[str]:
    """Write each paper as one reference."""
    for paper in papers:
        lines = [f"{tag}  - {text}" for tag, value in _tags(paper) if (text := " ".join(value.split()))]
        yield "\r\n".join([*lines, "ER  - ", "", ""])


def _tags(paper: Paper) -> Iterator[tuple[str, str]]:
    kind, name = publication(paper)
    first, _, last = (paper.pages or "").replace("–", "-").replace("--", "-").partition("-")
    year = str(paper.year or "")
    month, day = [*(paper.date or "").split("-")[1:], "", ""][:2]
    dated = month and (paper.date or "").startswith(year)
    yield "TY", _TYPES[kind]
    yield "ID", paper.paper_id
    yield "TI", plain(paper.title)
    yield from (("AU", _name(author)) for author in paper.authors)
    yield "PY", year
    yield "DA", f"{year or paper.date}/{month}/{day}/" if dated else ""
    if kind is Kind.CONFERENCE:  # the conference, then the title of its proceedings
        yield "T2", PROCEEDINGS.get(paper.venue or "", paper.venue or name)
        yield "C3", name
    elif kind is Kind.JOURNAL:
        yield "T2", name
    else:
        yield "N1", name
    yield "VL", paper.volume or ""
    yield "SP", first
    yield "EP", last
    yield "PB", paper.publisher or ""
    yield "DO", paper.identifiers.get("doi", "")
    yield "UR", page_link(paper) or arxiv_link(paper)
    yield "L1", web(paper.urls.get("pdf"))
    yield from (("KW", keyword) for keyword in paper.keywords)
    yield "AB", plain(paper.abstract or "")


def _name(author: Author) -> str:
    """Write "Family, Given, Suffix"; a comma in a group's name would cut it in two."""
    person = read_person(author)
    if person.group or not person.given:
        return person.family.replace(",", "")
    return ", ".join(part for part in (person.family, person.given, person.suffix) if part)
