"""A query in words: the sentence that says how it was read, in English and Chinese, and its text again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.retrieval.node import AllOf, AnyOf, Clause, Phrase, Sense, Years, is_required
from lunwen.retrieval.request import MAX_QUERY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.retrieval.node import Node, Query

UNCLOSED_QUOTE = "the quote was not closed and is read as text"
LONE_PARENTHESIS = "a parenthesis has no partner and is read as text"
TOO_DEEP = "parentheses this deep are read as text"
TOO_LONG = f"only the first {MAX_QUERY:,} characters are read"
LONE_OPERATOR = "AND, OR, NOT or | joins nothing there and is read as text"
MINUS_INSIDE = "a minus inside OR or parentheses excludes from the whole query"
NO_YEAR = "what stands for the year is no year and is read as text"
UNKNOWN_FIELD = "what stands before the colon is no field and is read as text"
EMPTY_FIELD = "a field without a value is read as text"
REQUEST_LEFT_OUT = "the wording of the request is left out"
NOTHING = "there is no word to search for"

_CHINESE = {
    UNCLOSED_QUOTE: "引号没有闭合，按普通文字处理",
    LONE_PARENTHESIS: "括号不成对，按普通文字处理",
    TOO_DEEP: "括号嵌套过深，按普通文字处理",
    TOO_LONG: f"只读取前 {MAX_QUERY:,} 个字符",
    LONE_OPERATOR: "AND、OR、NOT 或 | 没有连接任何内容，按普通文字处理",
    MINUS_INSIDE: "OR 或括号里的减号对整个查询生效",
    NO_YEAR: "年份无法识别，按普通文字处理",
    UNKNOWN_FIELD: "冒号前不是已知字段，按普通文字处理",
    EMPTY_FIELD: "字段没有值，按普通文字处理",
    REQUEST_LEFT_OUT: "省略了提问的套话",
    NOTHING: "没有可以检索的词",
}
_FIELDS_CHINESE = {
    "author": "作者",
    "title": "标题",
    "abstract": "摘要",
    "text": "正文",
    "venue": "会议",
    "topic": "主题",
    "status": "状态",
    "source": "来源",
    "has": "含有",
    "keyword": "关键词",
}


def describe(clauses: Iterable[Clause], notes: Iterable[str] = ()) -> str:
    """Return the English sentence for clauses and notes."""
    return _sentence(clauses, notes, _ENGLISH_WORDS)


def reading_zh(query: Query) -> str:
    """Return the Chinese sentence that says how a query was read."""
    return _sentence(query.clauses, [_CHINESE[note] for note in query.notes], _CHINESE_WORDS)


def unparse(query: Query) -> str:
    """Return a text that is read as the same clauses."""
    return write(query.clauses)


def without(query: Query, clause: Clause) -> str:
    """Return the text of a query with one clause left out."""
    return write(other for other in query.clauses if other != clause)


def write(clauses: Iterable[Clause]) -> str:
    """Return the query text of clauses."""
    return " ".join(map(_write_clause, clauses))


def _write_clause(clause: Clause) -> str:
    text = _write_node(clause.node)
    if clause.occur == "not":
        return f"-{text}"
    return f"+{text}" if clause.occur == "must" and not is_required(clause.node) else text


def _write_node(node: Node) -> str:
    if isinstance(node, AnyOf):
        return f"({' OR '.join(map(_write_node, node.nodes))})"
    if isinstance(node, AllOf):
        return f"({' '.join(map(_write_node, node.nodes))})"
    if isinstance(node, Years):
        low, high = ("" if year is None else f"{year:04d}" for year in (node.low, node.high))
        return f"year:{low}" if low == high else f"year:{low}..{high}"
    if isinstance(node, Sense) and node.is_corrected:
        return f'{node.text}="{"|".join(english for english, _ in node.alternatives)}"'
    text = f'"{node.text}"' if isinstance(node, Phrase) else node.text
    return f"{node.field}:{text}" if node.field else text


class _EnglishWords:
    """The words of the English sentence."""

    bag, required, excluded = "all of: ", "required: ", "without: "
    comma, semicolon, opening, closing = ", ", "; ", " (", ")"
    all_of, any_of = " and ", " or "

    def name_field(self, field: str) -> str:
        return f"{field}: "

    def quote(self, text: str) -> str:
        return f'"{text}"'

    def say_years(self, years: Years) -> str:
        if years.low is None or years.high is None:
            return f"year {years.low} or later" if years.low is not None else f"year {years.high} or earlier"
        return f"year {years.low}" if years.low == years.high else f"year {years.low}–{years.high}"


class _ChineseWords(_EnglishWords):
    """The words of the Chinese sentence."""

    bag, required, excluded = "包含全部：", "必须包含：", "不含："
    comma, semicolon, opening, closing = "、", "；", "（", "）"
    all_of, any_of = " 且 ", " 或 "

    def name_field(self, field: str) -> str:
        return f"{_FIELDS_CHINESE[field]}："

    def quote(self, text: str) -> str:
        return f"“{text}”"

    def say_years(self, years: Years) -> str:
        if years.low is None or years.high is None:
            return f"{years.low} 年及以后" if years.low is not None else f"{years.high} 年及以前"
        return f"{years.low} 年" if years.low == years.high else f"{years.low}–{years.high} 年"


_ENGLISH_WORDS = _EnglishWords()
_CHINESE_WORDS = _ChineseWords()


def _sentence(clauses: Iterable[Clause], notes: Iterable[str], words: _EnglishWords) -> str:
    bag: list[str] = []
    required: list[str] = []
    filters: list[str] = []
    excluded: list[str] = []
    for clause in clauses:
        said = _say(clause.node, words) if _is_filter(clause.node) else _enclose(clause.node, words)
        if clause.occur == "not":
            excluded.append(said)
        elif clause.occur == "should":
            bag.append(said)
        else:
            (filters if _is_filter(clause.node) else required).append(said)
    parts = [
        *([words.bag + words.comma.join(bag)] if bag else []),
        *([words.required + words.comma.join(required)] if required else []),
        *filters,
        *([words.excluded + words.comma.join(excluded)] if excluded else []),
    ]
    said_notes = words.semicolon.join(notes)
    sentence = words.semicolon.join(parts)
    if not sentence:
        return said_notes
    return f"{sentence}{words.opening}{said_notes}{words.closing}" if said_notes else sentence


def _is_filter(node: Node) -> bool:
    if isinstance(node, AnyOf | AllOf):
        return all(map(_is_filter, node.nodes))
    return isinstance(node, Years) or node.field is not None


def _enclose(node: Node, words: _EnglishWords) -> str:
    said = _say(node, words)
    return f"{words.opening.strip()}{said}{words.closing}" if isinstance(node, AnyOf | AllOf) else said


def _say(node: Node, words: _EnglishWords) -> str:
    if isinstance(node, AnyOf | AllOf):
        joiner = words.any_of if isinstance(node, AnyOf) else words.all_of
        inner = (_enclose(inner, words) for inner in node.nodes)
        return joiner.join(inner)
    if isinstance(node, Years):
        return words.say_years(node)
    if isinstance(node, Sense):
        return f"{node.text} → {' | '.join(english for english, _ in node.alternatives) or '?'}"
    text = words.quote(node.text) if isinstance(node, Phrase) else node.text
    return f"{words.name_field(node.field)}{text}" if node.field else text
