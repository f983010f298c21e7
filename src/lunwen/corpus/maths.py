r"""Maths in text: where it starts and ends, and what it reads like without a typesetter.

Clean text keeps pandoc's rule: an opening ``$`` is followed by no space, a closing one has no space before it
and no digit after it, the next dollar decides, and maths crosses no empty line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Kind = Literal["text", "math", "display", "link"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of clean text: words as they are, maths as LaTeX without its dollars, or a URL."""

    kind: Kind
    text: str


_INSIDE = r"(?:[^$\\\n]|\\[^\n]|\n(?![^\S\n]*\n))"
_NO_LINK = r"\s<>\[\]\"“”‘’，。；：、（）【】《》$\\{}|^`\ufdd0-\ufdef"
LINK = rf"https?://(?:[^{_NO_LINK}]|\\[_%#&~])+"
_SEGMENT = re.compile(
    rf"\$\$(?P<display>(?=\S)(?:{_INSIDE}|\$(?!\$))++)(?<!\s)\$\$"
    rf"|\$(?P<math>(?=[^\s$]){_INSIDE}++)(?<!\s)\$(?!\d)"
    rf"|(?P<dollar>\\\$)|(?P<link>{LINK})"
)
_TRAILING = ".,;:!?'\"*_~…]>"


def trim_link(url: str) -> str:
    """Return the part of ``url`` that is no longer the sentence's punctuation."""
    unopened = url.count(")") - url.count("(")
    end = len(url)
    while end and (url[end - 1] in _TRAILING or (url[end - 1] == ")" and unopened > 0)):
        unopened -= url[end - 1] == ")"
        end -= 1
    return url[:end]


def segments(text: str) -> tuple[Segment, ...]:
    """Cut clean text into text, maths and links, in order."""
    if "$" not in text and "://" not in text:
        return (Segment("text", text),) if text else ()
    found: list[Segment] = []
    words: list[str] = []
    end = 0

    def flush() -> None:
        if joined := "".join(words):
            found.append(Segment("text", joined))
        words.clear()

    position = 0
    while match := _SEGMENT.search(text, position):
        position = match.end()
        words.append(text[end : match.start()])
        if match["dollar"]:
            words.append("$")
        elif match["link"]:
            url = trim_link(match["link"])
            position = match.start() + len(url)
            flush()
            found.append(Segment("link", url))
        else:
            flush()
            kind: Kind = "math" if match["math"] else "display"
            found.append(Segment(kind, match["math"] or match["display"]))
        end = position
    words.append(text[end:])
    flush()
    return tuple(found)


def plain(text: str) -> str:
    r"""Return clean text with maths as readable Unicode: ``$\ell_1$`` → ``ℓ_1``, ``$R^{2}$`` → ``R^2``."""
    if "$" not in text:
        return text
    return "".join(
        maths_text(segment.text) if segment.kind in ("math", "display") else segment.text
        for segment in segments(text)
    )


@lru_cache(maxsize=8192)
def maths_text(latex: str) -> str:
    r"""Return LaTeX maths as readable Unicode: ``O(\sqrt{T})`` → ``O(√T)``."""
    from lunwen.corpus.latex import MATHS, read_latex  # noqa: PLC0415  long to load, and most texts have none

    return " ".join(read_latex(latex, MATHS).split())
