from __future__ import annotations

from shutil import copytree
from typing import TYPE_CHECKING, Any

import anyio
from mcp import Client

from lunwen.corpus.store import Store
from lunwen.doors.mcp.server import make_server
from lunwen.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Ask = Callable[..., Any]


def test_venues(ask: Ask) -> None:
    found = ask("list_venues")
    assert found.content[0].text == ("Venues 1–2 of 2\nACL: 15 papers, 2000–2028\nICML: 15 papers, 2001–2029")
    assert found.structured_content["items"][0]["years"]["2002"] == 1
    assert ask("list_venues", words="icm").structured_content["total"] == 1
    assert ask("list_venues", words="icm x").content[0].text == "Venues 0 of 0"


def test_topics_level_by_level_and_page_by_page(ask: Ask) -> None:
    assert ask("list_topics", depth=1).content[0].text == "Topics 1–1 of 1\nBirds: 31"
    first = ask("list_topics", limit=2)
    assert first.content[0].text == "Topics 1–2 of 3; more with offset 2\nBirds: 31\nBirds/Owls: 30"
    rest = ask("list_topics", limit=2, offset=first.structured_content["next_offset"])
    assert rest.structured_content["items"] == [{"value": "Birds/Terns", "count": 1}]
    assert ask("list_topics", offset=9).content[0].text == "Topics 0 of 3, after offset 9"


def test_collections_and_the_papers_of_one(ask: Ask, folder: Path, tmp_path: Path) -> None:
    assert ask("list_collections").content[0].text == "Collections 1–1 of 1\nstarred: 0 papers"
    copy = tmp_path / "library"
    copytree(folder, copy)
    with Library(Store.open(copy, write=True)) as library:
        library.star(["owl03", "owl01"], "night")
        library.star(["owl03"], "dusk")

        async def call() -> Any:
            async with Client(make_server(library)) as client:
                return [
                    await client.call_tool("list_collections", given) for given in ({}, {"name": "night"})
                ]

        every, one = anyio.run(call)
    assert "dusk: 1 paper\n" in every.content[0].text
    assert "night: 2 papers" in every.content[0].text
    assert one.content[0].text.startswith("night 1–2 of 2\n\nOwls of the order 3\n")
    assert [row["paper_id"] for row in one.structured_content["items"]] == ["owl03", "owl01"]
    assert ask("list_collections", name="day").is_error


def test_numbers_out_of_range_are_refused(ask: Ask) -> None:
    assert ask("list_topics", depth=0).content[0].text == (
        "depth 0 is not possible. Allowed: 1 or more. Leave it out for 9"
    )
    assert ask("list_venues", limit=0).is_error
    assert ask("list_venues", offset=-1).is_error
