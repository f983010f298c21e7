"""All records of one paper made into the paper, field by field, by a written rule.

=====================  =======================================================================================
field                  whose value is shown
=====================  =======================================================================================
title, title_bibtex    acl, pmlr, program, catalogue, openreview, paperlists, dblp, crossref, others, airas,
                       arxiv, openalex, links
abstract               program, openreview, acl, pmlr, arxiv, paperlists, others, crossref, openalex, airas,
                       listing
authors                the longest list that is not cut, in the order of titles; ids, ORCID and affiliation
                       are filled in from the other lists where the name is the same
status, venue, year    per venue and year: withdrawn if any record there says so, else the highest decision,
                       else accepted, or preprint at arXiv and where no venue or book is named; of several
                       venues the best status, so a preprint beats no venue but one that rejected it
track, award, pages …  only from records of that venue, or of none; in the order of titles
topic                  program, catalogue, openreview, others, listing; of one source the longest path
identifiers, urls      all; of one name the first in the order of titles
keywords, notes        all
citations              the highest, and who counted so many last
gone                   the last date, where every record with a title is gone from the site that listed it;
                       crossref, openalex and links know papers that nobody lists any more
tldr, summary          openreview first; catalogue first
=====================  =======================================================================================

Between two imports of one record the newest wins. Between two records of one source the higher status wins,
then the smaller key. What says nothing never hides what says something. The order of import plays no part.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from lunwen.corpus.name import is_anonymous, name_key
from lunwen.corpus.paper import Author, Paper, Provenance, Record, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_TITLE = "acl pmlr program catalogue openreview paperlists dblp crossref * airas arxiv listing openalex links"
_ORDERS = {
    "abstract": "program abstracts openreview acl pmlr arxiv paperlists * crossref openalex airas listing",
    "topic": "program catalogue openreview * listing",
    "tldr": "openreview catalogue *",
    "summary": "catalogue *",
}
_RANKS = {
    name: {source: rank for rank, source in enumerate(order.split())}
    for name, order in {"title": _TITLE, **_ORDERS}.items()
}
_VENUE_FIELDS = ("track", "award", "booktitle", "publisher", "pages", "volume", "date")
_HELD = tuple(field.name for field in fields(Record) if field.name not in ("key", "markup", "place"))
_KNOWS = frozenset({"crossref", "openalex", "links"})  # lists of all there ever was
_CUT = 10  # a listing names ten authors, then 等
_MISSING = "abstract missing"


@dataclass(frozen=True, slots=True)
class Sighting:
    """One record as one import brought it."""

    record: Record
    source: str
    file: str = ""
    imported: str = ""
    gone: str = ""  # since when no site that is followed lists it


class _Said(NamedTuple):
    source: str
    record: Record

    def order(self, name: str) -> tuple[int, int, str, str]:
        ranks = _RANKS.get(name, _RANKS["title"])
        status = self.record.status
        return (
            ranks.get(self.source, ranks["*"]),
            -status.rank if status else 0,
            self.source,
            self.record.key,
        )


def merge(sightings: Sequence[Sighting], paper_id: str = "") -> Paper:
    """The paper that these records describe."""
    said = _newest(sightings)
    by_title = sorted(said, key=lambda one: one.order("title"))
    status, at_venue = _decide(by_title)
    venue = _first(at_venue, "venue")
    abstract = _best(said, "abstract")
    counted = _counted(by_title)
    return Paper(
        paper_id=paper_id,
        title=_first(by_title, "title") or "",
        authors=_authors(by_title),
        abstract=abstract,
        venue=venue,
        year=_first(at_venue, "year") or _first(by_title, "year"),
        topic=_topic(said),
        status=status,
        identifiers=_union(one.record.identifiers for one in by_title),
        urls=_union(one.record.urls for one in by_title),
        keywords=_unique(word for one in by_title for word in one.record.keywords),
        tldr=_best(said, "tldr"),
        summary=_union(one.record.summary for one in sorted(said, key=lambda one: one.order("summary"))),
        citations=counted.record.citations if counted else None,
        citations_date=counted.record.citations_date if counted else None,
        citations_source=counted.source if counted and counted.record.citations_date else None,
        title_bibtex=_title_bibtex(by_title),
        notes=_unique(
            note
            for one in by_title
            for note in one.record.notes
            if not (abstract and note.startswith(_MISSING))
        ),
        sources=_unique(one.source for one in by_title),
        gone=_gone(sightings),
        **{name: _first(at_venue, name) for name in _VENUE_FIELDS},
    )


def provenance(sightings: Sequence[Sighting]) -> list[Provenance]:
    """Who said what of every field, newest first within a field, and whether the merged paper shows it.

    What several imports of one record say alike is put down to the first of them.
    """
    if not sightings:
        return []
    paper = merge(sightings)
    found: list[Provenance] = []
    for held in _HELD:
        said: dict[tuple[str, str, str], object] = {}
        first: list[Provenance] = []
        for one in sorted(sightings, key=lambda one: (one.imported, one.source, one.record.key)):
            for name, value, chosen in _values(held, getattr(one.record, held), getattr(paper, held)):
                place = (one.source, one.record.key, name)
                if place not in said or said[place] != value:
                    said[place] = value
                    first.append(
                        Provenance(
                            field=name,
                            value=value,
                            source=one.source,
                            file=one.file,
                            imported=one.imported,
                            chosen=chosen,
                        )
                    )
        found += reversed(first)
    return found


def is_cut(record: Record) -> bool:
    """Whether the record's list of authors may end before the paper's does."""
    return (record.title is None and len(record.authors) == _CUT) or any(
        "truncated" in note or "only the first" in note for note in record.notes
    )


def _values(name: str, said: object, shown: object) -> Iterator[tuple[str, object, bool]]:
    if isinstance(said, dict):
        shown_in = shown if isinstance(shown, dict) else {}
        for key, value in said.items():
            yield f"{name}.{key}", value, shown_in.get(key) == value
    elif name == "authors" and isinstance(said, tuple) and isinstance(shown, tuple):
        if said:
            names = tuple(author.name for author in said)
            yield name, names, names == tuple(author.name for author in shown)
    elif name in ("keywords", "notes") and isinstance(said, tuple) and isinstance(shown, tuple):
        if said:
            yield name, said, set(said) <= set(shown)
    elif said not in (None, ()):
        yield name, said, said == shown


def _newest(sightings: Iterable[Sighting]) -> list[_Said]:
    """One record per source and key: the newest import over the older ones."""
    ordered = sorted(sightings, key=lambda one: (one.source, one.record.key))
    found = []
    for (source, _), imports in groupby(ordered, key=lambda one: (one.source, one.record.key)):
        versions = [one.record for one in sorted(imports, key=lambda one: one.imported)]
        record = versions[0]
        for newer in versions[1:]:
            record = overlay(record, newer)
        found.append(_Said(source, record))
    return found


def overlay(older: Record, newer: Record) -> Record:
    """The newer record, with what only the older one says."""
    kept = {name: value for name in _HELD if (value := getattr(older, name)) and not getattr(newer, name)}
    kept["identifiers"] = {**older.identifiers, **newer.identifiers}
    kept["urls"] = {**older.urls, **newer.urls}
    kept.pop("notes", None)
    return replace(newer, **kept)


def _decide(said: Sequence[_Said]) -> tuple[Status, list[_Said]]:
    """The paper's status, and the records of the venue it is from, best first."""
    places: dict[tuple[str, int | None], list[_Said]] = {}
    for one in said:
        if one.record.venue:
            places.setdefault((one.record.venue, one.record.year), []).append(one)
    for place in [place for place in places if place[1] is None]:
        years = sorted(year for venue, year in places if venue == place[0] and year is not None)
        if years:
            places[place[0], years[0]].extend(places.pop(place))
    nowhere = [one for one in said if not one.record.venue]
    ranked = sorted(
        (
            (-status.rank, min(one.order("title") for one in there), place, status)
            for place, there in places.items()
            for status in [_status(place[0], there)]
        ),
        key=lambda entry: (entry[0], entry[1], entry[2][0], entry[2][1] or 0),
    )
    elsewhere = _status(None, nowhere) if nowhere else None
    if not ranked:
        return elsewhere or Status.PREPRINT, nowhere
    _, _, place, status = ranked[0]
    explicit = any(one.record.status for one in nowhere)
    if elsewhere and explicit and (elsewhere is Status.WITHDRAWN or elsewhere.rank > status.rank):
        status = elsewhere
    return status, [*places[place], *nowhere]


