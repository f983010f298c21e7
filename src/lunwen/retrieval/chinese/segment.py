"""Text → the terms in it: the cheapest way to cover it with the glossary's terms and the dictionary's words.

Segmentation libraries load for 100 ms and more (rjieba 103) and don't know which of their words have a
translation; the two word lists here do, and a shortest path over them is all that is missing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lunwen.retrieval.chinese.cedict import find_words
from lunwen.retrieval.chinese.script import is_han

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.retrieval.chinese.glossary import Glossary

__all__ = ["Span", "segment"]

# A term of the glossary is preferred to a word of the dictionary of the same length, a longer one to a
# shorter one, and anything to a character that stands alone. Particles ("的") cost little, so that what is
# beside them stays whole, but two of them more than the word that they make ("向量").
_TERM = 1.0
_SINGLE = 1.2
_PARTICLE = 0.7
_WORD = 1.4
_UNKNOWN = 3.0
_LONGER = 0.01

_LONGEST_WORD = 8  # characters of the dictionary's longest word
_TOKEN = re.compile("[0-9A-Za-z\u00c0-\u024f\u0370-\u03ff]+|\\s+|.", re.DOTALL)  # else single characters
_IN_TERMS = frozenset("-*")


class Span(NamedTuple):
    """A piece of the text from ``start`` to ``end``; ``key`` is what the word list calls it."""

    start: int
    end: int
    key: str | None = None  # None: in no list
    is_term: bool = False


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    is_han: bool


def segment(text: str, glossary: Glossary) -> list[Span]:
    """Cut a text in simplified characters into spans which follow each other and leave nothing out."""
    tokens = [_Token(match[0], *match.span(), is_han(match[0])) for match in _TOKEN.finditer(text)]
    costs = [0.0] + [float("inf")] * len(tokens)
    best: list[tuple[int, Span]] = [(0, Span(0, 0))] * (len(tokens) + 1)
    for place in range(len(tokens)):
        for stop, span, cost in _find_spans(text, tokens, place, glossary):
            if costs[place] + cost < costs[stop]:
                costs[stop] = costs[place] + cost
                best[stop] = (place, span)
    spans: list[Span] = []
    place = len(tokens)
    while place:
        place, span = best[place]
        spans.append(span)
    return spans[::-1]


def _find_spans(
    text: str, tokens: list[_Token], place: int, glossary: Glossary
) -> Iterator[tuple[int, Span, float]]:
    """Yield the spans that begin at a token, the token after each, and its cost."""
    token = tokens[place]
    yield place + 1, Span(token.start, token.end), _UNKNOWN if token.is_han else _TERM
    for stop, key in _find_terms(tokens, place, glossary):
        cost = _TERM - _LONGER * len(key)
        if token.is_han and stop == place + 1:
            cost = _SINGLE if glossary.terms[key] else _PARTICLE
        yield stop, Span(token.start, tokens[stop - 1].end, key, is_term=True), cost
    if token.is_han:
        for word in find_words(text[token.start : token.start + _LONGEST_WORD]):
            span = Span(token.start, token.start + len(word), word)
            yield place + len(word), span, _WORD - _LONGER * len(word)


def _find_terms(tokens: list[_Token], place: int, glossary: Glossary) -> Iterator[tuple[int, str]]:
    """Yield the glossary's terms at a token; blanks between Latin and Han don't count ("k 均值")."""
    key = ""
    stop = place
    while stop < len(tokens) and len(key) < glossary.longest:
        token = tokens[stop]
        if token.text.isspace():
            if not key or stop + 1 == len(tokens) or tokens[stop - 1].is_han == tokens[stop + 1].is_han:
                return
        elif token.text[0].isalnum() or (key and token.text in _IN_TERMS):
            key += token.text.lower()
            if key in glossary.terms:
                yield stop + 1, key
        else:
            return
        stop += 1
