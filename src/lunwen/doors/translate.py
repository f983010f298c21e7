"""Sentences that other rooms say in English, in Chinese; one without a translation stays as it is."""

from __future__ import annotations

from lunwen.retrieval.query import parse, reading_zh

#: What a sentence begins with → what its translation begins with; the rest (words, names) is kept.
_BEGINNINGS = {
    "the library is empty. Bring papers in with: ": "论文库是空的。导入论文：",
    "there are papers for the query, none with ": "有符合查询的论文，但没有一篇满足 ",
    "each part is found, no paper has all of them": "各部分都找得到，但没有论文同时具备",
    "no paper matches": "没有符合的论文",
    "few papers have all words; these have any of ": "含全部词的论文很少，以下至少含有其一：",
    "few papers have all words; these have at least ": "含全部词的论文很少，以下含有：",
    "no paper has all words; these have any of ": "没有论文含全部词，以下至少含有其一：",
    "no paper has all words; these have at least ": "没有论文含全部词，以下含有：",
    "no paper has the words within these filters; these are the nearest in meaning": (
        "筛选范围内没有论文含有这些词，以下是意思最接近的"
    ),
    "no paper with the ": "论文库里没有这篇论文：",
    "no paper has ": "没有论文含有 ",
    "without filters": "去掉全部筛选",
    "with fewer words": "少用几个词",
    "spelling": "换个拼写",
    "search by meaning is not ready, these are found by words. Make it ready with: ": (
        "按语义检索尚未就绪，以下是按词找到的。准备语义检索："
    ),
    "a name of this paper": "这是该论文的编号或网址",
    "without venue: ": "去掉会议 ",
    "without year: ": "去掉年份 ",
    "without topic: ": "去掉主题 ",
    "without status: ": "去掉状态 ",
    "without source: ": "去掉来源 ",
    "without author: ": "去掉作者 ",
    "without has: ": "去掉“含有” ",
}


def translate(text: str, language: str) -> str:
    """``text`` in ``language``."""
    if language != "zh":
        return text
    for english, chinese in _BEGINNINGS.items():
        if text.startswith(english):
            return chinese + text[len(english) :].replace("; these have ", "；以下含有：")
    return text


def translate_reading(query: str, reading: str, language: str) -> str:
    """How ``query`` was read, in ``language``; ``reading`` is the English sentence of the response."""
    read = parse(query)
    if language != "zh" or not reading.startswith(read.reading):
        return reading
    rest = reading[len(read.reading) :].removeprefix("; ")
    return "；".join(part for part in (reading_zh(read), translate(rest, language)) if part)
