"""The process that looks into a PDF: whatever the file does to it, only this process ends.

``python -m lunwen.corpus.pdf.child PATH`` writes one JSON object: the text of each page and how many there
are, or why there is none.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lunwen.corpus.pdf.layout import lay_out

if TYPE_CHECKING:
    import pypdfium2

    Rect = tuple[float, float, float, float]  # left, bottom, right, top

MEMORY = 2**30  # bytes that the process may take
MOST_PAGES = 3_000
MOST_TEXT = 20_000_000  # characters
_PASSWORD = 4  # PDFium's number for a password that is needed
_GUTTER = (0.42, 0.58)  # where between two columns is
_FEWEST = 8  # pieces of text on either side that make a column


def main(path: str) -> None:
    """Write what the file says to standard output."""
    with suppress(ImportError, ValueError, OSError):  # not every system bounds a process so
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    json.dump(read(path), sys.stdout)


def read(path: str) -> dict[str, Any]:
    """Return ``pages`` (their text) and ``count`` (how many there are), or ``wrong``."""
    import pypdfium2  # noqa: PLC0415  only after memory is bounded

    try:
        document = pypdfium2.PdfDocument(path)
        count = len(document)
    except pypdfium2.PdfiumError as error:
        return {"wrong": "password" if error.err_code == _PASSWORD else "is damaged"}
    pages: list[str] = []
    room = MOST_TEXT
    for place in range(min(count, MOST_PAGES)):
        if room <= 0:
            break
        pages.append(_read_page(document, place)[:room])
        room -= len(pages[-1])
    return {"pages": lay_out(pages), "count": count} if count else {"wrong": "is damaged"}


def _read_page(document: pypdfium2.PdfDocument, place: int) -> str:
    from pypdfium2 import PdfiumError  # noqa: PLC0415  as above

    try:
        page = document[place]
        text = page.get_textpage()
    except PdfiumError:  # one damaged page; the others still are
        return ""
    try:
        rects = [text.get_rect(at) for at in range(text.count_rects())]
        ordered = _order(rects, page.get_width())
        if ordered is None:
            return str(text.get_text_range())
        return "\n".join(text.get_text_bounded(*rect) for rect in ordered)
    except PdfiumError:
        return ""
    finally:
        text.close()
        page.close()


def _order(rects: list[Rect], width: float) -> list[Rect] | None:
    """Return two columns that the file holds line by line across both, column by column; else None."""
    middle = _gutter(rects, width)
    if middle is None:
        return None
    sides = [_side(rect, middle) for rect in rects]
    switches = sum(left * right < 0 for left, right in pairwise(sides))
    if switches <= min(sides.count(-1), sides.count(1)) // 2:
        return None
    ordered: list[Rect] = []
    columns: dict[int, list[Rect]] = {-1: [], 1: []}
    for rect in sorted(rects, key=lambda rect: (-round(rect[1]), rect[0])):
        side = _side(rect, middle)
        if side:
            columns[side].append(rect)
        else:  # a heading over both ends what is above it
            ordered += [*columns[-1], *columns[1], rect]
            columns = {-1: [], 1: []}
    return [*ordered, *columns[-1], *columns[1]]


def _gutter(rects: list[Rect], width: float) -> float | None:
    """Return where the fewest pieces of text cross the middle of the page, where these are few."""
    best, fewest = 0.0, len(rects)
    for step in range(9):
        at = width * (_GUTTER[0] + (_GUTTER[1] - _GUTTER[0]) * step / 8)
        crossing = sum(left < at < right for left, _, right, _ in rects)
        if crossing < fewest or (crossing == fewest and abs(at - width / 2) < abs(best - width / 2)):
            best, fewest = at, crossing
    sides = [_side(rect, best) for rect in rects]
    return best if min(sides.count(-1), sides.count(1)) >= _FEWEST and fewest * 5 <= len(rects) else None


def _side(rect: Rect, middle: float) -> int:
    """Return -1 left of the middle, 1 right of it, 0 across."""
    return -1 if rect[2] <= middle else 1 if rect[0] >= middle else 0


if __name__ == "__main__":
    main(sys.argv[1])
