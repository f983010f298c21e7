"""What can be followed → the rows of the page that lists it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.corpus.sync.survey import Followable, Synced
    from lunwen.doors.words import Words


@dataclass(frozen=True, slots=True)
class Standing:
    """One edition that was synced, and how it stands."""

    edition: str
    stands: str
    reason: str


@dataclass(frozen=True, slots=True)
class Place:
    """A venue at a site."""

    venue: str
    site: str
    years: str
    licence: str
    editions: tuple[Standing, ...]


def show_sources(found: Iterable[Followable], words: Words) -> list[Place]:
    """Lay out what can be followed, what is followed first."""
    from lunwen.corpus.sync.edition import say_years  # noqa: PLC0415 - searching needs no sites

    rows = sorted(found, key=lambda one: not one.editions)
    return [
        Place(
            venue=one.venue,
            site=one.site,
            years=say_years(one.years),
            licence=one.licence,
            editions=tuple(_standing(edition, words) for edition in one.editions),
        )
        for one in rows
    ]


def _standing(one: Synced, words: Words) -> Standing:
    outcome = words.named("outcome", (one.outcome or "").replace(" ", "_"))
    parts = (words.count("papers", one.papers), outcome, (one.synced or "")[:16].replace("T", " "))
    return Standing(one.edition, " · ".join(part for part in parts if part), one.reason)
