"""What a page holds by the hundred, as HTML: in a template these would take most of its time."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.doors.web.card import Link
    from lunwen.doors.web.facet import Choice, Topic
    from lunwen.doors.words import Words


def links(found: Iterable[Link], between: str) -> Markup:
    """Links in a row."""
    return Markup(between.join(map(_link, found)))  # noqa: S704 - links are escaped, the rest is ours


def people(found: Iterable[Link]) -> Markup:
    """Authors in a row; a name keeps its own direction."""
    return Markup(", ".join(map(_person, found)))  # noqa: S704 - as above


def rows(choices: Iterable[Choice]) -> Markup:
    """The rows of a facet, with a bar below each where it is drawn."""
    return Markup("".join([f"<li>{_choice(choice)}{_bar(choice.share)}</li>\n" for choice in choices]))  # noqa: S704 - as above


def tree(topics: Iterable[Topic], words: Words) -> Markup:
    """Topics, and below each its own, folded away or open."""
    made = "".join([f"<li>{_choice(topic)}{_below(topic, words)}</li>\n" for topic in topics])
    return Markup(f'<ul class="tree">\n{made}</ul>')  # noqa: S704 - as above


@lru_cache(maxsize=16_384)
def _link(link: Link) -> str:
    return f'<a href="{escape(link.url)}">{escape(link.label)}</a>'


@lru_cache(maxsize=16_384)
def _person(link: Link) -> str:
    return f'<a href="{escape(link.url)}"><bdi>{escape(link.label)}</bdi></a>'


def _choice(choice: Choice | Topic) -> str:
    current = ' aria-current="true"' if choice.active else ""
    count = f'<span class="n">{choice.count}</span>' if choice.count else ""  # digits and commas
    return f'<a href="{escape(choice.url)}"{current}><bdi>{escape(choice.label)}</bdi></a>{count}'


def _bar(share: int) -> str:
    if not share:
        return ""
    return (
        '<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{share}" height="1"/></svg>'
    )


def _below(topic: Topic, words: Words) -> str:
    if not topic.children:
        return ""
    says = escape(words("subtopics", name=topic.label))
    mark = " open" if topic.open else ""
    return (
        f'<details{mark}><summary><span class="hidden">{says}</span></summary>'
        f"{tree(topic.children, words)}</details>"
    )
