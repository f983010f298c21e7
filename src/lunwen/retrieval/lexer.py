"""Query text → tokens, with each pair of parentheses as a list; pure, any text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from lunwen.retrieval import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    Item: TypeAlias = "Token | list[Item]"

#: What may stand before a colon → the field.
FIELDS = {
    **dict.fromkeys(["author", "authors", "au", "作者"], "author"),
    **dict.fromkeys(["title", "ti", "intitle", "标题", "题目"], "title"),
    **dict.fromkeys(["abstract", "abs", "ab", "摘要"], "abstract"),
    **dict.fromkeys(["text", "fulltext", "正文", "全文"], "text"),
    **dict.fromkeys(["venue", "v", "conference", "会议", "期刊"], "venue"),
    **dict.fromkeys(["year", "y", "年份", "年"], "year"),
    **dict.fromkeys(["topic", "t", "主题", "领域"], "topic"),
    **dict.fromkeys(["status", "状态"], "status"),
    **dict.fromkeys(["source", "src", "来源"], "source"),
    **dict.fromkeys(["has", "含有"], "has"),
    **dict.fromkeys(["keyword", "keywords", "kw", "关键词"], "keyword"),
}
OPERATORS = frozenset(["AND", "OR", "NOT"])  # and "|", which is OR

_DEEPEST = 20  # nested parentheses that are read as such
_FIELD = re.compile(rf"(?P<field>{'|'.join(FIELDS)}):(?=[^\s)|])", re.IGNORECASE)
_TOKEN = re.compile(
    rf"""(?P<space>\s+)|(?P<paren>[()])|(?P<bar>\|)
    |(?<![A-Za-z0-9])"(?P<phrase>[^"]*)"|(?P<quote>")
    |(?<![^\s(|])(?<!\w\()(?P<sign>[-+])(?=\S)(?!\w+-(?!\S))
    |(?<!:){_FIELD.pattern}
    |(?P<word>[^\s"()|]+)""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a query."""

    kind: Literal["word", "phrase", "field", "sign", "operator", "(", ")"]
    text: str


def lex(text: str, notes: list[str]) -> list[Item]:
    """Return the tokens of a text, and note what is not read as it was written."""
    return _nest(_split(text, notes), notes)


def split_field(word: str) -> tuple[str, str] | None:
    """Return the field and the value of ``field:value``, or None where that is no field."""
    match = _FIELD.match(word)
    return (FIELDS[match["field"].lower()], word[match.end() :]) if match else None


def _split(text: str, notes: list[str]) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while match := _TOKEN.match(text, at):
        at = match.end()
        if match["quote"]:
            notes.append(reading.UNCLOSED_QUOTE)
        elif not match["space"]:
            glued = bool(tokens) and tokens[-1].kind in ("field", "sign")
            tokens.append(_read_token(match, glued=glued))
    return tokens


def _read_token(match: re.Match[str], *, glued: bool) -> Token:
    text = match[0]
    if match["phrase"] is not None:
        return Token("phrase", " ".join(match["phrase"].split()))
    if match["paren"]:
        return Token("(" if text == "(" else ")", text)
    if match["sign"]:
        return Token("sign", text)
    if match["field"]:
        return Token("field", FIELDS[match["field"].lower()])
    if match["bar"]:
        return Token("operator", text)
    return Token("operator" if text in OPERATORS and not glued else "word", text)


def _nest(tokens: Sequence[Token], notes: list[str]) -> list[Item]:
    """Return tokens with each pair of parentheses as a list."""
    levels: list[list[Item]] = [[]]
    depths = _match_parentheses(tokens)
    for place, token in enumerate(tokens):
        if token.kind not in ("(", ")"):
            levels[-1].append(token)
        elif place not in depths:
            notes.append(reading.LONE_PARENTHESIS)
        elif depths[place] > _DEEPEST:
            notes.append(reading.TOO_DEEP)
        elif token.kind == "(":
            levels.append([])
        else:
            group = levels.pop()
            levels[-1].append(group)
    return levels[0]


def _match_parentheses(tokens: Sequence[Token]) -> dict[int, int]:
    """Return the places of the parentheses that have a partner, with how deep they are."""
    depths: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.kind == "(":
            opened.append(place)
        elif token.kind == ")" and opened:
            depths[place] = depths[opened.pop()] = len(opened) + 1
    return depths
