from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lunwen.corpus.paper import Status
from lunwen.errors import LimitError
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from lunwen.library import Library


@pytest.fixture
def library(make_library, paper_of) -> Library:
    return make_library(
        [
            paper_of("p1", "Kites in calm air", authors=["Ada Kiefer", "Lei Li"], topic=("Theory", "Kites")),
            paper_of("p2", "More on kites", authors=["Ada Kiefer"], venue="KDD", topic=("Theory", "Kites")),
            paper_of("p3", "Calm kilns of $\\ell_1$", authors=["Jörg Kühn"], venue="NeurIPS"),
            paper_of("p4", "Kites without wind", authors=["Ann Kid"], status=Status.REJECTED),
        ]
    )


def said(library: Library, typed: str, limit: int = 10) -> list[tuple[str, str, int]]:
    return [(str(one.kind), one.text, one.papers) for one in library.complete(typed, limit)]


def test_an_unfinished_word_completes_to_every_kind(library):
    assert said(library, "ki") == [
        ("topic", "Theory/Kites", 2),
        ("author", "Ada Kiefer", 2),
        ("title", "Kites in calm air", 1),
        ("title", "More on kites", 1),
        ("title", "Calm kilns of ℓ_1", 1),
    ]


def test_a_title_that_begins_as_typed_comes_first(library):
    assert said(library, "calm kil")[0] == ("title", "Calm kilns of ℓ_1", 1)
    assert said(library, "more on ki") == [("title", "More on kites", 1)]


def test_names_are_found_in_any_order_and_without_accents(library):
    for typed in ("kuhn j", "jorg k", "Kühn", "kuehn"):
        assert ("author", "Jörg Kühn", 1) in said(library, typed), typed


def test_a_venue_is_found_by_another_name(library):
    assert said(library, "nip") == [("venue", "NeurIPS", 1)]


def test_a_finished_word_is_not_continued(library):
    assert said(library, "ki ") == []
    assert ("title", "More on kites", 1) in said(library, "kites ")


def test_one_letter_completes_to_no_title(library):
    assert said(library, "k") == [("venue", "KDD", 1), ("topic", "Theory/Kites", 2)]


def test_the_limit_keeps_a_place_for_a_title(library):
    assert [kind for kind, *_ in said(library, "ki", 2)] == ["topic", "title"]
    assert [kind for kind, *_ in said(library, "ki", 1)] == ["topic"]


def test_nothing_typed_completes_to_nothing(library):
    assert said(library, "") == said(library, " ?! ") == []


def test_a_limit_out_of_range_is_refused(library):
    with pytest.raises(LimitError) as refused:
        library.complete("ki", 51)
    assert str(refused.value) == "limit 51: 1 to 50 completions can be asked for. Ask for fewer"


@given(typed=st.text(max_size=40), limit=st.integers(1, 50))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
def test_whatever_is_typed_each_request_finds_as_many_papers_as_said(library, typed, limit):
    found = library.complete(typed, limit)
    assert len(found) <= limit
    for one in found:
        total = library.search(one.request).total
        assert total >= 1 if one.paper_id else total == one.papers
        assert isinstance(one.request, SearchRequest)
