"""The proceedings of NeurIPS, ICLR and MLSys, which one program shows: ``papers.nips.cc`` and its sisters.

A year's page lists titles and authors, a paper's own page adds the abstract. Both are records, under keys of
their own, so that a list that comes again takes nothing back. The pages have been made over twice; what has
stayed is how a paper's page is called: ``…/paper/2024/hash/MD5-Abstract-Conference.html``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._conference import read_link
from lunwen.corpus.sources._form import require_record
from lunwen.corpus.sources._html import cut_names, has_class, html_of, read_pages, text_of
from lunwen.corpus.sources._link import identify_links
from lunwen.corpus.sources._value import join_date, read_number, read_year

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml import etree

    from lunwen.corpus.source import SourceFile
    from lunwen.corpus.sources._html import HtmlPage

_PAPER = re.compile(
    r"/paper/\d{4}/(?:hash|file)/[0-9a-f]{32}-(?:Abstract|Paper)(?:-(?P<track>\w+))?\.(?P<kind>html|pdf)"
)
_SIGN = re.compile(rb"/paper/\d{4}/(?:hash|file)/[0-9a-f]{32}-(?:Abstract|Paper)")
_BOOKS = (  # what the books are called, and where they are
    (re.compile(r"Learning Representations|Representation Learning"), "https://proceedings.iclr.cc/"),
    (re.compile(r"Machine Learning and Systems"), "https://proceedings.mlsys.org/"),
    (re.compile(r"Neural Information Processing"), "https://papers.nips.cc/"),
)
_NUMBERED = re.compile(r"(.+?)(?:\s+(\d+))?(?:\s*\([^()]*\))?")  # "Advances in … 37 (NeurIPS 2024)"
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5"})
_LINKS = {"paper": "pdf", "supplemental": "supplementary", "supplementary": "supplementary"}
_NO_TRACK = re.compile(r"Conference|round\d")


class Proceedings:
    """Proceedings of NeurIPS, ICLR and MLSys."""

    name = "proceedings"
    says = "the proceedings of NeurIPS, ICLR and MLSys, a page of a year or of a paper"

    def sniff(self, file: SourceFile) -> bool:
        """Whether it is HTML with links as only these proceedings have them."""
        return file.head.lstrip()[:1] == b"<" and bool(_SIGN.search(file.head))

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers of a year without abstracts, that of a paper's page with it.

        Raises:
            UnreadableFile: no paper in it.
        """
        yield from require_record(file, "paper of these proceedings", _read(file))


class _Book(NamedTuple):
    title: str | None
    volume: str | None
    base: str  # where it is


def _read(file: SourceFile) -> Iterator[Record | BadRecord]:
    for page in read_pages(file):
        if page.meta("citation_title"):
            yield _read_paper(page)
            continue
        book = _find_book(page)
        anchors: dict[str, etree._Element] = {}
        for anchor in page.root.iter("a"):
            found = _PAPER.search(anchor.get("href") or "")
            if found and found["kind"] == "html":
                anchors.setdefault(found[0], anchor)
        for anchor in anchors.values():
            yield _read_row(page, anchor, book)
        if not anchors:
            yield BadRecord(page.place, f"no paper: {page.title}")


def _find_book(page: HtmlPage) -> _Book:
    """Return what the page calls the book: a year's page in its heading, a paper's above its title."""
    texts = [
        *page.meta("citation_journal_title"),
        *(text_of(one) for one in page.root.iter("h1", "h2", "h4", "a")),
    ]
    for pattern, base in _BOOKS:
        found = next((text for text in texts if pattern.search(text)), None)
        if found and (parts := _NUMBERED.fullmatch(found)):
            volume = next(iter(page.meta("citation_volume")), parts[2])
            return _Book(parts[1], volume if read_year(volume) is None else None, base)
    return _Book(None, None, _BOOKS[-1][1])


def _read_row(page: HtmlPage, anchor: etree._Element, book: _Book) -> Record | BadRecord:
    row = next(anchor.iterancestors("li"), anchor)
    names = next(
        (one for one in row.iter("span", "i") if one.tag == "i" or has_class(one, "paper-authors")), None
    )
    return _make(
        f"line {anchor.sourceline}",
        html_of(anchor),
        tuple(Author(name=name) for name in cut_names(text_of(names))),
        {"paper": page.link(anchor.get("href"), book.base)},
        book,
    )


def _read_paper(page: HtmlPage) -> Record | BadRecord:
    book = _find_book(page)
    pdf = next(iter(page.meta("citation_pdf_url")), None)
    own = page.url if _PAPER.search(page.url) else pdf
    if own is None or not _PAPER.search(own):
        return BadRecord(page.place, f"no link to a paper of these proceedings: {page.title}")
    own = own.replace("/file/", "/hash/").replace("-Paper", "-Abstract").removesuffix(".pdf")
    urls = {"paper": own if own.endswith(".html") else f"{own}.html", "pdf": pdf}
    for anchor in page.root.iter("a"):
        if kind := _LINKS.get(text_of(anchor).lower()):
            urls[kind] = urls.get(kind) or page.link(anchor.get("href"), own)
    title = page.meta("citation_title")[0]
    authors = tuple(_read_author(name) for name in page.meta("citation_author"))
    record = _make(page.place, escape(title, quote=False), authors, urls, book)
    if isinstance(record, BadRecord):
        return record
    pages = [text for end in ("first", "last") for text in page.meta(f"citation_{end}page")]
    date = re.split(r"[-/]", next(iter(page.meta("citation_publication_date")), ""))
    return replace(
        record,
        key=f"{record.key}-Abstract",
        abstract=_read_abstract(page),
        pages="-".join(pages) or next(iter(page.meta("citation_pages")), None),
        date=join_date(read_year(date[0]), *(read_number(part) for part in date[1:3])),
    )


def _read_author(name: str) -> Author:
    """Read "Family, Given", or a name as it is."""
    family, comma, given = (part.strip() for part in name.partition(","))
    return (
        Author(name=f"{given} {family}", given=given, family=family) if comma and given else Author(name=name)
    )


def _read_abstract(page: HtmlPage) -> str | None:
    """Return what follows the heading "Abstract", up to the next heading."""
    heading = next((one for one in page.root.iter(*_HEADINGS) if text_of(one).lower() == "abstract"), None)
    paragraphs: list[etree._Element] = []
    for sibling in () if heading is None else heading.itersiblings():
        if sibling.tag in _HEADINGS:
            break
        paragraphs.append(sibling)
    return html_of(*paragraphs)


def _make(
    place: str, title: str | None, authors: tuple[Author, ...], urls: Mapping[str, str | None], book: _Book
) -> Record | BadRecord:
    url = urls["paper"] or ""
    identifiers = identify_links([url])
    conference = read_link(url)
    if title is None or conference is None or "neurips" not in identifiers:
        return BadRecord(place, "no link to its page" if title else "no title")
    found = _PAPER.search(url)
    track = found["track"] if found else None
    return Record(
        key=identifiers["neurips"],
        title=title,
        authors=authors,
        venue=conference.venue,
        year=conference.year,
        status=Status.ACCEPTED,
        identifiers=identifiers,
        urls={kind: link for kind, link in urls.items() if link},
        track=track.replace("_", " ") if track and not _NO_TRACK.fullmatch(track) else None,
        booktitle=book.title,
        volume=book.volume,
        markup=Markup.HTML,
        place=place,
    )


SOURCE = Proceedings()
