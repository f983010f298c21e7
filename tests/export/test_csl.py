from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.markup import plain
from lunwen.corpus.paper import Author, Paper, Record, Status
from lunwen.corpus.source import SourceFile
from lunwen.corpus.sources.csl import Csl
from lunwen.export.csl import csl_item, csl_json

OWL = Paper(
    paper_id="lw1",
    title="Owls & Bats in $O(n)$",
    authors=(Author(name="Kurt Gödel"), Author(name="The Owl Team"), Author(name="John Smith Jr.")),
    abstract="They fly.",
    venue="ICML",
    year=2024,
    pages="1–12",
    date="2024-07-21",
    keywords=("owls", "bats"),
    identifiers={"doi": "10.1/x"},
    urls={"paper": "https://example.org/1"},
)


def test_an_item_whole() -> None:
    assert csl_item(OWL) == {
        "id": "godel2024owls",
        "type": "paper-conference",
        "title": "Owls & Bats in O(n)",
        "author": [
            {"family": "Gödel", "given": "Kurt"},
            {"literal": "The Owl Team"},
            {"family": "Smith", "given": "John", "suffix": "Jr."},
        ],
        "issued": {"date-parts": [[2024, 7, 21]]},
        "container-title": "International Conference on Machine Learning",
        "event-title": "ICML",
        "page": "1-12",
        "DOI": "10.1/x",
        "URL": "https://example.org/1",
        "keyword": "owls, bats",
        "abstract": "They fly.",
    }


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        (
            {"venue": "TMLR"},
            {"type": "article-journal", "container-title": "Transactions on Machine Learning Research"},
        ),
        (
            {"status": Status.PREPRINT, "identifiers": {"arxiv": "2401.00001"}},
            {"type": "article", "number": "arXiv:2401.00001", "publisher": "arXiv"},
        ),
        (
            {"venue": "ICLR", "status": Status.REJECTED},
            {
                "type": "manuscript",
                "genre": "Submitted to International Conference on Learning Representations",
            },
        ),
        ({"date": "2023-12-01"}, {"issued": {"date-parts": [[2024]]}}),  # the day of its preprint
        ({"urls": {"paper": "javascript:alert(1)", "pdf": "https://a.b/c"}}, {"URL": "https://a.b/c"}),
    ],
)
def test_kinds_dates_and_addresses(fields: dict[str, Any], holds: dict[str, object]) -> None:
    item = csl_item(Paper(paper_id="lw2", title="Owls", year=2024, **fields))
    assert {name: item.get(name) for name in holds} == holds


def test_keys_are_those_of_bibtex_and_each_is_given_once() -> None:
    items = json.loads("".join(csl_json([OWL, replace(OWL, paper_id="lw0")])))
    assert [item["id"] for item in items] == ["godel2024owlsa", "godel2024owls"]
    assert json.loads("".join(csl_json([OWL], "acl")))[0]["id"] == "godel-etal-2024-owls"


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


@given(
    title=TEXT.filter(str.strip), names=st.lists(st.text("abc éж", min_size=1).filter(str.strip), max_size=3)
)
def test_title_and_year_come_back_through_our_own_reader(title: str, names: list[str]) -> None:
    paper = Paper(
        paper_id="lw1",
        title=title,
        authors=tuple(Author(name=name) for name in names),
        venue="ICML",
        year=2024,
    )
    data = "".join(csl_json([paper])).encode()
    (record,) = Csl().read(SourceFile(name="x", head=data, open=lambda: io.BytesIO(data)))
    if not plain(title).strip():
        return
    assert isinstance(record, Record)
    assert (record.title, record.year, record.venue) == (plain(title).strip(), 2024, "ICML")
    assert [author.name.split() for author in record.authors] == [name.split() for name in names]
