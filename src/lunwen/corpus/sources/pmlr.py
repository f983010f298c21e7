"""PMLR volumes as citeproc YAML (``assets/bib/citeproc.yaml``), and the pages of volumes and papers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import yaml

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._link import identify_links
from lunwen.corpus.sources._pmlr_page import is_page, read_page_records
from lunwen.corpus.sources._value import read_date_parts, read_text, read_year
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_ITEM = re.compile(rb"^- +[\w-]+:", re.MULTILINE)
_SIGN = re.compile(rb"^ +(?:container-title|series|issued|firstpage|genre): ?", re.MULTILINE)
_VOLUME = re.compile(r"[vr]?\d+", re.IGNORECASE)


class Pmlr:
    """Proceedings of Machine Learning Research."""

    name = "pmlr"
    says = "PMLR: citeproc YAML, one file a volume; a page of a volume or of a paper"

    def sniff(self, file: SourceFile) -> bool:
        """Whether it is a YAML list of items with citeproc's names, or a page of PMLR."""
        head = file.head
        return is_page(head) or (
            head.lstrip().startswith((b"---", b"- "))
            and bool(_ITEM.search(head))
            and bool(_SIGN.search(head))
            and re.search(rb"^(?:- +| +)title:", head, re.MULTILINE) is not None
        )

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers of the volume.

        Raises:
            UnreadableFile: no item in it.
        """
        if is_page(file.head):
            yield from read_page_records(file)
            return
        found = False
        for number, line, text in _items(file):
            found = True
            place = f"entry {number}, line {line}"
            try:
                # every value as text: YAML takes the title "1984" for a number and "No" for a truth value
                items = yaml.load(text, Loader=yaml.CBaseLoader)  # noqa: S506 - BaseLoader makes text only
            except yaml.YAMLError as error:
                yield BadRecord(place, f"broken YAML: {getattr(error, 'problem', None) or error}")
                continue
            item = items[0] if isinstance(items, list) and items else None
            yield _read_item(place, item) if isinstance(item, Mapping) else BadRecord(place, "not an item")
        if not found:
            raise UnreadableFile(f'{file.name} has no citeproc item · each starts with a line "- title: …"')


def _items(file: SourceFile) -> Iterator[tuple[int, int, bytes]]:
    """Yield the number, first line and text of each item of the list, so that one broken item is one."""
    number, first = 0, 0
    lines: list[bytes] = []
    with file.open() as stream:
        for count, line in enumerate(stream, start=1):
            if line.startswith(b"- "):
                if lines:
                    yield number, first, b"".join(lines)
                number, first, lines = number + 1, count, []
            elif line.startswith((b"---", b"...")) or not number:
                continue
            lines.append(line)
    if lines:
        yield number, first, b"".join(lines)


def _read_item(place: str, item: Mapping[str, Any]) -> Record | BadRecord:
    title = read_text(item.get("title"))
    url, pdf = read_text(item.get("URL") or item.get("url")), read_text(item.get("PDF") or item.get("pdf"))
    key = read_text(item.get("id"))
    if title is None:
        return BadRecord(place, f'"{key}" has no title' if key else "no title")
    if key is None and url is None:
        return BadRecord(place, f'"{title}" has no id')
    volume = read_text(item.get("volume"))
    identifiers = identify_links((url, pdf, read_text(item.get("openreview"))))
    if "pmlr" not in identifiers and key and volume and _VOLUME.fullmatch(volume):
        identifiers["pmlr"] = f"{volume.lower() if volume[0].isalpha() else 'v' + volume}/{key}"
    if (forum := read_text(item.get("openreview"))) and "/" not in forum:
        identifiers["openreview"] = forum
    date = read_date_parts(item.get("issued"))
    book = read_text(item.get("container-title"))
    first, last = read_text(item.get("firstpage")), read_text(item.get("lastpage"))
    urls = (
        ("paper", url),
        ("pdf", pdf),
        ("code", read_text(item.get("software"))),
        ("video", read_text(item.get("video"))),
    )
    return Record(
        key=identifiers.get("pmlr") or key or title,
        title=title,
        authors=_read_authors(item.get("author")),
        abstract=read_text(item.get("abstract")),
        venue=book,
        year=int(date[:4]) if date else read_year(item.get("published")),
        status=Status.ACCEPTED,
        identifiers=identifiers,
        urls={kind: link for kind, link in urls if link},
        track=read_text(item.get("section")),
        booktitle=book,
        publisher=read_text(item.get("publisher")),
        pages=read_text(item.get("page")) or (f"{first}-{last}" if first and last else None),
        volume=volume,
        date=date,
        markup=Markup.LATEX,
        place=place,
    )


def _read_authors(value: object) -> tuple[Author, ...]:
    authors = []
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping):
            given = read_text(item.get("given"))
            last = (read_text(item.get("prefix")), read_text(item.get("family")))
            family = " ".join(part for part in last if part) or None
            parts = (given, family, read_text(item.get("suffix")))
            name = " ".join(part for part in parts if part) or read_text(item.get("literal"))
            if name:
                authors.append(Author(name=name, given=given, family=family))
    return tuple(authors)


SOURCE = Pmlr()
