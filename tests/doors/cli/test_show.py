from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lunwen.corpus.paper import Author, Paper, Provenance

if TYPE_CHECKING:
    import pytest


def test_a_paper_for_people(run: Any, library: object) -> None:
    del library
    lines = run("show", "2601.00001", "--lang", "zh").out.splitlines()
    assert lines[:2] == ["Birds · Owls", "Bilevel Owls"]
    assert "Number12" in " ".join(lines)
    assert "猫头鹰。" in lines
    assert "arxiv        2601.00001" in lines
    assert lines[-4:] == [
        "paper_id     lw1",
        "maybe the same lw2 =SUM(A1) & Other Titles (same authors)",
        "collections  starred, to read",
        "your note    ask Ana",
    ]


def test_a_crowd_of_authors_is_folded(run: Any, library: object, monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = Paper(paper_id="lw9", title="T", authors=tuple(Author(name=f"Owl{n}") for n in range(1540)))
    monkeypatch.setattr(library, "paper", lambda _: crowd)
    shown = " ".join(run("show", "lw9").out.split())
    assert "Owl39 … and 1,500 more (--json has all)" in shown
    assert "Owl40" not in shown
    assert len(run("show", "lw9", "--json").json["authors"]) == 1540


def test_who_said_what(run: Any, library: object, monkeypatch: pytest.MonkeyPatch) -> None:
    said = [
        ("title", "Bilevel Owls", "program", True),
        ("title", "Bilevel Owls", "dblp", True),
        ("title", "Bilevel  owls", "arxiv", False),
        ("authors", ("Owl Number1", "Owl Number2"), "dblp", False),
        ("abstract", "Owls of the first order. " * 30, "program", True),
    ]
    monkeypatch.setattr(
        library,
        "provenance",
        lambda _: [
            Provenance(
                field=name,
                value=value,
                source=source,
                file=f"{source}.json",
                imported="2026-01-02T03:04:05.678+00:00",
                chosen=chosen,
            )
            for name, value, source, chosen in said
        ],
    )
    lines = run("show", "lw1", "--provenance").out.splitlines()
    assert lines[-10:] == [
        "",
        "* title     Bilevel Owls  program, dblp",
        "  title     Bilevel owls  arxiv",
        "  authors   Owl Number1, Owl Number2  dblp",
        "* abstract  Owls of the first order. Owls of the first order. Owls of …  program",
        "",
        "source   file          imported (UTC)",
        "program  program.json  2026-01-02 03:04",
        "dblp     dblp.json     2026-01-02 03:04",
        "arxiv    arxiv.json    2026-01-02 03:04",
    ]


def test_json(run: Any, library: object) -> None:
    del library
    shown = run("show", "lw1", "--provenance", "--json").json
    assert shown["title"] == "Bilevel Owls"
    assert shown["summary"]["en"] == "Owls, in short."
    assert shown["maybe_same"] == [
        {"paper_id": "lw2", "title": "=SUM(A1) & Other Titles", "why": "same authors"}
    ]
    assert shown["provenance"] == [
        {
            "field": "title",
            "value": "Bilevel Owls",
            "source": "program",
            "file": "lw1.json",
            "imported": "2026-01-02T03:04:05Z",
            "chosen": True,
        }
    ]
    assert "provenance" not in run("show", "lw1", "--json").json
    assert (shown["collections"], shown["note"]) == (["starred", "to read"], "ask Ana")
    other = run("show", "lw2", "--json").json
    assert (other["collections"], other["note"]) == ([], None)
