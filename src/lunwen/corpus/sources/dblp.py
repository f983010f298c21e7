"""DBLP: pieces of dblp.xml, and the answers of its search."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._link import identify_links
from lunwen.corpus.sources._value import read_text, read_year
from lunwen.corpus.sources._xml import child_text, inner_text, inner_xml, peek_root, stream_elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from lunwen.corpus.source import SourceFile

_WITHIN = ("result", "hits", "hit")
_KINDS = ("article", "inproceedings", "incollection", "phdthesis", "mastersthesis", "data")
_NUMBERED = re.compile(r"(.+?) (\d{4})")
_ARXIV_VOLUME = re.compile(r"abs/(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Za-z]{2})?/\d{7})")


class Dblp:
    """The DBLP computer science bibliography."""

    name = "dblp"
    says = "DBLP: dblp.xml or a part of it, and search answers in JSON"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the root is ``dblp``, or the first hit has an ``info`` with a DBLP key."""
        if peek_root(file.head) in ("dblp", "dblpperson"):
            return True
        return any(
            isinstance(hit.get("info"), Mapping) and "key" in hit["info"]
            for hit in first_objects(file, *_WITHIN)
        )

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers; proceedings, home pages and books are none.

        Raises:
            UnreadableFile: neither XML nor JSON, or XML that declares entities.
        """
        if file.head.lstrip().startswith(b"<"):
            for element in stream_elements(file, *_KINDS):
                yield element if isinstance(element, BadRecord) else _read_element(element)
            return
        for item in read_objects(file, *_WITHIN):
            if isinstance(item, BadRecord):
                yield item
            elif not _is_volume(item[1]):
                yield _read_hit(*item)


def _read_element(element: etree._Element) -> Record | BadRecord:
    place = f"line {element.sourceline}"
    key = element.get("key")
    title = inner_xml(element.find("title"))
    if not key or not title:
        return BadRecord(place, f"{key or 'a record without a key'} has no title" if key else "no DBLP key")
    authors = [
        _read_author(name, author.get("orcid"))
        for author in element.findall("author")
        if (name := inner_text(author))
    ]
    kinds = ("booktitle", "journal", "school", "volume", "pages", "year", "publisher")
    facts = {name: child_text(element, name) for name in kinds}
    venue = facts["booktitle"] or facts["journal"] or facts["school"]
    facts |= {"key": key, "title": title, "venue": venue}
    links = [text for link in element.findall("ee") if (text := inner_text(link))]
    return _make(facts, authors=authors, links=links, place=place)


def _is_volume(hit: Mapping[str, Any]) -> bool:
    """Whether a hit is the proceedings themselves, which head a table of contents."""
    info = hit.get("info")
    return isinstance(info, Mapping) and info.get("type") == "Editorship"


def _read_hit(place: str, hit: Mapping[str, Any]) -> Record | BadRecord:
    info = hit.get("info")
    if not isinstance(info, Mapping):
        return BadRecord(place, "no info in it")
    key, title = read_text(info.get("key")), read_text(info.get("title"))
    if not key or not title:
        return BadRecord(place, f"{key} has no title" if key else "no DBLP key")
    listed = info.get("authors")
    listed = listed.get("author") if isinstance(listed, Mapping) else listed
    authors = []
    for author in listed if isinstance(listed, list) else [listed]:
        if isinstance(author, Mapping) and (name := read_text(author.get("text"))):
            authors.append(_read_author(html.unescape(name), person=read_text(author.get("@pid"))))
        elif name := read_text(author):
            authors.append(_read_author(html.unescape(name)))
    facts = {name: read_text(info.get(name)) for name in ("venue", "volume", "pages", "year", "publisher")}
    facts |= {"key": key, "title": title}
    if isinstance(info.get("venue"), list):  # ["NeurIPS", "Datasets and Benchmarks"]
        facts["venue"] = read_text(info["venue"][0]) if info["venue"] else None
    found = info.get("ee")
    links = [link for item in (found if isinstance(found, list) else [found]) if (link := read_text(item))]
    if doi := read_text(info.get("doi")):
        links.append(f"https://doi.org/{doi}")
    return _make(facts, authors=authors, links=links, place=place)


def _make(
    facts: Mapping[str, str | None], *, authors: Sequence[Author], links: Sequence[str], place: str
) -> Record:
    key, title = facts["key"] or "", facts["title"] or ""
    identifiers = {"dblp": key} | identify_links(links)
    venue, volume = facts["venue"], facts["volume"]
    preprint = key.startswith("journals/corr/")
    if preprint and (match := _ARXIV_VOLUME.fullmatch(volume or "")):
        identifiers.setdefault("arxiv", match[1])
    if title.endswith(".") and not title.endswith(".."):
        title = title[:-1]
    return Record(
        key=key,
        title=title,
        authors=tuple(authors),
        venue="arXiv" if preprint else venue,
        year=read_year(facts["year"]),
        status=Status.PREPRINT if preprint else Status.ACCEPTED,
        identifiers=identifiers,
        urls={"paper": links[0]} if links else {},
        booktitle=facts.get("booktitle"),
        publisher=facts["publisher"],
        pages=facts["pages"],
        volume=None if preprint else volume,
        date=facts["year"],
        markup=Markup.HTML,
        place=place,
    )


def _read_author(name: str, orcid: str | None = None, *, person: str | None = None) -> Author:
    """Read "Wenbo Guo 0001": the number tells people of one name apart."""
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return Author(name=name, author_id=person, orcid=orcid)
    return Author(name=match[1], author_id=person or name, orcid=orcid)


SOURCE = Dblp()
