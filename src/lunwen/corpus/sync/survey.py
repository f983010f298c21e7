"""What can be followed, what is, and how it stands."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.corpus.sync.state import Follow


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """One edition that was synced."""

    edition: str
    year: int | None
    synced: str | None  # when the last walk ended: ISO date and time, UTC
    outcome: str | None
    reason: str
    papers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Followable:
    """A venue at a site: the years there are, what may be done with the data, and what was synced."""

    venue: str
    site: str
    years: tuple[int, ...]
    licence: str
    editions: tuple[Synced, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The shape that JSON has."""
        return asdict(self)


def survey(follows: Iterable[Follow], words: str = "") -> list[Followable]:
    """Return every venue at every site, the synced editions with them, or those that have all the words."""
    from lunwen.corpus.sync.edition import EDITIONS  # noqa: PLC0415 - doors need the shapes alone

    years: dict[tuple[str, str], list[int]] = {}
    licences: dict[tuple[str, str], str] = {}
    synced: dict[tuple[str, str], list[Synced]] = {}
    for edition in EDITIONS:
        place = edition.venue, edition.site
        licences.setdefault(place, edition.licence)
        years.setdefault(place, []).extend([] if edition.year is None else [edition.year])
    for follow in follows:
        place = follow.edition.venue, follow.edition.site
        licences.setdefault(place, follow.edition.licence)
        synced.setdefault(place, []).append(
            Synced(
                edition=follow.edition.name,
                year=follow.edition.year,
                synced=follow.synced,
                outcome=follow.outcome,
                reason=follow.reason,
                papers=follow.counts.get("papers", 0),
            )
        )
    found = [
        Followable(
            venue=venue,
            site=site,
            years=tuple(sorted(set(years.get((venue, site), ())))),
            licence=licence,
            editions=tuple(synced.get((venue, site), ())),
        )
        for (venue, site), licence in licences.items()
    ]
    wanted = words.casefold().split()
    return [one for one in found if all(word in _text(one) for word in wanted)]


def _text(one: Followable) -> str:
    editions = (edition.edition for edition in one.editions)
    return " ".join([one.venue, one.site, *map(str, one.years), *editions]).casefold()
