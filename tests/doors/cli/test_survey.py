from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


def test_stats(run: Any, library: object) -> None:
    del library
    assert run("stats").out.splitlines() == [
        "papers               2",
        "with abstract        1",
        "sources",
        "  program              1",
    ]
    assert run("stats", "--json").json["papers"] == 2


def test_the_newest_imports_are_shown(run: Any, library: object, monkeypatch: pytest.MonkeyPatch) -> None:
    imports = [
        {
            "file": f"owls{number}.json",
            "source": "program",
            "imported": f"2026-01-{number:02d}T03:04:05.678+00:00",
            "added": 1000 + number,
            "waiting": number % 2,
        }
        for number in range(1, 13)
    ]
    monkeypatch.setattr(library, "stats", lambda: {"papers": 2, "imports": imports})
    lines = run("stats").out.splitlines()
    assert lines[:5] == [
        "papers               2",
        "waiting              6 records that wait for their paper",
        "imports",
        "  imported (UTC)    file         source   added  updated  unchanged  waiting  failed",
        "  2026-01-12 03:04  owls12.json  program  1,012        0          0        0       0",
    ]
    assert lines[-2:] == [
        "  2026-01-03 03:04  owls3.json   program  1,003        0          0        1       0",
        "  … and 2 earlier",
    ]
    assert run("stats", "--json").json["imports"] == imports
    monkeypatch.setattr(library, "stats", lambda: {"papers": 0, "imports": []})
    assert run("stats").out == "papers               0\n"


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
