"""Saved searches as requests, and what each has that is new."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import orjson

from lunwen.errors import LibraryTooNew
from lunwen.retrieval.request import Mode, SearchRequest, Sort

if TYPE_CHECKING:
    from lunwen.retrieval.request import SearchResponse

_ABOUT_PAGES = ("limit", "offset")  # asked for anew with each visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A saved search.

    ``new`` is how many papers that it finds entered the library after the last visit; None where it can't be
    asked any more, and ``problem`` says why.
    """

    name: str
    request: SearchRequest
    made: str
    visited: str
    new: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a saved search finds that is new; a visit that ends with ``last`` has seen all of it."""

    watch: Watch
    response: SearchResponse
    last: int
    since: str  # the last visit, or when the last sync began


def write_request(request: SearchRequest) -> str:
    """Write a request as it is kept: the fields that differ from their defaults, without those of a page."""
    held = {one.name: getattr(request, one.name) for one in fields(request) if one.name not in _ABOUT_PAGES}
    defaults = SearchRequest()
    asked = {name: value for name, value in held.items() if value != getattr(defaults, name)}
    return orjson.dumps(asked).decode()


def read_request(text: str) -> SearchRequest:
    """Read a request as it was kept.

    Raises:
        LibraryTooNew: it asks for what this lunwen does not know.
    """
    try:
        asked: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in orjson.loads(text).items()
        }
        for name, kind in (("sort", Sort), ("mode", Mode)):
            if name in asked:
                asked[name] = kind(asked[name])
        return SearchRequest(**asked)
    except (ValueError, TypeError, AttributeError) as error:
        raise LibraryTooNew(
            f"a saved search cannot be read ({error}): a newer lunwen may have written it. "
            "Update lunwen: pip install --upgrade lunwen"
        ) from error
