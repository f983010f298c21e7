"""lunwen: a paper search engine in which the papers run.

>>> import lunwen
>>> with lunwen.open_library() as library:
...     response = library.search(lunwen.SearchRequest(query="first-order bilevel"))

The names below are loaded when they are first used, so that ``import lunwen`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lunwen.corpus.enrich.run import EnrichOptions
    from lunwen.corpus.fetch.client import open_fetcher
    from lunwen.corpus.paper import Author, Paper, Status
    from lunwen.corpus.sync.edition import find_edition
    from lunwen.corpus.sync.run import SyncOptions
    from lunwen.errors import (
        Changed,
        CouldNot,
        Expired,
        FetchError,
        IndexMissing,
        LibraryBusy,
        LibraryError,
        LibraryTooNew,
        LibraryTooOld,
        LimitError,
        LunwenError,
        NotFound,
        NotPublished,
        NotThere,
        ReadOnly,
        Refused,
        UnknownName,
        UnreadableFile,
        UsageError,
    )
    from lunwen.library import Library, open_library
    from lunwen.retrieval.request import SearchRequest, SearchResponse, Sort

__all__ = [
    "Author",
    "Changed",
    "CouldNot",
    "EnrichOptions",
    "Expired",
    "FetchError",
    "IndexMissing",
    "Library",
    "LibraryBusy",
    "LibraryError",
    "LibraryTooNew",
    "LibraryTooOld",
    "LimitError",
    "LunwenError",
    "NotFound",
    "NotPublished",
    "NotThere",
    "Paper",
    "ReadOnly",
    "Refused",
    "SearchRequest",
    "SearchResponse",
    "Sort",
    "Status",
    "SyncOptions",
    "UnknownName",
    "UnreadableFile",
    "UsageError",
    "find_edition",
    "open_fetcher",
    "open_library",
]

_ROOMS = {
    "Author": "lunwen.corpus.paper",
    "EnrichOptions": "lunwen.corpus.enrich.run",
    "Library": "lunwen.library",
    "Paper": "lunwen.corpus.paper",
    "SearchRequest": "lunwen.retrieval.request",
    "SearchResponse": "lunwen.retrieval.request",
    "Sort": "lunwen.retrieval.request",
    "Status": "lunwen.corpus.paper",
    "SyncOptions": "lunwen.corpus.sync.run",
    "find_edition": "lunwen.corpus.sync.edition",
    "open_fetcher": "lunwen.corpus.fetch.client",
    "open_library": "lunwen.library",
}  # every other public name is an error


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("importlib.metadata").version("lunwen")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_ROOMS.get(name, "lunwen.errors")), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
