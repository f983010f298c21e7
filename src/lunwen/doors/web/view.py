"""SearchResponse → what the list shows: names, numbers, links; no decision about papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.doors.shape import matched_words
from lunwen.doors.translate import spell_out, translate, translate_reading
from lunwen.doors.web.card import Card, Link, card
from lunwen.doors.web.chip import Chip, chips, describe
from lunwen.doors.web.export import menu
from lunwen.doors.web.facet import Choice, Facet, Topic, facets, topic_tree
from lunwen.doors.web.page import number_pages
from lunwen.doors.web.url import FILTERS, State, state_of
from lunwen.retrieval.query import parse_years
from lunwen.retrieval.request import MAX_LIMIT, Mode, Sort

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from lunwen.doors.words import Words
    from lunwen.retrieval.request import FacetValue, Item, SearchResponse

SIZES = (20, 50, 100)
WORDS_SHOWN = 12  # of those that a result is there for


@dataclass(frozen=True, slots=True)
class Nearby:
    """A suggested search."""

    label: str
    url: str
    total: str
    why: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A page beyond the last: what is there instead."""

    title: str
    says: str
    url: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Everything the list shows."""

    heading: str
    described: str
    place: bool  # whether this is the page of a venue or a topic
    library: str
    total: str
    took: str
    first: int
    items: tuple[Card, ...]
    orders: tuple[Choice, ...]
    sizes: tuple[Choice, ...]
    modes: tuple[Choice, ...]
    chips: tuple[Chip, ...]
    cleared: str
    reading: str
    correction: str  # where the reading of Chinese can be changed
    warnings: tuple[str, ...]
    explanation: str
    suggestions: tuple[Nearby, ...]
    topics: tuple[Topic, ...]
    more_topics: tuple[Topic, ...]
    facets: tuple[Facet, ...]
    kept_without_year: tuple[tuple[str, str], ...]
    first_year: str
    last_year: str
    pages: tuple[Choice, ...]
    previous: str | None
    next: str | None
    lost: Lost | None
    formats: tuple[Link, ...]


def show_list(
    state: State,
    response: SearchResponse,
    words: Words,
    *,
    venues: Sequence[Mapping[str, object]] = (),
    library_topics: Sequence[FacetValue] = (),
    starred: Container[str] | None = None,
) -> Listing:
    """Lay out a response; ``venues`` and ``library_topics`` are those of the whole library.

    ``starred`` are the papers with a star; None where readers may not set any.
    """
    last = max(1, -(-response.total // state.size))
    if response.total:
        top, more = topic_tree(response.facets.get("topic", ()), state)
    else:  # something to go on from
        top, more = topic_tree(library_topics, State())
    first_year, last_year = _year_range(state)
    spelled = spell_out(state.q)
    return Listing(
        heading=_heading(state, words),
        place=_is_place(state),
        described=describe(state, words)[:100],
        library=_library(response, venues, words) if state.blank else "",
        total=words.count("papers", response.total)
        if response.total_is_exact
        else words.count("papers_about", response.total),
        took=words("took", n=_milliseconds(response.took_ms)),
        first=response.offset + 1,
        items=tuple(
            card(
                item,
                words,
                why=say_why(item, words) if state.explain else "",
                starred=None if starred is None else item.paper.paper_id in starred,
            )
            for item in response.items
        ),
        orders=_orders(state, words, ranked=any(item.score is not None for item in response.items)),
        sizes=_sizes(state, response.total),
        modes=_modes(state, words, found=bool(response.items)),
        chips=tuple(chips(state, words)),
        cleared=state.url(**dict.fromkeys(FILTERS, ())),
        reading=translate_reading(state.q, response.query_reading, words.language) if state.q else "",
        correction=state.url(q=spelled) if spelled != state.q else "",
        warnings=tuple(
            translate(said, words.language)
            for said in response.warnings
            if said not in response.query_reading
        ),
        explanation=translate(response.explanation, words.language),
        suggestions=tuple(_nearby(response, words)),
        topics=top,
        more_topics=more,
        facets=facets(response.facets, state, words, venues=venues),
        kept_without_year=tuple(state._replace(year=(), page=1).pairs()),
        first_year=first_year,
        last_year=last_year,
        pages=number_pages(state.page, last, lambda page: state.url(page=page)),
        previous=state.url(page=state.page - 1) if 1 < state.page <= last else None,
        next=state.url(page=state.page + 1) if state.page < last else None,
        lost=_lost(state, last, words) if response.total and state.page > last else None,
        formats=menu(state, words),
    )


def _heading(state: State, words: Words) -> str:
    if state.blank:
        return words("site")
    if state.q:
        return words("results_for", query=state.q)
    if not state.filtered:
        return words("newest")
    return describe(state, words)


def _is_place(state: State) -> bool:
    values = [value for name in FILTERS for value in state.values(name)]
    return not state.q and len(values) == 1 and bool(state.venue or state.topic)


def _library(response: SearchResponse, venues: Sequence[Mapping[str, object]], words: Words) -> str:
    years = sorted(f.value for f in response.facets.get("year", ()) if f.value.isdigit())
    if not years or not venues:
        return ""
    span = years[0] if years[0] == years[-1] else f"{years[0]}–{years[-1]}"
    return words("library_says", papers=f"{response.total:,}", venues=len(venues), years=span)


def _milliseconds(took: float) -> str:
    return f"{took:.0f}" if took >= 10 else f"{took:.1f}"


def _orders(state: State, words: Words, *, ranked: bool) -> tuple[Choice, ...]:
    usual = Sort.RELEVANCE if state.q else Sort.NEWEST
    offered = [sort for sort in Sort if state.q or sort is not Sort.RELEVANCE]
    now = state.sort or (Sort.RELEVANCE if ranked else Sort.NEWEST)
    return tuple(
        Choice(words(f"sort_{sort}"), state.url(sort=None if sort is usual else sort), "", sort is now)
        for sort in offered
    )


def _sizes(state: State, total: int) -> tuple[Choice, ...]:
    if total <= SIZES[0] and state.size in SIZES:
        return ()
    sizes = sorted({*SIZES, min(state.size, MAX_LIMIT)})
    return tuple(Choice(str(size), state.url(size=size), "", size == state.size) for size in sizes)


def _modes(state: State, words: Words, *, found: bool) -> tuple[Choice, ...]:
    """What can find papers and, where some are found, whether each says why it is there."""
    if not state.q:
        return ()
    offered = [Choice(words(f"mode_{mode}"), state.url(mode=mode), "", mode is state.mode) for mode in Mode]
    asks = Choice(words("explain"), state.url(explain=not state.explain), "", state.explain)
    return (*offered, asks) if found else tuple(offered)


def say_why(item: Item, words: Words) -> str:
    """By which words and which nearness of meaning a result is there."""
    why, marked = item.why, matched_words(item)
    said = words("comma").join(marked[:WORDS_SHOWN]) + (" …" if len(marked) > WORDS_SHOWN else "")
    rank = f" #{why.lexical_rank}" if why and why.lexical_rank else ""
    line = words("why_words", rank=rank, words=said or words("none"))
    if why is None or why.cosine is None:
        return line
    rank = f" #{why.semantic_rank}" if why.semantic_rank else ""
    return f"{line} · {words('why_meaning', rank=rank, n=f'{why.cosine:.2f}')}"


def _year_range(state: State) -> tuple[str, str]:
    """The years that the boxes hold: those of the filter, where it is one range."""
    years = parse_years(state.year[0]) if len(state.year) == 1 else None
    if years is None:
        return "", ""
    return str(years.low or ""), str(years.high or "")


def _nearby(response: SearchResponse, words: Words) -> Iterable[Nearby]:
    for suggestion in response.suggestions:
        state = state_of(suggestion.request)
        label = suggestion.query or describe(state, words)
        why = "" if suggestion.why == "spelling" else translate(suggestion.why, words.language)
        yield Nearby(label, state.url(), words.count("papers", suggestion.total), why)


def _lost(state: State, last: int, words: Words) -> Lost:
    return Lost(
        title=words("no_page", n=f"{state.page:,}"),
        says=words.count("no_page_says", last),
        url=state.url(page=last),
        label=words("to_last_page", n=f"{last:,}"),
    )
