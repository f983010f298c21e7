"""The program of a conference's virtual site: ``{"count": …, "results": [event, …]}``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lunwen.corpus.identifier import identifiers_in
from lunwen.corpus.paper import Author, BadRecord, Markup, Record
from lunwen.corpus.sources._conference import Conference, read_event, read_file_name, read_group
from lunwen.corpus.sources._decision import read_decision
from lunwen.corpus.sources._form import require_record
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._topic import read_path
from lunwen.corpus.sources._value import read_text, read_texts
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_EMPTY = re.compile(rb'"results"\s*:\s*(?:\[\s*\]|null)')
_UNSPOKEN = re.compile(rb'\{\s*"count"\s*:\s*0\b')
_PAPER = re.compile(r"poster|oral|spotlight|highlight|paper", re.IGNORECASE)
_SESSION = re.compile(r"session|talk|workshop|tutorial|social|expo", re.IGNORECASE)
_HTML = re.compile(
    r"</?(?:p|br|strong|em|i|b|a|ul|ol|li|div|span|sub|sup|code)(?:\s+[\w-]+=[\"'][^\"'<>]*[\"'])*\s*/?>|&#?\w+;"
)
_VIRTUAL = re.compile(r"/virtual/(\d{4})/")
_YEAR = re.compile(r"(?:19|20)\d\d(?=-)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


# the site cuts its list of authors at semicolons: "Kyle O&amp", "#x27" and "Brien" are one
_CUT_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|(?:amp;)?#(?:\d+|x[\da-f]+))$", re.IGNORECASE)


class Program:
    """The events of a conference that are papers; twins of one paper are merged later."""

    name = "program"
    says = "a conference program: the orals-posters JSON of ICML, ICLR, NeurIPS, CVPR, ECCV, MLSys"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first results are events, or there are none yet."""
        if (
            file.head.lstrip()[:1] == b"{"
            and _UNSPOKEN.match(file.head.lstrip())
            and _EMPTY.search(file.head)
        ):
            return True
        return any(
            "name" in event and event.keys() & {"eventtype", "event_type", "virtualsite_url", "eventmedia"}
            for event in first_objects(file, "results")
        )

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield a record for each event that presents a paper.

        Raises:
            UnreadableFile: not a program, or not published yet.
        """
        if _is_unpublished(file):
            raise UnreadableFile(
                f"{file.name} holds no papers: the program is not published yet. Fetch it again later."
            )
        yield from require_record(file, "conference program", _read_events(file))


def _is_unpublished(file: SourceFile) -> bool:
    return bool(_UNSPOKEN.match(file.head.lstrip()) and _EMPTY.search(file.head))


def _read_events(file: SourceFile) -> Iterator[Record | BadRecord]:
    named = read_file_name(file.name)
    for item in read_objects(file, "results"):
        if isinstance(item, BadRecord):
            yield item
            continue
        place, event = item
        kind = read_text(event.get("eventtype")) or read_text(event.get("event_type"))
        if event.get("visible") is False or not _is_paper(kind):
            continue
        yield _read_event(place, event, kind, named)


def _is_paper(kind: str | None) -> bool:
    return kind is None or (bool(_PAPER.search(kind)) and not _SESSION.search(kind))


def _read_event(
    place: str, event: Mapping[str, Any], kind: str | None, named: Conference | None
) -> Record | BadRecord:
    number, title = read_text(event.get("id")), read_text(event.get("name"))
    if number is None or title is None:
        return BadRecord(place, "an event without id or name")
    conference = _find_conference(event, named)
    links = _read_links(event, conference)
    abstract = read_text(event.get("abstract"))
    uid = read_text(event.get("uid"))
    prefix = f"{conference.slug}-" if conference else ""
    identifiers = {"event": f"{prefix}{number}"}
    if uid:
        identifiers["uid"] = f"{prefix}{uid}"
    for link in links.values():
        if found := identifiers_in(link):
            identifiers.setdefault(found.scheme, found.value)
    return Record(
        key=f"{prefix}{number}",
        title=title,
        authors=_read_authors(event.get("authors")),
        abstract=abstract,
        venue=conference.venue if conference else None,
        year=conference.year if conference else _find_year(event),
        topic=read_path(read_text(event.get("topic"))),
        status=read_decision(read_text(event.get("decision")), kind),
        identifiers=identifiers,
        urls=links,
        keywords=read_texts(event.get("keywords"), separators=",;"),
        track=conference.track if conference else None,
        date=_read_date(event.get("starttime")),
        markup=Markup.HTML if _HTML.search(f"{title} {abstract or ''}") else Markup.PLAIN,
        place=place,
    )


def _find_conference(event: Mapping[str, Any], named: Conference | None) -> Conference | None:
    """Read the conference in the event; only where it says nothing, in the file's name."""
    for field in ("sourceurl", "virtualsite_url", "url"):
        link = read_text(event.get(field)) or ""
        if conference := read_group(link):
            return conference
        if found := read_event(link):
            return found[0]
    year = _find_year(event)
    if named and year and year != named.year:
        return Conference(named.venue, year)
    return named


