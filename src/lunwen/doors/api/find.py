"""What finds papers: search, completion while typing, export."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from lunwen.doors.api.answer import Answer, json_answer, link_to
from lunwen.doors.api.cursor import Cursor
from lunwen.doors.api.operation import operation
from lunwen.doors.parameter import Parameter, limit_of, parameters_of, request_in
from lunwen.doors.selection import COLLECTION, FORMAT, IDS, LIMIT, OFFSET, read_ids, select_papers
from lunwen.doors.shape import request_dict, response_dict
from lunwen.errors import UsageError
from lunwen.export.format import FORMATS, ExportOptions, export_papers, find_format
from lunwen.retrieval.complete import MAX_COMPLETIONS
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from lunwen.doors.api.operation import Asked
    from lunwen.library import Library

REQUEST = parameters_of(SearchRequest)
PAGE = ("limit", "offset")


@operation(
    "/api/search",
    parameters=(
        *REQUEST,
        Parameter(name="cursor", help="Where to go on, from the Link header of the page before."),
    ),
    schema="Search",
)
def search(library: Library, asked: Asked) -> Answer:
    """Find papers.

    The Link header leads to the next page. Its cursor is refused (409) once the library has changed, so that
    no paper comes twice and none is missed; an offset is always taken.
    """
    request, begun = request_in(asked.given), asked.given["cursor"]
    cursor = None if begun is None else Cursor.read(begun)
    if cursor and request.offset:
        raise UsageError("cursor and offset both say where to go on. Allowed: one of them. Leave one out")
    if cursor:
        request = replace(request, offset=cursor.offset)
    response = library.search(request)
    if cursor:
        cursor.check(response.index_version)
    if response.next_offset is None:
        return json_answer(response_dict(response))
    following = Cursor.at(response.next_offset, response.index_version)
    kept = [pair for pair in asked.pairs if pair[0] not in ("offset", "cursor")]
    link = link_to(asked.path, [*kept, ("cursor", str(following))], "next")
    return json_answer(response_dict(response), link)


@operation(
    "/api/suggest",
    parameters=(
        Parameter(name="query", help="What is typed so far; a space at the end ends a word.", default=""),
        limit_of("Completions", default=10, most=MAX_COMPLETIONS),
    ),
    schema="Completions",
)
def suggest(library: Library, asked: Asked) -> Answer:
    """Complete what is being typed: venues, topics, authors, titles, each with the request that finds it."""
    found = library.complete(asked.given["query"], asked.given["limit"])
    items = [
        {
            "kind": str(one.kind),
            "text": one.text,
            "papers": one.papers,
            "paper_id": one.paper_id,
            "request": request_dict(one.request),
        }
        for one in found
    ]
    return json_answer({"items": items, "index_version": library.version})


@operation(
    "/api/export",
    parameters=(
        *(one for one in REQUEST if one.name not in PAGE),
        FORMAT,
        *parameters_of(ExportOptions),
        IDS,
        COLLECTION,
        LIMIT,
        OFFSET,
    ),
    media_types=tuple(dict.fromkeys(one.media_type for one in FORMATS.values())),
)
def export(library: Library, asked: Asked) -> Answer:
    """Write all papers of a search, of a collection, or those named; it is sent while it is written."""
    given = asked.given
    chosen = find_format(given["format"])
    options = ExportOptions(**{one.name: given[one.name] for one in fields(ExportOptions)})
    request = request_in({name: value for name, value in given.items() if name not in PAGE})
    place = {name: given[name] for name in ("collection", "limit", "offset")}
    papers = select_papers(library, request, ids=read_ids(given["ids"]), **place)
    file = {"content-disposition": f'attachment; filename="papers.{chosen.extension}"'}
    return Answer(export_papers(papers, chosen.name, options), chosen.media_type, file)


OPERATIONS = (search, suggest, export)
