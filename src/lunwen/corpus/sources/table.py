"""CSV and TSV with a header row: what lunwen exports, and other people's spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from lunwen.corpus.paper import Author, BadRecord, Markup, Record
from lunwen.corpus.sources._link import identify_doi, identify_links
from lunwen.corpus.sources._status import read_status, read_topic
from lunwen.corpus.sources._value import read_count, read_text, read_texts, read_year
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lunwen.corpus.source import SourceFile

_LONGEST_FIELD = 1 << 24
_SCHEMES = ("openreview", "acl", "arxiv", "dblp", "pmlr", "event", "uid", "cvf", "neurips", "s2")
_URLS = (
    *("pdf", "code", "project", "video", "poster", "slides"),
    *("supplementary", "software", "dataset", "page"),
)
_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # how "surrogateescape" decodes a byte that is not UTF-8
_FORMULA = re.compile(r"^'(?='*[=+\-@\t\r])")  # how we keep spreadsheets from running a cell
_PART = re.compile(r"(?:[^/\\]|\\.)+", re.DOTALL)
_NAMES = {
    name: ours
    for ours, names in {
        "title": "title|paper title|document title|论文标题|标题|题目",
        "authors": "author|authors|author names|author(s)|作者",
        "abstract": "abstract|abstract note|摘要",
        "venue": "venue|conference|journal|publication title|source title|会议",
        "year": "year|publication year|年份",
        "topic": "topic|主题",
        "url": "url|link|paper url",
        "keywords": "keywords|author keywords|manual tags|关键词",
        "citations": "citations|cited by",
        "date": "date|publication date",
        "id": "id|key|paper id",
    }.items()
    for name in names.split("|")
}


class Table:
    """CSV and TSV."""

    name = "table"
    says = "CSV or TSV with a header row: title, authors, abstract, venue, year …"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first line is a header with a title and something else of a paper."""
        names = _header(file)[1]
        return (
            "title" in names and len({"authors", "abstract", "year", "venue", "doi", "url"} & set(names)) >= 1
        )

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield a record for each row.

        Raises:
            UnreadableFile: no header row with a title.
        """
        delimiter, names = _header(file)
        if "title" not in names:
            raise UnreadableFile(f'{file.name} has no column "title" · the first row must name the columns')
        ours = "paper_id" in names
        keys: set[str] = set()
        for place, cells in _rows(file, delimiter):
            if isinstance(cells, str):
                yield BadRecord(place, cells)
                continue
            if len(cells) > len(names):
                yield BadRecord(place, f"{len(cells)} cells under {len(names)} columns")
                continue
            texts = [_FORMULA.sub("", cell) for cell in cells] if ours else cells
            row = {name: text for name, cell in zip(names, texts, strict=False) if (text := read_text(cell))}
            record = _read_row(place, row, ours=ours)
            if isinstance(record, Record) and record.key in keys:
                record = BadRecord(place, f'a second row "{record.key}"; the first is kept')
            elif isinstance(record, Record):
                keys.add(record.key)
            yield record


def _header(file: SourceFile) -> tuple[str, list[str]]:
    """Return the delimiter and our names of the columns."""
    first = file.head.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8", "replace").rstrip("\r")
    if first[:1] in ("{", "[", "<", "@"):
        return ",", []
    delimiter = max(",\t;", key=first.count)
    try:
        cells = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error:  # a lone carriage return, as in any binary file
        return delimiter, []
    names: list[str] = []
    for cell in cells:
        name = cell.strip().lower()
        if name != "paper_id":
            plain = re.sub(r"[_\s]+", " ", name)
            name = _NAMES.get(plain, name)
        names.append(name if name not in names else f"{name} {len(names)}")
    return delimiter, names


class _Lines:
    """The lines of a table; what a row has swallowed can be read again."""

    def __init__(self, text: Iterator[str]) -> None:
        self._text = text
        self._again: deque[str] = deque()
        self.taken: list[str] = []  # since the last row

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._text)
        self.taken.append(line)
        return line

    def put_back(self) -> None:
        """Let all but the first line of a row be read again."""
        self._again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]


def _rows(file: SourceFile, delimiter: str) -> Iterator[tuple[str, list[str] | str]]:
    """Yield the place and cells of each row after the header, or why it cannot be read."""
    limit = csv.field_size_limit(_LONGEST_FIELD)
    with file.open() as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="")
        lines = _Lines(text)
        line, header = 1, True
        try:
            while cells := _next_row(lines, delimiter):
                place = f"line {line}"
                line += len(lines.taken)
                lines.taken.clear()
                if isinstance(cells, str):
                    yield place, cells
                    continue
                joined = "".join(cells)
                if header and joined:
                    header = False
                elif "\0" in joined:
                    yield place, "holds a NUL byte"
                elif _NOT_UTF8.search(joined):
                    yield place, "not UTF-8"
                elif joined.strip():
                    yield place, cells
        finally:
            csv.field_size_limit(limit)


def _next_row(lines: _Lines, delimiter: str) -> list[str] | str | None:
    """Return the cells of the next row, why it cannot be read, or None after the last.

    A quotation mark that is never closed costs its own line alone, not all that follow.
    """
    try:
        return next(csv.reader(lines, delimiter=delimiter, strict=True), None) or (
            [""] if lines.taken else None
        )
    except csv.Error as error:
        reason = f"broken row: {error}"
        if len(lines.taken) == 1 and "unexpected end" not in reason:
            with suppress(csv.Error):  # 5" and "so" "on" are clear enough within one line
                return next(csv.reader(lines.taken, delimiter=delimiter))
    lines.put_back()
    return reason


def _read_row(place: str, row: Mapping[str, str], *, ours: bool) -> Record | BadRecord:
    title = row.get("title")
    if title is None:
        return BadRecord(place, "no title")
    links = {"paper": row.get("url") or row.get("paper")} | {name: row.get(name) for name in _URLS}
    urls = {kind: link for kind, link in links.items() if link}
    identifiers = identify_doi(row.get("doi")) | identify_links(urls.values())
    identifiers |= {scheme: row[scheme] for scheme in _SCHEMES if scheme in row}
    status, track = read_status(row.get("status"))
    date = row.get("date")
    return Record(
        key=row.get("paper_id")
        or row.get("id")
        or identifiers.get("doi")
        or f"{title} | {row.get('authors', '')}",
        title=title,
        authors=_read_names(row.get("authors", "")) if ours else _read_authors(row.get("authors", "")),
        abstract=row.get("abstract"),
        venue=row.get("venue"),
        year=read_year(row.get("year")) or read_year(date),
        topic=_read_path(row.get("topic", "")) if ours else read_topic(row.get("topic")),
        status=status,
        identifiers=identifiers,
        urls=urls,
        keywords=read_texts(row.get("keywords"), ";" if ";" in row.get("keywords", "") else ","),
        tldr=row.get("tldr"),
        track=row.get("track") or track,
        award=row.get("award"),
        booktitle=row.get("booktitle"),
        publisher=row.get("publisher"),
        pages=row.get("pages"),
        volume=row.get("volume"),
        date=date,
        citations=read_count(row.get("citations")),
        title_bibtex=row.get("title_bibtex"),
        notes=read_texts(row.get("notes"), ""),
        markup=Markup.CLEAN if ours else Markup.PLAIN,
        place=place,
    )


def _read_path(text: str) -> tuple[str, ...]:
    r"""Cut a topic as lunwen writes it: at each slash but ``\/``, which is one within a part."""
    parts = (re.sub(r"\\(.)", r"\1", part).strip() for part in _PART.findall(text))
    return tuple(part for part in parts if part)


def _read_names(text: str) -> tuple[Author, ...]:
    return tuple(Author(name=name) for name in read_texts(text))


def _read_authors(text: str) -> tuple[Author, ...]:
    """Cut at semicolons, else at " and ", else at commas: "Ada Lovelace, Alan Turing"."""
    if ";" in text:
        names = text.split(";")
    elif " and " in text:
        names = text.split(" and ")
    else:
        names = text.split(",")
        if len(names) == 2 and " " not in names[0].strip():  # "Díaz, Ana"
            names = [text]
    authors = []
    for name in names:
        family, comma, given = (part.strip() for part in name.strip().partition(","))
        if comma and family and given:
            authors.append(Author(name=f"{given} {family}", given=given, family=family))
        elif family:
            authors.append(Author(name=family))
    return tuple(authors)


SOURCE = Table()
