"""CC-CEDICT for the words that the glossary lacks.

``cedict.marisa`` is made by ``training/chinese.py`` from CC-CEDICT and under its licence, CC BY-SA 4.0
(``cedict.license.txt``). It is mapped into memory, never read as a whole.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lunwen.retrieval.chinese.glossary import Alternatives

__all__ = ["find_meanings", "find_words"]

# A general dictionary's first meaning is often not the one of a paper: it weighs less than a glossary's.
_WEIGHTS = (0.7, 0.5, 0.4)


class _Trie(Protocol):
    def prefixes(self, text: str) -> list[str]: ...
    def get(self, word: str) -> list[bytes] | None: ...


def find_words(text: str) -> list[str]:
    """Return the words of the dictionary that a text begins with."""
    return _load().prefixes(text)


def find_meanings(word: str) -> Alternatives:
    """Return what a word of the dictionary means, the first meaning first."""
    found = _load().get(word)
    return tuple(zip(found[0].decode().split("|"), _WEIGHTS, strict=False)) if found else ()


@cache
def _load() -> _Trie:
    import marisa_trie  # type: ignore[import-not-found]  # noqa: PLC0415  only Chinese needs it

    trie: _Trie = marisa_trie.BytesTrie().mmap(str(Path(__file__).with_name("cedict.marisa")))
    return trie