def _status(venue: str | None, said: Sequence[_Said]) -> Status:
    given = {one.record.status for one in said if one.record.status is not None}
    if Status.WITHDRAWN in given:
        return Status.WITHDRAWN
    if given:  # at one venue a decision replaces what was under review before
        return max(given - {Status.PREPRINT} or given, key=lambda status: status.rank)
    named = venue or any(one.record.booktitle for one in said)
    return Status.ACCEPTED if named and venue != "arXiv" else Status.PREPRINT


def _first(said: Iterable[_Said], name: str) -> Any:
    return next((value for one in said if (value := getattr(one.record, name)) not in (None, "", ())), None)


def _best(said: Iterable[_Said], name: str) -> Any:
    return _first(sorted(said, key=lambda one: one.order(name)), name)


def _counted(said: Iterable[_Said]) -> _Said | None:
    """Who counts most citations; of those who count as many the last, then the first in this order."""
    having = [one for one in said if one.record.citations is not None]
    return max(
        having, key=lambda one: (one.record.citations or 0, one.record.citations_date or ""), default=None
    )


def _topic(said: Iterable[_Said]) -> tuple[str, ...]:
    having = [one for one in said if one.record.topic]
    if not having:
        return ()
    best = min(
        having, key=lambda one: (one.order("topic")[0], one.source, -len(one.record.topic), one.record.topic)
    )
    return best.record.topic


