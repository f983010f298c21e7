"""Five thousand real papers, exported."""

from __future__ import annotations

import gzip
import json
import os
import re
from itertools import islice
from pathlib import Path

import bibtexparser
import pytest

from lunwen.corpus.markup import clean
from lunwen.corpus.paper import Author, Markup, Paper
from lunwen.export.bibtex import bibtex
from lunwen.export.cite_key import cite_keys

SHARED = Path(os.environ.get("LUNWEN_SHARED", Path(__file__).parents[3] / "shared"))
FILE = SHARED / "corpora" / "conference-papers.jsonl.gz"


@pytest.fixture(scope="module")
def papers() -> list[Paper]:
    if not FILE.exists():
        pytest.skip("the real papers are not on this machine (LUNWEN_SHARED)")
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        held = [json.loads(line) for line in islice(lines, 5_000)]
    return [
        Paper(
            paper_id=f"lw{number}",
            title=clean(one["title"], Markup.PLAIN),
            authors=tuple(Author(name=name) for name in one["authors"]),
            venue=one["venue"],
            year=one["year"],
            urls={"paper": one["url"] or ""},
        )
        for number, one in enumerate(held)
    ]


def test_every_key_is_its_own_and_every_entry_can_be_read(papers: list[Paper]) -> None:
    keys = cite_keys(papers)
    assert keys == cite_keys(papers[::-1])
    assert len(set(keys.values())) == len(papers) == 5_000
    assert all(re.fullmatch("[a-z0-9]+", key) for key in keys.values())
    library = bibtexparser.parse_string("".join(bibtex(papers)))
    assert library.failed_blocks == []
    assert [one.key for one in library.entries] == [keys[paper.paper_id] for paper in papers]
    assert {one.entry_type for one in library.entries} <= {"inproceedings", "article"}
