"""JSON Schemas of the answers, made from the dataclasses they show wherever one is shown as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from lunwen.corpus.paper import Author, Paper
from lunwen.corpus.sync.survey import Followable
from lunwen.export.shape import ALWAYS
from lunwen.retrieval.complete import Kind
from lunwen.retrieval.engine import FACETS, Why
from lunwen.retrieval.request import FacetValue, Passage, SearchRequest

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FREE: Schema = {"type": "object"}
VERSION: Schema = STRING | {"description": "What the answer comes from; it changes whenever answers may."}


def schema_of(hint: Any) -> Schema:
    """Return the schema of a Python type as it becomes JSON.

    Raises:
        TypeError: no answer shows such a type.
    """
    simple = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
    if hint in simple:
        return {"type": simple[hint]}
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return {"type": "string", "enum": [str(one) for one in hint]}
    if is_dataclass(hint):
        held = get_type_hints(hint, localns={"Mapping": Mapping})
        return shape({one.name: schema_of(held[one.name]) for one in fields(hint)})
    args = get_args(hint)
    if get_origin(hint) is tuple:
        return listing(schema_of(args[0]))
    if get_origin(hint) is Mapping:
        return {"type": "object", "additionalProperties": schema_of(args[1])}
    if args:
        return {"anyOf": [schema_of(one) for one in args]}
    raise TypeError(f"no schema for {hint}")


def shape(properties: Mapping[str, Schema], *, maybe: Mapping[str, Schema] | None = None) -> Schema:
    """Return an object that has all ``properties`` and may have those of ``maybe``."""
    return {
        "type": "object",
        "properties": {**properties, **(maybe or {})},
        "required": list(properties),
    }


def listing(items: Schema) -> Schema:
    """Return an array of ``items``."""
    return {"type": "array", "items": items}


def named(name: str) -> Schema:
    """Return a reference to one of ``SCHEMAS``."""
    return {"$ref": f"#/components/schemas/{name}"}


def list_of(items: Schema) -> Schema:
    """Return the object in which a whole list is answered."""
    return shape({"items": listing(items), "index_version": VERSION})


def _paper() -> Schema:
    held = get_type_hints(Paper, localns={"Mapping": Mapping})
    known = {one.name: schema_of(held[one.name]) for one in fields(Paper)}
    known["authors"] = listing(STRING)
    details = {one.name: schema_of(get_type_hints(Author)[one.name]) for one in fields(Author)}
    del details["name"]
    more = {name: one for name, one in known.items() if name not in ALWAYS}
    return shape(
        {name: known[name] for name in ALWAYS},
        maybe=more | {"author_details": listing(shape({}, maybe=details)), "method_id": STRING},
    )


def _with(properties: Mapping[str, Schema]) -> Schema:
    """Return a paper and what an answer says of it beside."""
    return {"allOf": [named("Paper"), shape(properties)]}


def _search() -> Schema:
    why = schema_of(Why)["properties"] | {"words": listing(STRING)}
    suggestion = shape({"query": STRING, "total": COUNT, "why": STRING, "request": named("Request")})
    return shape(
        {
            "total": COUNT,
            "total_is_exact": {"type": "boolean"},
            "took_ms": {"type": "number"},
            "offset": COUNT,
            "next_offset": schema_of(int | None),
            "items": listing(
                _with(
                    {
                        "score": schema_of(float | None),
                        "why": shape(why),
                        "passage": schema_of(Passage | None),
                    }
                )
            ),
            "facets": shape({name: listing(named("FacetValue")) for name in FACETS}),
            "query_reading": STRING | {"description": "One sentence: how the query was read."},
            "explanation": STRING
            | {"description": "Where nothing was found: which word or filter ended it."},
            "suggestions": listing(suggestion),
            "warnings": listing(STRING),
            "index_version": VERSION,
            "redirect": schema_of(str | None)
            | {"description": "The paper_id, where the query is a name or URL of one paper."},
        }
    )


def _pdf() -> Schema:
    passages = COUNT | {"description": "Pages with text: what text:word is looked for in."}
    facts = {"pages": COUNT, "passages": passages, "size": COUNT, "kept": STRING, "remark": STRING}
    return shape(facts) | {"description": "Of the PDF that was fetched, where there is one."}


def _method(**more: Schema) -> Schema:
    claim = shape({"name": STRING, "says": STRING, "verdict": STRING})
    known = {"method_id": STRING, "title": STRING, "area": STRING, "problem": schema_of(str | None)}
    return shape({**known, "claims": listing(claim), **more})


def _watch() -> Schema:
    told = {"watch": STRING, "request": named("Request"), "made": STRING, "visited": STRING}
    return shape({**told, "new": schema_of(int | None), "problem": schema_of(str | None)})


_PERSON = shape({"author_id": STRING, "name": STRING, "papers": COUNT})

#: By the names that operations use.
SCHEMAS: dict[str, Schema] = {
    "Paper": _paper(),
    "FacetValue": schema_of(FacetValue),
    "Request": {**schema_of(SearchRequest), "required": []},
    "Search": _search(),
    "OnePaper": {
        "allOf": [
            named("Paper"),
            shape(
                {"maybe_same": listing(shape({"paper_id": STRING, "title": STRING, "why": STRING}))},
                maybe={"method": named("Method"), "pdf": _pdf()},
            ),
        ]
    },
    "Similar": list_of(_with({"cosine": {"type": "number"}})),
    "Completions": list_of(
        shape(
            {
                "kind": schema_of(Kind),
                "text": STRING,
                "papers": COUNT,
                "paper_id": schema_of(str | None),
                "request": named("Request"),
            }
        )
    ),
    "Topics": list_of(named("FacetValue")),
    "Venues": list_of(
        shape({"venue": STRING, "papers": COUNT, "years": {"type": "object", "additionalProperties": COUNT}})
    ),
    "Sources": shape({"items": listing(schema_of(Followable))}),
    "Method": _method(module=STRING, documentation=STRING, example=STRING),
    "Methods": shape({"items": listing(_method())}),
    "Author": shape(
        {
            "author_id": STRING,
            "name": STRING,
            "orcid": schema_of(str | None),
            "spellings": listing(STRING),
            "source_ids": listing(STRING),
            "total": COUNT,
            "hidden": COUNT,
            "years": listing(shape({"value": {"type": "integer"}, "count": COUNT})),
            "venues": listing(named("FacetValue")),
            "coauthors": listing(_PERSON),
            "maybe_same": listing({"allOf": [_PERSON, shape({"why": STRING})]}),
            "offset": COUNT,
            "next_offset": schema_of(int | None),
            "papers": listing(named("Paper")),
        }
    ),
    "Collections": shape({"items": listing(shape({"name": STRING, "papers": COUNT, "changed": STRING}))}),
    "Collection": shape({"name": STRING, "items": listing(_with({"added": STRING}))}),
    "Watch": _watch(),
    "Watches": shape({"items": listing(named("Watch"))}),
    "News": {"allOf": [named("Watch"), shape({"response": named("Search")})]},
    "Written": shape({"name": STRING, "changed": COUNT}),
    "Problem": shape(
        {"type": STRING, "title": STRING, "status": {"type": "integer"}, "detail": STRING},
    ),
}
