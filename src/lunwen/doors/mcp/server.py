"""The tools as a server of the official SDK: over standard input and output, or over HTTP on this machine."""

from __future__ import annotations

import logging
import signal
import threading
import time
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
import orjson
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from lunwen.doors.mcp import claim, find, survey
from lunwen.doors.mcp.argument import input_schema, read_arguments
from lunwen.errors import LunwenError

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from mcp.server.context import ServerRequestContext

    from lunwen.doors.mcp.tool import Answer, Report, Tool
    from lunwen.library import Library

TOOLS = {one.name: one for one in (*find.TOOLS, *survey.TOOLS, *claim.TOOLS)}
EVERY = 0.1  # seconds between two reports of progress
AT_ONCE = 4  # tools that run at a time
VENUES_NAMED = 8

INSTRUCTIONS = (
    "lunwen is a library of research papers on this machine, some of which run: their methods are code whose "
    "claims can be measured. Start with search_papers; ids in its answers are what the other tools take."
)
_log = logging.getLogger(__name__)


def make_server(library: Library) -> Server[Any]:
    """Return a server of the tools for one library."""
    busy = anyio.CapacityLimiter(AT_ONCE)

    async def list_tools(_: object, _params: object) -> types.ListToolsResult:
        about = await anyio.to_thread.run_sync(extent, library, limiter=busy)
        return types.ListToolsResult(tools=[_describe(one, about) for one in TOOLS.values()])

    async def call_tool(
        ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        report = _Reporter(ctx)
        call = partial(_answer, library, params.name, params.arguments or {}, report)
        try:
            return await anyio.to_thread.run_sync(call, limiter=busy, abandon_on_cancel=True)
        finally:
            report.gone.set()

    return Server(
        "lunwen",
        version=version("lunwen"),
        title="lunwen",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(library: Library) -> None:
    """Serve whoever started this process, until its input ends.

    While serving, the SDK keeps the real standard output to itself: what libraries print goes to standard
    error.
    """
    server = make_server(library)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the thread that waits for a line would outlive Ctrl-C

    async def run() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(run)


def serve_http(library: Library, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve over streamable HTTP on a socket of this machine, until the process is asked to stop.

    Requests whose Host or Origin is not of this machine are refused, so that no page in a browser can ask.
    """
    import uvicorn  # noqa: PLC0415 - standard input needs no web server

    from lunwen.doors.connection import Bounded  # noqa: PLC0415 - same

    app = make_server(library).streamable_http_app(stateless_http=True)
    server = uvicorn.Server(uvicorn.Config(app, http=Bounded, log_level="warning", ws="none"))
    ready()
    server.run(sockets=[listening])


def extent(library: Library) -> str:
    """Say in a sentence which papers the library has, and of when they are."""
    stats: Any = library.stats()
    rows: list[Any] = library.venues()
    years = [year for row in rows for year in row["years"]]
    named = ", ".join(str(row["venue"]) for row in rows[:VENUES_NAMED])
    others = f" and {len(rows) - VENUES_NAMED} more" if len(rows) > VENUES_NAMED else ""
    parts = [f"{stats['papers']:,} papers"]
    parts += [f"of {named}{others}"] if rows else []
    parts += [f"of the years {min(years)} to {max(years)}"] if years else []
    taken = max((str(one["imported"]) for one in stats["imports"]), default="")[:10]
    return f"The library has {', '.join(parts)}" + (f", last added to on {taken}." if taken else ".")


def _describe(one: Tool, about: str) -> types.Tool:
    return types.Tool(
        name=one.name,
        title=one.title,
        description=f"{one.says} {about}" if one.asks_library else one.says,
        input_schema=input_schema(one.parameters),
        annotations=types.ToolAnnotations(
            title=one.title, read_only_hint=True, idempotent_hint=True, open_world_hint=False
        ),
    )


def _answer(library: Library, name: str, given: dict[str, Any], report: Report) -> types.CallToolResult:
    one = TOOLS.get(name)
    if one is None:
        return _refusal("UnknownName", f'no tool "{name[:40]}". Allowed: {", ".join(TOOLS)}')
    try:
        answer = one.answer(library, read_arguments(one.parameters, given), report)
    except LunwenError as error:
        return _refusal(type(error).__name__, str(error))
    except Exception:
        _log.exception("%s failed", name)
        return _refusal("InternalError", "something broke here, and was noted. Try again, or ask otherwise")
    return _result(answer)


def _result(answer: Answer) -> types.CallToolResult:
    # through JSON, so that years as keys and the like become what a client reads
    data = orjson.loads(orjson.dumps(answer.data, option=orjson.OPT_NON_STR_KEYS))
    text = types.TextContent(type="text", text=answer.text)
    return types.CallToolResult(content=[text], structured_content=data)


def _refusal(kind: str, message: str) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=message)],
        structured_content={"error": kind, "message": message},
        is_error=True,
    )


class _Reporter:
    """Passes on, from the thread of a tool, how far its work is; a ``Report``."""

    def __init__(self, ctx: ServerRequestContext[Any, Any]) -> None:
        self.gone = threading.Event()
        self._ctx = ctx
        self._steps, self._last = 0, 0.0

    def __call__(self, done: int, total: int | None, what: str, /) -> None:
        self._steps += 1  # the protocol wants a number that only grows; each claim counts anew
        if time.monotonic() - self._last >= EVERY and not self.gone.is_set():
            self._last = time.monotonic()
            said = f"{what}: {done} of {total}" if total else f"{what}: all {done} begun"
            anyio.from_thread.run(self._ctx.session.report_progress, self._steps, None, said)
