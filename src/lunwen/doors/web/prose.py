"""Clean text → HTML: escaped, maths as MathML, links as links, matched words marked."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from lunwen.corpus.markup import mathml, segments
from lunwen.doors.web.url import outside_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.markup import Segment

Span = tuple[int, int]

LONG_FORMULA = 32  # characters of TeX from which a formula may need to scroll on a small screen
WIDE_FORMULA = 96  # … and on any


def prose(text: str, spans: Sequence[Span] = (), *, links: bool = True, display: bool = True) -> Markup:
    """Render clean text; ``spans`` are [start, end) in ``text`` and are marked outside of maths.

    ``links`` turns URLs into links (not wanted within a link); ``display`` gives display maths its own line.
    """
    html = "".join(_render(text, spans, links=links, display=display))
    if "\n\n" in html:
        html = html.replace("\n\n", '</p><p dir="auto">')
        html = f'<p dir="auto">{html}</p>' if display else html.replace('</p><p dir="auto">', " ")
    return Markup(html)  # noqa: S704 - every piece is escaped above


def _render(text: str, spans: Sequence[Span], *, links: bool, display: bool) -> Iterator[str]:
    pieces = segments(text)
    places = _places(text, pieces) if spans else None
    for i, piece in enumerate(pieces):
        if piece.kind in ("math", "display"):
            yield formula(piece.text, display=display and piece.kind == "display")
            continue
        shown = _marked(piece.text, _within(spans, places[i]) if places else ())
        url = outside_url(piece.text) if links and piece.kind == "link" else None
        yield f'<a href="{escape(url)}" rel="nofollow">{shown}</a>' if url else shown


_OPEN, _CLOSE = "\x02", "\x03"  # control characters: clean text has none
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")

#: A function's name beside a letter, a number or a group: the converter sets "n log n" without gaps.
_FUNCTION = re.compile(
    r"(?P<before></m(?:i|n|sup|sub|frac|row)>)?"
    r"(?P<name><mi>(?:log|ln|exp|sin|cos|tan|tanh|arg|det|dim|deg|ker|gcd|Pr)</mi>)"
    r"(?P<after>(?=<m(?:i|n|sup|sub|subsup|frac|sqrt|row)>))?"
)
_GAP = '<mspace width="0.167em"/>'


@lru_cache(maxsize=16_384)
def formula(tex: str, *, display: bool) -> str:
    """One formula as MathML, or its TeX where that cannot be read."""
    made = mathml(tex, display=display)
    if not made:
        mark = "$$" if display else "$"
        return f"<code>{mark}{escape(tex)}{mark}</code>"
    made = _FUNCTION.sub(_set_apart, made)
    if display or len(tex) >= LONG_FORMULA:
        kind = "display" if display else "wide" if len(tex) >= WIDE_FORMULA else "long"
        return f'<span class="formula {kind}">{made}</span>'
    return made


def language(text: str) -> str:
    """The language a reader's machine should take ``text`` for: zh where a fifth is Chinese, else en."""
    han = 0 if text.isascii() else len(_HAN.findall(text, 0, 400))
    return "zh" if han and han * 5 >= min(len(text), 400) else "en"


def _set_apart(found: re.Match[str]) -> str:
    before = found["before"] + _GAP if found["before"] else ""
    return before + found["name"] + (_GAP if found["after"] is not None else "")


def _marked(text: str, spans: Sequence[Span]) -> str:
    if not spans:
        return str(escape(text))
    made, at = [], 0
    for start, end in spans:
        made += [text[at:start], _OPEN, text[start:end], _CLOSE]
        at = end
    marked = str(escape("".join([*made, text[at:]])))  # at once: this runs for every word of every result
    return marked.replace(_OPEN, "<mark>").replace(_CLOSE, "</mark>")


def _within(spans: Sequence[Span], places: Sequence[int]) -> Sequence[Span]:
    """``spans`` in the characters of one piece, whose characters lie at ``places`` of the whole text."""
    if isinstance(places, range):  # as nearly always: no dollar within is written with a backslash
        if places.start == 0 and spans[-1][1] <= places.stop:
            return spans
        low, high = places.start, places.stop
        return [
            (max(start, low) - low, min(end, high) - low)
            for start, end in spans
            if start < high and end > low
        ]
    found: list[Span] = []
    for start, end in spans:
        first, last = bisect_left(places, start), bisect_left(places, end)
        if first < last and (not found or first >= found[-1][1]):
            found.append((first, last))
    return found


def _places(text: str, pieces: Sequence[Segment]) -> list[Sequence[int]] | None:
    """Where each character of each piece lies in ``text``, or None where they cannot be laid side by side."""
    at = 0
    found: list[Sequence[int]] = []
    for piece in pieces:
        if piece.kind in ("math", "display"):
            at = text.find(piece.text, at) + len(piece.text) + (2 if piece.kind == "display" else 1)
            found.append(())
        elif text.startswith(piece.text, at):
            found.append(range(at, at + len(piece.text)))
            at += len(piece.text)
        elif places := _unescaped(text, piece.text, at):
            found.append(places)
            at = places[-1] + 1
        else:
            return None
    return found


def _unescaped(text: str, shown: str, at: int) -> list[int]:
    """The same for one piece in which a dollar is written with a backslash; empty where it does not fit."""
    places = []
    for character in shown:
        at += text.startswith("\\$", at) and character == "$"
        if not text.startswith(character, at):
            return []
        places.append(at)
        at += 1
    return places
