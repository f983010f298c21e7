"""OpenAlex works: an answer of its API, one work, or one work a line as in its snapshot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._link import identify_doi, identify_links
from lunwen.corpus.sources._value import join_date, read_count, read_text, read_year

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_ISO = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})")
_SIGN = "https://openalex.org/W"
_PAPERS = frozenset(
    {"article", "preprint", "book-chapter", "review", "report", "dissertation", "letter", "other"}
)
#: What ``read_work`` reads: what is worth asking the API for.
FIELDS = (
    "id", "doi", "title", "display_name", "type", "publication_year", "publication_date", "authorships",
    "primary_location", "best_oa_location", "locations", "biblio", "keywords", "cited_by_count",
    "is_retracted", "is_paratext", "abstract_inverted_index",
)  # fmt: skip


class OpenAlex:
    """Works as OpenAlex's API and snapshot give them."""

    name = "openalex"
    says = "OpenAlex works: API answers in JSON, or one work a line"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first object is a work, or an answer with works."""
        return any(
            str(found.get("id", "")).startswith(_SIGN)
            for within in ((), ("results",))
            for found in first_objects(file, *within)
        )

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers; datasets, paratext and whole books are none.

        Raises:
            UnreadableFile: not JSON.
        """
        for item in read_objects(file, "results"):
            if isinstance(item, BadRecord):
                yield item
                continue
            place, work = item
            if read_text(work.get("type")) in (None, *_PAPERS) and not work.get("is_paratext"):
                yield read_work(place, work)


def read_work(place: str, work: Mapping[str, Any]) -> Record | BadRecord:
    """Read one work."""
    key = (read_text(work.get("id")) or "").rpartition("/")[2]
    title = read_text(work.get("title")) or read_text(work.get("display_name"))
    if not key or not title:
        return BadRecord(place, f"{key} has no title" if key else "no OpenAlex id")
    first, best = _map(work.get("primary_location")), _map(work.get("best_oa_location"))
    source, biblio = _map(first.get("source")), _map(work.get("biblio"))
    where, kind = read_text(source.get("display_name")), read_text(source.get("type"))
    preprint = work.get("type") == "preprint" or kind == "repository"
    urls = {
        "paper": read_text(first.get("landing_page_url")),
        "pdf": read_text(first.get("pdf_url")) or read_text(best.get("pdf_url")),
    }
    pages = [text for name in ("first_page", "last_page") if (text := read_text(biblio.get(name)))]
    return Record(
        key=key,
        title=title,
        authors=tuple(_read_authors(work.get("authorships"))),
        abstract=_read_abstract(work.get("abstract_inverted_index")),
        venue=where,
        year=read_year(work.get("publication_year")),
        status=Status.WITHDRAWN
        if work.get("is_retracted")
        else Status.PREPRINT
        if preprint
        else Status.ACCEPTED,
        identifiers=_identify(work),
        urls={name: url for name, url in urls.items() if url},
        keywords=tuple(
            text for one in _list(work.get("keywords")) if (text := read_text(_map(one).get("display_name")))
        ),
        booktitle=where if kind in ("conference", "book series") else None,
        publisher=None if preprint else read_text(source.get("host_organization_name")),
        pages="-".join(dict.fromkeys(pages)) or None,
        volume=read_text(biblio.get("volume")),
        date=_read_date(read_text(work.get("publication_date"))),
        citations=read_count(work.get("cited_by_count")),
        markup=Markup.HTML,
        place=place,
    )


def _identify(work: Mapping[str, Any]) -> dict[str, str]:
    """Its DOI, and the id that each place where it can be read has for it."""
    places = [_map(one) for one in _list(work.get("locations"))] or [_map(work.get("primary_location"))]
    links = [read_text(one.get(name)) for one in places for name in ("landing_page_url", "pdf_url")]
    return identify_links(links) | identify_doi(read_text(work.get("doi")))


def _read_abstract(index: object) -> str | None:
    """Put the words, which are kept with their places, one after another."""
    placed = [
        (place, word)
        for word, places in _map(index).items()
        for place in _list(places)
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(placed)) or None


def _read_authors(value: object) -> Iterator[Author]:
    for one in map(_map, _list(value)):
        author = _map(one.get("author"))
        name = read_text(author.get("display_name")) or read_text(one.get("raw_author_name"))
        if name is None:
            continue
        orcid = read_text(author.get("orcid"))
        written = [text for text in map(read_text, _list(one.get("raw_affiliation_strings"))) if text]
        places = [_map(place) for place in _list(one.get("institutions"))]
        named = [text for place in places if (text := read_text(place.get("display_name")))]
        # its own ids of people are left out: it makes several people of one, and one of several
        yield Author(
            name=name,
            orcid=orcid.rstrip("/").rpartition("/")[2] if orcid else None,
            affiliation=next(iter([*named, *written]), None),
        )


def _read_date(text: str | None) -> str | None:
    found = _ISO.fullmatch(text or "")
    return join_date(*map(int, found.groups())) if found else None


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


SOURCE = OpenAlex()
