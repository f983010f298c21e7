"""OpenReview notes: API 2, where each field is ``{"value": …}``, and API 1, where it is the value itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lunwen.corpus.identifier import identifiers_in
from lunwen.corpus.paper import Author, BadRecord, Record, Status
from lunwen.corpus.sources._conference import Conference, read_group
from lunwen.corpus.sources._decision import read_decision
from lunwen.corpus.sources._form import require_record
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._topic import read_path
from lunwen.corpus.sources._value import read_text, read_texts, read_year

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_SITE = "https://openreview.net"
_ENVELOPE = re.compile(rb'\{\s*"notes"\s*:\s*\[')
_SIGNS = frozenset({"forum", "invitation", "invitations", "signatures", "cdate", "tcdate"})
_TLDR = ("TLDR", "TL;DR", "TL;DR:", "tldr", "one-sentence_summary", "one_sentence_summary")
_CODE = ("code", "code_link", "software", "github")
_SUBMITTED = re.compile(r"/(?:blind_|active_)?submission$", re.IGNORECASE)
_UNDECIDED = "decision not in the source"


class OpenReview:
    """Notes that are submissions; reviews and comments among them are left out."""

    name = "openreview"
    says = 'OpenReview notes, API 2 and API 1: {"notes": […]}, a list, or a note a line'

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first objects are notes."""
        return bool(_ENVELOPE.match(file.head.lstrip())) or any(
            isinstance(note.get("content"), Mapping) and note.keys() & _SIGNS
            for note in first_objects(file, "notes")
        )

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield a record for each submission.

        Raises:
            UnreadableFile: no notes in it.
        """
        yield from require_record(file, "OpenReview submissions", _read_notes(file))


def _read_notes(file: SourceFile) -> Iterator[Record | BadRecord]:
    for item in read_objects(file, "notes"):
        if isinstance(item, BadRecord):
            yield item
            continue
        place, note = item
        content = note.get("content")
        number, forum = read_text(note.get("id")), read_text(note.get("forum"))
        if not isinstance(content, Mapping) or not (number or forum):
            yield BadRecord(place, "not an OpenReview note: no id or no content")
        elif note.get("replyto") or (number and forum and number != forum):
            continue  # a review, a comment, a decision
        else:
            yield _read_note(place, note, _Content(content), forum or number or "")


class _Content:
    """The content of a note, whichever API it came through; some old notes mix both."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._content = content

    def value(self, name: str) -> object:
        field = self._content.get(name)
        return field.get("value") if isinstance(field, Mapping) else field

    def text(self, *names: str) -> str | None:
        """Return the first of these fields that says something."""
        return next((text for name in names if (text := read_text(self.value(name)))), None)


def _read_note(place: str, note: Mapping[str, Any], content: _Content, forum: str) -> Record | BadRecord:
    title = content.text("title")
    invitations = (note.get("invitation"), *read_texts(note.get("invitations"), separators=""))
    groups = [text for group in (content.text("venueid"), *invitations) if (text := read_text(group))]
    conference = next(filter(None, map(read_group, groups)), None)
    venue_text, date = content.text("venue"), _read_date(note)
    status = _read_status(note, content, groups)
    if title is None and status is not Status.WITHDRAWN:
        return BadRecord(place, f"the note {forum} has no title")
    pdf = content.text("pdf")
    if pdf and pdf.startswith("/"):
        pdf = f"{_SITE}/pdf?id={forum}"  # the path itself changes with each revision
    urls = {
        "paper": f"{_SITE}/forum?id={forum}",
        "pdf": pdf,
        "code": content.text(*_CODE),
        "supplementary": _absolute(content.text("supplementary_material")),
    }
    identifiers = {"openreview": forum}
    for link in (pdf, content.text("html")):
        if link and (known := identifiers_in(link)):
            identifiers.setdefault(known.scheme, known.value)
    return Record(
        key=forum,
        title=title or "Withdrawn",
        authors=_read_authors(content),
        abstract=content.text("abstract"),
        venue=conference.venue if conference else venue_text,
        year=_read_year(conference, venue_text, date),
        topic=read_path(content.text("primary_area")),
        status=status or Status.PREPRINT,
        identifiers=identifiers,
        urls={kind: url for kind, url in urls.items() if url and url.startswith("http")},
        keywords=read_texts(content.value("keywords"), separators=",;"),
        tldr=content.text(*_TLDR),
        track=conference.track if conference else None,
        award=content.text("award"),
        date=date,
        notes=() if status else (_UNDECIDED,),
        place=place,
    )