def _find_year(event: Mapping[str, Any]) -> int | None:
    if found := _VIRTUAL.search(read_text(event.get("virtualsite_url")) or ""):
        return int(found[1])
    found = _YEAR.match(read_text(event.get("starttime")) or "")
    return int(found[0]) if found else None


def _read_date(value: object) -> str | None:
    found = _DATE.match(read_text(value) or "")
    return found[0] if found else None


def _read_authors(value: object) -> tuple[Author, ...]:
    authors: list[Author] = []
    for item in (
        read_texts(value, ",") if isinstance(value, str) else value if isinstance(value, Sequence) else ()
    ):
        person = item if isinstance(item, Mapping) else {"fullname": item}
        if name := read_text(person.get("fullname")) or read_text(person.get("name")):
            if authors and _CUT_ENTITY.search(authors[-1].name):
                authors[-1] = replace(authors[-1], name=f"{authors[-1].name};{name}")
                continue
            authors.append(
                Author(
                    name=name,
                    author_id=read_text(person.get("id")),
                    affiliation=read_text(person.get("institution")),
                )
            )
    return tuple(authors)


def _read_links(event: Mapping[str, Any], conference: Conference | None) -> dict[str, str]:
    """Read every link of an event; a field that is present and null hides nothing."""
    links: dict[str, str] = {}

    def keep(kind: str, link: object) -> None:
        if (text := _absolute(read_text(link), conference)) and kind not in links:
            links[kind] = text

    keep("paper", event.get("paper_url"))
    keep("pdf", event.get("paper_pdf_url"))
    keep("page", event.get("virtualsite_url"))
    media = event.get("eventmedia")
    for medium in media if isinstance(media, Sequence) else ():
        if isinstance(medium, Mapping) and medium.get("visible") is not False:
            for link in (medium.get("uri"), medium.get("file")):
                keep(_kind_of(read_text(link) or "", read_text(medium.get("type")) or ""), link)
    keep("paper" if "paper" not in links else "site", event.get("url"))
    return links


def _kind_of(link: str, kind: str) -> str:
    """Say what a medium is, from where it leads, then from what the site calls it."""
    for part, word in (
        ("openreview.net/pdf", "pdf"),
        ("openreview.net/attachment", "supplementary"),
        ("openreview.net", "paper"),
        ("github.com", "code"),
        ("slideslive.com", "video"),
        ("youtu", "video"),
        ("arxiv.org", "preprint"),
    ):
        if part in link:
            return word
    kind = kind.lower()
    for word in ("poster", "slides", "video", "code", "pdf", "thumbnail", "paper", "project"):
        if word in kind:
            return word
    return "project" if "site" in kind or "url" in kind else "media"


def _absolute(link: str | None, conference: Conference | None) -> str | None:
    if link is None or link.startswith(("https://", "http://")):
        return link
    if link.startswith("/") and conference:
        return conference.locate(link)
    return None


SOURCE = Program()
