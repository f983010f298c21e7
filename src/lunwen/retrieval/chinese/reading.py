"""A text as lunwen reads its Chinese: term by term, with weighted English, and how to correct it.

``零阶优化="derivative-free|gradient-free optimization"`` in a query replaces what the term is read as, and
``零阶优化=""`` leaves it out of the English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from lunwen.retrieval.chinese.cedict import find_meanings
from lunwen.retrieval.chinese.glossary import load_glossary
from lunwen.retrieval.chinese.script import has_han, is_han, simplify
from lunwen.retrieval.chinese.segment import segment

if TYPE_CHECKING:
    from lunwen.retrieval.chinese.glossary import Alternatives

__all__ = ["Corrections", "Piece", "Reading", "describe", "read", "take_corrections", "write"]

Source = Literal["glossary", "cedict", "correction", "unknown", "text"]

#: Chinese terms and what the user says they mean.
Corrections: TypeAlias = "tuple[tuple[str, Alternatives], ...]"

_CORRECTION = re.compile(
    """(?P<zh>[^\\s=＝"“”()（）:：]+)[=＝](?:["“”](?P<quoted>[^"“”]*)["“”]|(?P<bare>[A-Za-z][!#-'*-~]*))"""
)
_GENERAL = 0.5  # a piece that weighs less is said in many papers: it ranks and never has to match


class Piece(NamedTuple):
    """One term of the text and what it may mean; without alternatives it is only itself."""

    zh: str  # simplified; other text as typed
    alternatives: Alternatives
    source: Source

    @property
    def weight(self) -> float:
        """How much the piece says about the papers wanted."""
        return max((weight for _, weight in self.alternatives), default=1.0)

    @property
    def is_dropped(self) -> bool:
        """Whether the piece is wording of the request: in the glossary, without a meaning."""
        return not self.alternatives and self.source in ("glossary", "correction")

    @property
    def is_general(self) -> bool:
        """Whether the piece is said in so many papers that none has to hold it."""
        return self.weight < _GENERAL


class Reading(NamedTuple):
    """A text as its pieces, in order."""

    pieces: tuple[Piece, ...]

    @property
    def is_chinese(self) -> bool:
        """Whether a piece is Chinese."""
        return any(piece.source != "text" for piece in self.pieces)

    def english(self) -> str:
        """Return the likeliest English for the whole, for an encoder; empty where nothing is known."""
        words = (
            piece.alternatives[0][0] if piece.alternatives else piece.zh
            for piece in self.pieces
            if piece.alternatives or piece.source == "text"
        )
        return " ".join(words)


def read(text: str, corrections: Corrections = ()) -> Reading:
    """Read a text term by term; corrections in it count as well."""
    if not has_han(text):
        return Reading((Piece(text.strip(), (), "text"),) if text.strip() else ())
    text, found = take_corrections(text)
    return _read(text, corrections + found)


def take_corrections(text: str) -> tuple[str, Corrections]:
    """Return a text without its corrections, and these; a corrected term stays."""
    if not has_han(text) or ("=" not in text and "＝" not in text):
        return text, ()
    found: list[tuple[str, Alternatives]] = []

    def take(match: re.Match[str]) -> str:
        if not is_han(match["zh"][-1]):  # a formula: "学习率 lr=0.1"
            return match[0]
        parts = (" ".join(part.split()) for part in (match["bare"] or match["quoted"]).split("|"))
        found.append((simplify(match["zh"]).lower(), tuple((part, 1.0) for part in parts if part)))
        return f"{match['zh']} "

    return _CORRECTION.sub(take, text).strip(), tuple(found)


def describe(reading: Reading) -> str:
    """Say how the Chinese was read: "零阶优化 → zeroth-order optimization | derivative-free optimization"."""
    return "; ".join(
        f"{piece.zh} → {' | '.join(english for english, _ in piece.alternatives) or '?'}"
        for piece in reading.pieces
        if piece.source != "text" and not piece.is_dropped
    )


def write(reading: Reading) -> str:
    """Return the query with every reading written as a correction, to be edited."""
    parts: list[str] = []
    for piece in reading.pieces:
        if piece.source in ("text", "unknown"):
            parts.append(piece.zh)
        elif not piece.is_dropped:
            parts.append(f'{piece.zh}="{"|".join(english for english, _ in piece.alternatives)}"')
    return " ".join(parts)


@lru_cache(maxsize=1024)
def _read(text: str, corrections: Corrections) -> Reading:
    glossary = load_glossary()
    if corrections:
        glossary = glossary.correct(corrections)
    corrected = {zh for zh, _ in corrections}
    text = simplify(text)
    pieces: list[Piece] = []
    was_unlisted = False
    for span in segment(text, glossary):
        zh = text[span.start : span.end]
        if span.key is None:
            piece = Piece(zh, (), "unknown" if has_han(zh) else "text")
        elif span.is_term:
            source: Source = "correction" if span.key in corrected else "glossary"
            piece = Piece("".join(zh.split()), glossary.terms[span.key], source)
        else:
            piece = Piece(zh, find_meanings(span.key), "cedict")
        if was_unlisted and span.key is None and pieces[-1].source == piece.source:
            pieces[-1] = Piece(pieces[-1].zh + zh, (), piece.source)  # neighbours in no list are one piece
        else:
            pieces.append(piece)
        was_unlisted = span.key is None
    trimmed = (piece._replace(zh=piece.zh.strip()) for piece in pieces)
    return Reading(tuple(piece for piece in trimmed if any(map(str.isalnum, piece.zh))))
