from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.corpus.store import Store
from lunwen.library import Library

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    ada, lei = Author(name="Ada Núñez", author_id="~Ada_Núñez1"), Author(name="Lei Li")
    with Library(Store.open(tmp_path, write=True)) as library:
        for paper in (
            Paper(paper_id="a", title="On $x$ owls", authors=(ada, lei), year=2024, venue="ICML"),
            Paper(paper_id="b", title="On terns", authors=(lei, ada), year=2025),
            Paper(paper_id="c", title="On wrens", authors=(ada,), status=Status.REJECTED),
            Paper(paper_id="d", title="On jays", authors=(Author(name="A. Núñez"),)),
            *(Paper(paper_id=f"e{n}", title="Jay", authors=(lei, Author(name=f"P{n}"))) for n in range(12)),
        ):
            library._store.put(paper)
        library.catch_up()
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return str(tmp_path)


def test_an_author_for_people(run: Any, folder: str) -> None:
    found = run("author", "ada", "nunez", "--library", folder)
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == [
        "Ada Núñez",
        "2 papers and 1 rejected or withdrawn",
        "coauthors  Lei Li 2",
        "venues     ICML 1",
        "ids        ada-nunez, ~Ada_Núñez1",
        "",
        "maybe the same",
        "  a-nunez  A. Núñez  the same name with initials  1",
        "",
        "2025",
        "On terns",
        "b",
        "",
        "2024",
        "On x owls",
        "ICML · a",
    ]


def test_long_lists_are_cut_and_say_so(run: Any, folder: str) -> None:
    out = run("author", "Lei Li", "--library", folder).out
    assert "14 papers" in out
    assert "and 3 more" in " ".join(out.split())
    assert "year unknown" in out


def test_an_author_in_chinese(run: Any, folder: str) -> None:
    lines = run("author", "ada", "nunez", "--lang", "zh", "--library", folder).out.splitlines()
    assert lines[:8] == [
        "Ada Núñez",
        "2 篇 另有 1 篇被拒或撤稿，未列出",
        "合作者     Lei Li 2",
        "会议       ICML 1",
        "编号       ada-nunez, ~Ada_Núñez1",
        "",
        "可能是同一人",
        "  a-nunez  A. Núñez  名字只有首字母  1",
    ]


def test_json_has_everything(run: Any, folder: str) -> None:
    shape = run("author", "~Ada_Núñez1", "--json", "--library", folder).json
    papers = shape.pop("papers")
    assert [paper["paper_id"] for paper in papers] == ["b", "a"]
    assert shape == {
        "author_id": "ada-nunez",
        "name": "Ada Núñez",
        "orcid": None,
        "spellings": [],
        "source_ids": ["~Ada_Núñez1"],
        "total": 2,
        "hidden": 1,
        "years": [{"value": 2025, "count": 1}, {"value": 2024, "count": 1}],
        "venues": [{"value": "ICML", "count": 1}],
        "coauthors": [{"author_id": "lei-li", "name": "Lei Li", "papers": 2}],
        "maybe_same": [
            {
                "author_id": "a-nunez",
                "name": "A. Núñez",
                "papers": 1,
                "why": "the same name with initials",
            }
        ],
        "offset": 0,
        "next_offset": None,
    }


def test_no_such_author(run: Any, folder: str) -> None:
    found = run("author", "Nobody", "--library", folder)
    assert found.code == 1
    assert found.err == (
        'lunwen: no author "Nobody". A whole name, an ORCID or a source\'s id is understood. '
        "Find papers by part of a name with: lunwen search author:NAME\n"
    )
