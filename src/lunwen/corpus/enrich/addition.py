"""A record that says more of a paper in the library, and the little that it may say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lunwen.corpus.identifier import STRONG
from lunwen.corpus.identity import Likeness, is_bare_event, same, title_key
from lunwen.corpus.name import is_anonymous, name_key
from lunwen.corpus.paper import Author, Markup, Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.corpus.paper import Paper

_SHARED = "uid"  # a program's hash, which two papers may have


def addition(paper: Paper, **said: Any) -> Record | None:
    """Return a record that joins ``paper`` and no other, None where nothing names it well enough.

    It is told by the paper's first identifier, else by its title, authors and year: the rules by which any
    records become one paper do the rest.
    """
    for scheme in STRONG:
        value = paper.identifiers.get(scheme)
        if value and scheme != _SHARED and not is_bare_event(scheme, value):
            said["identifiers"] = {**said.get("identifiers", {}), scheme: value}
            return Record(key=paper.paper_id, markup=Markup.CLEAN, **said)
    if not title_key(paper.title) or all(is_anonymous(author.name) for author in paper.authors):
        return None
    said.setdefault("authors", tuple(Author(name=author.name) for author in paper.authors))
    return Record(key=paper.paper_id, title=paper.title, year=paper.year, markup=Markup.CLEAN, **said)


def is_of(paper: Paper, record: Record) -> bool:
    """Whether a record is of this paper by title, authors and year, whatever ids it has."""
    described = Record(key="", title=paper.title, authors=paper.authors, year=paper.year)
    return same(described, replace(record, identifiers={}, abstract=None)).likeness is Likeness.SAME


def with_orcids(paper: Paper, found: Sequence[Author]) -> tuple[Author, ...]:
    """The paper's authors with the ORCIDs that ``found`` has for them; none unless the names pair off."""
    ours = [name_key(author.name) for author in paper.authors]
    theirs = {name_key(author.name): author.orcid for author in found}
    if len(theirs) != len(found) or set(ours) != set(theirs) or len(ours) != len(theirs):
        return ()
    if not any(theirs.values()):
        return ()
    return tuple(
        Author(name=author.name, orcid=theirs[key]) for key, author in zip(ours, paper.authors, strict=True)
    )
