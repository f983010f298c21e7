from __future__ import annotations

import io
from typing import Any

import pytest
import rispy
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.markup import plain
from lunwen.corpus.paper import Author, Paper, Record, Status
from lunwen.corpus.source import SourceFile
from lunwen.corpus.sources.ris import Ris
from lunwen.export.ris import ris

OWL = Paper(
    paper_id="lw1",
    title="Owls & Bats in $O(n)$",
    authors=(Author(name="Kurt Gödel"), Author(name="Owls, Bats and Friends"), Author(name="John Smith Jr.")),
    abstract="One.\n\nTwo.",
    venue="ICML",
    booktitle="Proceedings of the 41st ICML",
    year=2024,
    pages="1–12",
    date="2024-07-21",
    keywords=("owls", "bats"),
    identifiers={"doi": "10.1/x"},
    urls={"paper": "https://example.org/1", "pdf": "https://example.org/1.pdf"},
)


def test_a_reference_whole() -> None:
    assert "".join(ris([OWL])).split("\r\n") == [
        "TY  - CPAPER",
        "ID  - lw1",
        "TI  - Owls & Bats in O(n)",
        "AU  - Gödel, Kurt",
        "AU  - Owls Bats and Friends",
        "AU  - Smith, John, Jr.",
        "PY  - 2024",
        "DA  - 2024/07/21/",
        "T2  - International Conference on Machine Learning",
        "C3  - Proceedings of the 41st ICML",
        "SP  - 1",
        "EP  - 12",
        "DO  - 10.1/x",
        "UR  - https://example.org/1",
        "L1  - https://example.org/1.pdf",
        "KW  - owls",
        "KW  - bats",
        "AB  - One. Two.",
        "ER  - ",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("fields", "kind", "line"),
    [
        ({"venue": "TMLR"}, "JOUR", "T2  - Transactions on Machine Learning Research"),
        ({"identifiers": {"arxiv": "2401.00001"}}, "UNPB", "UR  - https://arxiv.org/abs/2401.00001"),
        (
            {"venue": "ICLR", "status": Status.WITHDRAWN},
            "UNPB",
            "N1  - Withdrawn from International Conference on",
        ),
        ({"date": "2023-12-01"}, "UNPB", "PY  - 2024\r\nER"),  # the day of another year is not this paper's
    ],
)
def test_kinds(fields: dict[str, Any], kind: str, line: str) -> None:
    text = "".join(ris([Paper(paper_id="lw2", title="Owls", year=2024, **fields)]))
    assert text.startswith(f"TY  - {kind}\r\n")
    assert line in text


def test_no_text_of_a_source_makes_a_tag_of_its_own() -> None:
    (read,) = rispy.loads(
        "".join(ris([Paper(paper_id="lw3", title="Owls\r\nER  - \r\nTY  - BOOK\u2028UR  - x")]))
    )
    assert read["type_of_reference"] == "UNPB"
    assert "urls" not in read


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


@given(
    title=TEXT.filter(str.strip), names=st.lists(st.text("abc éж", min_size=1).filter(str.strip), max_size=3)
)
def test_title_authors_and_year_come_back_from_two_readers(title: str, names: list[str]) -> None:
    shown = " ".join(plain(title).split())
    if not shown:
        return
    paper = Paper(
        paper_id="lw1",
        title=title,
        authors=tuple(Author(name=name) for name in names),
        venue="ICML",
        year=2024,
    )
    text = "".join(ris([paper]))
    (read,) = rispy.loads(text)
    assert (read["title"], read["year"]) == (shown, "2024")
    data = text.encode()
    (record,) = Ris().read(SourceFile(name="x", head=data, open=lambda: io.BytesIO(data)))
    assert isinstance(record, Record)
    assert (record.title, record.year) == (shown, 2024)
    assert [author.name.split() for author in record.authors] == [name.split() for name in names]
