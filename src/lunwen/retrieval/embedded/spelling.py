"""Words of the library close to one that was mistyped."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from lunwen.retrieval.analysis import terms
from lunwen.retrieval.engine import Spelling

if TYPE_CHECKING:
    from lunwen.retrieval.embedded.term import Terms

_SHORTEST = 4
_FEWEST = 2  # a word of one title alone may itself be mistyped


class Speller:
    """Knows the words of titles and authors' names."""

    def __init__(self, terms_: Terms) -> None:
        self._terms = terms_
        self._words_beginning = lru_cache(maxsize=64)(self._list_words)

    def closest(self, typed: str) -> tuple[Spelling, ...]:
        """Return up to three words one or two letters away, the closest and then the most common first.

        Nothing for a word that a paper holds: coined names are rare and right.
        """
        found = terms(typed)
        if len(found) != 1 or len(found[0].parts) != 1 or found[0].cjk or len(found[0].parts[0]) < _SHORTEST:
            return ()
        word = found[0].parts[0]
        if any(self._frequencies(word)):
            return ()
        from rapidfuzz import process  # noqa: PLC0415  long to load, and only misprints need it
        from rapidfuzz.distance import OSA  # noqa: PLC0415  same

        furthest = 1 if len(word) < 6 else 2
        known = self._words_beginning(word[0]) | self._words_beginning(word[1])
        close = process.extract(word, known.keys(), scorer=OSA.distance, score_cutoff=furthest, limit=50)
        ranked = sorted((distance, -known[near], near) for near, distance, _ in close if near != word)
        return tuple(Spelling(near, -count) for _, count, near in ranked if -count >= _FEWEST)[:3]

    def _list_words(self, letter: str) -> dict[str, int]:
        """Return the words with a first letter: a misprint rarely changes it, or swaps it with the second."""
        words = self._terms.searcher.terms_with_prefix("spell", letter)
        return {word: papers for word, papers in words if len(word) >= _SHORTEST and not word.isdigit()}

    def _frequencies(self, word: str) -> list[int]:
        stems = self._terms.stems(word)
        return [self._terms.frequency("meta", word), *(self._terms.frequency("text", stem) for stem in stems)]
