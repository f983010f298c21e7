"""A paper's neighbours → a page of cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.corpus.markup import plain
from lunwen.doors.translate import translate
from lunwen.doors.web.card import Card, card, lang
from lunwen.doors.web.prose import prose
from lunwen.doors.web.url import paper_url
from lunwen.retrieval.request import Item

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from markupsafe import Markup

    from lunwen.corpus.paper import Paper
    from lunwen.doors.words import Words


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The papers like one paper."""

    here: str
    url: str  # of the paper itself
    plain_title: str
    title: Markup
    title_lang: Markup
    items: tuple[Card, ...]
    none: str  # why there are none


def show_similar(
    paper: Paper,
    found: Sequence[tuple[Paper, float]],
    words: Words,
    *,
    starred: Container[str] | None = None,
    none: str = "",
) -> Neighbours:
    """Lay out similar papers with their cosines, the nearest first; ``none`` says why there are none."""
    return Neighbours(
        here=similar_url(paper.paper_id),
        url=paper_url(paper.paper_id),
        plain_title=plain(paper.title),
        title=prose(paper.title, links=False, display=False),
        title_lang=lang(paper.title, words),
        items=tuple(
            card(
                Item(paper=other, score=None),
                words,
                why=words("nearness", n=f"{cosine:.2f}"),
                starred=None if starred is None else other.paper_id in starred,
            )
            for other, cosine in found
        ),
        none=translate(none, words.language),
    )


def similar_url(paper_id: str) -> str:
    """Where the papers like one paper are listed."""
    return f"{paper_url(paper_id)}/similar"
