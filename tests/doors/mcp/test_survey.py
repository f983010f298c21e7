from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_numbers_out_of_range_are_refused(ask: Ask) -> None:
    assert ask("list_topics", depth=0).content[0].text == (
        "depth 0 is not possible. Allowed: 1 or more. Leave it out for 9"
    )
    assert ask("list_venues", limit=0).is_error
    assert ask("list_venues", offset=-1).is_error
