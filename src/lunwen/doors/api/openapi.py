"""The OpenAPI 3.1 document, made from the operations and the schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lunwen.doors.api.problem import MEDIA_TYPE
from lunwen.doors.api.schema import SCHEMAS, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.doors.api.operation import Operation
    from lunwen.doors.parameter import Parameter

SAYS = """\
Papers found by words and by meaning, the same as on the command line and on the page.

Every answer has an ETag, which changes when the library does; send it as If-None-Match to be told that
nothing changed (304). A refusal is a problem document (RFC 9457) whose detail says in one line what was
given, what is allowed and what to do next. Unknown parameters are refused. Nothing is written
unless the server was started with a token (LUNWEN_TOKEN). In the
addresses, q is short for query, so that what the page's address says can be asked here."""

_REFUSALS = {
    400: "The request is wrong.",
    401: "Writing needs the token.",
    404: "No such thing here.",
    409: "The library has changed since the cursor was given.",
    503: "Right, but not possible now: the library is being written or is damaged.",
}


def document(operations: Sequence[Operation], version: str) -> dict[str, Any]:
    """Return the document of these operations."""
    paths: dict[str, dict[str, Any]] = {}
    for one in sorted(operations, key=lambda one: one.path):
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one)
    return {
        "openapi": "3.1.0",
        "info": {"title": "lunwen", "version": version, "description": SAYS},
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(one: Operation) -> dict[str, Any]:
    summary, *_ = one.says.partition(". ")
    content = {kind: {"schema": named(one.schema)} if one.schema else {} for kind in one.media_types}
    problem = {MEDIA_TYPE: {"schema": named("Problem")}}
    writes = one.method != "GET"
    return {
        "operationId": one.name,
        "summary": summary.rstrip("."),
        "description": one.says,
        **({"security": [{"token": []}]} if writes else {}),
        "parameters": [_parameter(given) for given in one.parameters],
        "responses": {
            "200": {
                "description": "What was asked for.",
                "headers": {name: {"schema": {"type": "string"}} for name in ("ETag", "Link")},
                "content": content,
            },
            **({} if writes else {"304": {"description": "What the client has is still right."}}),
            **{
                str(status): {"description": says, "content": problem}
                for status, says in _REFUSALS.items()
                if (status != 401 or writes)
                and (status != 409 or any(given.name == "cursor" for given in one.parameters))
            },
        },
    }


def _parameter(one: Parameter) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "integer" if one.type is int else "string"}
    if one.choices:
        value["enum"] = [str(choice) for choice in one.choices]
    bounds = {"minimum": one.least, "maximum": one.most}
    value |= {name: bound for name, bound in bounds.items() if bound is not None}
    if one.default is not None and not one.many:
        value["default"] = str(one.default) if one.choices else one.default
    return {
        "name": one.name,
        "in": "path" if one.in_path else "query",
        "required": one.in_path,
        "description": one.help,
        "schema": {"type": "array", "items": value} if one.many else value,
    }
