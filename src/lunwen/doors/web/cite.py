"""What a paper's page tells reference managers and search engines of it: citation tags, COinS, JSON-LD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from lunwen.corpus.markup import plain
from lunwen.doors.web.url import outside_url
from lunwen.export.person import read_person
from lunwen.export.publication import Kind, publication

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.corpus.paper import Author, Paper

_CONTAINERS = {Kind.CONFERENCE: "citation_conference_title", Kind.JOURNAL: "citation_journal_title"}
_BOOK, _JOURNAL = "info:ofi/fmt:kev:mtx:book", "info:ofi/fmt:kev:mtx:journal"


def citation(paper: Paper) -> Iterable[tuple[str, str]]:
    """The citation_* tags that reference managers and Google Scholar read.

    Which one names the container decides what the paper is taken for; a preprint has none.
    """
    yield "citation_title", plain(paper.title)
    for author in paper.authors:
        parted = author.family and author.given
        yield "citation_author", f"{author.family}, {author.given}" if parted else author.name
    kind, name = publication(paper)
    first, last = _pages(paper)
    found: list[tuple[str, str | None]] = [
        ("citation_publication_date", _date(paper).replace("-", "/")),
        (_CONTAINERS.get(kind, ""), name if kind in _CONTAINERS else None),
        ("citation_publisher", paper.publisher),
        ("citation_volume", paper.volume),
        ("citation_firstpage", first),
        ("citation_lastpage", last),
        ("citation_doi", paper.identifiers.get("doi")),
        ("citation_arxiv_id", paper.identifiers.get("arxiv")),
        ("citation_pdf_url", outside_url(paper.urls.get("pdf") or "")),
        ("citation_keywords", "; ".join(paper.keywords)),
        ("citation_abstract", plain(paper.abstract) if paper.abstract else None),
    ]
    yield from ((tag, value) for tag, value in found if value)


def coins(paper: Paper) -> str:
    """The ContextObject of an empty span of class Z3988 (COinS; ANSI/NISO Z39.88-2004, KEV format).

    A paper in proceedings is a ``book`` of genre ``proceeding`` there, with the paper in ``atitle``.
    """
    kind, name = publication(paper)
    first, last = _pages(paper)
    conference = kind is Kind.CONFERENCE
    doi = paper.identifiers.get("doi")
    genre = "proceeding" if conference else "article" if kind is Kind.JOURNAL else "preprint"
    told: list[tuple[str, str | None]] = [
        ("ctx_ver", "Z39.88-2004"),
        ("rft_val_fmt", _BOOK if conference else _JOURNAL),
        ("rft.genre", genre),
        ("rft.atitle", plain(paper.title)),
        ("rft.btitle" if conference else "rft.jtitle", name if kind in _CONTAINERS else None),
        ("rft.date", _date(paper)),
        ("rft.volume", paper.volume),
        ("rft.spage", first),
        ("rft.epage", last),
        ("rft.pub", paper.publisher),
        *_first_author(paper.authors),
        *(("rft.au", author.name) for author in paper.authors),
        ("rft_id", f"info:doi/{doi}" if doi else outside_url(paper.urls.get("paper") or "")),
    ]
    return urlencode([(tag, value) for tag, value in told if value], quote_via=quote)


def json_ld(paper: Paper) -> dict[str, Any]:
    """The paper as a ScholarlyArticle of schema.org."""
    kind, name = publication(paper)
    doi = paper.identifiers.get("doi")
    pdf = outside_url(paper.urls.get("pdf") or "")
    container = {"@type": "Periodical" if kind is Kind.JOURNAL else "Book", "name": name}
    told: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle",
        "headline": plain(paper.title),
        "author": [_schema_person(author) for author in paper.authors],
        "datePublished": _date(paper),
        "isPartOf": container if kind in _CONTAINERS else None,
        "creativeWorkStatus": str(paper.status),
        "pagination": paper.pages,
        "publisher": {"@type": "Organization", "name": paper.publisher} if paper.publisher else None,
        "abstract": plain(paper.abstract or ""),
        "keywords": list(paper.keywords),
        "identifier": {"@type": "PropertyValue", "propertyID": "DOI", "value": doi} if doi else None,
        "sameAs": outside_url(paper.urls.get("paper") or ""),
        "encoding": {"@type": "MediaObject", "contentUrl": pdf, "encodingFormat": "application/pdf"}
        if pdf
        else None,
    }
    return {name: value for name, value in told.items() if value}


def _schema_person(author: Author) -> dict[str, Any]:
    person = read_person(author)
    if person.group:
        return {"@type": "Organization", "name": author.name}
    told = {
        "@type": "Person",
        "name": author.name,
        "givenName": person.given,
        "familyName": person.family if person.given else "",
        "affiliation": author.affiliation,
    }
    return {name: value for name, value in told.items() if value}


def _first_author(authors: tuple[Author, ...]) -> Iterable[tuple[str, str]]:
    person = read_person(authors[0]) if authors else None
    if person and not person.group:
        yield from (("rft.aulast", person.family), ("rft.aufirst", person.given))


def _date(paper: Paper) -> str:
    return paper.date or (str(paper.year) if paper.year else "")


def _pages(paper: Paper) -> tuple[str, str]:
    pages = (paper.pages or "").replace("–", "-").replace("--", "-").split("-")
    return pages[0].strip(), pages[-1].strip()
