"""The server as agents meet it: another process, over its standard streams or HTTP on this machine."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters

from lunwen.doors.mcp.server import TOOLS, extent, make_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lunwen.library import Library

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "search_papers", "arguments": {"query": "owls", "limit": 1}},
}
LOUD = """
import os, sys, warnings
from lunwen.library import Library
search = Library.search
def loud(self, request):
    print("a library prints")
    os.write(1, b"another writes past Python\\n")
    warnings.warn("and warns")
    return search(self, request)
Library.search = loud
from lunwen.doors.cli import main
sys.exit(main(["mcp", "--library", sys.argv[1]]))
"""


def _tools(library: Library) -> Any:
    async def list_tools() -> Any:
        async with Client(make_server(library)) as client:
            return (await client.list_tools()).tools, client.instructions

    return anyio.run(list_tools)


def test_every_tool_says_what_it_answers_from_and_that_it_only_reads(library: Library) -> None:
    tools, instructions = _tools(library)
    assert [one.name for one in tools] == list(TOOLS)
    about = "The library has 32 papers, of ACL, ICML, of the years 2000 to 2029."
    for one in tools:
        assert (one.annotations.read_only_hint, one.annotations.open_world_hint) == (True, False)
        assert one.description.endswith(about) == TOOLS[one.name].asks_library
        assert one.input_schema["additionalProperties"] is False
    assert "search_papers" in instructions


def test_an_import_is_dated(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    stats = library.stats() | {"imports": [{"imported": "2026-01-02T03:04:05Z"}]}
    monkeypatch.setattr(library, "stats", lambda: stats)
    assert extent(library).endswith("2000 to 2029, last added to on 2026-01-02.")


def test_what_breaks_is_said_without_its_inside(
    library: Library, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(library, "venues", lambda: 1 / 0)

    async def call() -> Any:
        async with Client(make_server(library)) as client:
            return await client.call_tool("list_venues", {}), await client.call_tool("none_such", {})

    broken, unknown = anyio.run(call)
    assert broken.content[0].text == "something broke here, and was noted. Try again, or ask otherwise"
    assert "ZeroDivisionError" in caplog.text
    assert unknown.content[0].text.startswith('no tool "none_such". Allowed: search_papers, get_paper')


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_over_standard_input_and_output(folder: Path, mode: str) -> None:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "lunwen", "mcp", "--library", str(folder)]
    )

    async def ask() -> Any:
        async with Client(server, mode=mode) as client:
            found = await client.call_tool("search_papers", {"query": "owls", "limit": 2})
            refused = await client.call_tool("search_papers", {"limit": 0})
            return (await client.list_tools()).tools, found, refused

    tools, found, refused = anyio.run(ask)
    assert [one.name for one in tools] == list(TOOLS)
    assert (found.structured_content["total"], len(found.structured_content["items"])) == (30, 2)
    assert refused.is_error


def test_nothing_but_the_protocol_is_on_standard_output(folder: Path) -> None:
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    sent = "".join(json.dumps(one) + "\n" for one in (HELLO, ready, SEARCH))
    with subprocess.Popen(
        [sys.executable, "-c", LOUD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(sent)
        server.stdin.flush()
        lines = [json.loads(server.stdout.readline()) for _ in range(2)]
        rest, said = server.communicate(timeout=60)
    assert [one["id"] for one in lines] == [1, 2]
    assert lines[1]["result"]["structuredContent"]["total"] == 30
    assert (rest, server.returncode) == ("", 0)
    for noise in ("a library prints", "another writes past Python", "and warns"):
        assert noise in said


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "lunwen", "mcp", "--http", "--port", "0", "--library", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr
        said = server.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", said)
        try:
            assert found, said
            yield found[0]
        finally:
            server.terminate()
            server.communicate(timeout=30)


def test_clients_over_http(url: str) -> None:
    async def ask(mode: str) -> Any:
        async with Client(url, mode=mode) as client:
            return await client.call_tool("search_papers", {"query": "owls", "limit": 2})

    for mode in ("auto", "legacy"):
        assert anyio.run(ask, mode).structured_content["total"] == 30


def test_pages_of_other_sites_cannot_ask(url: str) -> None:
    headers = {"accept": "application/json, text/event-stream"}
    assert httpx.post(url, json=HELLO, headers=headers).status_code == 200
    for name in ("host", "origin"):
        stranger = {name: "example.org" if name == "host" else "https://example.org"}
        assert httpx.post(url, json=HELLO, headers=headers | stranger).status_code in (403, 421)


def test_an_interrupt_ends_it_though_its_input_is_open(folder: Path) -> None:
    command = [sys.executable, "-m", "lunwen", "mcp", "--library", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(HELLO).encode() + b"\n")
            process.stdin.flush()
            process.stdout.readline()  # now it waits for the next line
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == -signal.SIGINT
        finally:
            process.kill()
