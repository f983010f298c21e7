"""Facets → the choices beside the list, each with the URL that makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.corpus.paper import Status
from lunwen.doors.web.chart import draw_years

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lunwen.doors.web.chart import Column
    from lunwen.doors.web.url import State
    from lunwen.doors.words import Words
    from lunwen.retrieval.request import FacetValue

SHOWN = {"venue": 10, "year": 6, "status": 8, "source": 8, "has": 4}  # the rest is folded
DRAWN = ("venue",)  # with a bar below each value
TOPICS_SHOWN = 14
TOPICS_OPEN = 30  # a tree this small is shown whole


@dataclass(frozen=True, slots=True)
class Choice:
    """One value to click; an active one leads to the same list without it."""

    label: str
    url: str
    count: str
    active: bool
    share: int = 0  # of the largest of its group, in percent, where the group is drawn


@dataclass(frozen=True, slots=True)
class Facet:
    """One group of choices."""

    name: str
    label: str
    choices: tuple[Choice, ...]
    more: tuple[Choice, ...]
    also: tuple[Choice, ...]  # values that widen an active filter
    chart: tuple[Column, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """One node of the topic tree."""

    label: str
    url: str
    count: str
    active: bool
    open: bool
    children: tuple[Topic, ...]


def facets(
    found: Mapping[str, Sequence[FacetValue]],
    state: State,
    words: Words,
    *,
    venues: Sequence[Mapping[str, object]] = (),
) -> tuple[Facet, ...]:
    """The groups below the topic tree."""
    made = []
    for name, shown in SHOWN.items():
        values = list(found.get(name, ()))
        if name == "year":
            values.sort(key=lambda f: f.value, reverse=True)
        choices = _choices(name, values, state, words)
        if name == "status" and choices and not state.status:
            choices += (Choice(words("hidden_too"), state.url(status=("all",)), "", active=False),)
        also = _also(name, state, words, venues=venues)
        if len(choices) > 1 or also or (state.values(name) and (choices or name == "year")):
            chart = _draw(values, state, words) if name == "year" else ()
            made.append(Facet(name, words(name), choices[:shown], choices[shown:], also, chart))
    return tuple(made)


def topic_tree(found: Sequence[FacetValue], state: State) -> tuple[tuple[Topic, ...], tuple[Topic, ...]]:
    """The topic tree: the topics shown, and those folded away.

    A topic's own name may hold a slash, so the parent of a path is the longest other path it begins with.
    """
    counts = {f.value: f.count for f in found}
    under: dict[str, list[str]] = {}
    for path in sorted(counts, key=lambda path: (-counts[path], path)):
        parent = path.rpartition("/")[0]
        while parent and parent not in counts:
            parent = parent.rpartition("/")[0]
        under.setdefault(parent, []).append(path)
    chosen = tuple(path.casefold() for path in state.topic)
    choose = state.chooser("topic")
    few = len(counts) <= TOPICS_OPEN

    def grow(parent: str) -> tuple[Topic, ...]:
        start = len(parent) + 1 if parent else 0
        return tuple([_topic(path, path[start:]) for path in under.get(parent, ())])

    def _topic(path: str, label: str) -> Topic:
        folded = path.casefold() if chosen else ""
        active = folded in chosen
        above = any(value.startswith(folded + "/") for value in chosen)
        return Topic(
            label=label,
            url=choose() if active and len(chosen) == 1 else choose(path),
            count="" if above else f"{counts[path]:,}",  # the results lie below it: clicking it gives more
            active=active,
            open=active or above or few,
            children=grow(path),
        )

    roots = grow("")
    return roots[:TOPICS_SHOWN], roots[TOPICS_SHOWN:]


def _draw(years: Sequence[FacetValue], state: State, words: Words) -> tuple[Column, ...]:
    choose = state.chooser("year")
    counts = {int(year.value): year.count for year in years if year.value.isdecimal()}
    return draw_years(counts, lambda year: choose(str(year)), words)


def _choices(name: str, found: Sequence[FacetValue], state: State, words: Words) -> tuple[Choice, ...]:
    chosen = {value.casefold() for value in state.values(name)}
    choose = state.chooser(name)
    most = max((value.count for value in found), default=0) if name in DRAWN and len(found) > 1 else 0
    made = []
    for value in found:
        active = value.value.casefold() in chosen
        url = choose() if active and len(chosen) == 1 else choose(value.value)
        label = words.named(name, value.value) if name in ("status", "has") else value.value
        share = max(1, round(100 * value.count / most)) if most else 0
        made.append(Choice(label, url, f"{value.count:,}", active, share))
    return tuple(made)


def _also(
    name: str, state: State, words: Words, *, venues: Sequence[Mapping[str, object]]
) -> tuple[Choice, ...]:
    """Values that widen a filter: any of several may hold, but only the chosen ones are among the results."""
    chosen = state.values(name)
    if name == "status" and chosen and "all" not in chosen:
        offered = [(status.value, words.named("status", status)) for status in Status]
    elif name == "venue" and chosen:
        offered = [(str(venue["venue"]), str(venue["venue"])) for venue in venues]
    else:
        return ()
    folded = {value.casefold() for value in chosen}
    return tuple(
        Choice(label, state.url(**{name: (*chosen, value)}), "", active=False)
        for value, label in offered
        if value.casefold() not in folded
    )
