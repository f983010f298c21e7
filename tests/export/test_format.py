from __future__ import annotations

import csv
import io
import json
from typing import Any

import bibtexparser
import pytest
import rispy

from lunwen.corpus.paper import Author, Paper
from lunwen.errors import UnknownName
from lunwen.export.format import FORMATS, ExportOptions, Selected, export_papers, find_format

PAPERS = [
    Paper(
        paper_id=f"lw{number}",
        title=f"Owl {number}",
        authors=(Author(name="Lei Li"),),
        venue="ICML",
        year=2024,
    )
    for number in range(3)
]


def count(name: str, text: str) -> int:
    """How many papers a reader of the format finds."""
    readers: dict[str, Any] = {
        "bibtex": lambda: bibtexparser.parse_string(text).entries,
        "ris": lambda: rispy.loads(text),
        "csl-json": lambda: json.loads(text),
        "csv": lambda: list(csv.DictReader(io.StringIO(text, newline=""))),
        "jsonl": lambda: [json.loads(line) for line in text.splitlines()],
        "markdown": lambda: [line for line in text.splitlines() if line.startswith("- ")],
        "reference": text.splitlines,
    }
    return len(readers[name]())


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_writes_every_paper(name: str) -> None:
    assert count(name, "".join(export_papers(PAPERS, name))) == 3
    assert count(name, "".join(export_papers(iter(PAPERS), name))) == 3
    assert count(name, "".join(export_papers([], name))) == 0


@pytest.mark.parametrize("name", set(FORMATS) - {"bibtex", "csl-json"})
def test_what_needs_one_pass_is_written_as_it_comes(name: str) -> None:
    taken: list[str] = []

    def come() -> Any:
        for paper in PAPERS:
            taken.append(paper.paper_id)
            yield paper

    pieces = export_papers(come(), name)
    while not taken:
        next(pieces)
    assert taken == ["lw0"]


def test_what_needs_two_passes_asks_twice_and_holds_nothing() -> None:
    asked = []

    def begin() -> Any:
        asked.append(1)
        return iter(PAPERS)

    pieces = export_papers(Selected(begin), "bibtex")
    assert asked == []
    assert next(pieces).startswith("@inproceedings{li2024owl,")
    assert len(asked) == 2


def test_every_format_has_its_own_name_and_says_how_it_travels() -> None:
    assert [name for name, one in FORMATS.items() if one.name != name] == []
    assert all("/" in one.media_type and one.extension.isalnum() and one.help for one in FORMATS.values())
    assert find_format(" BibTeX ") is FORMATS["bibtex"]


@pytest.mark.parametrize(
    ("refused", "says"),
    [
        (
            lambda: export_papers(PAPERS, "bibtx"),
            f'no format "bibtx". Closest: bibtex. Allowed: {", ".join(FORMATS)}',
        ),
        (lambda: ExportOptions(key="mla"), 'no key style "mla". Allowed: scholar, acl'),
        (
            lambda: ExportOptions(style="../apa"),
            'no style "../apa". Closest: apa. Allowed: apa, ieee, acl, chicago, nature, gb7714',
        ),
    ],
)
def test_what_is_not_in_the_list_is_refused_with_the_list(refused: Any, says: str) -> None:
    with pytest.raises(UnknownName) as caught:
        refused()
    assert str(caught.value) == says
