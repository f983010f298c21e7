"""Markdown and typewriter habits in plain text: ``**bold**``, ``[words](url)``, quotes, dashes, ties."""

from __future__ import annotations

import re

_PIECE = "\ufdd0\\d+\ufdd1"
_SITE = r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}(?:/[^\s()]*)?"
_LINK = re.compile(rf"!?\[([^\[\]\n]{{1,300}})\]\(\s?<?({_PIECE}|{_SITE})>?(?:\s\"[^\"\n]{{0,200}}\")?\s?\)")
_ANGLED = re.compile(rf"<({_PIECE})>")
_STRONG = re.compile(r"\*\*(?=[^\s*])([^*\n]{1,500}?)(?<=\S)\*\*")
_POWER = re.compile(r"\d\*\*\d")
_EMPHASIS = re.compile(
    r"(?<![\w*\\/])(\*{1,3})(?=[^\s*])([^*\n]{1,500}?)(?<=[^\s*])\1(?:(?![\w*])|(?<=[.!?:]\*)(?!\*))"
)
_UNDERSCORE = re.compile(
    r"(?<![\w/.\\])(_|__(?=[^_\n]{1,200}\s))(?=[^\s_])([^_\n]{1,500}?)(?<=[^\s_])\1(?![\w(])"
)
_DOUBLE = re.compile(r"(?<!`)``(?!`)([^`\n]{1,500}?)(?:''|\"|”|’’)")
_UNCLOSED = re.compile(r"(?<!`)``(?=\w)")
_SINGLE = re.compile(r"(?<![\w`])`(?=\S)([^`'\n]{1,200}?)(?<=\S)['’](?![\w'])")
_CODE = re.compile(r"(`{1,3})(?![`\s])([^`\n]{1,500}?)(?<!\s)\1(?!`)")
_EM_DASH = re.compile(r"(?<![-<])---(?![->])")
_EN_DASH = re.compile(r"(?<![-<])--(?![->])")
_FLAG = re.compile(r"(?<![^\s(])--(?=\w)")  # "--flag", unless dashes close what it opens
_TIE = re.compile(
    r"(?<=[^\W\d_])~(?!~|\s\d)|(?<=[.,:;)\]\ufdd1–—])~(?=[\w(\[\ufdd0–—])|(?<=\d)~(?=[^\W\d_]|[(\[\ufdd0])"
)


def read_markdown(text: str) -> str:
    """Drop Markdown's emphasis; write its links as words and URL."""
    if "](" in text:
        text = _LINK.sub(r"\1 (\2)", text)
    if "*" in text:
        text = _EMPHASIS.sub(r"\2", text)
        if "**" in text:
            text = _STRONG.sub(_drop_stars, text)
            text = _EMPHASIS.sub(r"\2", text)
    if "_" in text:
        text = _UNDERSCORE.sub(r"\2", text)
    return text


def _drop_stars(match: re.Match[str]) -> str:
    around = match.string[max(0, match.start() - 1) : match.start() + 3]
    return match[0] if _POWER.fullmatch(around) else match[1]


def set_type(text: str) -> str:
    """Write typewriter quotes, dashes and ties as the characters they mean."""
    if "<\ufdd0" in text:
        text = _ANGLED.sub(r"\1", text)
    if "`" in text:
        text = _DOUBLE.sub(r"“\1”", text)
        text = _UNCLOSED.sub("“", text)
        text = _SINGLE.sub(r"‘\1’", text)
        text = _CODE.sub(r"\2", text)
    if "--" in text:
        text = _EM_DASH.sub("—", text)
        if text.count("--") > len(_FLAG.findall(text)):
            text = _EN_DASH.sub("–", text)
    if "~" in text:
        text = _TIE.sub(" ", text)
    return text
