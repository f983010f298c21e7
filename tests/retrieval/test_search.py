"""Paging, totals, facets, filters (the cases P1 to P5) and what a response says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.paper import Status
from lunwen.errors import LimitError, UnknownName, UsageError
from lunwen.retrieval.request import MAX_LIMIT, SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lunwen.corpus.paper import Paper
    from lunwen.library import Library

    MakeLibrary = Callable[[Iterable[Paper]], Library]
    PaperOf = Callable[..., Paper]

PAGE = f"a page has 1 to {MAX_LIMIT} papers. Ask for fewer; all at once: lunwen export"
VENUES = ["ICML", "NeurIPS", "ACL"]
TOPICS = [("Deep Learning", "Robustness"), ("Deep Learning",), ("Theory", "Optimization"), ()]


@pytest.fixture
def library(make_library: MakeLibrary, paper_of: PaperOf) -> Library:
    return make_library(
        paper_of(
            f"p{i:03}",
            f"Robust kernel {i % 7} of robust graphs" if i % 3 else "A robust study",
            "Robust words." if i % 5 else None,
            venue=VENUES[i % 3],
            year=2020 + i % 4,
            topic=TOPICS[i % 4],
            status=Status.REJECTED if i % 11 == 0 else Status.POSTER,
            urls={"code": "https://example.org/code"} if i % 2 else {},
            authors=[f"Ann Bell{i % 6}"],
            citations=i,
        )
        for i in range(120)
    )


def collect(library: Library, size: int, **request: object) -> tuple[list[str], set[int]]:
    found: list[str] = []
    totals: set[int] = set()
    offset: int | None = 0
    while offset is not None:
        response = library.search(SearchRequest(limit=size, offset=offset, **request))  # type: ignore[arg-type]
        totals.add(response.total)
        found += [item.paper.paper_id for item in response.items]
        offset = response.next_offset
    return found, totals


@pytest.mark.parametrize("size", [1, 7, 25, 109, 1000])
@pytest.mark.parametrize("query", ["robust", "robust graphs", "study", "", "venue:acl", "kernel OR study"])
def test_paging_to_the_end_finds_each_paper_once(library: Library, size: int, query: str) -> None:
    found, totals = collect(library, size, query=query)
    assert len(totals) == 1
    assert len(found) == len(set(found)) == totals.pop()
    assert found == [p.paper_id for p in library.select(SearchRequest(query=query))]


def test_equal_scores_come_in_the_order_of_paper_ids(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    names = [f"id{n}" for n in (5, 3, 9, 1, 7, 2, 8, 4, 6)]
    library = make_library(paper_of(name, "The same title") for name in names)
    assert collect(library, 2, query="title")[0] == sorted(names)


def test_a_full_last_page_links_to_no_empty_one(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library(paper_of(f"p{i}", "Fifty") for i in range(50))
    assert library.search(SearchRequest(query="fifty", limit=25)).next_offset == 25
    assert library.search(SearchRequest(query="fifty", limit=25, offset=25)).next_offset is None
    past = library.search(SearchRequest(query="fifty", limit=25, offset=50))
    assert (past.total, past.items, past.next_offset) == (50, (), None)


@pytest.mark.parametrize("query", ["robust", "robust graphs kernel", "", "study"])
def test_facet_counts_are_what_clicking_gives(library: Library, query: str) -> None:
    whole = library.search(SearchRequest(query=query))
    for name, values in whole.facets.items():
        for value in values:
            clicked = library.search(SearchRequest(query=query, **{name: (value.value,)}))  # type: ignore[arg-type]
            assert clicked.total == value.count <= whole.total, (name, value)


def test_topics_are_counted_at_every_level(library: Library) -> None:
    counts = {v.value: v.count for v in library.search(SearchRequest()).facets["topic"]}
    assert counts["Deep Learning"] > counts["Deep Learning/Robustness"] > 0
    assert set(counts) == {"Deep Learning", "Deep Learning/Robustness", "Theory", "Theory/Optimization"}


def test_rejected_papers_are_shown_only_when_asked_for(library: Library) -> None:
    shown = library.search(SearchRequest(query="robust")).total
    rejected = library.search(SearchRequest(query="robust", status=("rejected",))).total
    assert rejected == 11
    assert library.search(SearchRequest(query="robust status:rejected")).total == rejected
    assert library.search(SearchRequest(query="robust", status=("all",))).total == shown + rejected
    assert library.search(SearchRequest(query="robust", status=("accepted",))).total == shown


@pytest.mark.parametrize(
    ("filters", "query"),
    [
        ({"venue": ("nips",)}, "venue:NeurIPS"),
        ({"year": ("2021..2022",)}, "year:2021-2022"),
        ({"year": (">=2022",)}, "year:>=2022"),
        ({"topic": ("Deep Learning->Robustness",)}, "topic:robustness"),
        ({"author": ("Bell3",)}, "author:bell3"),
        ({"has": ("code",)}, "has:code"),
        ({"source": ("jsonl",)}, "source:jsonl"),
        ({"venue": ("icml 2021",)}, "venue:icml year:2021"),
    ],
)
def test_filters_and_the_query_language_agree(
    library: Library, filters: dict[str, tuple[str, ...]], query: str
) -> None:
    by_filter = library.search(SearchRequest(query="robust", **filters))  # type: ignore[arg-type]
    by_query = library.search(SearchRequest(query=f"robust {query}"))
    assert by_filter.total == by_query.total > 0


@pytest.mark.parametrize(
    ("request_", "error", "words"),
    [
        (SearchRequest(limit=0), LimitError, f"limit 0: {PAGE}"),
        (SearchRequest(limit=MAX_LIMIT + 1), LimitError, f"limit {MAX_LIMIT + 1}: {PAGE}"),
        (
            SearchRequest(offset=-1),
            LimitError,
            "offset -1: 0 to 1000000 is allowed. All at once: lunwen export",
        ),
        (
            SearchRequest(venue=("neurisp",)),
            UnknownName,
            'no venue "neurisp". Known: ACL, ICML, NeurIPS. List them with: lunwen venues',
        ),
        (
            SearchRequest(status=("good",)),
            UnknownName,
            'no status "good". Known: oral, spotlight, poster, accepted, preprint, rejected, withdrawn, all.',
        ),
        (SearchRequest(has=("pdf",)), UnknownName, 'no has "pdf". Known: abstract, code, method, text.'),
        (SearchRequest(year=("soon",)), UsageError, 'year "soon": write 2024, 2022..2024, >=2023 or <2020'),
    ],
)
def test_wrong_requests_are_refused_in_one_line(
    library: Library, request_: SearchRequest, error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as refused:
        library.search(request_)
    assert str(refused.value) == words


def test_matched_words_are_marked(library: Library) -> None:
    item = library.search(SearchRequest(query="robust graphs", limit=1)).items[0]
    marked = [item.paper.title[start:end] for start, end in item.title_spans]
    assert "graphs" in marked


def test_an_identifier_names_its_paper(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library([paper_of("icml2024-abcdefghij", "One")])
    named = SearchRequest(query="icml2024-abcdefghij")
    response = library.search(named)
    assert response.redirect == "icml2024-abcdefghij"
    assert (response.total, response.explanation) == (1, "")
    assert [item.paper.title for item in response.items] == ["One"]
    assert [paper.title for paper in library.select(named)] == ["One"]
    assert library.search(SearchRequest(query="one")).redirect is None


def test_another_process_s_writing_is_seen(library: Library, paper_of: PaperOf) -> None:
    from lunwen.retrieval.embedded.lexical import LexicalEngine  # noqa: PLC0415
    from lunwen.retrieval.engine import Change  # noqa: PLC0415

    before = library.search(SearchRequest()).total
    LexicalEngine(library.folder / "index").update(lambda _: [Change(9_999, paper_of("new", "New"))], 9_999)
    assert library.search(SearchRequest()).total == before + 1


def test_half_a_character_pair_is_answered_in_text(library: Library) -> None:
    response = library.search(SearchRequest(query="robst \ud800 grphs"))
    assert all(suggestion.request.query.encode() for suggestion in response.suggestions)


def test_accepted_is_counted_as_its_filter_finds(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    kinds = [Status.ORAL, Status.POSTER, Status.POSTER, Status.ACCEPTED, Status.PREPRINT]
    library = make_library(paper_of(f"p{i}", "Walrus", status=kind) for i, kind in enumerate(kinds))
    counts = {v.value: v.count for v in library.search(SearchRequest(query="walrus")).facets["status"]}
    assert counts == {"accepted": 4, "poster": 2, "oral": 1, "preprint": 1}
    assert library.search(SearchRequest(query="walrus", status=("accepted",))).total == 4
    posters = library.search(SearchRequest(query="walrus", status=("poster",))).facets["status"]
    assert [(value.value, value.count) for value in posters] == [("poster", 2)]


@pytest.mark.parametrize("query", ["https://arxiv.org/abs/1706.03762", "arxiv:1706.03762", "10.1000/xyz123"])
def test_an_identifier_of_no_paper_here_is_not_read_as_words(library: Library, query: str) -> None:
    response = library.search(SearchRequest(query=query))
    assert response.total == 0
    assert response.explanation.endswith("is here. Import it, or search for its title")
    assert response.suggestions == ()