def _title_bibtex(by_title: Sequence[_Said]) -> Any:
    """Protecting braces of the very title that is shown, else none."""
    title = _first(by_title, "title")
    return _first((one for one in by_title if one.record.title == title), "title_bibtex")


def _authors(by_title: Sequence[_Said]) -> tuple[Author, ...]:
    lists = [
        one.record for one in by_title if any(not is_anonymous(author.name) for author in one.record.authors)
    ]
    if not lists:
        return _first(by_title, "authors") or ()
    whole = [record for record in lists if not is_cut(record)]
    longest = max(len(record.authors) for record in whole or lists)
    # a list shorter than the longest by one is a spelling, a list half as long is cut
    best = next(record for record in whole or lists if len(record.authors) * 4 >= longest * 3)
    if len(lists) == 1:
        return best.authors
    others = [_by_key(record.authors) for record in lists if record is not best]
    own = _by_key(best.authors)
    return tuple(
        [
            _filled(author, [known[key] for known in others if key in known]) if key in own else author
            for author in best.authors
            for key in (name_key(author.name),)
        ]
    )


def _by_key(authors: Sequence[Author]) -> dict[str, Author]:
    """Authors by name key; namesakes within one list are left out."""
    keys = [name_key(author.name) for author in authors]
    return {key: author for key, author in zip(keys, authors, strict=True) if keys.count(key) == 1}


def _filled(author: Author, same: Sequence[Author]) -> Author:
    missing = [
        name for name in ("given", "family", "author_id", "orcid", "affiliation") if not getattr(author, name)
    ]
    found = {name: value for name in missing for one in reversed(same) if (value := getattr(one, name))}
    variants = _unique(variant for one in (author, *same) for variant in one.variants)
    return replace(author, **found, variants=variants) if found or variants != author.variants else author


def _gone(sightings: Iterable[Sighting]) -> str | None:
    """Since when nobody lists the paper; what only adds to it, as a file of abstracts does, lists nothing."""
    listed = [one.gone for one in sightings if one.record.title and one.source not in _KNOWS]
    return max(listed) if listed and all(listed) else None


def _union(maps: Iterable[Mapping[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in maps:
        for key, value in one.items():
            if value:
                found.setdefault(key, value)
    return found


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
