"""Papers by year → columns, each a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lunwen.doors.words import Words

HEIGHT = 40  # of the tallest column, in the units of the drawing
LONGEST = 40  # years without a paper are columns too, but not a whole century of them


class Column(NamedTuple):
    """One year; without papers it leads nowhere."""

    label: str
    says: str
    url: str
    height: int


def draw_years(
    counts: Mapping[int, int], url: Callable[[int], str], words: Words, *, least: int = 3
) -> tuple[Column, ...]:
    """Columns from the first year to the last; none where fewer than ``least`` years have papers."""
    known = {year: count for year, count in counts.items() if count}
    if len(known) < least:
        return ()
    first, last, most = min(known), max(known), max(known.values())
    years = range(max(first, last - LONGEST + 1), last + 1)
    return tuple(_column(year, known.get(year, 0), most, url, words) for year in years)


def _column(year: int, count: int, most: int, url: Callable[[int], str], words: Words) -> Column:
    if not count:
        return Column(str(year), "", "", 0)
    says = f"{year}{words('colon')}{words.count('papers', count)}"
    return Column(str(year), says, url(year), max(2, round(HEIGHT * count / most)))
