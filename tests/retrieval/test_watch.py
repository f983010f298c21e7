from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.errors import LibraryTooNew
from lunwen.retrieval.request import Mode, SearchRequest, Sort
from lunwen.retrieval.search import search
from lunwen.retrieval.watch import read_request, write_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.library import Library

WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=9), max_size=3).map(tuple)
REQUESTS = st.builds(
    SearchRequest,
    query=st.text(st.characters(exclude_categories=["Cs"])),
    venue=WORDS,
    year=WORDS,
    topic=WORDS,
    status=WORDS,
    source=WORDS,
    author=WORDS,
    has=WORDS,
    sort=st.none() | st.sampled_from(Sort),
    mode=st.sampled_from(Mode),
)


def test_a_request_is_kept_as_what_it_asks() -> None:
    request = SearchRequest(query="owls", venue=("ICML",), sort=Sort.NEWEST, limit=50, offset=9)
    assert write_request(request) == '{"query":"owls","venue":["ICML"],"sort":"newest"}'
    assert write_request(SearchRequest(limit=3)) == "{}"


@given(REQUESTS)
def test_every_request_is_read_as_it_was(request: SearchRequest) -> None:
    assert read_request(write_request(replace(request, limit=7, offset=3))) == request


@pytest.mark.parametrize("text", ['{"colour":["red"]}', '{"sort":"loudest"}', "[]", "{"])
def test_what_a_newer_lunwen_asks(text: str) -> None:
    with pytest.raises(LibraryTooNew) as refusal:
        read_request(text)
    assert re.fullmatch(
        r"a saved search cannot be read \(.+\): a newer lunwen may have written it\. "
        r"Update lunwen: pip install --upgrade lunwen",
        str(refusal.value),
    )


QUERIES = (
    "",
    "owl",
    "owl tern",
    '"owl kite"',
    "crow -tern",
    "title:kite OR tern",
    "heron",
    "b03",
    "owls, at sea",
)


@pytest.fixture(scope="module")
def after(make_many: Callable[[], Library]) -> Library:
    return make_many()


@settings(max_examples=60, deadline=None)
@given(
    query=st.sampled_from(QUERIES),
    mode=st.sampled_from(Mode),
    sort=st.none() | st.sampled_from(Sort),
    year=st.sampled_from([(), ("2021",), ("2031",)]),
    row=st.integers(0, 61),
)
def test_what_is_new_is_what_is_found_without_what_was_there(
    after: Library, query: str, mode: Mode, sort: Sort | None, year: tuple[str, ...], row: int
) -> None:
    request = SearchRequest(query=query, mode=mode, sort=sort, year=year, limit=100)
    store, engine = after._store, after._engine

    def ask(**more: Any) -> list[int]:
        response = search(request, engine, store, store.resolve, **more)
        found = [store.row(item.paper.paper_id) or 0 for item in response.items]
        assert response.total == len(found)
        return found

    everything = ask()
    reading = search(request, engine, store, store.resolve).query_reading
    if "nearest" in reading:  # shown instead of nothing: no news
        everything = []
    assert sorted(ask(after_row=row)) == sorted(one for one in everything if one > row)
