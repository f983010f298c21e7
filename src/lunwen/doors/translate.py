"""Sentences that other rooms say in English, in Chinese; one without a translation stays as it is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lunwen.retrieval.node import AllOf, AnyOf, Sense
from lunwen.retrieval.query import parse, reading_zh
from lunwen.retrieval.reading import write

if TYPE_CHECKING:
    from lunwen.retrieval.node import Node

_FILTERS = {
    "venue": "会议",
    "year": "年份",
    "topic": "主题",
    "status": "状态",
    "source": "来源",
    "author": "作者",
    "has": "含有",
}
_SCHEMES = {"arxiv": "arXiv", "doi": "DOI", "openreview": "OpenReview", "acl": "ACL", "dblp": "DBLP"}

#: A whole sentence → its translation. Names and words are kept; ``list`` and ``other`` are words.
_SENTENCES = [
    (re.compile(english), chinese)
    for english, chinese in (
        ("the library is empty. Bring papers in with: (?P<rest>.+)", "论文库是空的。导入论文：{rest}"),
        (
            "there are papers for the query, none with (?P<filters>.+)",
            "有符合查询的论文，但没有一篇满足{filters}",
        ),
        ("each part is found, no paper has all of them", "各部分都找得到，但没有论文同时具备"),
        ("no paper matches", "没有符合的论文"),
        (
            "few papers have all words; these have any of (?P<list>.+)",
            "含全部词的论文很少，以下至少含有其一：{list}",
        ),
        (
            "few papers have all words; these have at least (?P<list>.+)",
            "含全部词的论文很少，以下含有：{list}",
        ),
        (
            "no paper has all words; these have any of (?P<list>.+)",
            "没有论文含全部词，以下至少含有其一：{list}",
        ),
        ("no paper has all words; these have at least (?P<list>.+)", "没有论文含全部词，以下含有：{list}"),
        (
            "no paper has the words within these filters; these are the nearest in meaning",
            "筛选范围内没有论文含有这些词，以下是意思最接近的",
        ),
        (
            r"no paper with the (?P<scheme>\w+) id (?P<rest>.+) is here\. Import it, or search for its title",
            "论文库里没有 {scheme} 编号为 {rest} 的论文。可以导入它，或按标题检索",
        ),
        (
            "no paper has (?P<list>.+?); these have any of (?P<other>.+)",
            "没有论文含有 {list}；以下至少含有其一：{other}",
        ),
        ("no paper has (?P<list>.+?); these have (?P<other>.+)", "没有论文含有 {list}；以下含有：{other}"),
        ("no paper has (?P<list>.+)", "没有论文含有 {list}"),
        ("without filters", "去掉全部筛选"),
        ("with fewer words", "少用几个词"),
        ("spelling", "换个拼写"),
        ("in the text", "在正文中"),
        (
            "no paper's text is here. Bring one in with: (?P<rest>.+)",
            "论文库中没有论文正文。获取正文：{rest}",
        ),
        ("without (?P<filters>(?:venue|year|topic|status|source|author|has): .+)", "去掉{filters}"),
        ("the same name in another order", "姓名顺序不同"),
        ("the same name with initials", "名字只有首字母"),
        ("the same name without a middle name", "缺少中间名"),
        ("the same name, another id", "同名，编号不同"),
        ("the same name; no id says who", "同名，没有编号可以区分"),
        (
            r"this server only reads: .+ Start it so that readers may: (?P<rest>.+)",
            "此服务只供阅读，不接受写入。若要允许读者写入，请这样启动：{rest}",
        ),
        (
            "no other paper is near it: not one of its words may be known to the encoder",
            "没有相近的论文：其中的词可能都不在编码器的词表中",
        ),
        (
            "search by meaning is switched off. Switch it on by another (?P<rest>.+)",
            "语义检索已关闭。可更改 {rest} 来开启",
        ),
        (
            "search by meaning is not ready. Make it ready with: (?P<rest>.+)",
            "语义检索尚未就绪。准备语义检索：{rest}",
        ),
        (
            '(?P<rest>".+") has no PDF here. Fetch it with: (?P<command>.+)',
            "{rest} 的 PDF 不在本地。获取它：{command}",
        ),
        (
            "this server shows no PDFs. Start it so that readers have them: (?P<rest>.+)",
            "此服务不提供 PDF。若要提供给读者，请这样启动：{rest}",
        ),
        ("a name of this paper", "这是该论文的编号或网址"),
        (
            "search by meaning is not ready, these are found by words. Make it ready with: (?P<rest>.+)",
            "语义检索尚未就绪，以下是按词找到的。准备语义检索：{rest}",
        ),
    )
]


def translate(text: str, language: str) -> str:
    """``text`` in ``language``."""
    if language != "zh":
        return text
    for pattern, chinese in _SENTENCES:
        if found := pattern.fullmatch(text):
            said = chinese.format(**{name: _say(name, words) for name, words in found.groupdict().items()})
            return said.replace(" “", "“")  # that quote has its own gap
    return text


def translate_reading(query: str, reading: str, language: str) -> str:
    """How ``query`` was read, in ``language``; ``reading`` is the English sentence of the response."""
    read = parse(query)
    if language != "zh" or not reading.startswith(read.reading):
        return translate(reading, language)
    rest = reading[len(read.reading) :].removeprefix("; ")
    return "；".join(part for part in (reading_zh(read), translate(rest, language)) if part)


def spell_out(query: str) -> str:
    """``query`` with the English of its Chinese terms written into it, to be changed; else as it is."""
    read = parse(query)
    spelled = tuple(replace(clause, node=_spell_out(clause.node)) for clause in read.clauses)
    return write(spelled) if spelled != read.clauses else query


def _spell_out(node: Node) -> Node:
    match node:
        case AnyOf(nodes) | AllOf(nodes):
            return type(node)(tuple(map(_spell_out, nodes)))
        case Sense(alternatives=alternatives, is_general=False) if alternatives:
            return replace(node, is_corrected=True)
        case _:
            return node


def _say(name: str, said: str) -> str:
    if name == "scheme":
        return _SCHEMES.get(said, said)
    if name in ("list", "other"):
        return re.sub('"([^"]*)"', r"“\1”", said).replace(", ", "、")
    if name == "filters":
        parts = re.split(rf" and (?=(?:{'|'.join(_FILTERS)}): )", said)
        return "，且".join(map(_say_filter, parts))
    return said


def _say_filter(text: str) -> str:
    name, _, value = text.partition(": ")
    return f"{_FILTERS[name]}“{value.replace(', ', '、')}”"
