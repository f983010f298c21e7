"""What shows one thing or lists all of a kind: papers, authors, topics, venues, collections, methods."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from lunwen.doors.api.answer import Answer, json_answer
from lunwen.doors.api.find import PAGE, REQUEST
from lunwen.doors.api.operation import operation
from lunwen.doors.parameter import AUTHOR_ID, METHOD_ID, PAPER_ID, WORDS, Parameter, limit_of
from lunwen.doors.shape import author_dict, method_dict, pdf_facts, response_dict, watch_dict
from lunwen.export.shape import paper_dict

if TYPE_CHECKING:
    from lunwen.doors.api.operation import Asked
    from lunwen.library import Library

_AUTHOR_PAGE = (
    limit_of("Papers on one page", default=100),
    *(one for one in REQUEST if one.name == "offset"),
)
_WATCH_PAGE = tuple(one for one in REQUEST if one.name in PAGE)


@operation("/api/papers/{paper_id}/similar", parameters=(PAPER_ID, limit_of("Papers", 20)), schema="Similar")
def similar(library: Library, asked: Asked) -> Answer:
    """List the papers nearest in meaning to one, the nearest first."""
    found = library.similar(asked.given["paper_id"], asked.given["limit"])
    return _all_of(library, [paper_dict(one) | {"cosine": round(cosine, 4)} for one, cosine in found])


@operation("/api/papers/{paper_id}", parameters=(PAPER_ID,), schema="OnePaper")
def paper(library: Library, asked: Asked) -> Answer:
    """Show one paper, with those that may be the same, and its method and PDF where they are here."""
    found = library.paper(asked.given["paper_id"])
    shape = paper_dict(found)
    shape["maybe_same"] = [
        {"paper_id": one.paper_id, "title": one.title, "why": why}
        for one, why in library.maybe_same(found.paper_id)
    ]
    if held := library.pdf(found.paper_id):
        shape["pdf"] = pdf_facts(held)
    if "method_id" in shape:
        from lunwen.methods import find  # noqa: PLC0415 - few papers have a method

        shape["method"] = method_dict(find(shape["method_id"]))
    return json_answer(shape)


@operation(
    "/api/authors/{author_id}",
    parameters=(
        AUTHOR_ID,
        *_AUTHOR_PAGE,
    ),
    schema="Author",
)
def author(library: Library, asked: Asked) -> Answer:
    """Show one author: papers, newest first, co-authors, venues, spellings, and who may be the same."""
    page = {one.name: one.check(asked.given[one.name]) for one in _AUTHOR_PAGE}
    return json_answer(author_dict(library.author(asked.given["author_id"]), **page))


@operation("/api/topics", schema="Topics")
def topics(library: Library, _: Asked) -> Answer:
    """List every topic's path, at every level, with how many papers it has."""
    return _all_of(library, [asdict(one) for one in library.topics()])


@operation("/api/venues", schema="Venues")
def venues(library: Library, _: Asked) -> Answer:
    """List every venue with its papers and years, the largest first."""
    return _all_of(library, library.venues())


@operation("/api/sources", parameters=(WORDS,), schema="Sources", is_of_index=False)
def sources(library: Library, asked: Asked) -> Answer:
    """List the venues and sites that can be followed, and how each edition that is followed stands."""
    return json_answer({"items": [one.as_dict() for one in library.sources(asked.given["words"])]})


def _all_of(library: Library, items: object) -> Answer:
    return json_answer({"items": items, "index_version": library.version})


@operation("/api/collections", schema="Collections", is_of_index=False)
def collections(library: Library, _: Asked) -> Answer:
    """List the named lists of papers that readers keep, with how many papers each has."""
    return json_answer({"items": [asdict(one) for one in library.collections()]})


@operation(
    "/api/collections/{name}",
    parameters=(Parameter(name="name", help="Its name; one is always there: starred.", in_path=True),),
    schema="Collection",
    is_of_index=False,
)
def collection(library: Library, asked: Asked) -> Answer:
    """Show the papers of one collection in the order in which they came into it."""
    name = asked.given["name"]
    items = [paper_dict(paper) | {"added": added} for paper, added in library.collection(name)]
    return json_answer({"name": name, "items": items})


@operation("/api/watches", schema="Watches", is_of_index=False)
def watches(library: Library, _: Asked) -> Answer:
    """List the saved searches, each with how many papers are new to it since the last visit."""
    return json_answer({"items": [watch_dict(one) for one in library.watches()]})


@operation(
    "/api/watches/{name}",
    parameters=(Parameter(name="name", help="Its name.", in_path=True), *_WATCH_PAGE),
    schema="News",
    is_of_index=False,
)
def watch(library: Library, asked: Asked) -> Answer:
    """Show what is new to one saved search; it stays new: a visit counts at the page and at a terminal."""
    limit, offset = asked.given["limit"], asked.given["offset"]
    news = library.watch(asked.given["name"], limit=limit, offset=offset)
    return json_answer(watch_dict(news.watch) | {"response": response_dict(news.response)})


@operation("/api/methods", parameters=(WORDS,), schema="Methods", is_of_index=False)
def methods(_: Library, asked: Asked) -> Answer:
    """List the papers whose method runs here, with the verdicts on their claims."""
    from lunwen.doors.claim import methods_with  # noqa: PLC0415 - searching needs no methods
    from lunwen.methods import load, summary  # noqa: PLC0415 - same

    return json_answer(
        {"items": [summary(one, load(one)) for one in methods_with(asked.given["words"].split())]}
    )


@operation(
    "/api/methods/{method_id}",
    parameters=(METHOD_ID,),
    schema="Method",
    is_of_index=False,
)
def method(_: Library, asked: Asked) -> Answer:
    """Show one method: what it is, how to use it, its claims and what was measured."""
    from lunwen.doors.claim import find_method  # noqa: PLC0415 - searching needs no methods

    return json_answer(method_dict(find_method(asked.given["method_id"])))


OPERATIONS = (
    *(similar, paper, author, topics, venues, sources),
    *(collection, collections, watch, watches, method, methods),
)
