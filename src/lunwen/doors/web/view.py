"""SearchResponse → what the list shows: names, numbers, links; no decision about papers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from markupsafe import Markup

from lunwen.corpus.markup import plain
from lunwen.corpus.paper import Status
from lunwen.doors.web.facet import Choice, Facet, Topic, facets, topic_tree
from lunwen.doors.web.prose import language, prose
from lunwen.doors.web.translate import translate, translate_reading
from lunwen.doors.web.url import (
    FILTERS,
    State,
    encode,
    identifier_url,
    outside_url,
    paper_url,
    state_of,
)
from lunwen.retrieval.request import MAX_LIMIT, Sort

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lunwen.corpus.paper import Paper
    from lunwen.doors.web.words import Words
    from lunwen.retrieval.request import FacetValue, Item, SearchResponse

AUTHORS = 10  # then 等
FOLD = 330  # an abstract this narrow fits its four lines, counting a Chinese character as two
SIZES = (20, 50, 100)

_LANG = {"en": Markup(' lang="en"'), "zh": Markup(' lang="zh"')}
_SITES = {
    "openreview.net": "OpenReview",
    "arxiv.org": "arXiv",
    "aclanthology.org": "ACL Anthology",
    "proceedings.mlr.press": "PMLR",
    "openaccess.thecvf.com": "CVF",
    "doi.org": "DOI",
    "dblp.org": "DBLP",
    "github.com": "GitHub",
}


@dataclass(frozen=True, slots=True)
class Link:
    """Somewhere to go."""

    label: str
    url: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One result."""

    url: str
    bibtex: str
    title: Markup
    title_lang: Markup
    crumbs: tuple[Link, ...]
    venue: Link | None
    badge: Link | None
    authors: tuple[Link, ...]
    more_authors: str
    abstract: Markup | None
    abstract_lang: Markup
    ours: bool  # our summary stands in for an abstract that is not known
    long: bool
    folds: str
    links: tuple[Link, ...]
    cited: str
    faded: bool


@dataclass(frozen=True, slots=True)
class Chip:
    """One active filter; its URL takes it away."""

    kind: str
    label: str
    says: str
    url: str


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
    library: str
    total: str
    took: str
    first: int
    items: tuple[Card, ...]
    orders: tuple[Choice, ...]
    sizes: tuple[Choice, ...]
    chips: tuple[Chip, ...]
    cleared: str
    reading: str
    warnings: tuple[str, ...]
    explanation: str
    suggestions: tuple[Nearby, ...]
    topics: tuple[Topic, ...]
    more_topics: tuple[Topic, ...]
    facets: tuple[Facet, ...]
    kept_without_year: tuple[tuple[str, str], ...]
    oldest: str
    latest: str
    pages: tuple[Choice, ...]
    previous: str | None
    next: str | None
    lost: Lost | None


