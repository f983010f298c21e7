"""Matched words → spans in the text as it is shown; pure.

Words are looked for in a shadow of the text: lower case, without accents, maths and links blanked out. Each
character of the shadow knows which character of the text it stands for.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from lunwen.retrieval.analysis import CJK, STOP_WORDS, Term, index_text, terms
from lunwen.retrieval.fragment import fragment, unbreakable
from lunwen.retrieval.node import AllOf, AnyOf, Phrase, Sense, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from lunwen.retrieval.fragment import Spans
    from lunwen.retrieval.node import Node, Query

__all__ = ["Highlighter", "fragment"]

SHOWN = frozenset([None, "title", "abstract", "keyword"])  # fields whose words are in the shown text

_TOKEN = re.compile(f"[^\\W_{CJK}]+")
_GAP = re.compile(r"[^\S\n]{0,2}[-_./'+:^&@]?[^\S\n]{0,2}")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
_GREEK_WORD = re.compile(f"{_GREEK.pattern}{{3,}}")
_SQUEEZED_OUT = b"-_./'+:^&@ "
_CODE = re.compile(r"(?P<letter>[a-z0-9])(?P<sign>plusplus|sharp|star)|(?P<bare>plusplus)|(?P<net>dotnet)")
_SIGNS = {"plusplus": "++", "sharp": "#", "star": "*"}


@dataclass(frozen=True, slots=True)
class _Run:
    """Words in a row that are looked for: where to start looking, and each word's stem or literal form."""

    prefix: str
    words: tuple[tuple[str, bool], ...]  # stem or literal, whether it is literal


class Highlighter:
    """Marks the words of one query in any number of texts.

    Args:
        query: as it was read.
        stem: turns a lower-case token into what the index compares.
        fields: whose words are looked for.
    """

    def __init__(
        self, query: Query, stem: Callable[[str], str], fields: Collection[str | None] = SHOWN
    ) -> None:
        self._stem = cache(stem)
        wanted = list(dict.fromkeys(_wanted(query, fields)))
        telling = [term for term in wanted if " ".join(term.parts) not in STOP_WORDS]
        self._pairs = [pair for term in telling if term.cjk for pair in _pairs(term.parts)]
        self._words = [
            (self._runs(term), term.parts[0], _split_pattern(term))
            for term in telling or wanted
            if not term.cjk
        ]

    def spans(self, text: str) -> Spans:
        """Return where the query's words are: sorted, apart from each other, as [start, end)."""
        if not (self._words or self._pairs):
            return ()
        shadow, origins = _cast(text)
        found: list[tuple[int, int]] = []
        squeezed = shadow.encode("utf-8", "surrogatepass").translate(None, _SQUEEZED_OUT)
        for runs, joined, split in self._words:
            for run in runs:
                if run.prefix in shadow:
                    found += self._find(shadow, run)
            if split and (times := squeezed.count(joined.encode())) and times > shadow.count(joined):
                found += [match.span() for match in split.finditer(shadow)]
        for pair in self._pairs:
            found += _find_all(shadow, pair)
        if origins:
            found = [(origins[start], _end_of_character(text, origins[end - 1])) for start, end in found]
        return _merge(found)

    def estimate(self, text: str) -> tuple[int, int]:
        """Return in a hundredth of the time about how many of the words a text has, and how often."""
        folded = text.lower()
        counts = [max(folded.count(run.prefix) for run in runs) for runs, _, _ in self._words]
        counts += [folded.count(pair) for pair in self._pairs]
        return sum(map(bool, counts)), sum(counts)

    def _runs(self, term: Term) -> list[_Run]:
        return list(dict.fromkeys(self._run(parts) for parts in _spellings(term)))

    def _run(self, parts: tuple[str, ...]) -> _Run:
        words = tuple(
            (literal, True) if (literal := _literal(part)) else (self._stem(part), False) for part in parts
        )
        first, is_literal = words[0]
        return _Run(first if is_literal else _common_beginning(first, parts[0]), words)

    def _find(self, shadow: str, run: _Run) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        at = shadow.find(run.prefix)
        while at >= 0:
            end = 0 if at and _is_word(shadow[at - 1]) else self._match(shadow, at, run)
            if end:
                found.append((at, end))
            at = shadow.find(run.prefix, max(end, at + 1))
        return found

    def _match(self, shadow: str, at: int, run: _Run) -> int:
        """Return where the words of a run end that begin here, or 0."""
        end = at
        for place, (word, is_literal) in enumerate(run.words):
            if is_literal and shadow.startswith(word, end) and not _TOKEN.match(shadow, end + len(word)):
                end += len(word)
                continue
            at = _GAP.match(shadow, end).end() if place else at  # type: ignore[union-attr]
            token = _TOKEN.match(shadow, at)
            if token and self._stem(token[0]) == word:
                end = token.end()
            else:
                return 0
        return end


def _is_word(character: str) -> bool:
    """Whether a character is part of a word that blanks and signs delimit."""
    return character.isalnum() and bool(_TOKEN.match(character))


def _wanted(query: Query, fields: Collection[str | None]) -> Iterator[Term]:
    """Yield the terms of a query that a found paper may show."""
    for clause in query.clauses:
        if clause.occur != "not":
            yield from _terms_of(clause.node, fields)