def _read_authors(content: _Content) -> tuple[Author, ...]:
    """Read the authors; their ids only where there is one for each. No e-mail address is kept."""
    value = content.value("authors")
    people = [value] if isinstance(value, Mapping) else value
    if isinstance(people, str):
        people = re.split(r"\s*[,;]\s*|\s+and\s+", people)
    names: list[tuple[str, str | None]] = []
    for person in people if isinstance(people, Sequence) else ():
        if isinstance(person, Mapping):
            name = read_text(person.get("fullname")) or read_text(person.get("name"))
            names.append((name or "", read_text(person.get("username"))))
        else:
            names.append((read_text(person) or "", None))
    ids = content.value("authorids")
    if isinstance(ids, Sequence) and not isinstance(ids, str) and len(ids) == len(names):
        names = [
            (name, profile or read_text(given)) for (name, profile), given in zip(names, ids, strict=True)
        ]
    authors = tuple(
        Author(name=name, author_id=profile if profile and profile.startswith("~") else None)
        for name, profile in names
        if name
    )
    return authors or (Author(name="Anonymous"),)


def _read_status(note: Mapping[str, Any], content: _Content, groups: list[str]) -> Status | None:
    """Read what was decided: from where the note is now, then from what the venue says, then from a reply."""
    if note.get("ddate"):
        return Status.WITHDRAWN
    venueid, venue = content.text("venueid") or "", content.text("venue") or ""
    refused = read_decision(*groups, venue)
    if refused in (Status.WITHDRAWN, Status.REJECTED):
        return refused
    if _SUBMITTED.search(venueid) or venueid.lower().endswith("/corr"):
        return Status.PREPRINT
    if "submitted" in venue.lower():
        return Status.REJECTED if venueid else Status.PREPRINT
    if decision := read_decision(venue, content.text("decision"), *_read_decisions(note)):
        return decision
    return Status.ACCEPTED if venueid and venue else None


def _read_decisions(note: Mapping[str, Any]) -> Iterator[str]:
    """Yield the decisions among a note's replies, which API 1 delivers with ``details=directReplies``."""
    details = note.get("details")
    for name in ("directReplies", "replies"):
        replies = details.get(name) if isinstance(details, Mapping) else None
        for reply in replies if isinstance(replies, Sequence) else ():
            content = reply.get("content") if isinstance(reply, Mapping) else None
            if not isinstance(content, Mapping):
                continue
            of_chair = (read_text(reply.get("invitation")) or "").endswith("/Meta_Review")  # ICLR 2019
            if text := _Content(content).text("decision", *(["recommendation"] if of_chair else [])):
                yield text


def _read_date(note: Mapping[str, Any]) -> str | None:
    """Return the day of publication; times are in milliseconds."""
    for name in ("pdate", "odate", "cdate", "tcdate"):
        moment = note.get(name)
        if isinstance(moment, int | float) and 0 < moment < 4e12:
            return datetime.fromtimestamp(moment / 1000, UTC).date().isoformat()
    return None


def _read_year(conference: Conference | None, venue: str | None, date: str | None) -> int | None:
    return conference.year if conference else read_year(venue) or read_year(date)


def _absolute(link: str | None) -> str | None:
    return f"{_SITE}{link}" if link and link.startswith("/") else link


SOURCE = OpenReview()
