"""The numbers of a list's pages, each with its URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.doors.web.facet import Choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def number_pages(page: int, last: int, url: Callable[[int], str]) -> tuple[Choice, ...]:
    """Numbers around this page, the first and the last, with gaps between; none beyond the last page."""
    return tuple(_number(page, last, url)) if page <= last else ()


def _number(page: int, last: int, url: Callable[[int], str]) -> Iterable[Choice]:
    near = {1, last, *range(max(1, page - 2), min(last, page + 2) + 1)}
    before = 0
    for number in sorted(near):
        if number == before + 2:
            yield Choice(str(number - 1), url(number - 1), "", active=False)
        elif number > before + 1:
            yield Choice("…", "", "", active=False)
        yield Choice(str(number), url(number), "", number == page)
        before = number
