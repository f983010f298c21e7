from __future__ import annotations

from typing import Any


def test_a_paper_for_people(run: Any, library: object) -> None:
    del library
    lines = run("show", "2601.00001", "--lang", "zh").out.splitlines()
    assert lines[:2] == ["Birds · Owls", "Bilevel Owls"]
    assert "Number12" in " ".join(lines)
    assert "猫头鹰。" in lines
    assert "arxiv        2601.00001" in lines
    assert lines[-2:] == [
        "paper_id     lw1",
        "maybe the same lw2 =SUM(A1) & Other Titles (same authors)",
    ]


def test_who_said_what(run: Any, library: object) -> None:
    del library
    lines = run("show", "lw1", "--provenance").out.splitlines()
    assert lines[-2:] == ["* title = Bilevel Owls", "  program, lw1.json, 2026-01-02T03:04:05Z"]


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
