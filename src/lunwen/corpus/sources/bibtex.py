"""BibTeX files, from whoever writes them."""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from bibtexparser.entrypoint import parse_string
from bibtexparser.middlewares.names import (
    InvalidNameError,
    parse_single_name_into_parts,
    split_multiple_persons_names,
)
from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._decode import decode_line
from lunwen.corpus.sources._link import identify_doi, identify_links
from lunwen.corpus.sources._value import join_date, read_month, read_text, read_texts, read_year
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bibtexparser.library import Library

    from lunwen.corpus.source import SourceFile

_ENTRY = re.compile(rb"^\s*@\s*[A-Za-z]+\s*[{(]", re.MULTILINE)
_NO_PAPERS = frozenset({"proceedings", "mvproceedings", "software", "dataset"})
_OTHERS = frozenset({"others", "et al"})
_ARXIV = re.compile(r"(?:arxiv:)?\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?", re.IGNORECASE)
_NUMBERED = re.compile(r"(.+?) \d{4}")  # DBLP's way to tell people of one name apart
_PMLR = re.compile(r"pmlr-(v\d+)-([\w-]+)")


class Bibtex:
    """BibTeX and BibLaTeX."""

    name = "bibtex"
    says = "BibTeX, also PMLR's, ACL's and DBLP's"

    def sniff(self, file: SourceFile) -> bool:
        """Whether an entry opens at the start of a line, and nothing says it is another format."""
        return file.head.lstrip()[:1] not in (b"<", b"{", b"[") and bool(_ENTRY.search(file.head))

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield a record for each entry; whole proceedings are no papers.

        Raises:
            UnreadableFile: no entry in it.
        """
        with file.open() as stream:
            text = "".join(decode_line(line) for line in stream)
        library = _parse(text)
        parents = {entry.key.lower(): entry for entry in library.entries if entry.key}
        strings: dict[str, str] = {}
        for string in library.strings:
            strings[string.key.lower()] = _evaluate(string.value, strings)
        keys: set[str] = set()
        found = False
        for block in library.blocks:
            place = f"line {(block.start_line or 0) + 1}"
            entry: object = block
            if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock):
                entry = block.ignore_error_block
            elif isinstance(block, ParsingFailedBlock):
                found = True
                yield BadRecord(place, _reason(block))
                continue
            if not isinstance(entry, Entry):
                continue
            found = True
            if entry.entry_type.lower() in _NO_PAPERS:
                continue
            fields = _read_fields(entry, parents, strings)
            key = entry.key or str(fields.get("title", place))
            if key in keys:
                key = f"{key}:{place}"
            keys.add(key)
            yield _read_entry(key, entry.entry_type.lower(), fields, place)
        if not found:
            raise UnreadableFile(
                f"{file.name} has no BibTeX entry · entries start with @inproceedings{{ or the like"
            )


def _parse(text: str) -> Library:
    logger = logging.getLogger("bibtexparser")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # what it would say is said in BadRecords
    try:
        return parse_string(text, parse_stack=[])  # values as written; _evaluate reads them
    finally:
        logger.setLevel(level)


def _reason(block: ParsingFailedBlock) -> str:
    reason = getattr(block.error, "abort_reason", None) or str(block.error)
    return "broken BibTeX: " + " ".join(str(reason).split()).rstrip(".")


def _evaluate(value: object, strings: Mapping[str, str]) -> str:
    """Return the text of a value: pieces in braces, in quotes, or names of strings, joined by ``#``."""
    written = str(value)
    pieces: list[str] = []
    depth, quoted, start = 0, False, 0
    for position, character in enumerate(written):
        if character == '"' and depth == 0:
            quoted = not quoted
        elif character in "{}" and written[position - 1 : position] != "\\":
            depth += 1 if character == "{" else -1
        elif character == "#" and depth == 0 and not quoted:
            pieces.append(written[start:position])
            start = position + 1
    pieces.append(written[start:])
    texts = []
    for piece in map(str.strip, pieces):
        enclosed = len(piece) > 1 and piece[0] + piece[-1] in ("{}", '""')
        texts.append(piece[1:-1] if enclosed else strings.get(piece.lower(), piece))
    return "".join(texts)


def _read_fields(entry: Entry, parents: Mapping[str, Entry], strings: Mapping[str, str]) -> dict[str, str]:
    """Return the entry's fields, and where it has none of that name, those of its ``crossref``."""
    fields: dict[str, str] = {}
    for field in entry.fields:
        if text := read_text(_evaluate(field.value, strings)):
            fields.setdefault(field.key.lower(), text)
    parent = parents.get(fields.get("crossref", "").lower())
    if parent is None:
        return fields
    for field in parent.fields:
        name = field.key.lower()
        text = read_text(_evaluate(field.value, strings))
        if name == "title":
            name = "booktitle"
        if text and name not in ("author", "doi", "url", "pages"):
            fields.setdefault(name, text)
    return fields


