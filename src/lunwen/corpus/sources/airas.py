"""The airas papers database: one plain list for all conferences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lunwen.corpus.identifier import identifiers_in
from lunwen.corpus.paper import Author, BadRecord, Record
from lunwen.corpus.sources._conference import Conference
from lunwen.corpus.sources._form import require_record
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._topic import read_path
from lunwen.corpus.sources._value import read_text, read_texts, read_year

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lunwen.corpus.source import SourceFile

_KEYS = frozenset({"title", "authors", "conference", "year"})


class Airas:
    """Lists of accepted papers; a paper with an oral and a poster is in them twice."""

    name = "airas"
    says = "airas papers database: a list of id, title, authors, abstract, conference, year, topic"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first objects have a conference beside title, authors and year."""
        return any(found.keys() >= _KEYS for found in first_objects(file))

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield a record for each row.

        Raises:
            UnreadableFile: no such row in it.
        """
        yield from require_record(file, "airas papers", _read_rows(file))


def _read_rows(file: SourceFile) -> Iterator[Record | BadRecord]:
    met: Counter[str] = Counter()
    for item in read_objects(file):
        if isinstance(item, BadRecord):
            yield item
            continue
        place, row = item
        title, venue, year = (
            read_text(row.get("title")),
            read_text(row.get("conference")),
            read_year(row.get("year")),
        )
        if title is None or venue is None or year is None:
            yield BadRecord(place, "no title, conference or year")
            continue
        slug = Conference(venue, year).slug
        key = f"{slug}-{read_text(row.get('id')) or title}"
        met[key] += 1
        yield _read_row(place, row, key if met[key] == 1 else f"{key}#{met[key]}", slug)


def _read_row(place: str, row: Mapping[str, Any], key: str, slug: str) -> Record:
    link, number = read_text(row.get("paper_url")), read_text(row.get("id"))
    identifiers = {"uid": f"{slug}-{number}"} if number else {}
    if link and (found := identifiers_in(link.replace("//paper_files", "/paper_files"))):
        identifiers[found.scheme] = found.value
    return Record(
        key=key,
        title=read_text(row.get("title")),
        authors=tuple(Author(name=name) for name in read_texts(row.get("authors"), separators=";")),
        abstract=read_text(row.get("abstract")),
        venue=read_text(row.get("conference")),
        year=read_year(row.get("year")),
        topic=read_path(read_text(row.get("topic"))),
        identifiers=identifiers,
        urls={"paper": link} if link else {},
        place=place,
    )


SOURCE = Airas()
