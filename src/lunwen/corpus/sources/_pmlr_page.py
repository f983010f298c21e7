"""PMLR's pages for people: a volume's list of papers, and a paper's own page with its abstract."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._form import require_record
from lunwen.corpus.sources._html import cut_names, has_class, html_of, read_pages, text_of
from lunwen.corpus.sources._link import identify_links
from lunwen.corpus.sources._value import join_date, read_number, read_year

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from lunwen.corpus.source import SourceFile
    from lunwen.corpus.sources._html import HtmlPage

_BASE = "https://proceedings.mlr.press/"
_SIGN = re.compile(rb"""class=["']?paper\b|name=["']?citation_title""")
_INFO = re.compile(r"PMLR (?P<volume>[\w-]+):(?P<pages>[\d–-]+)(?:, (?P<year>\d{4}))?")
_KINDS = (("supplementary", "supplementary"), ("software", "code"), ("video", "video"), ("pdf", "pdf"))


def is_page(head: bytes) -> bool:
    """Whether it is HTML of PMLR."""
    return (
        head.lstrip()[:1] == b"<"
        and bool(_SIGN.search(head))
        and (b"proceedings.mlr.press" in head or b"github.com/mlresearch/" in head)
    )


def read_page_records(file: SourceFile) -> Iterator[Record | BadRecord]:
    """Yield the papers of a volume's list without abstracts, that of a paper's page with it.

    Raises:
        UnreadableFile: no paper in it.
    """
    yield from require_record(file, "paper of PMLR", _read(file))


def _read(file: SourceFile) -> Iterator[Record | BadRecord]:
    for page in read_pages(file):
        rows = [one for one in page.root.iter("div") if has_class(one, "paper")]
        for row in rows:
            title = next((one for one in row.iter("p") if has_class(one, "title")), None)
            yield _make(page, row, f"line {row.sourceline}", html_of(title))
        if not rows and (said := page.meta("citation_title")):
            yield _make(page, page.root, page.place, html_of(page.find("h1")) or escape(said[0], quote=False))
        elif not rows:
            yield BadRecord(page.place, f"no paper: {page.title}")


def _make(page: HtmlPage, row: etree._Element, place: str, title: str | None) -> Record | BadRecord:
    """Read a row of the list, or a paper's page, which say the same in the same words."""
    links = [(text_of(one).lower(), page.link(one.get("href"), _BASE)) for one in row.iter("a")]
    own = next((url for text, url in links if text == "abs"), None)
    found = page.meta("citation_pdf_url")
    urls: dict[str, str] = {"pdf": found[0]} if found else {}
    for text, url in links:
        kind = next((kind for word, kind in _KINDS if word in text), None)
        if kind and url:
            urls.setdefault(kind, url)
    own = own or page.url or re.sub(r"/[\w-]+\.pdf$", ".html", urls.get("pdf", ""))
    identifiers = identify_links(
        (own, urls.get("pdf"), *(url for text, url in links if text == "openreview"))
    )
    if title is None or "pmlr" not in identifiers:
        return BadRecord(place, "no link to its page" if title else "no title")
    names = next((one for one in row.iter("span") if has_class(one, "authors")), None)
    info = next(
        (one for one in row.iter("span", "div") if has_class(one, "info") or one.get("id") == "info"), row
    )
    book = text_of(next(info.iter("i"), None)) or None
    said = _INFO.search(text_of(info))
    date = re.split(r"[-/]", next(iter(page.meta("citation_publication_date")), ""))
    dates = (date[0], said["year"] if said else None, text_of(page.find("h2")))  # "Volume 97: …, 24 May 2019"
    year = next((year for text in dates if (year := read_year(text))), None)
    return Record(
        key=identifiers["pmlr"] if row is page.root else f"list/{identifiers['pmlr']}",  # takes nothing back
        title=title,
        authors=tuple(
            Author(name=name) for name in cut_names(text_of(names)) or page.meta("citation_author")
        ),
        abstract=html_of(page.find("div", id="abstract")),
        venue=book,
        year=year,
        status=Status.ACCEPTED,
        identifiers=identifiers,
        urls={"paper": f"{_BASE}{identifiers['pmlr']}.html"} | urls,
        booktitle=book,
        publisher="PMLR",
        pages=said["pages"] if said else None,
        volume=said["volume"] if said else None,
        date=join_date(year, *(read_number(part) for part in date[1:3])),
        markup=Markup.HTML,
        place=place,
    )
