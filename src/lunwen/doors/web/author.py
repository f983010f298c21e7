"""Person → an author's page: the papers by year, who they were written with, where they appeared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.doors.translate import translate
from lunwen.doors.web.card import Link, lang
from lunwen.doors.web.chart import Column, draw_years
from lunwen.doors.web.detail import Other
from lunwen.doors.web.prose import prose
from lunwen.doors.web.url import State, author_url, paper_url

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.corpus.paper import Paper
    from lunwen.corpus.person import Person
    from lunwen.doors.words import Words

PAPERS = 300  # on the page; the list has all
PEOPLE = 12  # co-authors shown; the rest is folded
FOLDED = 60


@dataclass(frozen=True, slots=True)
class Year:
    """The papers of one year."""

    label: str
    papers: tuple[Other, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """Somebody beside an author, and what to say of them."""

    name: str
    url: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Everything an author's page shows."""

    here: str
    name: str
    also: tuple[str, ...]
    orcid: Link | None
    total: str
    hidden: str
    all: str  # where the papers can be searched and filtered
    more: str
    chart: tuple[Column, ...]
    years: tuple[Year, ...]
    coauthors: tuple[Near, ...]
    more_coauthors: tuple[Near, ...]
    venues: tuple[Near, ...]
    maybe_same: tuple[Near, ...]


def show_author(person: Person, words: Words) -> Profile:
    """Lay out an author."""
    near = [Near(one.name, author_url(one.author_id), f"{one.papers:,}") for one in person.coauthors]
    search = State(author=(person.name,))
    left = len(person.papers) - PAPERS
    return Profile(
        here=author_url(person.author_id),
        name=person.name,
        also=person.spellings,
        orcid=Link(person.orcid, f"https://orcid.org/{person.orcid}") if person.orcid else None,
        total=words.count("papers", len(person.papers)),
        hidden=words("hidden_papers", n=person.hidden) if person.hidden else "",
        all=search.url(),
        more=words("others", n=f"{left:,}") if left > 0 else "",
        chart=draw_years(
            Counter(paper.year for paper in person.papers if paper.year), lambda year: f"#y{year}", words
        ),
        years=tuple(_years(person.papers[:PAPERS], words)),
        coauthors=tuple(near[:PEOPLE]),
        more_coauthors=tuple(near[PEOPLE:FOLDED]),
        venues=tuple(
            Near(venue, search.url(venue=(venue,)), f"{papers:,}") for venue, papers in person.venues.items()
        ),
        maybe_same=tuple(
            Near(
                one.name,
                author_url(one.author_id),
                f"{words.count('papers', one.papers)} · {translate(one.why, words.language)}",
            )
            for one in person.maybe_same
        ),
    )


def _years(papers: Iterable[Paper], words: Words) -> Iterable[Year]:
    found: dict[str, list[Other]] = {}
    for paper in papers:
        found.setdefault(str(paper.year or words("no_year")), []).append(_line(paper, words))
    yield from (Year(label, tuple(lines)) for label, lines in found.items())


def _line(paper: Paper, words: Words) -> Other:
    title = prose(paper.title, links=False, display=False)
    return Other(title, lang(paper.title, words), paper_url(paper.paper_id), paper.venue or "")
