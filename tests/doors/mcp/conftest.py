"""A small library behind a server of tools, and a client of the SDK that asks it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.corpus.store import Store
from lunwen.doors.mcp.server import make_server
from lunwen.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mcp.types import CallToolResult

OWLS = 30
PAPERS = (
    *(
        Paper(
            paper_id=f"owl{number:02}",
            title=f"Owls of the order {number}",
            authors=(Author(name="Ada Núñez"), Author(name=f"Owl Number{number}")),
            abstract="Owls hunt by night and by ear. " * 30,
            venue="ICML" if number % 2 else "ACL",
            year=2000 + number,
            topic=("Birds", "Owls"),
        )
        for number in range(OWLS)
    ),
    Paper(
        paper_id="endless",
        title="Endless terns",
        authors=tuple(Author(name=f"Tern Number{number}", affiliation="Sea") for number in range(3_000)),
        abstract="A line of terns.\n" * 10_000,
        topic=("Birds", "Terns"),
    ),
    Paper(paper_id="sent-back", title="Owls, again", status=Status.REJECTED),
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("library")
    with Library(Store.open(path, write=True)) as library:
        with library._store.transaction():
            for paper in PAPERS:
                library._store.put(paper)
        library.catch_up()
    return path


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with Library(Store.open(folder)) as library:
        yield library


@pytest.fixture
def ask(library: Library) -> Callable[..., CallToolResult]:
    """Call a tool by its name."""

    async def call(name: str, given: dict[str, Any], progress: Any) -> CallToolResult:
        async with Client(make_server(library)) as client:
            return await client.call_tool(name, given, progress_callback=progress)

    def ask(name: str, _progress: Any = None, /, **given: Any) -> CallToolResult:
        return anyio.run(partial(call, name, given, _progress))

    return ask
