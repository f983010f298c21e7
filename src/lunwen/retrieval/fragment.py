"""A long text → the part of it that shows most of its marked spans; pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, TypeAlias

from lunwen.corpus.maths import segments
from lunwen.retrieval.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Spans: TypeAlias = tuple[tuple[int, int], ...]

_MARKS = {"math": "$", "display": "$$", "link": ""}
_JOINED = "\u0300-\u036f\u200d\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\U0001f3fb-\U0001f3ff"
_JOINER = re.compile(f"[{_JOINED}]")
_WORD = f"⟨C⟩[{_JOINED}]*|(?:(?!⟨C⟩)\\S)+"


def unbreakable(text: str) -> Iterator[tuple[int, int]]:
    """Yield where clean text must not be cut: its maths, dollars included, and its links."""
    end = 0
    for segment in segments(text):
        if segment.kind != "text":
            mark = _MARKS[segment.kind]
            start = text.index(f"{mark}{segment.text}{mark}", end)
            end = start + len(segment.text) + 2 * len(mark)
            yield start, end


def fragment(text: str, spans: Spans, width: int) -> tuple[str, Spans]:
    """Return at most ``width`` characters of a text, the words with most spans, and the spans in them."""
    if len(text) <= width:
        return text, spans
    room = max(width - 2, 1)  # two ellipses
    start, end = _best_window(_cut(text, room), spans, room)
    before = "…" if text[:start].strip() else ""
    after = "…" if text[end:].strip() else ""
    shift = len(before) - start
    inside = ((max(left, start) + shift, min(right, end) + shift) for left, right in spans)
    return f"{before}{text[start:end]}{after}", tuple((left, right) for left, right in inside if left < right)


def _cut(text: str, longest: int) -> list[tuple[int, int]]:
    """Return the pieces of a text that stay whole: words, Chinese characters, maths, links."""
    whole = list(unbreakable(text))
    pieces: list[tuple[int, int]] = []
    at = 0
    for start, end in [*whole, (len(text), len(text))]:
        pieces += (match.span() for match in pattern(_WORD, text).finditer(text, at, start))
        if start < end:
            pieces.append((start, end))
        at = end
    return [part for piece in pieces for part in _split_long(text, piece, longest)]


def _split_long(text: str, piece: tuple[int, int], longest: int) -> Iterator[tuple[int, int]]:
    """Yield a piece, or parts of one that is too long for any window, cut between whole characters."""
    start, end = piece
    while end - start > longest:
        at = start + longest
        while at > start and _is_inside(text, at):
            at -= 1
        if at == start:
            at = next((later for later in range(start + longest, end) if not _is_inside(text, later)), end)
        yield start, at
        start = at
    if start < end:
        yield start, end


def _is_inside(text: str, at: int) -> bool:
    return bool(_JOINER.match(text, at)) or text[at - 1] == "\u200d"


def _best_window(pieces: Sequence[tuple[int, int]], spans: Spans, room: int) -> tuple[int, int]:
    """Return where the pieces in a row that hold most spans start and end."""
    lefts = [left for left, _ in spans]
    windows: list[tuple[int, int]] = []
    counts: list[int] = []
    last = 0
    for start, _ in pieces:
        while last + 1 < len(pieces) and pieces[last + 1][1] - start <= room:
            last += 1
        windows.append((start, pieces[last][1]))
        counts.append(bisect_left(lefts, pieces[last][1]) - bisect_left(lefts, start))
        if last + 1 == len(pieces):
            break
        last = max(last, len(windows))
    if not windows:
        return 0, 0
    first = final = counts.index(max(counts))
    while final + 1 < len(counts) and counts[final + 1] == counts[first]:
        final += 1
    return windows[(first + final) // 2 if first else 0]
