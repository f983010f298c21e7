from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PAPERS = [
    {"paper_id": f"p{number}", "title": f"Owls {number}", "authors": ["Ana Díaz"]} for number in (1, 2, 3)
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUNWEN_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "owls.jsonl").write_text("\n".join(json.dumps(one) for one in PAPERS) + "\n", "utf-8")
    assert run("import", "owls.jsonl").code == 0


def test_a_star_whose_note_is_refused_is_not_set(run: Any) -> None:
    done = run("star", "p1", "p2", "--note", "a" * 10_001)
    assert (done.code, done.err) == (
        2,
        "lunwen: a note of 10,001 characters: 1 to 10,000 are kept. Shorten it\n",
    )
    assert run("list", "starred", "--json").json == []
    run("star", "p1", "--note", "first")
    assert run("star", "p1", "--remove", "--note", "a" * 10_001).code == 2
    assert [(one["paper_id"], one["note"]) for one in run("list", "starred", "--json").json] == [
        ("p1", "first")
    ]


def test_star_and_list(run: Any) -> None:
    done = run("star", "p2", "p1")
    assert (done.code, done.out) == (0, "")
    assert done.err == 'lunwen: 2 papers added to "starred", which has 2 papers\n'
    assert run("star", "p1", "--in", "to read", "--note", "ask Ana", "--json").json == {
        "collection": "to read",
        "papers": 1,
        "added": 1,
    }
    rows = [line.split("  ") for line in run("list").out.splitlines()]
    assert [(row[0], row[-1]) for row in rows] == [("starred", "2"), ("to read", "1")]
    shown = run("list", "starred").out
    assert shown.index("Owls 2") < shown.index("Owls 1")
    assert "note: ask Ana\n" in shown
    assert re.search(r"\n\S*p1 added \d{4}-\d\d-\d\d \d\d:\d\d\n", shown)
    assert shown.endswith("\n2 papers\n")
    (only,) = run("list", "to read", "--json").json
    assert (only["title"], only["note"]) == ("Owls 1", "ask Ana")
    assert [one["name"] for one in run("list", "--json").json] == ["starred", "to read"]
    paper = run("show", "p1", "--json").json
    assert (paper["collections"], paper["note"]) == (["starred", "to read"], "ask Ana")


def test_take_out_rename_delete(run: Any) -> None:
    run("star", "p1", "p2", "p3", "--in", "later")
    out = run("star", "p1", "--in", "later", "--remove", "--note", "")
    assert out.err == 'lunwen: 1 paper taken out of "later", which has 2 papers\n'
    assert run("list", "later", "--rename", "soon").err == 'lunwen: "later" is now "soon"\n'
    assert run("list", "soon", "--delete", "--json").json == {"collection": "soon", "removed": 2}
    assert [one["name"] for one in run("list", "--json").json] == ["starred"]


def test_a_collection_is_exported_in_its_order(run: Any) -> None:
    run("star", "p3", "p1")
    lines = run("export", "--collection", "starred").out.splitlines()
    assert [json.loads(line)["title"] for line in lines] == ["Owls 3", "Owls 1"]
    assert run("export", "--collection", "soon").err == (
        'lunwen: no collection "soon". List them with: lunwen list\n'
    )
    assert run("export", "--collection", "starred", "--ids", "p1").err == (
        "lunwen: ids and a collection do not go together. Give one of them\n"
    )


def test_an_empty_list(run: Any) -> None:
    assert run("list").out == "starred    0\n"
    assert run("list", "starred").out == "0 papers\n"
    assert run("list", "starred", "--json").json == []


@pytest.mark.parametrize(
    ("args", "code", "line"),
    [
        (["star"], 2, "missing argument 'ID…'. Help: lunwen star --help"),
        (["list", "soon"], 1, 'no collection "soon". List them with: lunwen list'),
        (["star", "p1", "--in", "soon", "--remove"], 1, 'no collection "soon". List them with: lunwen list'),
        (
            ["star", "p1", "--in", " "],
            2,
            ("' ' is no name for a collection: 1 to 100 visible characters are. Choose another name"),
        ),
        (["list", "--delete"], 2, "no collection named. Name one, as in: lunwen list NAME --delete"),
        (
            ["list", "starred", "--delete", "--rename", "x"],
            2,
            "--rename and --delete do not go together. Give one of them",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(run: Any, args: list[str], code: int, line: str) -> None:
    wrong = run(*args)
    assert (wrong.code, wrong.out, wrong.err) == (code, "", f"lunwen: {line}\n")


def test_one_that_is_no_paper_stars_none(run: Any) -> None:
    wrong = run("star", "p1", "nowhere")
    assert wrong.code == 1
    assert wrong.err.startswith('lunwen: no paper "nowhere". ')
    assert run("list", "starred", "--json").json == []
