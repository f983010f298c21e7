"""The bilingual glossary: Chinese terms ↔ weighted English alternatives.

``glossary.tsv`` has one term a line: its Chinese spellings with commas between, a tab, and its English
alternatives, the best first, with ``|`` between. An alternative may end in ``:`` and its weight, from above
0 to 1: how surely a text about the term uses these words; else the first weighs 1, the second 0.6, all
others 0.4. A term without English is a word of the request ("有没有", "的") and says nothing about papers.
Lines that begin with ``#`` are headings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias

from lunwen.errors import UnreadableFile

__all__ = ["Alternatives", "Glossary", "load_glossary", "parse_glossary"]

Alternatives: TypeAlias = "tuple[tuple[str, float], ...]"

_WEIGHTS = (1.0, 0.6)
_LATER = 0.4


@dataclass(frozen=True)
class Glossary:
    """Terms by their simplified Chinese spelling, lower case."""

    terms: dict[str, Alternatives]
    longest: int  # characters of the longest term

    def correct(self, corrections: tuple[tuple[str, Alternatives], ...]) -> Glossary:
        """Return the glossary with terms that a user reads differently."""
        terms = {**self.terms, **dict(corrections)}
        return Glossary(terms, max(self.longest, *(len(term) for term, _ in corrections)))


@cache
def load_glossary() -> Glossary:
    """Return the glossary that the package ships."""
    return parse_glossary(Path(__file__).with_name("glossary.tsv").read_text(encoding="utf-8"))


def parse_glossary(text: str) -> Glossary:
    """Read a glossary.

    Raises:
        UnreadableFile: a line has no tab, or a weight is no number.
    """
    terms: dict[str, Alternatives] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#") or not line:
            continue
        spellings, tab, english = line.partition("\t")
        if not tab:
            raise UnreadableFile(
                f"glossary line {number}: no tab. A line is Chinese, a tab, English words with | between"
            )
        try:
            alternatives = _read_alternatives(english)
        except ValueError as error:
            raise UnreadableFile(
                f"glossary line {number}: {error}. A weight is a number after a colon"
            ) from error
        for spelling in spellings.split(","):
            terms[spelling] = alternatives
    return Glossary(terms, max(map(len, terms), default=0))


def _read_alternatives(text: str) -> Alternatives:
    if not text:
        return ()
    alternatives: list[tuple[str, float]] = []
    for place, part in enumerate(text.split("|")):
        english, colon, weight = part.partition(":")
        default = _WEIGHTS[place] if place < len(_WEIGHTS) else _LATER
        alternatives.append((english, float(weight) if colon else default))
    return tuple(alternatives)
