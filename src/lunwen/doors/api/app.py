"""The API as an ASGI application of its own: routes from the operations, one place for errors and caching."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import TYPE_CHECKING

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route

from lunwen.doors.api import find, show, subscribe, write
from lunwen.doors.api.answer import Kept, is_held, json_answer, respond, tag_of, unchanged
from lunwen.doors.api.openapi import document
from lunwen.doors.api.operation import Asked
from lunwen.doors.api.problem import refuse
from lunwen.doors.parameter import read_parameters
from lunwen.errors import LunwenError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from lunwen.doors.api.operation import Operation
    from lunwen.library import Library

OPERATIONS = (*find.OPERATIONS, *show.OPERATIONS, *subscribe.OPERATIONS)
DOCUMENT = "/openapi.json"
LISTED = "All are listed at /api"

THREADS = 4  # at work at once: more would only take the interpreter's lock from each other
ANSWERS_KEPT = 256  # of one state of the library
LARGEST_KEPT = 1 << 18  # bytes of a body; larger ones are worked out again

VERSION = version("lunwen")


def create_api(
    library: Library, *, origins: Sequence[str] = (), token: str | None = None, read_only: bool = False
) -> Starlette:
    """The API over one library, as an ASGI application.

    Args:
        library: what it is over.
        origins: sites whose scripts may read it.
        token: what those who write must know; without it nothing can be written.
        read_only: whether nobody writes, and who tries is told so.
    """
    told = (*OPERATIONS, *write.OPERATIONS) if token and not read_only else OPERATIONS
    operations = (*OPERATIONS, *write.OPERATIONS) if read_only else told
    desk = _Desk(library, told, None if read_only else token)
    middleware = [Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=4)]
    if origins:
        cors = Middleware(
            CORSMiddleware,
            allow_origins=list(origins),
            allow_methods=["GET", "HEAD"],
            allow_headers=["If-None-Match"],
            expose_headers=["ETag", "Link"],
        )
        middleware.insert(0, cors)
    return Starlette(
        routes=[
            Route(DOCUMENT, desk.document),
            *(_route(path, group, desk) for path, group in _by_path(operations).items()),
        ],
        middleware=middleware,
        exception_handlers={LunwenError: refuse, HTTPException: refuse, Exception: refuse},
    )


#: What belongs to the API in a server that has pages too, as Starlette writes paths.
ADDRESSES = (
    "/api/{rest:path}",
    DOCUMENT,
    *(one.path for one in OPERATIONS if not one.path.startswith("/api/")),
)


def _by_path(operations: Sequence[Operation]) -> dict[str, dict[str, Operation]]:
    """Return the operations by path and method, longer paths before those that would match them too."""
    found: dict[str, dict[str, Operation]] = {}
    for one in sorted(operations, key=lambda one: -len(one.path)):
        found.setdefault(one.path, {})[one.method] = one
    return found


def _route(path: str, group: dict[str, Operation], desk: _Desk) -> Route:
    """Return the route of a path; what stands in braces may hold slashes, as ids do."""
    return Route(re.sub(r"{(\w+)}", r"{\1:path}", path), desk.endpoint(group), methods=list(group))


class _Desk:
    """One library, and what it has just answered."""

    def __init__(self, library: Library, operations: Sequence[Operation], token: str | None) -> None:
        self._library = library
        self._token = token
        self._limiter = CapacityLimiter(THREADS)
        self._kept = Kept(ANSWERS_KEPT, LARGEST_KEPT)
        self._document = json_answer(document(operations, VERSION))

    def endpoint(self, group: dict[str, Operation]) -> Callable[[Request], Awaitable[Response]]:
        """Return what serves the operations of one path."""

        async def serve(request: Request) -> Response:
            asked = group["GET" if request.method == "HEAD" else request.method]
            return await to_thread.run_sync(self._serve, asked, request, limiter=self._limiter)

        return serve

    async def document(self, request: Request) -> Response:
        """Serve the OpenAPI document."""
        return respond(request, self._document, tag_of(self._document.body))

    def _serve(self, operation: Operation, request: Request) -> Response:
        if operation.method != "GET":
            write.check_token(request, self._token)
        pairs = tuple(request.query_params.multi_items())
        given = read_parameters(operation.parameters, pairs, request.path_params, listed=LISTED)
        asked = Asked(given, pairs, request.url.path, str(request.base_url))
        if not operation.is_of_index:
            answer = operation.answer(self._library, asked)
            return respond(request, answer, tag_of(answer.body))
        shelf = self._library.collections() if given.get("collection") else ()  # changes with every star
        tag = tag_of(VERSION, self._library.version, shelf, asked.path, pairs, asked.base)
        if is_held(request, tag):
            return unchanged(tag)
        answer = self._kept.get(tag) or operation.answer(self._library, asked).pack()
        self._kept.put(tag, answer)
        return respond(request, answer, tag)
