"""One JSON object a paper: what lunwen exports, plain lists of papers, and BEIR corpora."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from lunwen.corpus.paper import Author, BadRecord, Markup, Record
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._link import identify_doi, identify_links
from lunwen.corpus.sources._status import read_status, read_topic
from lunwen.corpus.sources._value import read_count, read_mapping, read_text, read_texts, read_year

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_SOME_NAMES = re.compile(r"\s*,\s*")
_FOREIGN = frozenset(
    {
        "authors_parsed",
        "container-title",
        "DOI",
        "eventtype",
        "forum",
        "gs_citation",
        "issued",
        "versions",
    }
)
#: One of these beside a title makes an object a paper.
KNOWN = ("authors", "author", "year", "abstract", "venue", "conference", "id", "doi", "arxiv", "openreview",
          "url", "pdf", "keywords")  # fmt: skip


class Jsonl:
    """lunwen's own JSON Lines, and the plain shapes like it."""

    name = "jsonl"
    says = "JSON Lines or a JSON list with title, authors, abstract …, as lunwen exports it; BEIR corpora"

    def sniff(self, file: SourceFile) -> bool:
        """Whether one of the first objects is a paper in our words, or a BEIR document."""
        return any(_is_paper(found) for found in first_objects(file))

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield a record for each object.

        Raises:
            UnreadableFile: not JSON.
        """
        titles: dict[str, str | None] = {}  # of the ids met so far
        for item in read_objects(file):
            if isinstance(item, BadRecord):
                yield item
                continue
            place, data = item
            record = _read_paper(place, data) if "paper_id" in data else _read_plain(place, data)
            if record is None:
                yield BadRecord(place, "no title, no abstract, no authors")
            elif record.key.endswith("None") or titles.setdefault(record.key, record.title) != record.title:
                yield replace(record, key=f"{record.key}:{_digest(record)}")
            else:
                yield record


def say_what_lacks(file: SourceFile) -> str:
    """Say which keys the first object of a JSON file would need to be a paper; nothing for other files."""
    found = next(iter(first_objects(file)), None)
    if not found:
        return ""
    lacks = [] if isinstance(found.get("title"), str) else ['"title"']
    lacks += [] if found.keys() & {*KNOWN} else [f"one of {', '.join(KNOWN)}"]
    return f"To be a paper its first object lacks {' and '.join(lacks)}." if lacks else ""


def _is_paper(found: Mapping[str, Any]) -> bool:
    keys = found.keys()
    if "paper_id" in keys and ("title" in keys or "abstract" in keys):
        return True
    if not isinstance(found.get("title"), str):
        return False
    return {"_id", "text"} <= keys or bool(keys & {*KNOWN} and not keys & _FOREIGN)


def _read_paper(place: str, data: Mapping[str, Any]) -> Record | None:
    """Read what lunwen exports; its text is already clean."""
    title, abstract = read_text(data.get("title")), read_text(data.get("abstract"))
    authors = _read_authors(_with_details(data))
    if title is None and abstract is None and not authors:
        return None
    status, track = read_status(read_text(data.get("status")))
    identifiers = read_mapping(data.get("identifiers"))
    return Record(
        key=str(data["paper_id"]),
        title=title,
        authors=authors,
        abstract=abstract,
        venue=read_text(data.get("venue")),
        year=read_year(data.get("year")),
        topic=read_topic(data.get("topic")),
        status=status,
        identifiers=identifiers or _identify(data),
        urls=read_mapping(data.get("urls")),
        keywords=read_texts(data.get("keywords")),
        tldr=read_text(data.get("tldr")),
        summary=read_mapping(data.get("summary")),
        track=read_text(data.get("track")) or track,
        award=read_text(data.get("award")),
        booktitle=read_text(data.get("booktitle")),
        publisher=read_text(data.get("publisher")),
        pages=read_text(data.get("pages")),
        volume=read_text(data.get("volume")),
        date=read_text(data.get("date")),
        citations=read_count(data.get("citations")),
        citations_date=read_text(data.get("citations_date")),
        title_bibtex=read_text(data.get("title_bibtex")),
        notes=read_texts(data.get("notes"), separators=""),
        markup=Markup.CLEAN,
        place=place,
    )


def _read_plain(place: str, data: Mapping[str, Any]) -> Record | None:
    """Read a foreign object with the usual names."""
    title = read_text(data.get("title"))
    authors = _read_authors(data.get("authors") or data.get("author"))
    abstract = read_text(data.get("abstract")) or read_text(data.get("text"))
    notes: list[str] = []
    if title is None and abstract is None and not authors:
        return None
    year = read_year(data.get("year"))
    if year is None and read_text(data.get("year")):
        notes.append(f"year missing: the source has {data['year']}")
    status, track = read_status(read_text(data.get("status")))
    urls = {
        kind: text
        for kind, name in (("paper", "url"), ("pdf", "pdf"), ("code", "code"))
        if (text := read_text(data.get(name)))
    }
    return Record(
        key=read_text(data.get("id")) or read_text(data.get("_id")) or "None",
        title=title,
        authors=authors,
        abstract=abstract,
        venue=read_text(data.get("venue")) or read_text(data.get("conference")),
        year=year,
        topic=read_topic(data.get("topic")),
        status=status,
        identifiers=_identify(data),
        urls=urls,
        keywords=read_texts(data.get("keywords")),
        tldr=read_text(data.get("tldr")),
        track=track,
        citations=read_count(data.get("cites", data.get("citations"))),
        notes=tuple(notes),
        place=place,
    )


def _digest(record: Record) -> str:
    """Return what tells records apart whose id does not: "cvpr2016-None", or the md5 of a number."""
    text = "\n".join((record.title or record.abstract or "", *(author.name for author in record.authors)))
    return blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _with_details(data: Mapping[str, Any]) -> object:
    """Return the authors with what ``author_details``, in the same order, says of them."""
    authors, details = data.get("authors"), data.get("author_details")
    if not isinstance(authors, list) or not isinstance(details, list) or len(authors) != len(details):
        return authors
    return [
        {"name": name} | more if isinstance(name, str) and isinstance(more, dict) else name
        for name, more in zip(authors, details, strict=True)
    ]


def _read_authors(value: object) -> tuple[Author, ...]:
    if isinstance(value, str):
        value = value.split(";") if ";" in value else _cut_names(value)
    if not isinstance(value, Sequence):
        return ()
    if len(value) == 1 and isinstance(value[0], str) and "," in value[0]:
        value = _cut_names(value[0])
    authors = []
    for item in value:
        if isinstance(item, str):
            if name := item.strip():
                authors.append(Author(name=name))
        elif isinstance(item, Mapping) and (author := _read_author(item)):
            authors.append(author)
    return tuple(authors)


def _read_author(data: Mapping[str, Any]) -> Author | None:
    given, family = read_text(data.get("given")), read_text(data.get("family"))
    name = read_text(data.get("name")) or " ".join(part for part in (given, family) if part)
    if not name:
        return None
    return Author(
        name=name,
        given=given,
        family=family,
        author_id=read_text(data.get("author_id")),
        orcid=read_text(data.get("orcid")),
        affiliation=read_text(data.get("affiliation")),
        variants=read_texts(data.get("variants"), separators=""),
    )


def _cut_names(text: str) -> Sequence[str]:
    """Cut "Ana Díaz, Lei Li" at its commas, leave "Díaz, Ana" alone."""
    names = [name for name in _SOME_NAMES.split(text.strip(" ,")) if name]
    return names if all(" " in name.strip() or "." in name for name in names) or len(names) > 2 else [text]


def _identify(data: Mapping[str, Any]) -> dict[str, str]:
    found = identify_links((read_text(data.get("url")), read_text(data.get("pdf"))))
    for scheme in ("openreview", "arxiv", "acl"):
        if text := read_text(data.get(scheme)):
            found[scheme] = text
    if doi := read_text(data.get("doi")):
        found |= identify_doi(doi)
    return found


SOURCE = Jsonl()
