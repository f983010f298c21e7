"""What readers keep → its pages: all collections and saved searches, and each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from lunwen.corpus.shelf import STARRED
from lunwen.doors.translate import translate
from lunwen.doors.web.card import Card, Link, card
from lunwen.doors.web.chip import describe
from lunwen.doors.web.export import collection_menu
from lunwen.doors.web.page import number_pages
from lunwen.doors.web.url import SIZE, state_of
from lunwen.retrieval.request import Item

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from lunwen.corpus.paper import Paper
    from lunwen.corpus.shelf import Collection
    from lunwen.doors.web.facet import Choice
    from lunwen.doors.words import Words
    from lunwen.retrieval.watch import News, Watch

SHELF = "/collections"
WATCHES = "/watches"


@dataclass(frozen=True, slots=True)
class Kept:
    """A collection or a saved search in the list of all."""

    label: str
    url: str
    says: str
    fresh: str  # how many papers are new to it
    problem: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """Everything that is kept."""

    collections: tuple[Kept, ...]
    watches: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class Keeping:
    """What readers keep of one paper."""

    paper_id: str
    starred: bool
    collections: tuple[Link, ...]
    known: tuple[str, ...]  # collections to put it into
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The papers of a collection, or those new to a saved search; one page of them."""

    here: str
    name: str
    heading: str
    total: str
    items: tuple[Card, ...]
    first: int
    pages: tuple[Choice, ...]
    formats: tuple[Link, ...] = ()
    fixed: bool = False  # whether it is always there, under its name
    search: str = ""  # where the whole search is
    asks: str = ""  # what it searches for
    last: int = 0


def show_shelf(collections: Sequence[Collection], watches: Sequence[Watch], words: Words) -> Shelf:
    """Lay out all collections and saved searches."""
    return Shelf(
        collections=tuple(
            Kept(named(one.name, words), collection_url(one.name), words.count("papers", one.papers), "", "")
            for one in collections
        ),
        watches=show_watches(watches, words),
    )


def show_watches(watches: Sequence[Watch], words: Words) -> tuple[Kept, ...]:
    """Lay out all saved searches."""
    return tuple(
        Kept(
            one.name,
            watch_url(one.name),
            describe(state_of(one.request), words),
            words("fresh", n=f"{one.new:,}") if one.new else "",
            translate(one.problem, words.language),
        )
        for one in watches
    )


def show_keeping(
    paper_id: str, held: Sequence[str], note: str, collections: Sequence[Collection], words: Words
) -> Keeping:
    """Lay out what is kept of a paper that is ``held`` by collections of these names."""
    return Keeping(
        paper_id=paper_id,
        starred=STARRED in held,
        collections=tuple(Link(named(name, words), collection_url(name), name) for name in held),
        known=tuple(one.name for one in collections if one.name not in (STARRED, *held)),
        note=note,
    )


def show_collection(
    name: str,
    papers: Sequence[Paper],
    words: Words,
    *,
    page: int,
    total: int,
    starred: Container[str] | None,
    notes: Mapping[str, str],
) -> Bundle:
    """Lay out a page of a collection that has ``total`` papers."""
    here = collection_url(name)
    return Bundle(
        here=here,
        name=name,
        heading=named(name, words),
        total=words.count("papers", total),
        items=tuple(
            card(
                Item(paper=paper, score=None),
                words,
                starred=None if starred is None else paper.paper_id in starred,
                note=notes.get(paper.paper_id, ""),
            )
            for paper in papers
        ),
        first=(page - 1) * SIZE + 1,
        pages=_pages(page, total, here),
        formats=collection_menu(name, words) if total else (),
        fixed=name == STARRED,
    )


def show_watch(news: News, words: Words, *, page: int, starred: Container[str] | None) -> Bundle:
    """Lay out a page of what is new to a saved search."""
    watch, response = news.watch, news.response
    state, here = state_of(watch.request), watch_url(watch.name)
    return Bundle(
        here=here,
        name=watch.name,
        heading=watch.name,
        total=words("fresh", n=f"{response.total:,}") if response.total else words("fresh_none"),
        items=tuple(
            card(item, words, starred=None if starred is None else item.paper.paper_id in starred)
            for item in response.items
        ),
        first=response.offset + 1,
        pages=_pages(page, response.total, here),
        search=state.url(),
        asks=describe(state, words),
        last=news.last,
    )


def named(collection: str, words: Words) -> str:
    """What a collection is called: the one that is always there has a name in every language."""
    return words("starred") if collection == STARRED else collection


def collection_url(name: str) -> str:
    """Where a collection is."""
    return f"{SHELF}/{quote(name, safe='')}"


def watch_url(name: str) -> str:
    """Where the news of a saved search are."""
    return f"{WATCHES}/{quote(name, safe='')}"


def _pages(page: int, total: int, here: str) -> tuple[Choice, ...]:
    last = max(1, -(-total // SIZE))
    return number_pages(page, last, lambda number: f"{here}?page={number}" if number > 1 else here)
