"""What can be followed: a row of ``edition.csv`` for each venue and the years in which it is alike.

Where an edition is at several sites, earlier rows go first: what its organisers publish, then what others
list.
"""

from __future__ import annotations

import csv
import re
from difflib import get_close_matches
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lunwen.corpus import venue as venues
from lunwen.corpus.sync.arxiv import arxiv_edition
from lunwen.corpus.sync.page import Edition
from lunwen.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FINDINGS = re.compile(r"\s+findings$|^findings of\s+", re.IGNORECASE)
_ARXIV = re.compile(r"\s*arxiv(?:\s+|\s*$)", re.IGNORECASE)
_JOINED = re.compile(r"(.*[A-Za-z])\s*[-_'’]?\s*((?:19|20)?\d\d)")
_MORE = "List all with: lunwen sources"


def _read() -> Iterator[Edition]:
    text = files("lunwen.corpus.sync").joinpath("edition.csv").read_text("utf-8")
    for row in csv.DictReader(text.splitlines()):
        for year in _years(row["years"]):
            address = row["address"]
            if year is not None:
                address = address.replace("{year}", str(year)).replace("{yy}", f"{year % 100:02d}")
            yield Edition(
                venue=row["venue"], year=year, site=row["site"], address=address, licence=row["licence"]
            )


def _years(text: str) -> list[int] | list[None]:
    """Read "2013 2014 2017-2026"; no years are one edition without a year."""
    found: list[int] = []
    for part in text.split():
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found or [None]


#: All, in order of preference.
EDITIONS: tuple[Edition, ...] = tuple(_read())

_NAMED = {edition.name.casefold(): edition for edition in EDITIONS}


def find_edition(venue: str, year: int | None = None, *, site: str | None = None) -> Edition:
    """Return the edition that is meant, at the site that is best first or at the one that is named.

    ``venue`` may be an edition's whole name, "icml 2026 virtual", what is followed at arXiv, "arxiv cs.LG",
    or the address of a file; the year may be joined to it, "icml2026", "nips'25". Without a year it is the
    venue's latest.

    Raises:
        UnknownName: no such venue, no such year of it, or not at that site.
        UsageError: an address that cannot be followed.
    """
    if (asked := _ARXIV.match(venue)) is not None:
        return arxiv_edition(f"{venue[asked.end() :]} {year or ''}")
    if "://" in venue:
        return edition_at(venue)
    if year is None and site is None:
        if (named := _NAMED.get(" ".join(venue.casefold().split()))) is not None:
            return named
        venue, year, site = _split(venue)
    if year is None:
        venue, year = _part(venue)
    known = find_editions(venue)
    if site is not None:
        known = _at_site(known, site)
    where = f" at {known[0].site}" if site else ""
    name = known[0].venue
    years = [edition.year for edition in known if edition.year is not None]
    if year is not None and not years:
        raise UnknownName(f"{name} has no years{where}, and {year} was given. Leave it out.")
    if year is None:
        year = max(years, default=None)
    for edition in known:
        if edition.year == year:
            return edition
    near = min(years, key=lambda one: abs(one - (year or 0)))
    raise UnknownName(f"no {name} {year}{where}. Closest: {name} {near}. Years: {say_years(years)}. {_MORE}")


def find_editions(venue: str) -> tuple[Edition, ...]:
    """Return all editions of a venue, those of the best site first.

    The findings of a conference come with it.

    Raises:
        UnknownName: no such venue.
    """
    known = list(dict.fromkeys(edition.venue for edition in EDITIONS))
    found = venues.match(venue, known) or venues.match(_FINDINGS.sub("", venue.strip()), known)
    if found is None:
        near = venues.closest(venue, known) or get_close_matches(venue, known, n=3)
        closest = f" Closest: {', '.join(near)}." if near else ""
        raise UnknownName(f'no venue "{venue}" among the sources.{closest} {_MORE}')
    return tuple(edition for edition in EDITIONS if edition.venue == found)


def edition_at(url: str) -> Edition:
    """Return the file at an address as an edition of its own.

    Raises:
        UsageError: no address of a file, or one with a password in it.
    """
    parts = urlsplit(url.strip())
    if parts.scheme.lower() != "https" or not parts.hostname:
        raise UsageError(f'"{url}" cannot be followed. Give an address that begins with https://')
    if "@" in parts.netloc:
        raise UsageError(
            f"The address at {parts.hostname} holds a name or password, which would be kept. Give it without."
        )
    address = parts._replace(fragment="").geturl()
    return Edition(venue=address, year=None, site="file", address=address, licence="see the site")


def _at_site(known: tuple[Edition, ...], site: str) -> tuple[Edition, ...]:
    found = tuple(edition for edition in known if edition.site == site.strip().lower())
    if not found:
        sites = ", ".join(dict.fromkeys(edition.site for edition in known))
        raise UnknownName(f'{known[0].venue} is not followed at "{site}". Sites: {sites}.')
    return found


def _split(words: str) -> tuple[str, int | None, str | None]:
    """Read "icml 2026 virtual"; what is no year and no site belongs to the venue's name."""
    sites = {edition.site for edition in EDITIONS}
    *rest, last = words.split() or [""]
    site = last.lower() if rest and last.lower() in sites else None
    if site is None:
        rest = [*rest, last]
    year = int(rest[-1]) if len(rest) > 1 and re.fullmatch(r"(?:19|20)\d\d", rest[-1]) else None
    return " ".join(rest[:-1] if year else rest), year, site


def _part(venue: str) -> tuple[str, int | None]:
    """Read "icml2026" and "nips'25" as a venue and a year, where that is a venue and the whole is none."""
    found = _JOINED.fullmatch(venue.strip())
    known = {edition.venue for edition in EDITIONS}
    if found is None or venues.match(venue, known) or not venues.match(found[1], known):
        return venue, None
    year = int(found[2])
    return found[1], year if year > 99 else year + (2000 if year < 60 else 1900)


def say_years(years: Iterable[int]) -> str:
    """Say which years there are: "2013, 2014, 2017–2026"."""
    spans: list[list[int]] = []
    for year in sorted(set(years)):
        if spans and year == spans[-1][1] + 1:
            spans[-1][1] = year
        else:
            spans.append([year, year])
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in spans)
