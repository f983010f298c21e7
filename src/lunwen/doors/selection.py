"""Which papers an export takes: all that a search finds, a stretch of it, those named, or a collection."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from lunwen.doors.parameter import Parameter, parameters_of
from lunwen.errors import LimitError, UsageError
from lunwen.export.format import FORMATS, Selected
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.paper import Paper
    from lunwen.library import Library

MAX_IDS = 1_000  # named one by one
FORMAT = Parameter(
    name="format",
    help=" ".join(f"{one.name}: {one.help}" for one in FORMATS.values()),
    choices=tuple(FORMATS),
    default="jsonl",
)
IDS = Parameter(
    name="ids",
    help="These papers instead of a search, by any of their ids, with commas between; may be repeated.",
    many=True,
)
COLLECTION = Parameter(name="collection", help="The papers of this collection instead of a search.")
LIMIT = Parameter(name="limit", help="At most so many; default: all.", type=int, least=1)
OFFSET = next(one for one in parameters_of(SearchRequest) if one.name == "offset")
_HOW = ("sort", "mode", "limit", "offset")  # of a search: not which papers
HELD = 5_000  # papers that are held in memory rather than searched again


def read_ids(given: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return ids as they were given, perhaps several in one text; None where none were asked for."""
    if given is None:
        return None
    return tuple(one.strip() for text in given for one in text.split(",") if one.strip())


def select_papers(
    library: Library,
    request: SearchRequest,
    *,
    ids: Sequence[str] | None = None,
    collection: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> Selected:
    """Return the papers called ``ids``, or those of a collection, or else those of a search, in its order.

    Args:
        library: where they are.
        request: the search; its own limit and offset do not count here.
        ids: any ids of papers, each once; none of them, no paper.
        collection: its name; its papers come in the order in which they were put there.
        limit: at most so many; without it, all.
        offset: how many to leave out before.

    Raises:
        NotFound: an id is of no paper, or there is no such collection.
        UsageError: two of ids, a collection and a search at once.
        LimitError: a limit or an offset that cannot be, or too many ids.
    """
    if ids is not None and collection is not None:
        raise UsageError("ids and a collection do not go together. Give one of them")
    if (ids is not None or collection is not None) and _searches(request):
        named_by = "ids" if ids is not None else "a collection"
        raise UsageError(f"{named_by} and a search do not go together. Leave out its words and filters")
    if limit is not None and limit < 1:
        raise LimitError(f"limit {limit}: 1 or more papers can be asked for. Leave it out for all")
    if offset < 0:
        raise LimitError(f"offset {offset}: 0 or more papers can be left out. Leave it out for none")
    end = None if limit is None else offset + limit
    if collection is not None:
        kept = [paper for paper, _ in library.collection(collection)][offset:end]
        return Selected(lambda: kept)
    if ids is not None:
        named = list(dict.fromkeys(ids))
        if len(named) > MAX_IDS:
            raise LimitError(
                f"{len(named):,} ids: at most {MAX_IDS:,} papers can be named. Name fewer, or search"
            )
        papers = [library.paper(one) for one in named][offset:end]
        return Selected(lambda: papers)

    def search() -> Iterator[Paper]:
        return islice(library.select(request), offset, end)

    if limit is not None and limit <= HELD:
        return Selected(cache(lambda: list(search())))  # what goes through them twice searches once
    return Selected(search)


def _searches(request: SearchRequest) -> bool:
    """Whether a request says which papers, not only how many and in which order."""
    return any(getattr(request, one.name) != one.default for one in fields(request) if one.name not in _HOW)
