"""The JSON shape of a paper: one shape for the command line, files and the web."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lunwen.corpus.paper import Author, Paper
from lunwen.corpus.running import method_id

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Always there, null or empty where unknown; the other fields only where they hold something.
ALWAYS = (
    "paper_id",
    "title",
    "authors",
    "abstract",
    "venue",
    "year",
    "topic",
    "status",
    "identifiers",
    "urls",
)
_MORE = tuple(field.name for field in fields(Paper) if field.name not in ALWAYS)
_DETAILS = tuple(field.name for field in fields(Author) if field.name != "name")


def paper_dict(paper: Paper) -> dict[str, Any]:
    """Turn a paper into plain JSON values.

    ``authors`` are names; what is known of them beyond the name is in ``author_details``, one object per
    author in the same order, where anything is known; ``method_id`` where the paper's method runs here.
    """
    shape = {name: _plain(getattr(paper, name)) for name in ALWAYS}
    shape["authors"] = [author.name for author in paper.authors]
    details = [_non_empty(author, _DETAILS) for author in paper.authors]
    if any(details):
        shape["author_details"] = details
    if runs := method_id(paper):
        shape["method_id"] = runs
    return shape | _non_empty(paper, _MORE)


def _non_empty(value: object, names: Iterable[str]) -> dict[str, Any]:
    """The named attributes of ``value`` that hold something; a zero is something."""
    return {name: _plain(held) for name in names if (held := getattr(value, name)) not in (None, "", (), {})}


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, str):
        return str(value)  # a Status too
    if isinstance(value, int | None):
        return value
    return dict(value)  # type: ignore[call-overload]  # the only other kind of value a paper has is a mapping


def paper_record(paper: Paper) -> dict[str, Any]:
    """Turn a paper into plain JSON values without loss: each author is an object with all that is known."""
    shape = paper_dict(paper)
    shape.pop("author_details", None)
    shape.pop("method_id", None)  # ours, not the paper's
    shape["authors"] = [{"name": author.name} | _non_empty(author, _DETAILS) for author in paper.authors]
    return shape