def _terms_of(node: Node, fields: Collection[str | None]) -> Iterator[Term]:
    if isinstance(node, AnyOf | AllOf):
        for inner in node.nodes:
            yield from _terms_of(inner, fields)
    elif isinstance(node, Sense) and node.field in fields:
        yield from terms(node.text)
        for english, _ in node.alternatives:
            yield from terms(english)
    elif isinstance(node, Words | Phrase) and node.field in fields:
        found = terms(node.text)
        if isinstance(node, Phrase) and len(found) > 1 and not any(term.cjk for term in found):
            yield Term(node.text, tuple(part for term in found for part in term.parts))
        else:
            yield from found


def _spellings(term: Term) -> Iterable[tuple[str, ...]]:
    """Return the words in a row as which a term can be written."""
    written = [term.parts, *([(term.joined,)] if term.joined else [])]
    if len(term.parts) > 2 and _literal(term.parts[-1]):
        written.append(("".join(term.parts[:-1]), term.parts[-1]))  # kmeans++
    return dict.fromkeys([*written, *(tuple(variant.split()) for variant in term.variants)])


def _split_pattern(term: Term) -> re.Pattern[str] | None:
    """Return what finds a joined word written apart: "tsne" as "t-SNE", "noninvasive" as "non invasive"."""
    word = term.parts[0]
    if len(term.parts) > 1 or not 3 <= len(word) <= 24 or not word.isascii():
        return None
    joiner = "[-_./'+:^&@ ]?" if len(word) > 4 else "[-_./'+:^&@]?"
    return re.compile(f"{word[0]}(?<![a-z0-9]{word[0]}){joiner}{joiner.join(word[1:])}s?(?![a-z0-9])")


def _literal(part: str) -> str:
    """Return how a code-like term is written in text: "cplusplus" → "c++"."""
    match = _CODE.fullmatch(part)
    if not match:
        return ""
    if match["letter"]:
        return match["letter"] + _SIGNS[match["sign"]]
    return "++" if match["bare"] else ".net"


def _common_beginning(stem: str, word: str) -> str:
    """Return what all forms of a word begin with: Snowball turns y into i and puts back an e."""
    shorter = stem[:-1] if len(stem) > 2 and stem[-1] in "eiy" else stem
    size = 1
    while size < min(len(shorter), len(word)) and shorter[size] == word[size]:
        size += 1
    return word[:size]


def _pairs(parts: tuple[str, ...]) -> list[str]:
    """Return the overlapping pairs of a run of Chinese, as the engine looks for them."""
    return [left + right for left, right in pairwise(parts)] or [*parts]


def _find_all(shadow: str, piece: str) -> Iterator[tuple[int, int]]:
    at = shadow.find(piece)
    while at >= 0:
        yield at, at + len(piece)
        at = shadow.find(piece, at + 1)


def _cast(text: str) -> tuple[str, list[int] | None]:
    """Return the shadow of a text, and for each of its characters the place in the text (None: the same)."""
    if "$" in text or "://" in text:
        text = _blank_out(text)
    strange = set("".join(_NON_ASCII.findall(text))) if not text.isascii() else ()
    stand_ins = {character: _stand_in(character) for character in strange}
    if all(stand_ins.values()):
        for character, spelt in stand_ins.items():
            text = text.replace(character, spelt)
        return text.lower(), None
    pieces: list[str] = []
    origins: list[int] = []
    end = 0
    for match in _NON_ASCII.finditer(text):
        pieces.append(text[end : match.start()].lower())
        origins += range(end, match.start())
        end = match.end()
        greek = {at for word in _GREEK_WORD.finditer(match[0]) for at in range(*word.span())}
        for at, character in enumerate(match[0]):
            spelt = _spell_in_word(character) if at in greek else _spell(character)
            pieces.append(spelt)
            origins += [match.start() + at] * len(spelt)
    pieces.append(text[end:].lower())
    origins += range(end, len(text))
    return "".join(pieces), origins


def _blank_out(text: str) -> str:
    """Return a text of the same length with its maths and links as blanks."""
    pieces: list[str] = []
    at = 0
    for start, end in unbreakable(text):
        pieces += [text[at:start], "\n" * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])


@lru_cache(maxsize=4096)
def _stand_in(character: str) -> str:
    """Return the one character that stands for a character wherever it is, or nothing where that depends."""
    spelt = _spell(character)
    always = not (unicodedata.combining(character) or _GREEK.match(character))
    return spelt if always and len(spelt) == 1 and (spelt.isascii() or spelt == character) else ""


@lru_cache(maxsize=4096)
def _spell(character: str) -> str:
    """Return a character as the index has it, in lower case."""
    spelt = index_text(character).lower()
    return spelt.strip() or spelt[:1]


def _spell_in_word(letter: str) -> str:
    return unicodedata.normalize("NFD", letter)[0].lower()


def _end_of_character(text: str, at: int) -> int:
    """Return where the character at a place ends, its combining marks included."""
    at += 1
    while at < len(text) and unicodedata.combining(text[at]):
        at += 1
    return at


def _merge(found: list[tuple[int, int]]) -> Spans:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
