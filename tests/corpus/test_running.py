from __future__ import annotations

from dataclasses import replace

import pytest

from lunwen.corpus import catalogue
from lunwen.corpus.paper import Author, Paper
from lunwen.corpus.running import RUNNING, method_id


@pytest.mark.parametrize("paper_id", RUNNING)
def test_the_catalogues_own_papers_run(paper_id: str) -> None:
    paper = catalogue.find(paper_id)
    assert paper is not None
    assert method_id(paper) == paper_id
    assert method_id(replace(paper, paper_id="x", identifiers={})) == paper_id  # by title, authors and year
    if paper.identifiers:
        assert method_id(replace(paper, paper_id="x", title="Renamed", authors=())) == paper_id


def test_a_title_alone_is_not_enough() -> None:
    paper = catalogue.find(RUNNING[0])
    assert paper is not None
    bare = replace(paper, paper_id="x", identifiers={})
    assert method_id(replace(bare, authors=(Author(name="Somebody Else"),))) is None
    assert method_id(replace(bare, year=2010)) is None
    assert method_id(replace(bare, year=None)) is None


def test_other_papers_do_not_run() -> None:
    assert method_id(Paper(paper_id="x", title="Bilevel Owls", year=2026)) is None
    others = [record.key for record in catalogue.records() if record.key not in RUNNING]
    assert all(method_id(paper) is None for key in others if (paper := catalogue.find(key)))
