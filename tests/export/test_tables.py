from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.paper import Author, BadRecord, Paper, Record, Status
from lunwen.corpus.source import SourceFile
from lunwen.corpus.sources.jsonl import Jsonl
from lunwen.corpus.sources.table import Table
from lunwen.export.shape import ALWAYS, paper_dict
from lunwen.export.tables import _IDENTIFIERS, _LINKS, COLUMNS, csv_rows, json_array, jsonl

FULL = Paper(
    paper_id="lw1",
    title='Owls, "Bats"\nand $x$',
    authors=(
        Author(name="Lei Li", given="Lei", family="Li", author_id="~Lei_Li1", variants=("李磊",)),
        Author(name="Owl, Jr."),
    ),
    abstract="One.\n\nTwo.",
    venue="ICML",
    year=2024,
    topic=("Birds", "Owls"),
    status=Status.ORAL,
    identifiers={"doi": "10.1/x", "arxiv": "2401.00001"},
    urls={"paper": "https://example.org/1", "pdf": "https://example.org/1.pdf"},
    keywords=("owls", "bats"),
    tldr="Owls.",
    summary={"en": "Owls.", "zh": "猫头鹰。"},
    track="main",
    award="Best Paper",
    booktitle="Proceedings of Owls",
    publisher="Nest",
    pages="1-12",
    volume="3",
    date="2024-07-21",
    citations=0,
    title_bibtex="{O}wls",
    notes=("title; not found",),
    sources=("program", "acl"),
)
BARE = Paper(paper_id="lw2", title="=1+1", authors=(Author(name="@owl"),))


def file_of(text: str) -> SourceFile:
    data = text.encode()
    return SourceFile(name="export", head=data, open=lambda: io.BytesIO(data))


def paper_of(record: Record | BadRecord, sources: tuple[str, ...]) -> Paper:
    assert isinstance(record, Record)
    held = {name: getattr(record, name) for name in Paper.__dataclass_fields__ if hasattr(record, name)}
    return Paper(**held | {"paper_id": record.key, "sources": sources})


def test_lines_of_json_bring_back_the_same_papers() -> None:
    text = "".join(jsonl([FULL, BARE]))
    assert Jsonl().sniff(file_of(text))
    records = list(Jsonl().read(file_of(text)))
    assert [paper_of(records[0], FULL.sources), paper_of(records[1], ())] == [FULL, BARE]


def test_the_shape_of_a_paper() -> None:
    assert paper_dict(BARE) == {
        "paper_id": "lw2",
        "title": "=1+1",
        "authors": ["@owl"],
        "abstract": None,
        "venue": None,
        "year": None,
        "topic": [],
        "status": "accepted",
        "identifiers": {},
        "urls": {},
    }
    full = paper_dict(
        replace(FULL, gone="2026-11-30", citations_date="2026-11-30", citations_source="openalex")
    )
    assert set(full) == set(Paper.__dataclass_fields__) | {"author_details"}
    assert set(full) > set(ALWAYS)
    assert full["citations"] == 0
    assert full["author_details"] == [
        {"given": "Lei", "family": "Li", "author_id": "~Lei_Li1", "variants": ["李磊"]},
        {},
    ]


def test_one_array() -> None:
    assert json.loads("".join(json_array([FULL, BARE])))[1]["title"] == "=1+1"
    assert json.loads("".join(json_array([]))) == []


def test_rows() -> None:
    text = "".join(csv_rows([FULL, BARE]))
    assert text.startswith("paper_id,title,authors,")
    assert text.count("\r\n") == 3
    header, full, bare = csv.reader(io.StringIO(text, newline=""))
    assert header == list(COLUMNS)
    assert {name: cell for name, cell in zip(header, full, strict=True) if cell} == {
        "paper_id": "lw1",
        "title": 'Owls, "Bats"\nand $x$',
        "authors": "Lei Li; Owl, Jr.",
        "abstract": "One.\n\nTwo.",
        "venue": "ICML",
        "year": "2024",
        "topic": "Birds/Owls",
        "status": "oral",
        "track": "main",
        "award": "Best Paper",
        "booktitle": "Proceedings of Owls",
        "publisher": "Nest",
        "volume": "3",
        "pages": "1-12",
        "date": "2024-07-21",
        "doi": "10.1/x",
        "arxiv": "2401.00001",
        "url": "https://example.org/1",
        "pdf": "https://example.org/1.pdf",
        "keywords": "owls; bats",
        "tldr": "Owls.",
        "citations": "0",
        "sources": "program; acl",
    }
    assert bare[:3] == ["lw2", "'=1+1", "'@owl"]


def test_rows_can_be_imported() -> None:
    table = file_of("".join(csv_rows([replace(FULL, title="Owls")])))
    assert Table().sniff(table)
    (record,) = Table().read(table)
    paper = paper_of(record, FULL.sources)
    assert [author.name for author in paper.authors] == ["Lei Li", "Owl, Jr."]
    lost = {"authors": (), "summary": {}, "title_bibtex": None, "notes": ()}
    assert replace(paper, **lost) == replace(FULL, title="Owls", **lost)


def test_every_link_and_identifier_with_a_column_comes_back() -> None:
    links = {name: f"https://example.org/{name}" for name in ("paper", *_LINKS)}
    identifiers = {name: f"{name}1" for name in _IDENTIFIERS} | {"doi": "10.1/x"}
    (record,) = Table().read(file_of("".join(csv_rows([replace(BARE, urls=links, identifiers=identifiers)]))))
    assert isinstance(record, Record)
    assert (dict(record.urls), dict(record.identifiers)) == (links, identifiers)


PART = st.text(st.sampled_from("ab/\\ ,\"'->=é论"), min_size=1, max_size=8).filter(
    lambda part: part == part.strip()
)


@given(st.lists(PART, max_size=4))
def test_any_topic_comes_back(topic: list[str]) -> None:
    (record,) = Table().read(file_of("".join(csv_rows([replace(BARE, topic=tuple(topic))]))))
    assert isinstance(record, Record)
    assert record.topic == tuple(topic)
