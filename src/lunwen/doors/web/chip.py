"""Active filters → chips, and a search in a few words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.doors.web.url import FILTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.doors.web.url import State
    from lunwen.doors.words import Words


@dataclass(frozen=True, slots=True)
class Chip:
    """One active filter; its URL takes it away."""

    kind: str
    label: str
    says: str
    url: str


def chips(state: State, words: Words) -> Iterable[Chip]:
    """The filters of a state."""
    for name in FILTERS:
        for value in state.values(name):
            label = words.named(name, value) if name in ("status", "has") else value.replace("/", " · ")
            says = words("remove", name=words(name), value=label)
            yield Chip(words(name), label, says, state.without(name, value))


def describe(state: State, words: Words) -> str:
    """What a state searches for: the query and the values of its filters."""
    filters = [chip.label for chip in chips(state, words)]
    return " · ".join([state.q, *filters] if state.q else filters) or words("all_papers")
