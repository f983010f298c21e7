"""The filters of a request, checked against what the library knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.corpus.paper import ACCEPTED, Status
from lunwen.corpus.venue import match
from lunwen.errors import UnknownName, UsageError
from lunwen.retrieval.engine import Filters
from lunwen.retrieval.node import Years
from lunwen.retrieval.query import parse_years

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.retrieval.engine import Engine
    from lunwen.retrieval.request import SearchRequest

HIDDEN = tuple(status for status in Status if not status.shown)
HAS = ("abstract", "code", "method", "text")
_LISTED = {"venue": " List them with: lunwen venues", "topic": " List them with: lunwen topics"}


def read_filters(request: SearchRequest, engine: Engine) -> Filters:
    """Return the filters of a request.

    Raises:
        UnknownName: a venue, topic, status or source that is not in the library.
        UsageError: a year that is none.
    """
    venues, years = _venues(request.venue, engine)
    years += tuple(_years(text) for text in request.year)
    statuses = _statuses(request.status)
    return Filters(
        venues=venues,
        years=years,
        topics=tuple(_topic(value, engine) for value in request.topic),
        statuses=statuses,
        hidden=() if statuses else HIDDEN,
        sources=tuple(_known("source", value, engine) for value in request.source),
        authors=tuple(name for name in request.author if name.strip()),
        has=tuple(_one_of("has", value, HAS) for value in request.has),
    )


def _venues(values: Sequence[str], engine: Engine) -> tuple[tuple[str, ...], tuple[Years, ...]]:
    """Read venues, which may carry their year: "neurips 2025"."""
    known = [value.value for value in engine.values("venue")]
    venues: list[str] = []
    years: list[Years] = []
    for value in values:
        name = match(value, known)
        if name is None:
            head, _, last = value.strip().rpartition(" ")
            name = match(head, known) if last.isdecimal() and len(last) == 4 else None
            if name is None:
                raise _unknown("venue", value, known)
            years.append(Years(int(last), int(last)))
        venues.append(name)
    return tuple(venues), tuple(years)


def _years(text: str) -> Years:
    years = parse_years(text)
    if years is None:
        raise UsageError(f'year "{text}": write 2024, 2022..2024, >=2023 or <2020')
    return years


def _statuses(values: Sequence[str]) -> tuple[Status, ...]:
    statuses: list[Status] = []
    for value in values:
        word = value.strip().lower()
        if word == "all":
            return tuple(Status)
        name = _one_of("status", word, (*Status, "all"))
        statuses += sorted(ACCEPTED) if name == Status.ACCEPTED else [Status(name)]
    return tuple(dict.fromkeys(statuses))


def _topic(value: str, engine: Engine) -> str:
    """Read a topic path as people and sites write it: with /, ->, › or ·."""
    known = [topic.value for topic in engine.values("topic")]
    if value in known:
        return value
    for mark in ("->", "›", "·", ">"):
        value = value.replace(mark, "/")
    return _one_of("topic", "/".join(part.strip() for part in value.split("/") if part.strip()), known)


def _known(kind: str, value: str, engine: Engine) -> str:
    return _one_of(kind, value, [known.value for known in engine.values(kind)])


def _one_of(kind: str, value: str, known: Sequence[str]) -> str:
    if value in known:
        return str(value)
    folded = {name.casefold(): name for name in known}
    name = folded.get(value.strip().casefold())
    if name is None:
        raise _unknown(kind, value, known)
    return str(name)


def _unknown(kind: str, value: str, known: Sequence[str]) -> UnknownName:
    from rapidfuzz import process  # noqa: PLC0415  long to load, and only a refusal needs it

    names = [str(name) for name in known]
    near = process.extract(value.lower(), [name.lower() for name in names], limit=3, score_cutoff=60)
    if len(names) <= 8 and names:
        allowed = "Known: " + ", ".join(sorted(names) if kind in _LISTED else names)
    elif near:
        allowed = "Closest: " + ", ".join(f'"{names[index]}"' for _, _, index in near)
    else:
        allowed = f"The library has {len(names)}"
    return UnknownName(f'no {kind} "{value}". {allowed}.{_LISTED.get(kind, "")}')
