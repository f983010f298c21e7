"""Crossref works: an answer of its API, one work, or one work a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._link import identify_doi, identify_links
from lunwen.corpus.sources._value import read_count, read_date_parts, read_text, read_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_PAPERS = frozenset(
    {
        "proceedings-article",
        "journal-article",
        "posted-content",
        "book-chapter",
        "report",
        "dissertation",
        "other",
    }
)
_DATES = ("published-print", "published-online", "published", "issued", "posted")


class Crossref:
    """Works as Crossref's REST API gives them."""

    name = "crossref"
    says = "Crossref works: API answers in JSON, or one work a line"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first object is a work, or an answer with works."""
        return any(
            _is_work(found)
            for within in ((), ("message", "items"), ("items",))
            for found in first_objects(file, *within)
        ) or any(_is_answer(found) for found in first_objects(file))

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers; whole journals and proceedings are none.

        Raises:
            UnreadableFile: not JSON.
        """
        first = first_objects(file, limit=1)
        items = bool(first) and "items" in first[0]
        for item in read_objects(file, *(("items",) if items else ("message", "items"))):
            if isinstance(item, BadRecord):
                yield item
                continue
            place, work = item
            message = work.get("message")
            work = message if isinstance(message, dict) else work
            kind = read_text(work.get("type"))
            if kind is None or kind in _PAPERS:
                yield read_work(place, work)


def _is_work(found: Mapping[str, Any]) -> bool:
    return (
        "DOI" in found
        and isinstance(found.get("title"), list | None)
        and not isinstance(found.get("id"), str)
    )


def _is_answer(found: Mapping[str, Any]) -> bool:
    return "message" in found and str(found.get("message-type", "")).startswith("work")


def read_work(place: str, work: Mapping[str, Any]) -> Record | BadRecord:
    """Read one work."""
    doi = read_text(work.get("DOI"))
    title = _first(work.get("title"))
    if not doi or not title:
        return BadRecord(place, f"{doi} has no title" if doi else "no DOI")
    if subtitle := _first(work.get("subtitle")):
        title = f"{title}: {subtitle}"
    identifiers = identify_doi(doi)
    url = read_text(work.get("URL"))
    resource = work.get("resource")
    primary = resource.get("primary") if isinstance(resource, Mapping) else None
    page = read_text(primary.get("URL")) if isinstance(primary, Mapping) else None
    identifiers |= {
        scheme: value for scheme, value in identify_links([page]).items() if scheme not in identifiers
    }
    date = next((date for name in _DATES if (date := read_date_parts(work.get(name)))), None)
    event = work.get("event")
    # the year of the conference; online and in print may lie in others
    start = read_date_parts(event.get("start")) if isinstance(event, Mapping) else None
    container = _first(work.get("container-title"))
    kind = read_text(work.get("type"))
    venue = read_text(event.get("acronym") or event.get("name")) if isinstance(event, Mapping) else None
    urls = {kind: text for kind, text in (("paper", page or url), ("pdf", _pdf(work))) if text}
    return Record(
        key=doi.lower(),
        title=title,
        authors=_read_authors(work.get("author")),
        abstract=read_text(work.get("abstract")),
        venue="arXiv" if "arxiv" in identifiers else venue or container or read_text(work.get("group-title")),
        year=int(held[:4]) if (held := start or date) else None,
        status=Status.PREPRINT if kind == "posted-content" else Status.ACCEPTED,
        identifiers=identifiers,
        urls=urls,
        keywords=read_texts(work.get("subject")),
        booktitle=None if kind == "journal-article" else container,
        publisher=read_text(work.get("publisher")),
        pages=read_text(work.get("page")),
        volume=read_text(work.get("volume")),
        date=date,
        citations=read_count(work.get("is-referenced-by-count")),
        markup=Markup.JATS,
        place=place,
    )


def _first(value: object) -> str | None:
    if isinstance(value, list):
        return next((text for item in value if (text := read_text(item))), None)
    return read_text(value)


def _pdf(work: Mapping[str, Any]) -> str | None:
    links = work.get("link")
    for link in links if isinstance(links, list) else ():
        if isinstance(link, Mapping) and link.get("content-type") == "application/pdf":
            return read_text(link.get("URL"))
    return None


def _read_authors(value: object) -> tuple[Author, ...]:
    authors = []
    for item in value if isinstance(value, list) else ():
        if not isinstance(item, Mapping):
            continue
        given, family = read_text(item.get("given")), read_text(item.get("family"))
        parts = (given, family, read_text(item.get("suffix")))
        name = " ".join(part for part in parts if part) or read_text(item.get("name"))
        if name is None:
            continue
        places = item.get("affiliation")
        place = places[0] if isinstance(places, list) and places and isinstance(places[0], Mapping) else {}
        orcid = read_text(item.get("ORCID"))
        authors.append(
            Author(
                name=name,
                given=given,
                family=family,
                orcid=orcid.rstrip("/").rsplit("/", 1)[-1] if orcid else None,
                affiliation=read_text(place.get("name")),
            )
        )
    return tuple(authors)


SOURCE = Crossref()
