"""The page of a paper's text that a query asks for, cut to the words that matched; pure.

``text:word`` looks in the text of papers' PDFs, and there alone: a search without it is answered as if no
text were here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lunwen.retrieval.analysis import STOP_WORDS
from lunwen.retrieval.fragment import fragment
from lunwen.retrieval.highlight import Highlighter
from lunwen.retrieval.node import AllOf, AnyOf, Clause, Phrase, Sense, Words, Years
from lunwen.retrieval.reading import write
from lunwen.retrieval.request import Passage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lunwen.retrieval.engine import Engine
    from lunwen.retrieval.node import Node, Query

FIELD = "text"
WIDTH = 300  # characters shown of a page
_FILTERS = ("author", "venue", "topic", "status", "source", "has")


class PassageFinder:
    """Finds the passages of one query."""

    def __init__(self, query: Query, stem: Callable[[str], str]) -> None:
        self._stem = stem
        self._marker = Highlighter(query, stem, fields=(FIELD,))

    def find(self, pages: Iterable[tuple[int, str]]) -> Passage | None:
        """Return the page with the most of the words, the first of several; None where none has any.

        Pages are looked at in the order of an estimate, until none can have more.
        """
        estimated = [(self._marker.estimate(text), page, text) for page, text in pages]
        best, most = None, 0
        for (likely, _), page, text in sorted(estimated, key=lambda one: (-one[0][0], -one[0][1], one[1])):
            if best and most >= likely:
                break
            spans = self._marker.spans(text)
            words = {self._stem(text[start:end].lower()) for start, end in spans}
            if len(words) > most:
                best, most = Passage(page, *fragment(text, spans, WIDTH)), len(words)
        return best


def in_text(query: Query) -> str:
    """Return a query that looks for the same words in the papers' text; empty where there is none.

    What filters stays as it is; a Chinese term is looked for as any of its English ones. Where a word is
    asked of another field there is none.
    """
    words = [clause for clause in query.clauses if clause.occur != "not" and not _filters(clause.node)]
    telling = [clause for clause in words if not _is_general(clause.node)] or words
    if not words or not all(_can_move(clause.node) for clause in words):
        return ""
    kept = [clause for clause in query.clauses if clause not in words]
    return write([*(Clause(_move(clause.node), "must") for clause in telling), *kept])


def asks_text(query: Query) -> bool:
    """Return whether a query looks in the papers' text."""
    return any(_asks(clause.node) for clause in query.clauses if clause.occur != "not")


def has_text(engine: Engine) -> bool:
    """Return whether the text of any paper is here."""
    return any(value.value == FIELD for value in engine.values("has"))


def _asks(node: Node) -> bool:
    if isinstance(node, AnyOf | AllOf):
        return any(map(_asks, node.nodes))
    return isinstance(node, Words | Phrase) and node.field == FIELD


def _filters(node: Node) -> bool:
    return isinstance(node, Years) or getattr(node, "field", None) in _FILTERS


def _is_general(node: Node) -> bool:
    if isinstance(node, Sense):
        return node.is_general
    return isinstance(node, Words) and node.text.lower() in STOP_WORDS


def _can_move(node: Node) -> bool:
    if isinstance(node, AnyOf | AllOf):
        return all(map(_can_move, node.nodes))
    if isinstance(node, Sense):
        return bool(node.alternatives)
    return isinstance(node, Words | Phrase) and node.field is None


def _move(node: Node) -> Node:
    if isinstance(node, AnyOf | AllOf):
        return replace(node, nodes=tuple(map(_move, node.nodes)))
    if isinstance(node, Sense):
        english = tuple(Phrase(english, FIELD) for english, _ in node.alternatives)
        return AnyOf(english) if len(english) > 1 else english[0]
    return replace(node, field=FIELD) if isinstance(node, Words | Phrase) else node
