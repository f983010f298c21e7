from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.files import open_paths
from lunwen.corpus.paper import BadRecord, Markup, Record
from lunwen.corpus.sources import sniff
from lunwen.corpus.sources.abstracts import SOURCE
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lunwen.corpus.source import SourceFile

    Make = Callable[..., SourceFile]


def test_icml_2026(shared: Path) -> None:
    [file] = open_paths([str(shared / "corpora/icml-2026/icml-2026-abstracts.json.gz")])
    assert sniff(file) is SOURCE
    records = [record for record in SOURCE.read(file) if isinstance(record, Record)]
    assert len(records) == len({record.key for record in records}) == 5932
    assert [record.key for record in (records[0], records[9], records[-1])] == [
        "icml-2026-64393",
        "icml-2026-66078",
        "icml-2026-64388",
    ]
    assert (records[9].abstract or "").startswith("<p>Explaining why")
    assert {record.markup for record in records} == {Markup.HTML}


def test_the_conference_is_in_the_name(source_file: Make) -> None:
    file = source_file('{"7": " <p>We</p> ", "8": "", "9": null}', "dump.zip/nips-2026-abstracts.json")
    assert sniff(file) is SOURCE
    assert list(SOURCE.read(file)) == [
        Record(
            key="neurips-2026-7",
            abstract="<p>We</p>",
            venue="nips",
            year=2026,
            identifiers={"event": "neurips-2026-7"},
            markup=Markup.HTML,
            place="item 1",
        )
    ]


def test_without_a_conference_the_number_remains(source_file: Make) -> None:
    [record] = SOURCE.read(source_file('{"7": "We"}', "abstracts.json"))
    assert isinstance(record, Record)
    assert record.identifiers == {"event": "7"}
    assert record.notes == ("the file does not say which conference it belongs to",)


def test_damage_costs_one_abstract(source_file: Make) -> None:
    text = '{"7": "We",\n"8": "cut " off",\n"9": "They \xff", "10": "You"}'.encode("latin-1")
    assert [
        record if isinstance(record, BadRecord) else record.abstract
        for record in SOURCE.read(source_file(text))
    ] == [
        "We",
        "cut",
        BadRecord("line 3", 'no abstract that can be read at "9"'),
        "You",
    ]
    [bad] = [r for r in SOURCE.read(source_file('{"7": "We", "8": 3}')) if isinstance(r, BadRecord)]
    assert bad == BadRecord("item 2", 'no abstract that can be read at "8"')


@pytest.mark.parametrize("text", ["{}", "[1]", '{"title": "A"}', "@misc{a}", ""])
def test_another_form_is_refused(source_file: Make, text: str) -> None:
    assert not SOURCE.sniff(source_file(text))
    with pytest.raises(UnreadableFile) as caught:
        list(SOURCE.read(source_file(text, "x.json")))
    assert str(caught.value) == (
        'x.json holds no abstracts file ({"<event id>": "<abstract>"}). '
        "Leave --as out, or name another format."
    )
