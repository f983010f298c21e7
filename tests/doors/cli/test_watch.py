from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest


def take_in(run: Any, *titles: str) -> None:
    lines = [json.dumps({"title": title, "authors": ["Ana Díaz"], "venue": "ICML"}) for title in titles]
    Path("owls.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    assert run("import", "owls.jsonl").code == 0


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUNWEN_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("COLUMNS", "80")
    take_in(run, "Owls by day", "Bats")


def test_a_name_is_told_as_it_is_kept(run: Any) -> None:
    added = run("watch", "add", " my\r\nowls ", "owls", "--json")
    assert added.json["watch"] == "my owls"
    assert "\n" not in run("watch", "add", "his\nowls", "owls").err.strip()


def test_from_saving_to_seen(run: Any) -> None:
    added = run("watch", "add", "my owls", "owls", "--venue", "icml")
    said = "lunwen: \"my owls\" finds 1 now; what comes in from here on is shown by: lunwen watch 'my owls'\n"
    assert (added.code, added.out, added.err) == (0, "", said)
    assert re.fullmatch(r"my owls  0 new  \d{4}-\d\d-\d\d \d\d:\d\d  --venue icml owls\n", run("watch").out)
    take_in(run, "Owls at night", "Bats at night")
    kept = run("watch", "my owls", "--keep", "--json").json
    assert (kept["new"], kept["seen"], kept["response"]["total"]) == (1, False, 1)
    assert kept["request"] == {"query": "owls", "venue": ["icml"]}
    shown = run("watch", "my owls").out
    assert shown.startswith("Owls at night\n")
    assert re.search(r"\n1 new since \d{4}-\d\d-\d\d \d\d:\d\d\n$", shown)
    assert run("watch", "my owls").out.startswith("0 new since ")
    assert run("watch", "remove", "my owls").err == 'lunwen: "my owls" is no longer watched\n'
    assert run("watch", "--json").json == []
    assert run("watch").err == "lunwen: no search is saved. Save one with: lunwen watch add NAME QUERY\n"


def test_all_stay_new_until_the_last_is_shown(run: Any) -> None:
    run("watch", "add", "owls", "owls")
    take_in(run, *(f"Owls {number}" for number in range(5)))
    first = run("watch", "owls", "-n", "3")
    more = "2 more: lunwen watch --offset 3 owls. They stay new until the last of them is shown"
    assert first.out.splitlines()[-1] == more
    assert run("watch", "--json").json[0]["new"] == 5
    last = run("watch", "owls", "-n", "3", "--offset", "3", "--json").json
    assert (len(last["response"]["items"]), last["seen"]) == (2, True)
    assert run("watch", "--json").json[0]["new"] == 0


def test_a_watch_that_cannot_be_asked_is_listed_with_its_reason(run: Any) -> None:
    run("watch", "add", "owls", "owls", "--source", "jsonl")
    run("import", "catalogue")
    database = Path("library") / "library.sqlite"
    run("watch", "add", "bats", "bats")
    with closing(sqlite3.connect(database)) as db:
        db.execute("UPDATE watches SET request = '{\"colour\":[1]}' WHERE name = 'bats'")
        db.commit()
    listed = run("watch")
    assert [line.split("  ")[:2] for line in listed.out.splitlines()] == [
        ["bats", "? new"],
        ["owls", "0 new"],
    ]
    assert listed.err.startswith("lunwen: bats: a saved search cannot be read (")
    assert run("watch", "--json").json[0]["new"] is None


@pytest.mark.parametrize(
    ("args", "code", "line"),
    [
        (["nope"], 1, 'no watch "nope". List them with: lunwen watch'),
        (["remove", "nope"], 1, 'no watch "nope". List them with: lunwen watch'),
        (["add"], 2, "add what? Give a name: lunwen watch add NAME"),
        (
            ["two", "words"],
            2,
            (
                'one NAME is allowed, "two words" are 2 words. Put quotes around it, or save a '
                "search with: lunwen watch add NAME QUERY"
            ),
        ),
        (
            ["nope", "--venue", "ICML"],
            2,
            ("a saved search has its own filters. Save another with: lunwen watch add NAME QUERY --venue …"),
        ),
        (
            ["add", "x", "owls", "--venue", "ICLM"],
            2,
            'no venue "ICLM". Known: ICML. List them with: lunwen venues',
        ),
        (
            ["add", "remove", "owls"],
            2,
            '"remove" is a word of the command line. Choose another name for the watch',
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(run: Any, args: list[str], code: int, line: str) -> None:
    wrong = run("watch", *args)
    assert (wrong.code, wrong.out, wrong.err) == (code, "", f"lunwen: {line}\n")
    assert run("watch", "--json").json == []
