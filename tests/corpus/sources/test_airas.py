from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.files import open_paths
from lunwen.corpus.paper import Author, BadRecord, Record
from lunwen.corpus.sources import sniff
from lunwen.corpus.sources.airas import SOURCE
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lunwen.corpus.source import SourceFile

    Make = Callable[..., SourceFile]

ROW = {
    "id": "ab",
    "title": "A",
    "authors": ["Ana Díaz"],
    "abstract": "We",
    "topic": "X->Y",
    "conference": "nips",
}


@pytest.mark.parametrize(
    ("name", "count", "shown"),
    [
        ("iclr-2024", 2382, [("Robot Fleet", 5), ("Diffusion S", 5), ("ImplicitSLI", 2)]),
        ("icml-2023", 2020, [("Sample Comp", 4), ("Poisoning L", 4), ("Lottery Tic", 2)]),
        ("neurips-2020", 2004, [("A Limitatio", 2), ("Boosting Fi", 3), ("Stochastic ", 4)]),
    ],
)
def test_real_lists(shared: Path, name: str, count: int, shown: list[tuple[str, int]]) -> None:
    [file] = open_paths([str(shared / "corpora/airas" / f"{name}.json.gz")])
    assert sniff(file) is SOURCE
    records = [record for record in SOURCE.read(file) if isinstance(record, Record)]
    assert len(records) == len({record.key for record in records}) == count
    picked = records[0], records[9], records[-1]
    assert [((record.title or "")[:11], len(record.authors)) for record in picked] == shown
    venue, _, year = name.partition("-")
    assert {(record.venue, record.year) for record in records} == {(venue, int(year))}


def test_twins_share_the_uid_and_not_the_key(source_file: Make) -> None:
    link = "https://proceedings.neurips.cc//paper_files/paper/2020/hash/" + "ab" * 16 + "-Abstract.html"
    rows = [ROW | {"year": 2020, "paper_url": link}, ROW | {"year": "2020", "topic": None, "paper_url": None}]
    file = source_file(json.dumps(rows))
    assert sniff(file) is SOURCE
    assert list(SOURCE.read(file)) == [
        Record(
            key="neurips-2020-ab",
            title="A",
            authors=(Author(name="Ana Díaz"),),
            abstract="We",
            venue="nips",
            year=2020,
            topic=("X", "Y"),
            identifiers={"uid": "neurips-2020-ab", "neurips": "2020/" + "ab" * 16},
            urls={"paper": link},
            place="item 1",
        ),
        Record(
            key="neurips-2020-ab#2",
            title="A",
            authors=(Author(name="Ana Díaz"),),
            abstract="We",
            venue="nips",
            year=2020,
            identifiers={"uid": "neurips-2020-ab"},
            place="item 2",
        ),
    ]


def test_a_row_without_a_year_is_bad(source_file: Make) -> None:
    rows = [ROW | {"year": 2020}, ROW]
    assert list(SOURCE.read(source_file(json.dumps(rows))))[1] == BadRecord(
        "item 2", "no title, conference or year"
    )


def test_another_form_is_refused(source_file: Make) -> None:
    with pytest.raises(UnreadableFile) as caught:
        list(SOURCE.read(source_file('[{"title": "A"}]', "a.json")))
    assert str(caught.value) == (
        "a.json holds no airas papers (item 1: no title, conference or year). "
        "Leave --as out, or name another format."
    )
