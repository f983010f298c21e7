"""Which of the catalogue's papers have their method here, and how to know them in any library."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lunwen.corpus.paper import Paper

#: Ids of the papers whose method runs; a contract test compares it with what methods/ holds.
RUNNING = (
    "000-03",
    "000-18",
    "000-19",
    "001-02",
    "001-09",
    "001-11",
    "001-12",
    "001-15",
    "001-18",
    "001-20",
    "003-02",
    "003-09",
)
_APART = 2  # years between a preprint and its venue


def method_id(paper: Paper) -> str | None:
    """Return the id of a paper's method, whatever source the paper came from; None where there is none.

    It is the catalogue's paper where the ids agree, or else an external identifier, or else title, one author
    and, to two years, the year.
    """
    if paper.paper_id in RUNNING:
        return paper.paper_id
    by_identifier, by_title, years = _known()
    for one in paper.identifiers.items():
        if found := by_identifier.get(one):
            return found
    if paper.year not in years:
        return None
    from lunwen.corpus.identity import title_key  # noqa: PLC0415  searching needs none of it
    from lunwen.corpus.name import name_key  # noqa: PLC0415  same

    found, year, authors = by_title.get(title_key(paper.title), ("", 0, frozenset()))
    near = abs((paper.year or 0) - year) <= _APART
    return found if near and any(name_key(author.name) in authors for author in paper.authors) else None


@cache
def _known() -> tuple[dict[tuple[str, str], str], dict[str, tuple[str, int, frozenset[str]]], frozenset[int]]:
    """Return the running papers by identifier and by title, and every year that is near one of them."""
    from lunwen.corpus.catalogue import records  # noqa: PLC0415  eighty papers, read once
    from lunwen.corpus.identity import title_key  # noqa: PLC0415  searching needs none of it
    from lunwen.corpus.name import name_key  # noqa: PLC0415  same

    by_identifier: dict[tuple[str, str], str] = {}
    by_title: dict[str, tuple[str, int, frozenset[str]]] = {}
    for record in records():
        if record.key not in RUNNING:
            continue
        by_identifier |= dict.fromkeys(record.identifiers.items(), record.key)
        names = frozenset(name_key(author.name) for author in record.authors)
        by_title[title_key(record.title or "")] = (record.key, record.year or 0, names)
    years = {year + more for _, year, _ in by_title.values() for more in range(-_APART, _APART + 1)}
    return by_identifier, by_title, frozenset(years)
