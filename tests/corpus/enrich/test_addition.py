from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.enrich.addition import addition, is_of, with_orcids
from lunwen.corpus.identity import Likeness, same
from lunwen.corpus.paper import Author, Paper, Record

ANA, LEI = Author(name="Ana Díaz"), Author(name="Lei Li")
PAPER = Paper(paper_id="p1", title="Odd wheels turn", authors=(ANA, LEI), year=2030)
ORCID = "0000-0001-2345-6789"


def test_a_paper_is_named_by_its_first_id() -> None:
    paper = Paper(paper_id="p1", title="T", identifiers={"uid": "x", "doi": "10.1/x", "openreview": "aB"})
    assert addition(paper, citations=3) == Record(
        key="p1", identifiers={"openreview": "aB"}, citations=3, markup="clean"
    )


def test_a_paper_without_ids_is_named_by_title_authors_and_year() -> None:
    assert addition(PAPER, urls={"code": "x"}) == Record(
        key="p1", title="Odd wheels turn", authors=(ANA, LEI), year=2030, urls={"code": "x"}, markup="clean"
    )


@pytest.mark.parametrize(
    "paper",
    [
        Paper(paper_id="p", title="Odd wheels"),
        Paper(paper_id="p", title="Withdrawn", authors=(ANA,)),
        Paper(paper_id="p", title="Odd wheels", authors=(Author(name="Anonymous"),)),
        Paper(paper_id="p", title="Odd wheels", identifiers={"uid": "x", "event": "7"}),
    ],
)
def test_what_nothing_names_gets_nothing(paper: Paper) -> None:
    assert addition(paper, citations=3) is None


@given(
    st.text("abc xyz", min_size=3),
    st.lists(st.sampled_from(["Ana Díaz", "Lei Li", "Mausam", "Bo Wu"]), min_size=1, unique=True),
    st.none() | st.integers(1990, 2030),
)
def test_what_is_added_is_of_its_paper(title: str, names: list[str], year: int | None) -> None:
    described = Record(key="k", title=title, authors=tuple(Author(name=name) for name in names), year=year)
    paper = Paper(paper_id="p", title=title, authors=described.authors, year=year)
    added = addition(paper, citations=1)
    assert added is None or same(described, added).likeness is Likeness.SAME


def test_a_work_is_a_paper_by_title_author_and_year_together() -> None:
    work = Record(key="W1", title="Odd Wheels Turn", authors=(LEI,), year=2031)
    assert is_of(PAPER, work)
    others = Record(key="W1", title="Odd Wheels Turn", authors=(Author(name="Bo Wu"),), year=2030)
    assert not is_of(PAPER, others)
    assert not is_of(PAPER, Record(key="W1", title="Odd Wheels Turn", authors=(ANA, LEI), year=2035))


@pytest.mark.parametrize(
    ("found", "orcids"),
    [
        ([Author(name="L. Li", orcid=ORCID), Author(name="Diaz, Ana")], [None, ORCID]),
        ([Author(name="Lei Li", orcid=ORCID)], []),  # one is missing
        ([Author(name="Lei Li", orcid=ORCID), Author(name="Bo Wu")], []),
        ([Author(name="Lei Li", orcid=ORCID), Author(name="Lu Li"), ANA], []),  # which is meant?
        ([LEI, ANA], []),
    ],
)
def test_orcids_come_where_names_pair_off(found: list[Author], orcids: list[str | None]) -> None:
    given = with_orcids(PAPER, found)
    assert [author.orcid for author in given] == orcids
    assert [author.name for author in given] == ["Ana Díaz", "Lei Li"][: len(orcids)]
