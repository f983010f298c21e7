from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.pdf.cabinet import Cabinet
from lunwen.corpus.pdf.text import PdfText
from lunwen.retrieval.passage import WIDTH, PassageFinder, asks_text, in_text
from lunwen.retrieval.query import parse, reading_zh, unparse
from lunwen.retrieval.request import Mode, SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from lunwen.corpus.paper import Paper
    from lunwen.library import Library
    from lunwen.retrieval.request import SearchResponse

PAGES = {
    "owl": ("Owls hunt voles.", "", "The proof of Lemma 3 swoops on first-order voles, and Lemma 4 follows."),
    "tern": ("Terns dive for sand eels.", "A table of eels."),
}


@pytest.fixture
def library(
    make_library: Callable[[Iterable[Paper]], Library], paper_of: Callable[..., Paper], tmp_path: Path
) -> Library:
    titles = {"owl": "Silent flight", "tern": "Long flight", "kite": "Voles and their flight"}
    library = make_library(paper_of(name, title, authors=[f"Ana {name}"]) for name, title in titles.items())
    path = tmp_path / "any.pdf"
    path.write_bytes(b"%PDF-")
    for name, pages in PAGES.items():
        Cabinet(library._store).keep(name, path, PdfText(pages, len(pages)), origin="a")
    library.catch_up()
    return library


def ids(response: SearchResponse) -> list[str]:
    return [item.paper.paper_id for item in response.items]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("text:voles", {"owl": 1}),
        ("text:(lemma proof)", {"owl": 3}),
        ('text:"proof of lemma"', {"owl": 3}),
        ('text:"lemma proof"', {}),
        ("text:firstorder", {"owl": 3}),
        ("text:(voles OR eels)", {"owl": 1, "tern": 1}),
        ("text:eels author:tern", {"tern": 1}),
        ("text:eels author:owl", {}),
        ("flight text:table", {"tern": 2}),
        ("title:silent OR text:eels", {"owl": None, "tern": 1}),
        ("flight -text:voles", {"tern": None, "kite": None}),
        ("全文:voles", {"owl": 1}),
        ("has:text", {"owl": None, "tern": None}),
    ],
)
def test_text_finds_papers_by_their_pages(library: Library, query: str, found: dict[str, int | None]) -> None:
    response = library.search(SearchRequest(query=query, mode=Mode.LEXICAL))
    assert {one.paper.paper_id: one.passage and one.passage.page for one in response.items} == found
    assert response.total == len(found)


def test_a_passage_is_a_part_of_the_page_with_its_words_marked(library: Library) -> None:
    (item,) = library.search(SearchRequest(query="text:(lemma swoop)")).items
    assert item.passage is not None
    assert item.passage.text == PAGES["owl"][2]
    marked = [item.passage.text[start:end] for start, end in item.passage.spans]
    assert marked == ["Lemma", "swoops", "Lemma"]


def test_the_page_with_most_of_the_words_is_shown_and_no_more_of_it_than_a_window() -> None:
    def stem(token: str) -> str:
        return token.rstrip("s")

    finder = PassageFinder(parse("text:(owl vole)"), stem)
    long = f"{'Terns dive. ' * 100}An owl hunts a vole. {'Terns dive. ' * 100}"
    passage = finder.find([(1, "Owls, owls, owls."), (2, long), (3, "A vole of an owl.")])
    assert passage is not None
    assert (passage.page, len(passage.text) <= WIDTH) == (2, True)
    assert [passage.text[start:end] for start, end in passage.spans] == ["owl", "vole"]
    assert finder.find([(1, "Terns dive."), (2, "")]) is None


def test_a_search_of_papers_is_answered_as_if_no_text_were_here(library: Library) -> None:
    queries = ["flight", "silent flight", "voles", "vole OR tern", "lemma", ""]
    with_text = [library.search(SearchRequest(query=query)) for query in queries]
    for name in PAGES:
        library.drop_pdfs([name])
    without = [library.search(SearchRequest(query=query)) for query in queries]
    for one, other in zip(with_text, without, strict=True):
        assert [(item.paper, item.score, item.why) for item in one.items] == [
            (item.paper, item.score, item.why) for item in other.items
        ]
        assert (one.total, one.query_reading) == (other.total, other.query_reading)
        assert all(item.passage is None for item in one.items)


def test_a_search_of_papers_says_how_many_have_it_in_their_text(library: Library) -> None:
    (suggestion,) = library.search(SearchRequest(query="the proof of a lemma", limit=1)).suggestions
    assert (suggestion.why, suggestion.query, suggestion.total) == ("in the text", "text:proof text:lemma", 1)
    assert ids(library.search(suggestion.request)) == ["owl"]
    assert library.search(SearchRequest(query="flight")).suggestions == ()


@pytest.mark.parametrize(
    ("query", "moved"),
    [
        ("bilevel", "text:bilevel"),
        ('"strongly convex" +lemma', 'text:"strongly convex" text:lemma'),
        ("owl OR tern", "(text:owl OR text:tern)"),
        ("lemma author:li -vision 2020..", "text:lemma author:li -vision year:2020.."),
        ("the", "text:the"),
        ("title:owls lemma", ""),
        ("text:owls", ""),
        ("author:li", ""),
        ("图神经网络 的 方法 bilevel", '(text:"graph neural network" OR text:"GNN") text:bilevel'),
        ("阿姆斯特朗", ""),
        ("", ""),
    ],
)
def test_words_are_asked_of_the_text_instead(query: str, moved: str) -> None:
    assert in_text(parse(query)) == moved


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["owl", "OR", "-tern", '"a b"', "(", ")", "year:2020", "text:x"])).map(
        " ".join
    )
)
def test_what_is_asked_of_the_text_asks_the_text_and_nothing_twice(query: str) -> None:
    moved = in_text(parse(query))
    assert not moved or asks_text(parse(moved))
    assert in_text(parse(moved)) == ""
    assert unparse(parse(moved)) == moved


def test_the_reading_says_where_words_are_looked_for() -> None:
    query = parse('text:lemma text:"strongly convex"')
    assert query.reading == 'text: lemma; text: "strongly convex"'
    assert reading_zh(query) == "正文：lemma；正文：“strongly convex”"
