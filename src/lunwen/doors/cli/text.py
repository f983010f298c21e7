"""Text on a terminal: marked words, and lines broken where both scripts allow it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Around a marked word while the text is cleaned and wrapped; no text has these of its own (private use).
OPEN, CLOSE = "\ue0f0", "\ue0f1"
_MARKS = re.compile(f"[{OPEN}{CLOSE}]")
# A Chinese character is a word to itself: a line may break on either side of it. Marks cling to their word.
_WIDE = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_WORD = re.compile(rf"\s+|{OPEN}?{_WIDE}{CLOSE}?|(?:(?!{OPEN}?{_WIDE})\S)+")


def mark(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Put marks around the spans of ``text``."""
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], OPEN, text[start:end], CLOSE]
        last = end
    return "".join([*parts, text[last:]])


def unmark(text: str) -> str:
    """Take the marks out."""
    return _MARKS.sub("", text)


def paint(text: str, *, rest: Callable[[str], str], marked: Callable[[str], str]) -> str:
    """Give the marked words one look and the rest another."""
    pieces = re.split(f"{OPEN}([^{OPEN}{CLOSE}]*){CLOSE}", text)  # every second piece was marked
    return unmark("".join((marked if at % 2 else rest)(piece) for at, piece in enumerate(pieces)))


def cells(text: str) -> int:
    """Count the columns ``text`` takes on a terminal."""
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if char in (OPEN, CLOSE) or unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int, *, most: int | None = None) -> list[str]:
    """Break ``text`` into lines of at most ``width`` columns; after ``most`` lines, ``…``."""
    lines: list[str] = []
    for line in _lines(text, width):
        if most is not None and len(lines) == most:
            lines[-1] = f"{lines[-1]} …"
            break
        lines.append(line)
    return [_close(line, before) for line, before in zip(lines, ["", *lines], strict=False)]


def _lines(text: str, width: int) -> Iterator[str]:
    for paragraph in text.split("\n"):
        line, used = "", 0
        for word in _WORD.findall(paragraph):
            size = cells(word)
            if used + size > width and line.strip():
                yield line.rstrip()
                line, used = "", 0
            if line or not word.isspace():
                line, used = line + word, used + size
        if line.strip():
            yield line.rstrip()


def _close(line: str, before: str) -> str:
    """Open and close, within this line, a mark that runs over a line's end."""
    if before.rfind(OPEN) > before.rfind(CLOSE):
        line = OPEN + line
    return line + CLOSE if line.rfind(OPEN) > line.rfind(CLOSE) else line
