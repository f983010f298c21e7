"""Citation keys: unique, ASCII, the same in every run."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lunwen.export.person import read_person

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.corpus.paper import Paper

STYLES = ("scholar", "acl")  # vaswani2017attention, vaswani-etal-2017-attention

_SKIPPED = frozenset(
    ("a", "an", "the", "on", "of", "for", "in", "to", "and", "with", "from", "by", "at", "via", "towards")
)
# Letters that do not fall apart into a letter and an accent.
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)


def cite_key(paper: Paper, style: str = "scholar") -> str:
    """Make a paper's key, not yet unique; ``paper<year><id>`` where no name can be written in ASCII."""
    families = [_ascii(read_person(author).family) for author in paper.authors[:3]]
    year = str(paper.year or "")
    if not families or not families[0]:
        return f"paper{year}{_ascii(paper.paper_id)}"
    word = _first_word(paper.title)
    if style == "scholar":
        return f"{families[0]}{year}{word}"
    names = [families[0], "etal"] if len(families) > 2 else [name for name in families if name]
    return "-".join(part for part in (*names, year, word) if part)


def cite_keys(papers: Iterable[Paper], style: str = "scholar") -> dict[str, str]:
    """Give papers their keys, by ``paper_id``; those that share one get a, b, c in the order of their ids."""
    keys: dict[str, str] = {}
    used: set[str] = set()
    for paper_id, key in sorted((paper.paper_id, cite_key(paper, style)) for paper in papers):
        keys[paper_id] = distinct(key, used)
    return keys


def keyed(papers: Iterable[Paper], style: str = "scholar") -> Iterator[tuple[Paper, str]]:
    """Yield papers with their keys, in two passes; a bare iterator, which has one, is held in memory."""
    again = list(papers) if isinstance(papers, Iterator) else papers
    keys = cite_keys(again, style)
    used = set(keys.values())
    for paper in again:  # one that came in since the first pass has no key yet
        yield paper, keys.get(paper.paper_id) or distinct(cite_key(paper, style), used)


def distinct(key: str, used: set[str]) -> str:
    """Add to ``key`` the first letters that make it new, and remember it in ``used``."""
    made, number = key, 0
    while made in used:
        number += 1
        made = f"{key}{'-' if '-' in key else ''}{_letters(number)}"
    used.add(made)
    return made


def _letters(number: int) -> str:
    """Count a, b … z, aa, ab and so on."""
    made = ""
    while number:
        number, rest = divmod(number - 1, 26)
        made = chr(ord("a") + rest) + made
    return made


def _first_word(title: str) -> str:
    text = re.sub(r"\$[^$]*\$", " ", title)
    words = [made for word in re.split(r"[\s\-\u2010-\u2015:/,.]+", text) if (made := _ascii(word))]
    return next((word for word in words if word not in _SKIPPED), words[0] if words else "")


def _ascii(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
    return re.sub(r"[^a-z0-9]", "", decomposed)
