"""ACL Anthology XML: a collection of volumes of papers, text with inline markup."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._value import join_date, read_month, read_year
from lunwen.corpus.sources._xml import inner_text, inner_xml, peek_root, stream_elements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from lunwen.corpus.source import SourceFile

_SITE = "https://aclanthology.org/"
_OLD_COLLECTION = re.compile(r"[A-Z]\d\d")
_HAN = ("hani", "hans", "hant", "jpan", "kore")
_VENUES = {
    "A": "anlp", "C": "coling", "D": "emnlp", "E": "eacl", "H": "hlt", "I": "ijcnlp", "J": "cl",
    "K": "conll", "L": "lrec", "M": "muc", "N": "naacl", "O": "rocling", "P": "acl", "Q": "tacl",
    "R": "ranlp", "S": "semeval", "U": "alta", "W": "ws", "Y": "paclic",
}  # fmt: skip
_TRACKS = {
    "long": "Long",
    "short": "Short",
    "main": "Main",
    "demo": "System Demonstrations",
    "demos": "System Demonstrations",
    "industry": "Industry",
    "srw": "Student Research Workshop",
    "tutorials": "Tutorial",
    "tutorial": "Tutorial",
}
_NO_PAPER = re.compile(  # what journals and proceedings bind in between, and nobody signs
    r"advertisements?|announcements?|(front|back) matter|books received|briefly noted|calls? for papers"
    r"|abstracts of current literature|(author|title|subject) index\b.*|index|(table of )?contents",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Volume:
    """What a volume says of all its papers."""

    collection: str
    number: str
    venue: str | None
    track: str | None
    booktitle: str | None
    publisher: str | None
    year: int | None
    date: str | None
    journal: str | None

    def paper_id(self, number: str) -> str:
        """Return the Anthology id of a paper: "2022.acl-long.75", "P17-1001", "W05-0101"."""
        if not _OLD_COLLECTION.fullmatch(self.collection):
            return f"{self.collection}-{self.number}.{number}"
        two_digits = (
            self.collection[0] == "W"
            or self.collection == "C69"
            or (self.collection == "D19" and int(self.number) >= 5)
        )
        if two_digits:
            return f"{self.collection}-{int(self.number):02d}{int(number):02d}"
        return f"{self.collection}-{int(self.number)}{int(number):03d}"


class Acl:
    """The ACL Anthology."""

    name = "acl"
    says = "ACL Anthology XML, one file a collection"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the root is a collection of volumes."""
        return peek_root(file.head) == "collection" and (b"<volume" in file.head or b"<event" in file.head)

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers, without front matter, advertisements and the like.

        Raises:
            UnreadableFile: not XML, or with entities of its own.
        """
        volume: _Volume | None = None
        for element in stream_elements(file, "meta", "paper"):
            if isinstance(element, BadRecord):
                yield element
                continue
            parent = element.getparent()
            if parent is None or parent.tag != "volume":
                continue
            if element.tag == "meta":
                volume = _read_volume(element, parent)
            elif volume is not None and not _is_no_paper(element):
                yield _read_paper(element, volume)


def _is_no_paper(paper: etree._Element) -> bool:
    title = inner_text(paper.find("title")) or ""
    return paper.find("author") is None and bool(_NO_PAPER.fullmatch(title.strip(" .")))


def _read_volume(meta: etree._Element, element: etree._Element) -> _Volume:
    root = element.getparent()
    collection = (root.get("id") if root is not None else None) or ""
    number = element.get("id") or "1"
    venues = [text for venue in meta.findall("venue") if (text := inner_text(venue))]
    venue = next((name for name in venues if name != "ws"), venues[0] if venues else None)
    track = _TRACKS.get(number)
    if collection.endswith(".findings"):
        venue, track = number, "Findings"
    elif venue is None:
        venue = _VENUES.get(collection[:1]) if "." not in collection else collection.partition(".")[2]
    year = read_year(inner_text(meta.find("year")))
    return _Volume(
        collection=collection,
        number=number,
        venue=venue,
        track=track,
        booktitle=inner_xml(meta.find("booktitle")),
        publisher=inner_xml(meta.find("publisher")),
        year=year,
        date=join_date(year, read_month(inner_text(meta.find("month")))),
        journal=inner_text(meta.find("journal-volume")),
    )


def _read_paper(paper: etree._Element, volume: _Volume) -> Record | BadRecord:
    place = f"line {paper.sourceline}"
    number = paper.get("id") or ""
    title = inner_xml(paper.find("title"))
    try:
        acl_id = volume.paper_id(number)
    except ValueError:
        return BadRecord(place, f'paper "{number}" of volume "{volume.number}" has no Anthology number')
    if title is None:
        return BadRecord(place, f"{acl_id} has no title")
    doi = inner_text(paper.find("doi"))
    withdrawn = tuple(
        f"{tag}: {inner_text(element) or element.get('date') or 'no reason given'}"
        for tag in ("retracted", "removed")
        for element in paper.findall(tag)
    )
    awards = [text for award in paper.findall("award") if (text := inner_xml(award))]
    return Record(
        key=acl_id,
        title=title,
        authors=tuple(author for element in paper.findall("author") if (author := _read_author(element))),
        abstract=inner_xml(paper.find("abstract")),
        venue=volume.venue,
        year=volume.year,
        status=Status.WITHDRAWN if withdrawn else Status.ACCEPTED,
        identifiers={"acl": acl_id, "doi": doi.lower()} if doi else {"acl": acl_id},
        urls=_read_urls(paper, acl_id),
        track=volume.track,
        award="; ".join(awards) or None,
        booktitle=volume.booktitle,
        publisher=volume.publisher,
        pages=inner_text(paper.find("pages")),
        volume=volume.journal,
        date=volume.date,
        notes=withdrawn,
        markup=Markup.ACL,
        place=place,
    )


def _read_author(element: etree._Element) -> Author | None:
    given, family = inner_text(element.find("first")), inner_text(element.find("last"))
    name = " ".join(part for part in (given, family) if part) or (element.text or "").strip()
    if not name:
        return None
    variants = []
    for variant in element.findall("variant"):
        first, last = inner_text(variant.find("first")) or "", inner_text(variant.find("last")) or ""
        han = variant.get("script", "") in _HAN
        variants.append(f"{last}{first}" if han else f"{first} {last}".strip())
    return Author(
        name=name,
        given=given,
        family=family,
        author_id=element.get("id"),
        orcid=element.get("orcid"),
        affiliation=inner_text(element.find("affiliation")),
        variants=tuple(variant for variant in variants if variant),
    )


def _read_urls(paper: etree._Element, acl_id: str) -> dict[str, str]:
    urls = {"paper": f"{_SITE}{acl_id}/"}
    url = inner_text(paper.find("url"))
    if url:
        urls["pdf"] = url if "://" in url else f"{_SITE}{acl_id}.pdf"
    code = paper.find("pwccode")
    if code is not None and (link := code.get("url")):
        urls["code"] = link
    for video in paper.findall("video"):
        link = video.get("href") or ""
        if link:
            urls.setdefault("video", link if "://" in link else f"{_SITE}{link}")
    for attachment in paper.findall("attachment"):
        kind = (attachment.get("type") or "").lower()
        kind = {"presentation": "slides"}.get(kind, kind)
        link = inner_text(attachment) or ""
        if link and kind in ("poster", "slides", "software", "dataset"):
            urls.setdefault(kind, link if "://" in link else f"{_SITE}attachments/{link}")
    return urls


SOURCE = Acl()