def show_list(
    state: State,
    response: SearchResponse,
    words: Words,
    *,
    venues: Sequence[Mapping[str, object]] = (),
    library_topics: Sequence[FacetValue] = (),
) -> Listing:
    """Lay out a response; ``venues`` and ``library_topics`` are those of the whole library."""
    last = max(1, -(-response.total // state.size))
    if response.total:
        top, more = topic_tree(response.facets.get("topic", ()), state)
    else:  # something to go on from
        top, more = topic_tree(library_topics, State())
    years = [f.value for f in response.facets.get("year", ()) if f.value.isdigit()]
    return Listing(
        heading=_heading(state, words),
        library=_library(response, venues, words) if state.blank else "",
        total=words.count("papers", response.total)
        if response.total_is_exact
        else words.count("papers_about", response.total),
        took=words("took", n=_milliseconds(response.took_ms)),
        first=response.offset + 1,
        items=tuple(card(item, words) for item in response.items),
        orders=_orders(state, words, ranked=any(item.score is not None for item in response.items)),
        sizes=_sizes(state, response.total),
        chips=tuple(_chips(state, words)),
        cleared=State(q=state.q, sort=state.sort, size=state.size).url(),
        reading=translate_reading(state.q, response.query_reading, words.language) if state.q else "",
        warnings=tuple(said for said in response.warnings if said not in response.query_reading),
        explanation=translate(response.explanation, words.language),
        suggestions=tuple(_nearby(response, words)),
        topics=top,
        more_topics=more,
        facets=facets(response.facets, state, words, venues=venues),
        kept_without_year=tuple(replace(state, year=(), page=1).pairs()),
        oldest=min(years, default=""),
        latest=max(years, default=""),
        pages=tuple(_pages(state, last)),
        previous=state.url(page=state.page - 1) if 1 < state.page <= last else None,
        next=state.url(page=state.page + 1) if state.page < last else None,
        lost=_lost(state, last, words) if response.total and state.page > last else None,
    )


def card(item: Item, words: Words) -> Card:
    """One result as shown in the list."""
    paper = item.paper
    title = prose(paper.title, item.title_spans, links=False, display=False)
    text = paper.abstract or summary(paper, words)
    spans = item.abstract_spans if paper.abstract else ()
    rest = paper.authors[AUTHORS:]
    long = _width(text) > FOLD
    return Card(
        url=paper_url(paper.paper_id),
        bibtex=paper_url(paper.paper_id) + ".bib",
        title=title,
        title_lang=lang(paper.title, words),
        crumbs=crumbs(paper.topic),
        venue=venue(paper),
        badge=badge(paper.status, words),
        authors=tuple(Link(a.name, author_url(a.name)) for a in paper.authors[:AUTHORS]),
        more_authors=", ".join(a.name for a in rest[:40]) + ("…" if len(rest) > 40 else ""),
        abstract=prose(text, spans, display=False) if text else None,
        abstract_lang=lang(text, words),
        ours=bool(text) and not paper.abstract,
        long=long,
        folds=words("abstract_of", title=plain(paper.title)) if long else "",
        links=tuple(outside_links(paper, words, few=True)),
        cited=words("citations", n=f"{paper.citations:,}") if paper.citations else "",
        faded=not paper.status.shown,
    )


def summary(paper: Paper, words: Words) -> str:
    """Our summary in the reader's language, or in the one there is."""
    told = paper.summary
    return told.get(words.language) or next(iter(told.values()), "")


def crumbs(topic: Sequence[str]) -> tuple[Link, ...]:
    """The topic path; each part leads to the papers under it."""
    return tuple(Link(part, f"/?topic={encode('/'.join(topic[: i + 1]))}") for i, part in enumerate(topic))


def author_url(name: str) -> str:
    """The papers of one author."""
    return f"/?author={encode(name)}"


def venue(paper: Paper) -> Link | None:
    """Venue and year, leading to that venue in that year."""
    pairs = [("venue", paper.venue), ("year", str(paper.year) if paper.year else None)]
    known = [(name, value) for name, value in pairs if value]
    if not known:
        return None
    url = "/?" + "&".join(f"{name}={encode(value)}" for name, value in known)
    return Link(" ".join(value for _, value in known), url)


def badge(status: Status, words: Words) -> Link | None:
    """The status in words, where it says more than that the paper was accepted."""
    if status is Status.ACCEPTED:
        return None
    return Link(words.named("status", status), f"/?status={status}", status.value)


def lang(text: str, words: Words) -> Markup:
    """A lang attribute where ``text`` is in another language than the page."""
    spoken = language(text)
    return Markup("") if spoken == words.language else _LANG[spoken]


def outside_links(paper: Paper, words: Words, *, few: bool = False) -> Iterable[Link]:
    """Links out of here, each target once; ``few`` leaves out what the paper's own page has room for."""
    urls = dict(paper.urls)
    for scheme, value in paper.identifiers.items():
        found = identifier_url(scheme, value) if scheme in ("openreview", "arxiv", "acl", "doi") else None
        if found:
            urls.setdefault(scheme, found)
    order = ("pdf", "paper", "openreview", "acl", "arxiv", "code", "project")
    names = [name for name in order if name in urls]
    if not few:
        names += sorted(set(urls) - set(order))
    seen: set[str] = set()
    for name in names:
        url = outside_url(urls[name] or "")
        key = (url or "").removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
        label = _link_label(name, key, words)
        if url and key not in seen and label not in seen:
            seen |= {key, label}
            yield Link(label, url, name)


def _width(text: str) -> int:
    return len(text) * 2 if language(text) == "zh" else len(text)


def _link_label(name: str, place: str, words: Words) -> str:
    site = _SITES.get(place.split("/", maxsplit=1)[0])
    if name in ("paper", "openreview", "acl", "arxiv", "doi") and site:
        return site
    return words.named("link", name)


def _heading(state: State, words: Words) -> str:
    if state.blank:
        return words("site")
    if state.q:
        return words("results_for", query=state.q)
    if not state.filtered:
        return words("newest")
    return " · ".join(chip.label for chip in _chips(state, words))


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


def _chips(state: State, words: Words) -> Iterable[Chip]:
    for name in FILTERS:
        for value in state.values(name):
            label = words.named(name, value) if name in ("status", "has") else value.replace("/", " · ")
            says = words("remove", name=words(name), value=label)
            yield Chip(words(name), label, says, state.without(name, value))


def _nearby(response: SearchResponse, words: Words) -> Iterable[Nearby]:
    for suggestion in response.suggestions:
        state = state_of(suggestion.request)
        label = (
            suggestion.query or " · ".join(chip.label for chip in _chips(state, words)) or words("all_papers")
        )
        why = "" if suggestion.why == "spelling" else translate(suggestion.why, words.language)
        yield Nearby(label, state.url(), words.count("papers", suggestion.total), why)


def _pages(state: State, last: int) -> Iterable[Choice]:
    """Numbers around this page, the first and the last, with gaps between."""
    if state.page > last:
        return
    near = {1, last, *range(max(1, state.page - 2), min(last, state.page + 2) + 1)}
    before = 0
    for number in sorted(near):
        if number == before + 2:
            yield Choice(str(number - 1), state.url(page=number - 1), "", active=False)
        elif number > before + 1:
            yield Choice("…", "", "", active=False)
        yield Choice(str(number), state.url(page=number), "", number == state.page)
        before = number


def _lost(state: State, last: int, words: Words) -> Lost:
    return Lost(
        title=words("no_page", n=f"{state.page:,}"),
        says=words.count("no_page_says", last),
        url=state.url(page=last),
        label=words("to_last_page", n=f"{last:,}"),
    )
