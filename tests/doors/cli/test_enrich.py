"""``lunwen enrich`` on a real library, its sites on loopback."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from tests.server import FAULTS

from lunwen.doors.cli import main
from lunwen.library import open_library
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server import Server

PAPERS = [
    {
        "paper_id": "odd",
        "title": "Odd wheels turn",
        "authors": ["Ana Díaz", "Lei Li"],
        "abstract": "Wheels that turn. Code: https://github.com/odd/wheels.",
        "venue": "ICML",
        "year": 2030,
        "identifiers": {"doi": "10.1234/odd.1"},
    },
    {"paper_id": "even", "title": "Even wheels stop", "authors": ["Lei Li"], "venue": "ICLR", "year": 2031},
]
WORK = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.1234/odd.1",
    "title": "Odd wheels turn",
    "publication_year": 2030,
    "cited_by_count": 12,
}


@pytest.fixture(autouse=True)
def library(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("LUNWEN_MIRROR", server.url),
        ("LUNWEN_CACHE", str(tmp_path / "cache")),
        ("LUNWEN_LIBRARY", str(tmp_path / "library")),
        ("OPENALEX_KEY", "s3cret"),
    ):
        monkeypatch.setenv(name, value)
    file = tmp_path / "papers.jsonl"
    file.write_text("\n".join(map(json.dumps, PAPERS)))
    assert main(["import", str(file)]) == 0
    server.put("api.openalex.org", "/works", json.dumps({"results": [WORK]}))
    server.put("api.crossref.org", "/works", json.dumps({"message": {"items": []}}))


def test_papers_get_links_and_citations(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["enrich"]) == 0
    out, err = capsys.readouterr()
    assert [line.split() for line in out.splitlines()] == [
        ["source", "papers", "found", "changed"],
        ["links", "2", "1", "1"],
        ["openalex", "2", "1", "1"],
        ["crossref", "2", "0", "0"],
    ]
    assert "s3cret" not in out + err
    assert main(["show", "odd"]) == 0
    shown = capsys.readouterr().out
    assert "12 · openalex, 20" in shown
    assert "https://github.com/odd/wheels" in shown
    assert main(["--json", "search", "has:code"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 1


def test_an_index_that_lacks_papers_hides_none_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(tmp_path / "library" / "index")
    capsys.readouterr()
    assert main(["enrich", "--no-citations", "--no-orcids", "--json"]) == 0
    (step,) = json.loads(capsys.readouterr().out)["steps"]
    assert (step["papers"], step["changed"]) == (2, 1)


def test_papers_that_come_once_are_asked_of_every_source() -> None:
    with open_library(write=True) as library:
        report = library.enrich(library.select(SearchRequest()))
    assert [(step.source, step.papers) for step in report.steps] == [
        ("links", 2),
        ("openalex", 2),
        ("crossref", 2),
    ]


def test_a_search_says_which_papers(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["enrich", "--json", "--venue", "ICLR", "--no-citations", "--no-orcids"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["steps"] == [{"source": "links", "papers": 1, "found": 0, "changed": 0, "reason": ""}]
    assert server.asked == []
    assert main(["enrich", "--ids", "odd", "--no-links"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["openalex", "1", "1", "1"]


def test_where_one_does_not_answer(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    server.misbehave("api.openalex.org", "/works", FAULTS["403"])
    capsys.readouterr()
    assert main(["enrich"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines()[1].split() == ["links", "2", "1", "1"]
    assert err.startswith('lunwen: openalex: "api.openalex.org/works" ')
    assert "s3cret" not in err
