from __future__ import annotations

from typing import Any


def test_stats(run: Any, library: object) -> None:
    del library
    assert run("stats").out.splitlines() == [
        "papers               2",
        "with abstract        1",
        "sources",
        "  program              1",
    ]
    assert run("stats", "--json").json["papers"] == 2


def test_venues(run: Any, library: object) -> None:
    del library
    assert run("venues").out.splitlines() == ["ICML        1,234  2020–2021, 2026", "NeurIPS         5  2018"]
    assert run("venues", "neur", "--json").json == [{"venue": "NeurIPS", "years": {"2018": 5}, "papers": 5}]
    wrong = run("venues", "owl", "icml")
    assert (wrong.code, wrong.err) == (
        1,
        'lunwen: no venue has "owl icml" in its name. List all with: lunwen venues\n',
    )


def test_topics_are_a_tree_with_the_larger_branch_first(run: Any, library: object) -> None:
    del library
    assert run("topics").out.splitlines() == ["Trees  20", "Birds  9", "  Terns  5", "  Owls  4"]
    assert run("topics", "--depth", "1").out.splitlines() == ["Trees  20", "Birds  9"]
    assert run("topics", "--json").json[1] == {"value": "Birds/Owls", "count": 4}
