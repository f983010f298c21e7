"""RIS, the tagged lines reference managers exchange."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import rispy  # type: ignore[import-untyped]

from lunwen.corpus.paper import Author, BadRecord, Record, Status
from lunwen.corpus.sources._decode import decode_line
from lunwen.corpus.sources._link import identify_doi, identify_links
from lunwen.corpus.sources._value import join_date, read_number, read_text, read_texts, read_year
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lunwen.corpus.source import SourceFile

_FIRST = re.compile(rb"^TY {1,2}-", re.MULTILINE)
_TYPE = re.compile(r"TY {1,2}-")
_END = re.compile(r"ER {1,2}-")
_NO_PAPERS = frozenset({"SER", "COMP", "DATA", "ELEC"})
_JOURNALS = ("journal_name", "alternate_title3", "alternate_title2", "alternate_title1")
_SUFFIX = re.compile(r"(?:jr|sr)\.?|[ivx]+", re.IGNORECASE)


class Ris:
    """RIS."""

    name = "ris"
    says = "RIS"

    def sniff(self, file: SourceFile) -> bool:
        """Whether a line opens a reference."""
        return file.head.lstrip()[:1] not in (b"<", b"{", b"[", b"@") and bool(_FIRST.search(file.head))

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers; whole proceedings are none.

        Raises:
            UnreadableFile: no reference in it.
        """
        found = False
        for place, lines, closed in _references(file):
            found = True
            if not closed:
                yield BadRecord(place, "the file ends inside this reference")
                continue
            try:
                references = rispy.loads("\n".join([*lines, "ER  - "]) + "\n")
            except (OSError, ValueError, KeyError) as error:
                yield BadRecord(place, f"broken RIS: {error}")
                continue
            for reference in references:
                record = _read_reference(place, reference)
                if record is not None:
                    yield record
        if not found:
            raise UnreadableFile(f'{file.name} has no RIS reference · each starts with a line "TY  - CPAPER"')


def _references(file: SourceFile) -> Iterator[tuple[str, list[str], bool]]:
    """Yield the place and lines of each reference, and whether it ends, with or without its ER."""
    lines: list[str] = []
    place = ""
    with file.open() as stream:
        for number, raw in enumerate(stream, start=1):
            line = decode_line(raw).rstrip("\r\n")
            if _TYPE.match(line):
                if lines:
                    yield place, lines, True
                lines, place = [line], f"line {number}"
            elif lines and _END.match(line):
                yield place, lines, True
                lines = []
            elif lines:
                lines.append(line)
    if lines:
        yield place, lines, False


def _read_reference(place: str, found: Mapping[str, Any]) -> Record | BadRecord | None:
    kind = found.get("type_of_reference")
    if kind in _NO_PAPERS or (kind == "CONF" and not (found.get("authors") or found.get("first_authors"))):
        return None  # CONF is whole proceedings, but Zotero and IEEE Xplore write it for a paper in them
    title = _first(found, "title", "primary_title")
    if title is None:
        return BadRecord(place, "no title (TI or T1)")
    authors = tuple(
        author
        for tag in ("authors", "first_authors")
        for name in found.get(tag, ())
        if (author := _read_author(name))
    )
    urls = [url.strip() for url in found.get("urls", ()) if url.strip()]
    pdf = _first(found, "file_attachments1")
    date = (_first(found, "date") or _first(found, "publication_year", "year") or "").split("/")
    year = read_year(_first(found, "year", "publication_year")) or read_year(date[0])
    book = _first(found, "secondary_title", *_JOURNALS, "tertiary_title")
    abstract = _first(found, "abstract", "notes_abstract")
    identifiers = identify_doi(_first(found, "doi")) | identify_links([*urls, pdf])
    preprint = "arxiv" in identifiers and (book is None or "arxiv" in book.lower())
    pages = "-".join(text for tag in ("start_page", "end_page") if (text := _first(found, tag)))
    digest = blake2b(f"{title}\n{authors}".encode("utf-8", "replace"), digest_size=6).hexdigest()
    return Record(
        key=_first(found, "id", "accession_number") or identifiers.get("doi") or digest,
        title=title,
        authors=authors,
        abstract=abstract,
        venue="arXiv" if preprint else book,
        year=year,
        status=Status.PREPRINT if preprint else None,
        identifiers=identifiers,
        urls={kind: text for kind, text in (("paper", next(iter(urls), None)), ("pdf", pdf)) if text},
        keywords=read_texts(found.get("keywords")),
        booktitle=None if kind in ("JOUR", "EJOUR", "JFULL") else book,
        publisher=_first(found, "publisher"),
        pages=pages or None,
        volume=_first(found, "volume"),
        date=join_date(year, *(read_number(part) for part in date[1:3])),
        place=place,
    )


def _first(found: Mapping[str, Any], *tags: str) -> str | None:
    for tag in tags:
        value = found.get(tag)
        if text := read_text(value[0] if isinstance(value, list) and value else value):
            return text
    return None


def _read_author(name: str) -> Author | None:
    """Read "Family, Given, Suffix"."""
    family, *rest = (part.strip() for part in name.split(","))
    given, suffix = [*rest, "", ""][:2]
    if suffix and not _SUFFIX.fullmatch(suffix):
        return Author(name=name.strip())
    shown = " ".join(part for part in (given, family, suffix) if part)
    return Author(name=shown, given=given or None, family=family if given else None) if shown else None


SOURCE = Ris()
