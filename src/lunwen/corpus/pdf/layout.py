"""Pages as a PDF holds them → text to read and search: words whole, running heads and numbers away; pure."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from lunwen.corpus.hyphen import mend_hyphens

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 100_000  # characters of one page
_EDGE = 2  # lines above and below in which running heads and page numbers stand
_FEWEST = 3  # pages from which a line that comes back is a running head

_LIGATURES = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "ft", "st"), strict=True))
_LIGATURE = re.compile(f"[{''.join(_LIGATURES)}]")
#: A hyphen at a line's end as the library for PDFs marks it, and as others write it.
_MARKED = re.compile("[\ufffe\x02\u00ad]\n?|\u2010\n")
#: Controls, marks of direction, private use and what is no character: nothing that anybody reads.
_NO_TEXT = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff"
    "\ud800-\udfff\ue000-\uf8ff\U000f0000-\U0010ffff]+"
)
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"[\W\d_]+|(?:page |p\. ?)?\d+ of \d+", re.IGNORECASE)  # of pages, lines, equations
_PAGE = "\f"


def lay_out(pages: Sequence[str]) -> list[str]:
    """Return the text of each page as clean text on one line."""
    if not pages:
        return []
    lines = [_lines(page) for page in pages]
    heads = _running_heads(lines)
    whole = _PAGE.join(" ".join("\n".join(_body(page, heads)).split()) for page in lines)
    # a dollar is money there, never maths; words that a line's end broke are "bro- ken" by now
    return [page.replace("$", r"\$") for page in mend_hyphens(whole).split(_PAGE)]


def _lines(page: str) -> list[str]:
    text = page[:LONGEST].replace("\r\n", "\n").replace("\r", "\n").replace(_PAGE, "\n")
    text = _LIGATURE.sub(lambda match: _LIGATURES[match[0]], text)
    text = _NO_TEXT.sub(" ", _MARKED.sub("-\n", text))
    return [line for line in map(str.strip, text.split("\n")) if line]


def _running_heads(pages: Sequence[list[str]]) -> frozenset[str]:
    """Return the lines, digits aside, that stand at the edge of most pages."""
    seen = Counter(head for page in pages for head in {_fold(line) for line in _edges(page)})
    # left and right pages may have heads of their own
    most = max(_FEWEST, len([page for page in pages if page]) * 2 // 5)
    return frozenset(head for head, times in seen.items() if times >= most)


def _body(page: list[str], heads: frozenset[str]) -> list[str]:
    """Return the lines that are text; a page of nothing but a running head is all text."""
    words = [place for place, line in enumerate(page) if not _NUMBER.fullmatch(line)]
    edge = {*range(_EDGE), *range(len(page) - _EDGE, len(page))}
    body = [page[place] for place in words if place not in edge or _fold(page[place]) not in heads]
    return body or [page[place] for place in words]


def _edges(page: list[str]) -> list[str]:
    return page if len(page) <= 2 * _EDGE else [*page[:_EDGE], *page[-_EDGE:]]


def _fold(line: str) -> str:
    return _DIGITS.sub("0", line.lower())
