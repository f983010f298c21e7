"""The query language → Query; pure, and never an error: what cannot be read as meant is read as text.

Bare words are a bag. ``"a phrase"``, ``+word``, ``field:value`` and both sides of ``AND`` are required,
``-word`` and ``NOT word`` excluded, ``a OR b`` and ``a | b`` alternatives (OR binds its neighbours only),
parentheses nest. A minus means "not" only at the beginning of a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeGuard

from lunwen.retrieval import reading
from lunwen.retrieval.analysis import CJK, STOP_WORDS, fold, read_tex, strip_request, trim
from lunwen.retrieval.lexer import FIELDS, OPERATORS, Token, lex, split_field
from lunwen.retrieval.node import AllOf, AnyOf, Clause, Occur, Phrase, Query, Words, Years, is_required
from lunwen.retrieval.reading import reading_zh, unparse, without
from lunwen.retrieval.request import MAX_QUERY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.retrieval.lexer import Item
    from lunwen.retrieval.node import Node

__all__ = [
    "FIELDS",
    "AllOf",
    "AnyOf",
    "Clause",
    "Occur",
    "Phrase",
    "Query",
    "Words",
    "Years",
    "parse",
    "parse_years",
    "reading_zh",
    "unparse",
    "without",
]

_NAMES = frozenset(["author", "venue", "topic", "status", "source", "keyword"])  # values of several words
_LONG = 12  # words; a longer text with as many function words as prose has is a question or an abstract …
_FUNCTION_WORDS = 1 / 6
# … in which quotes, dashes and parentheses are punctuation, and an AND stands for and
_SIGNS_IN_PROSE = re.compile(r'(?<!:)"|(?<![^\s"(])[-+]+|[()|]|\b(?P<word>AND|OR|NOT)\b')

_TITLE_QUOTES = re.compile(r"[《「『]([^《「『》」』]*)[》」』]")
_LONE_TITLE_QUOTE = re.compile(r"[《「『》」』]")
_CJK = re.compile(f"[{CJK}]")
_QUOTE = re.compile(r'["“”„＂]')
_DASH = re.compile(r"(?<!\S)[\u2012-\u2015]+|[\u2014\u2015]+")  # punctuation, no minus
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\\$]")
_LOOKS_LIKE_FIELD = re.compile(r"[a-z]{2,}:[^\s/:]")
_RANGE = re.compile(r"([0-9]{4})?(?:\.\.|-|:)([0-9]{4})?")
_BARE_RANGE = re.compile(r"[0-9]{4}\.\.(?:[0-9]{4})?|\.\.[0-9]{4}")
_COMPARED = re.compile(r"(>=|<=|>|<|=|)([0-9]{4})")
_CANDIDATE = re.compile(r"(?=.*(?:[0-9/:_-]|[a-z][A-Z]))[A-Za-z0-9][!-~]{3,499}")


def parse(text: str) -> Query:
    """Read a query; any text is one."""
    notes: list[str] = []
    text = text.encode("utf-8", "replace").decode()  # half a character pair is none
    prepared = _prepare(text, notes)
    clauses = _read_chinese(prepared, notes) if _CJK.search(prepared) else _Parser(notes).read(prepared)
    if not clauses and prepared:
        notes.append(reading.NOTHING)
    unique = tuple(dict.fromkeys(notes))
    return Query(text, clauses, reading.describe(clauses, unique), unique, _find_candidate(text))


def _read_chinese(prepared: str, notes: list[str]) -> tuple[Clause, ...]:
    """Return the clauses of a text with Chinese in it, as weighted English too."""
    from lunwen.retrieval.chinese.clause import translate  # noqa: PLC0415  only Chinese queries load it
    from lunwen.retrieval.chinese.reading import take_corrections  # noqa: PLC0415  same

    plain, corrections = take_corrections(prepared)
    clauses = translate(_Parser(notes).read(plain), corrections)
    written = reading.write(clauses)  # where only words of a request were Chinese, read as it stands
    return clauses if _CJK.search(written) else _Parser(notes).read(written)


def parse_years(text: str) -> Years | None:
    """Read "2024", "2022..2024", "2022-2024", "2020-", "-2015", ">=2023" or "<2020"; else None."""
    text = fold(text).strip(" \t,;")
    if match := _COMPARED.fullmatch(text):
        sign, year = match[1], int(match[2])
        low = {">": year + 1, "<": None, "<=": None}.get(sign, year)
        high = {"<": year - 1, ">": None, ">=": None}.get(sign, year)
        return Years(low, high)
    match = _RANGE.fullmatch(text)
    if match and (match[1] or match[2]):
        low, high = (int(year) if year else None for year in match.groups())
        return Years(high, low) if low and high and low > high else Years(low, high)
    return None


def _prepare(text: str, notes: list[str]) -> str:
    """Return the text in one spelling: folded, maths and TeX accents as Unicode, dashes no minus."""
    if len(text) > MAX_QUERY:
        notes.append(reading.TOO_LONG)
    text = _DASH.sub(" ", text[:MAX_QUERY])
    text = text.replace("``", '"').replace("''", '"')
    text = _TITLE_QUOTES.sub(lambda match: f' "{_QUOTE.sub(" ", match[1])}" ', text)
    text = fold(read_tex(fold(_LONE_TITLE_QUOTE.sub(" ", text))))
    return _CONTROL.sub(" ", text)[:MAX_QUERY].strip()


def _find_candidate(text: str) -> str | None:
    """Return the text where it has the shape of one identifier or address."""
    candidate = fold(text[:MAX_QUERY]).strip()
    return candidate if _CANDIDATE.fullmatch(candidate) and not split_field(candidate) else None


def _is_prose(text: str) -> bool:
    words = text.split()
    return len(words) > _LONG and sum(word in STOP_WORDS for word in words) >= _FUNCTION_WORDS * len(words)


class _Parser:
    """Reads one text into clauses and notes what it could not read as written."""

    def __init__(self, notes: list[str]) -> None:
        self.notes = notes

    def read(self, text: str) -> tuple[Clause, ...]:
        """Return the clauses of a text, without the wording of a request."""
        if _is_prose(text):
            text = _SIGNS_IN_PROSE.sub(lambda match: (match["word"] or " ").lower(), text)
        while True:
            clauses = tuple(dict.fromkeys(self._read_level(lex(text, self.notes), None)))
            if not all(clause.occur == "should" and isinstance(clause.node, Words) for clause in clauses):
                return clauses
            written = reading.write(clauses)  # looked at too, so that it is read as the same clauses again
            shorter = [kept for kept in map(strip_request, (text, written)) if kept not in (text, written)]
            if not shorter:
                return clauses
            self.notes.append(reading.REQUEST_LEFT_OUT)
            text = shorter[0]

    def _read_level(self, items: Sequence[Item], within: str | None) -> list[Clause]:
        """Return the clauses of a text, or of what is between two parentheses."""
        operands: list[list[list[Clause]]] = []  # for each: its alternatives, and the clauses of each
        required: set[int] = set()
        link, at = "", 0
        while at < len(items):
            item = items[at]
            if _is_operator(item, "AND", "OR", "|") and operands and _begins_operand(items, at + 1):
                link, at = item.text, at + 1
                continue
            clauses, at = self._read_operand(items, at, within)
            if not clauses:
                continue
            if link in ("OR", "|"):
                operands[-1].append(clauses)
            else:
                operands.append([clauses])
            if link == "AND":
                required |= {len(operands) - 2, len(operands) - 1}
            link = ""
        found: list[Clause] = []
        for place, alternatives in enumerate(operands):
            clauses = alternatives[0] if len(alternatives) == 1 else self._join(alternatives)
            found += map(_require, clauses) if place in required else clauses
        return found

    def _read_operand(self, items: Sequence[Item], at: int, within: str | None) -> tuple[list[Clause], int]:
        """Return the clauses of the operand that begins at an item, and where the next one begins."""
        item, sign = items[at], ""
        if _is_operator(item) and not (item.text == "NOT" and _begins_operand(items, at + 1)):
            self.notes.append(reading.LONE_OPERATOR)
            return [Clause(Words(item.text.lower()))] if item.text in OPERATORS else [], at + 1
        while isinstance(item, Token) and (item.kind == "sign" or _is_operator(item, "NOT")):
            sign = "-" if item.text == "NOT" else sign or item.text
            at += 1
            if not _begins_operand(items, at):
                return [], at
            item = items[at]
        if isinstance(item, Token) and item.kind == "field":
            clauses = self._read_field(items[at + 1 : at + 2], item.text)
            at += 1
        else:
            clauses = self._read_value(item, within)
        return self._apply(sign, clauses), at + 1

    def _read_field(self, value: Sequence[Item], name: str) -> list[Clause]:
        clauses = self._read_value(value[0], name) if value else []
        if not clauses:
            self.notes.append(reading.EMPTY_FIELD)
        return clauses or [Clause(Words(name))]

    def _read_value(self, item: Item, within: str | None) -> list[Clause]:
        if isinstance(item, list):
            return self._read_level(_join_names(item) if within in _NAMES else item, within)
        if within == "year":
            years = parse_years(item.text)
            if years:
                return [Clause(years, "must")]
            self.notes.append(reading.NO_YEAR)
            within = None
        if item.kind == "phrase":
            return [Clause(Phrase(item.text, within), "must")] if trim(item.text) else []
        return self._read_word(item.text, within)

    def _read_word(self, word: str, within: str | None) -> list[Clause]:
        text = trim(word)
        if within or not text:
            return [Clause(Words(text, within), "must")] if text else []
        for spelling in (word, text):
            if _BARE_RANGE.fullmatch(spelling):
                return self._read_value(Token("word", spelling), "year")
        inner = split_field(text)
        while inner and inner[0] == "year" and (deeper := split_field(trim(inner[1]))):
            inner = deeper  # one after the other, however many there are
            self.notes.append(reading.NO_YEAR)
        if inner:
            return self._read_field([Token("word", inner[1])], inner[0])
        if _LOOKS_LIKE_FIELD.match(word):
            self.notes.append(reading.UNKNOWN_FIELD)
        return [Clause(Words(text.lower() if text in OPERATORS else text))]

    def _apply(self, sign: str, clauses: list[Clause]) -> list[Clause]:
        if sign == "+":
            return [_require(clause) for clause in clauses]
        if sign != "-" or not clauses:
            return clauses
        excluded = self._hoist(clauses)
        wanted = [clause.node for clause in clauses if clause.occur != "not"]
        node = _all_of(wanted) if wanted else AnyOf(())
        return [*(Clause(n, "not") for n in (node.nodes if isinstance(node, AnyOf) else (node,))), *excluded]

    def _join(self, alternatives: Sequence[list[Clause]]) -> list[Clause]:
        """Return one clause for alternatives, and after it what they exclude."""
        excluded = [clause for clauses in alternatives for clause in self._hoist(clauses)]
        wanted = [[c for c in clauses if c.occur != "not"] for clauses in alternatives]
        nodes = [_all_of([clause.node for clause in clauses]) for clauses in wanted if clauses]
        if not nodes:
            return excluded
        node = _any_of(nodes)
        asked = any(c.occur == "must" and not is_required(c.node) for clauses in wanted for c in clauses)
        return [Clause(node, "must" if asked or is_required(node) else "should"), *excluded]

    def _hoist(self, clauses: Sequence[Clause]) -> list[Clause]:
        excluded = [clause for clause in clauses if clause.occur == "not"]
        if excluded:
            self.notes.append(reading.MINUS_INSIDE)
        return excluded


def _is_operator(item: Item | None, *names: str) -> TypeGuard[Token]:
    return isinstance(item, Token) and item.kind == "operator" and (not names or item.text in names)


def _begins_operand(items: Sequence[Item], at: int) -> bool:
    """Return whether there is an item that AND, OR, NOT or a sign before it can join."""
    if _is_operator(item := items[at] if at < len(items) else None, "NOT"):
        at += 1
        item = items[at] if at < len(items) else None
    return item is not None and not _is_operator(item)


def _join_names(items: Sequence[Item]) -> list[Item]:
    """Return the items of ``author:(Lei Li OR Wei Wang)`` with the words of each name as one phrase."""
    joined: list[Item] = []
    name: list[str] = []
    for item in [*items, None]:
        if isinstance(item, Token) and item.kind == "word":
            name.append(item.text)
            continue
        if name:
            joined.append(Token("phrase" if len(name) > 1 else "word", " ".join(name)))
        name = []
        if item is not None:
            joined.append(item)
    return joined


def _require(clause: Clause) -> Clause:
    return clause if clause.occur == "not" else Clause(clause.node, "must")


def _all_of(nodes: Sequence[Node]) -> Node:
    flat = [inner for node in nodes for inner in (node.nodes if isinstance(node, AllOf) else (node,))]
    unique = tuple(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else AllOf(unique)


def _any_of(nodes: Sequence[Node]) -> Node:
    flat = [inner for node in nodes for inner in (node.nodes if isinstance(node, AnyOf) else (node,))]
    unique = tuple(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else AnyOf(unique)
