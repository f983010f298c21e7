"""English queries → the Chinese that a Chinese title, abstract or summary says for their terms."""

from __future__ import annotations

import re
from functools import cache

from lunwen.retrieval.chinese.glossary import load_glossary

__all__ = ["find_chinese"]

_WORD = re.compile(r"[^\W_]+")
_REVERSIBLE = 0.6  # from this weight on the Chinese term is what the English one is called
_MOST = 4  # Chinese terms for one English
_LONGEST = 6  # words of an English term


def find_chinese(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the glossary's English terms in a text, the longest first come, each with its Chinese ones."""
    known = _reverse()
    words = list(_WORD.finditer(text))
    keys = [_fold(match[0]) for match in words]
    found: list[tuple[str, tuple[str, ...]]] = []
    start = 0
    while start < len(words):
        for stop in range(min(len(words), start + _LONGEST), start, -1):
            if chinese := known.get(" ".join(keys[start:stop])):
                found.append((text[words[start].start() : words[stop - 1].end()], chinese))
                start = stop
                break
        else:
            start += 1
    return tuple(found)


@cache
def _reverse() -> dict[str, tuple[str, ...]]:
    weighed: dict[str, dict[str, float]] = {}
    for term, alternatives in load_glossary().terms.items():
        for english, weight in alternatives:
            if weight >= _REVERSIBLE:
                key = " ".join(map(_fold, _WORD.findall(english)))
                weighed.setdefault(key, {}).setdefault(term, weight)
    return {
        english: tuple(sorted(chinese, key=lambda term: -chinese[term])[:_MOST])
        for english, chinese in weighed.items()
    }


def _fold(word: str) -> str:
    """Return a word in lower case without the s of a plural."""
    word = word.lower()
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
