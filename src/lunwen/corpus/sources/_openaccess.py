"""Proceedings as the Computer Vision Foundation's pages show them, which ECVA's are made like.

A listing has for each paper a ``dt.ptitle`` with its title, a ``dd`` with its authors and one with its links
and BibTeX; the abstract is on the paper's own page. Both are records, under keys of their own, so that a
listing that comes again takes nothing back.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._conference import read_link
from lunwen.corpus.sources._entry import read_fields
from lunwen.corpus.sources._form import require_record
from lunwen.corpus.sources._html import cut_names, has_class, html_of, read_pages, text_of
from lunwen.corpus.sources._link import identify_doi, identify_links
from lunwen.corpus.sources._value import join_date, read_month, read_text, read_year

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from lunwen.corpus.source import SourceFile
    from lunwen.corpus.sources._html import HtmlPage

_SIGN = re.compile(rb"""(?:class|id)=["']?(?:ptitle|papertitle)\b|name=["']citation_title""")
_SPRINGER = re.compile(r"link\.springer\.com/chapter/(10\.1007/[\w.-]+)")
_KINDS = {  # how a link is called: what we call it
    "pdf": "pdf",
    "supp": "supplementary",
    "supplementary": "supplementary",
    "supplementary material": "supplementary",
    "video": "video",
    "dataset": "dataset",
}
_QUOTED = re.compile(r'\s*["“](.*)["”]\s*', re.DOTALL)


class _Said(NamedTuple):
    """What a page says of one paper."""

    title: str | None
    url: str | None  # of its own page
    names: Sequence[str]
    links: Sequence[tuple[str, str]]  # text in small letters, address
    bibtex: str
    abstract: str | None = None
    is_own: bool = False  # the page is the paper's own


class OpenAccess:
    """One site of such pages."""

    def __init__(self, name: str, says: str, *, base: str, paper: str) -> None:
        self.name = name
        self.says = says
        self._base = base
        self._paper = re.compile(paper.encode())  # what links to papers look like

    def sniff(self, file: SourceFile) -> bool:
        """Whether it is a listing or a paper's page of this site."""
        head = file.head
        return head.lstrip()[:1] == b"<" and bool(_SIGN.search(head)) and bool(self._paper.search(head))

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers of a listing without abstracts, that of a paper's page with it.

        Raises:
            UnreadableFile: no paper in it.
        """
        yield from require_record(file, f"paper of {self.name.upper()}", self._read(file))

    def _read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        for page in read_pages(file):
            titles = [one for one in page.root.iter("dt") if has_class(one, "ptitle")]
            for title in titles:
                yield self._record(f"line {title.sourceline}", self._listed(page, title))
            if titles:
                continue
            said = self._shown(page)
            yield self._record(page.place, said) if said else BadRecord(page.place, f"no paper: {page.title}")

    def _listed(self, page: HtmlPage, title: etree._Element) -> _Said:
        rows: list[etree._Element] = []
        for sibling in title.itersiblings():
            if sibling.tag == "dt":
                break
            rows.append(sibling)
        anchor = next(title.iter("a"), None)
        fields = [one for row in rows for one in row.iter("input") if one.get("name") == "query_author"]
        names = [name for one in fields for name in cut_names(one.get("value") or "")]
        return _Said(
            title=html_of(title if anchor is None else anchor),
            url=None if anchor is None else page.link(anchor.get("href"), self._base),
            names=names or cut_names(next((text for text in map(text_of, rows[:1]) if "[" not in text), "")),
            links=self._links(page, rows),
            bibtex=_bibtex(rows),
        )

    def _shown(self, page: HtmlPage) -> _Said | None:
        heading = page.find("div", id="papertitle")
        said = page.meta("citation_title")
        title = html_of(heading) or (said[0] if said else None)
        if title is None:
            return None
        names = page.find("div", id="authors")
        italic = None if names is None else next(names.iter("i"), None)
        links = self._links(page, [page.root])
        links += [("pdf", url) for url in page.meta("citation_pdf_url")[:1]]
        return _Said(
            title=title,
            url=page.url or _own_address(links),
            names=cut_names(text_of(italic)) or page.meta("citation_author"),
            links=links,
            bibtex=_bibtex([page.root]),
            abstract=_unquote(html_of(page.find("div", id="abstract"))),
            is_own=True,
        )

    def _links(self, page: HtmlPage, rows: Sequence[etree._Element]) -> list[tuple[str, str]]:
        anchors = [one for row in rows for one in row.iter("a")]
        return [
            (text_of(one).lower(), url)
            for one in anchors
            if not (one.get("href") or "#").startswith("#")
            and (url := page.link(one.get("href"), self._base))
        ]

    def _record(self, place: str, said: _Said) -> Record | BadRecord:
        if said.title is None or said.url is None:
            return BadRecord(place, "no link to its page" if said.title else "no title")
        entry = read_fields(said.bibtex) if said.bibtex else {}
        address = said.url.partition("?")[0]
        identifiers = identify_links([address])
        own = identifiers.get("cvf") or address.rpartition("/")[2]
        urls = {"paper": said.url}
        for text, url in said.links:
            if kind := _KINDS.get(text):
                urls.setdefault(kind, url)
            elif text in ("arxiv", "doi"):
                identifiers = identify_links([url]) | identifiers
            if doi := _SPRINGER.search(url):
                identifiers |= identify_doi(doi[1])
        conference = read_link(said.url)
        year = read_year(entry.get("year")) or (conference.year if conference else None)
        book = read_text(entry.get("booktitle"))
        return Record(
            key=f"{own}.html" if said.is_own else own,
            title=said.title,
            authors=tuple(Author(name=name) for name in said.names),
            abstract=said.abstract,
            venue=book or (conference.venue if conference else None),
            year=year,
            status=Status.ACCEPTED,
            identifiers=identifiers,
            urls=urls,
            booktitle=book,
            publisher=entry.get("publisher"),
            pages=entry.get("pages"),
            date=join_date(year, read_month(entry.get("month"))),
            markup=Markup.HTML,
            place=place,
        )


def _bibtex(rows: Sequence[etree._Element]) -> str:
    return next((text_of(one) for row in rows for one in row.iter("div") if has_class(one, "bibref")), "")


def _own_address(links: Sequence[tuple[str, str]]) -> str | None:
    """Return where a page is whose PDF is there: CVF keeps both under the same names."""
    pdf = next((url for text, url in links if text == "pdf"), None)
    return re.sub(r"\.pdf$", ".html", pdf.replace("/papers/", "/html/")) if pdf else None


def _unquote(text: str | None) -> str | None:
    """Take off the quotation marks that ECVA sets around abstracts."""
    found = _QUOTED.fullmatch(text) if text else None
    return found[1] if found and not re.search(r'["“”]', found[1]) else text
