"""The program on a library of its own, from import to export, and what it says to bad input."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

OWLS = [
    {
        "paper_id": "p1",
        "title": "First-Order Owls for Bilevel Nests",
        "authors": ["Ana Díaz", "Lei Li"],
        "abstract": "Owls find nests of cost $O(n^2)$ in the first order.",
        "venue": "ICML",
        "year": 2024,
        "topic": ["Birds", "Owls"],
        "status": "oral",
    },
    {
        "paper_id": "p2",
        "title": "Bats",
        "authors": ["Bo Bat"],
        "abstract": "No owls.",
        "venue": "ICLR",
        "year": 2023,
        "status": "rejected",
    },
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LUNWEN_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "owls.jsonl").write_text("\n".join(json.dumps(one) for one in OWLS) + "\n", "utf-8")
    return tmp_path


def test_from_import_to_export(run: Any, home: Path) -> None:
    assert run("import", "owls.jsonl", "--json").json["added"] == 2
    assert run("import", "owls.jsonl", "--json").json["unchanged"] == 2
    found = run("search", "first-order", "bilevel", "--json").json
    assert [one["title"] for one in found["items"]] == ["First-Order Owls for Bilevel Nests"]
    assert found["facets"]["topic"] == [{"value": "Birds", "count": 1}, {"value": "Birds/Owls", "count": 1}]
    assert run("search", "bats", "--json").json["total"] == 0  # rejected
    assert run("search", "bats", "--status", "all", "--json").json["total"] == 1
    paper_id = found["items"][0]["paper_id"]
    assert run("show", paper_id, "--json").json["authors"] == ["Ana Díaz", "Lei Li"]
    assert "title = {First-Order Owls for Bilevel Nests}" in run("export", "--format", "bibtex").out
    assert run("export", "--status", "all", "-o", "again.jsonl").code == 0
    assert run("--library", str(home / "other"), "import", "again.jsonl", "--json").json["added"] == 2
    again = run("--library", str(home / "other"), "export", "--status", "all").out
    assert sorted(again.splitlines()) == sorted((home / "again.jsonl").read_text("utf-8").splitlines())
    assert run("doctor").code == 0
    assert run("reindex", "--json").json["papers"] == 2
    assert run("stats", "--json").json["papers"] == 2


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["import", "nowhere.json"], 1),
        (["import", "empty.json"], 1),
        (["import", "folder"], 1),
        (["import", "plain.txt"], 1),
        (["import", "owls.jsonl", "--as", "acl"], 1),
        (["import", "owls.jsonl", "--as", "bibtx"], 2),
        (["--library", "plain.txt", "import", "owls.jsonl"], 1),
        (["--library", "plain.txt", "search", "owls"], 1),
        (["search", "owls", "--limit", "1001"], 2),
        (["search", "owls", "--offset", "-1"], 2),
        (["search", "owls", "--venue", "ICLM"], 2),
        (["search", "owls", "--year", "soon"], 2),
        (["search", "owls", "--status", "acepted"], 2),
        (["export", "owls", "--topic", "Brids"], 2),
        (["eval", "folder"], 1),
        (["eval", "nowhere"], 1),
    ],
)
def test_bad_input_is_one_line_and_the_library_intact(
    run: Any, home: Path, args: list[str], code: int
) -> None:
    assert run("import", "owls.jsonl").code == 0
    (home / "empty.json").touch()
    (home / "folder").mkdir()
    (home / "plain.txt").write_text("neither papers nor a library\n")
    wrong = run(*args)
    assert (wrong.code, wrong.out) == (code, "")
    assert wrong.err.startswith("lunwen: ")
    assert wrong.err.count("\n") == 1
    assert run("search", "owls", "--json").json["total"] == 1
    assert run("doctor").code == 0


@pytest.mark.parametrize(
    "query", ["foo:bar", '"unclosed', "((a", "a AND", "-", "*", "'; DROP TABLE", "🦉", "x" * 6000]
)
def test_no_query_is_an_error(run: Any, home: Path, query: str) -> None:
    del home
    run("import", "owls.jsonl")
    asked = run("search", "--json", "--", query)
    assert asked.code == 0
    assert asked.json["query_reading"]


def test_a_port_in_use(run: Any, home: Path) -> None:
    del home
    run("import", "owls.jsonl")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wrong = run("serve", "--port", str(taken.getsockname()[1]))
    assert wrong.code == 1
    assert "is in use" in wrong.err


def test_a_search_loads_no_web_no_bars_no_parsers(home: Path) -> None:
    del home
    subprocess.run([sys.executable, "-m", "lunwen", "import", "owls.jsonl"], check=True, capture_output=True)
    script = "import sys; from lunwen.doors.cli import main; main(['search', 'owls']); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    loaded = {name.split(".")[0] for name in ran.stdout.splitlines()[-1].split()}
    assert "tantivy" in loaded
    heavy = {"starlette", "uvicorn", "jinja2", "rich", "selectolax", "bibtexparser", "yaml", "rispy", "scipy"}
    assert loaded & heavy == set()
