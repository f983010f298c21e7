"""CSL-JSON, what reference managers exchange."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._link import identify_doi, identify_links
from lunwen.corpus.sources._value import read_date_parts, read_text, read_texts, read_year

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_SIGNS = frozenset({"container-title", "issued", "event-title", "author", "DOI"})
_NO_PAPERS = frozenset({"webpage", "software", "dataset", "periodical", "collection"})
_TAG = re.compile(r"</?(?:i|b|sub|sup|sc|span)\b[^>]*>", re.IGNORECASE)
_ARXIV = re.compile(r"arxiv:\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})", re.IGNORECASE)


class Csl:
    """CSL-JSON."""

    name = "csl"
    says = "CSL-JSON, as Zotero and pandoc write it"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first object has a string id, a type and CSL's own names."""
        return any(_is_item(found) for within in ((), ("items",)) for found in first_objects(file, *within))

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers; web pages and software are none.

        Raises:
            UnreadableFile: not JSON.
        """
        for item in read_objects(file, "items"):
            if isinstance(item, BadRecord):
                yield item
            elif item[1].get("type") not in _NO_PAPERS:
                yield _read_item(*item)


def _is_item(found: Mapping[str, Any]) -> bool:
    return (
        isinstance(found.get("type"), str)
        and isinstance(found.get("id"), str | int)
        and isinstance(found.get("title"), str | None)
        and bool(_SIGNS & found.keys())
        and isinstance(found.get("author", []), list)
        and isinstance(found.get("issued", {}), Mapping)
    )


def _read_item(place: str, item: Mapping[str, Any]) -> Record | BadRecord:
    title = read_text(item.get("title"))
    key = read_text(item.get("id")) or read_text(item.get("citation-key"))
    if title is None or key is None:
        return BadRecord(place, f'"{key}" has no title' if key else "no id")
    abstract = read_text(item.get("abstract"))
    issued = item.get("issued")
    literal = read_text(issued.get("literal") or issued.get("raw")) if isinstance(issued, Mapping) else None
    date = read_date_parts(issued)
    container, event = (
        read_text(item.get("container-title")),
        read_text(item.get("event-title") or item.get("event")),
    )
    url = read_text(item.get("URL"))
    identifiers = identify_doi(read_text(item.get("DOI"))) | identify_links([url])
    number = _ARXIV.search(
        " ".join(str(item.get(name, "")) for name in ("number", "note", "archive_location"))
    )
    if number:
        identifiers.setdefault("arxiv", number[1])
    kind = item.get("type")
    preprint = kind == "article" or (container or "").lower() in ("arxiv", "corr")
    return Record(
        key=key,
        title=title,
        authors=tuple(author for value in _list(item.get("author")) if (author := _read_author(value))),
        abstract=abstract,
        venue="arXiv" if preprint and "arxiv" in identifiers else event or container,
        year=int(date[:4]) if date else read_year(literal),
        status=Status.PREPRINT if preprint else None,
        identifiers=identifiers,
        urls={"paper": url} if url else {},
        keywords=read_texts(item.get("keyword"), ",;"),
        booktitle=None if kind in ("article", "article-journal") else container,
        publisher=read_text(item.get("publisher")),
        pages=read_text(item.get("page")),
        volume=read_text(item.get("volume")),
        date=date,
        markup=Markup.HTML if _TAG.search(f"{title} {abstract}") else Markup.PLAIN,
        place=place,
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _read_author(value: object) -> Author | None:
    if not isinstance(value, Mapping):
        return None
    if literal := read_text(value.get("literal")):
        return Author(name=literal)
    given = read_text(value.get("given"))
    particles = [read_text(value.get(f"{kind}-particle")) for kind in ("dropping", "non-dropping")]
    family = " ".join(part for part in (*particles, read_text(value.get("family"))) if part) or None
    name = " ".join(part for part in (given, family, read_text(value.get("suffix"))) if part)
    return Author(name=name, given=given, family=family) if name else None


SOURCE = Csl()