def _read_entry(key: str, kind: str, fields: Mapping[str, str], place: str) -> Record | BadRecord:
    title = _unwrap(fields.get("title", "")) or None
    if title is None:
        return BadRecord(place, f'entry "{key}" has no title')
    authors, notes = _read_authors(fields.get("author", ""))
    book, journal = fields.get("booktitle"), fields.get("journal") or fields.get("journaltitle")
    year = read_year(fields.get("year")) or read_year(fields.get("date"))
    identifiers = _identify(key, fields)
    elsewhere = book or (journal and journal != "CoRR" and "arxiv" not in journal.lower())
    preprint = "arxiv" in identifiers and not elsewhere
    keywords = fields.get("keywords", "")
    urls = {
        name: text
        for name, field in (("paper", "url"), ("pdf", "pdf"), ("code", "code"), ("project", "website"))
        if (text := fields.get(field, "").replace("\\_", "_").replace("\\%", "%"))
    }
    if kind in ("phdthesis", "mastersthesis"):
        notes = (*notes, "thesis")
    return Record(
        key=key,
        title=title,
        authors=authors,
        abstract=fields.get("abstract"),
        venue="arXiv" if preprint else book or journal or fields.get("school"),
        year=year,
        status=Status.PREPRINT if preprint else None,
        identifiers=identifiers,
        urls=urls,
        keywords=read_texts(keywords, ";" if ";" in keywords else ","),
        booktitle=book,
        publisher=fields.get("publisher"),
        pages=fields.get("pages"),
        volume=fields.get("volume"),
        date=fields.get("date") or join_date(year, read_month(fields.get("month"))),
        title_bibtex=title,
        notes=notes,
        markup=Markup.LATEX,
        place=place,
    )


def _unwrap(title: str) -> str:
    """Take off braces around the whole title; they protect nothing in particular."""
    while title.startswith("{") and title.endswith("}"):
        depth = 0
        for position, character in enumerate(title):
            depth += (character == "{") - (character == "}")
            if depth == 0 and position < len(title) - 1:
                return title
        title = title[1:-1].strip()
    return title


def _read_authors(text: str) -> tuple[tuple[Author, ...], tuple[str, ...]]:
    authors, notes = [], []
    for name in split_multiple_persons_names(" ".join(text.split())):
        if name.strip("{} .,").lower() in _OTHERS:
            notes.append("the source has only the first authors")
        elif author := _read_author(name):
            authors.append(author)
    return tuple(authors), tuple(notes)


def _read_author(name: str) -> Author | None:
    if name.startswith("{") and _unwrap(name) != name:
        name = _unwrap(name).strip(" ,")
        inner = _unwrap(name)  # {{Alan D. Sokal}, }
        return Author(name=inner) if inner else None
    if (numbered := _NUMBERED.fullmatch(name)) and (author := _read_author(numbered[1])):
        return replace(author, author_id=name)
    try:
        parts = parse_single_name_into_parts(name, strict=False)
    except InvalidNameError:
        return Author(name=name)
    given = " ".join(parts.first)
    family = " ".join([*parts.von, *parts.last])
    suffix = " ".join(parts.jr)
    shown = " ".join(part for part in (given, family, suffix) if part)
    return Author(name=shown, given=given or None, family=family or None) if shown else None


def _identify(key: str, fields: Mapping[str, str]) -> dict[str, str]:
    found = identify_links(fields.get(name) for name in ("url", "pdf", "openreview", "ee", "biburl"))
    if doi := fields.get("doi"):
        found = identify_doi(doi.replace("\\_", "_")) | found
    archive = (fields.get("archiveprefix") or fields.get("eprinttype") or "").lower()
    eprint = _ARXIV.fullmatch(fields.get("eprint", ""))
    if eprint and archive in ("arxiv", ""):
        found["arxiv"] = eprint[1]
    elif match := re.search(r"arxiv[:\s]+(\d{4}\.\d{4,5})", fields.get("journal", ""), re.IGNORECASE):
        found.setdefault("arxiv", match[1])
    if match := _PMLR.fullmatch(key):
        found.setdefault("pmlr", f"{match[1]}/{match[2]}")
    if key.startswith("DBLP:"):
        found.setdefault("dblp", key.removeprefix("DBLP:"))
    return found


SOURCE = Bibtex()
