"""Why nothing was found, and the nearest requests that find something."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lunwen.retrieval.analysis import terms
from lunwen.retrieval.filter import read_filters
from lunwen.retrieval.node import AllOf, AnyOf, Words
from lunwen.retrieval.passage import asks_text, has_text, in_text
from lunwen.retrieval.query import parse
from lunwen.retrieval.reading import without
from lunwen.retrieval.request import Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from lunwen.retrieval.engine import Engine
    from lunwen.retrieval.node import Node, Query
    from lunwen.retrieval.request import SearchRequest

_FILTERS = ("venue", "year", "topic", "status", "source", "author", "has")
_MOST = 4  # suggestions shown
_TRIED = 12  # clauses of a long query that are tried


def explain(request: SearchRequest, query: Query, engine: Engine) -> tuple[str, tuple[Suggestion, ...]]:
    """Return which word or filter ended the search, and requests without it."""
    if not engine.values("status"):
        return "the library is empty. Bring papers in with: lunwen import FILE", ()
    if asks_text(query) and not has_text(engine):
        return "no paper's text is here. Bring one in with: lunwen fetch ID", ()
    unknown = [word for word in _words(query) if not _count(replace(_bare(request), query=word), engine)]
    filters = [name for name in _FILTERS if getattr(request, name)]
    unfiltered = _suggest(_bare(request), "without filters", engine) if filters else None
    found = [
        suggestion
        for name in filters
        if (suggestion := _suggest(_drop(request, name), f"without {name}: {_say(request, name)}", engine))
    ]
    if len(filters) > 1 and unfiltered:
        found.append(unfiltered)
    if not found or not unfiltered:
        found += [
            suggestion
            for clause in query.clauses[:_TRIED]
            if (shorter := without(query, clause)).strip()
            if (suggestion := _suggest(replace(request, query=shorter), "with fewer words", engine))
        ]
    return _sentence(request, query, unknown, filters, found), (
        *respell(request, query, engine),
        *sorted(found, key=lambda suggestion: -suggestion.total),
    )[:_MOST]


def respell(request: SearchRequest, query: Query, engine: Engine) -> tuple[Suggestion, ...]:
    """Return the request with unknown words spelt as the library has them, where that finds something."""
    text = request.query
    for word in _words(query):
        if near := engine.spellings(word):
            text = text.replace(word, near[0].word)
    if text == request.query:
        return ()
    suggestion = _suggest(replace(request, query=text, offset=0), "spelling", engine)
    return (suggestion,) if suggestion else ()


def look_in_text(request: SearchRequest, query: Query, engine: Engine) -> tuple[Suggestion, ...]:
    """Return the request that looks for the same words in the papers' text, where that finds something."""
    text = in_text(query) if has_text(engine) else ""
    suggestion = _suggest(replace(request, query=text), "in the text", engine) if text else None
    return (suggestion,) if suggestion else ()


def _sentence(
    request: SearchRequest, query: Query, unknown: list[str], filters: list[str], found: list[Suggestion]
) -> str:
    if unknown:
        words = ", ".join(f'"{word}"' for word in unknown)
        return f"no paper has {words}"
    ended = [name for name in filters if any(s.why.startswith(f"without {name}:") for s in found)]
    if ended:
        said = " and ".join(f"{name}: {_say(request, name)}" for name in ended)
        return f"there are papers for the query, none with {said}"
    if len(query.clauses) > 1:
        return "each part is found, no paper has all of them"
    return "no paper matches"


def _say(request: SearchRequest, name: str) -> str:
    return ", ".join(getattr(request, name))


def _bare(request: SearchRequest) -> SearchRequest:
    return _drop(request, *_FILTERS)


def _drop(request: SearchRequest, *names: str) -> SearchRequest:
    emptied: dict[str, Any] = dict.fromkeys(names, ())
    return replace(request, offset=0, **emptied)


def _suggest(request: SearchRequest, why: str, engine: Engine) -> Suggestion | None:
    request = replace(request, offset=0)
    total = _count(request, engine)
    return Suggestion(query=request.query, total=total, why=why, request=request) if total else None


def _count(request: SearchRequest, engine: Engine) -> int:
    return engine.count(parse(request.query), read_filters(request, engine))


def _words(query: Query) -> Iterator[str]:
    """Yield the plain words of a query, each once."""
    seen: set[str] = set()
    for clause in query.clauses[:_TRIED]:
        if clause.occur == "not":
            continue
        for text in _texts(clause.node):
            for term in terms(text):
                if term.text not in seen:
                    seen.add(term.text)
                    yield term.text


def _texts(node: Node) -> Iterator[str]:
    match node:
        case Words(field=None):
            yield node.text
        case AnyOf() | AllOf():
            for inner in node.nodes:
                yield from _texts(inner)
        case _:
            return
