from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.doors.web.url import FILTERS, State, outside_url, paper_url, read_state, state_of
from lunwen.errors import LimitError, UnknownName
from lunwen.retrieval.request import MAX_LIMIT, Mode, SearchRequest, Sort

word = st.text(min_size=1, max_size=20).map(str.strip).filter(bool).filter(lambda t: t.isprintable())
words = st.lists(word, max_size=3, unique=True).map(tuple)
states = st.builds(
    State,
    q=st.one_of(st.just(""), word),
    venue=words,
    year=words,
    topic=words,
    status=words,
    source=words,
    author=words,
    has=words,
    sort=st.one_of(st.none(), st.sampled_from(Sort)),
    mode=st.sampled_from(Mode),
    explain=st.booleans(),
    page=st.integers(1, 1000),
    size=st.integers(1, MAX_LIMIT),
)


def read(url: str) -> State:
    return read_state(parse_qsl(urlsplit(url).query, keep_blank_values=True))


@given(states)
def test_a_state_survives_its_url(state):
    assert read(state.url()) == state


def test_defaults_are_left_out():
    assert State().url() == "/"
    assert State(q="first-order bilevel", size=20, page=1).url() == "/?q=first-order+bilevel"


def test_the_whole_state_in_order():
    state = State(
        q="a&b", venue=("ICML", "NeurIPS"), topic=("Theory/Optimization",), sort=Sort.NEWEST, page=2, size=50
    )
    assert state.url() == (
        "/?q=a%26b&venue=ICML&venue=NeurIPS&topic=Theory/Optimization&sort=newest&size=50&page=2"
    )


@given(states, st.sampled_from(Sort))
def test_another_order_keeps_the_filters_and_goes_to_the_first_page(state, sort):
    changed = read(state.url(sort=sort))
    assert changed.page == 1
    assert changed.sort is sort
    assert (changed.q, changed.venue, changed.topic, changed.size) == (
        state.q,
        state.venue,
        state.topic,
        state.size,
    )


@given(states, st.sampled_from(FILTERS), words)
def test_choosing_is_the_same_as_a_change(state, name, values):
    assert state.chooser(name)(*values) == state.url(**{name: values})


def test_a_request_asks_for_its_page():
    request = State(q="x", page=3, size=50, status=("all",)).request()
    assert (request.limit, request.offset, request.status) == (50, 100, ("all",))


def test_a_request_has_a_state():
    request = SearchRequest(
        query="x", venue=("ICML",), sort=Sort.CITATIONS, mode=Mode.LEXICAL, limit=7, offset=14
    )
    assert state_of(request) == State(q="x", venue=("ICML",), sort=Sort.CITATIONS, mode=Mode.LEXICAL)


def test_the_year_form_becomes_a_range():
    assert read("/?from=2020&to=2024").year == ("2020..2024",)
    assert read("/?from=2020&to=").year == (">=2020",)
    assert read("/?from=&to=2020").year == ("<=2020",)
    assert read("/?from=2020&to=2020").year == ("2020",)


def test_empty_and_unknown_names_are_left_out():
    assert read("/?q=&venue=&utm_source=x&venue=ICML&venue=ICML") == State(venue=("ICML",))


@pytest.mark.parametrize(
    "text", ["0", "-1", "abc", "1e9", "1.5", "99999999999999999999", "٣", "1_0", "50002"]
)
def test_absurd_pages_are_refused(text):
    with pytest.raises(LimitError, match="Allowed: 1 to 50,001"):
        read(f"/?page={text}")


def test_a_size_over_the_maximum_names_the_maximum():
    message = 'size "1001" is not possible. Allowed: 1 to 1,000. Leave size out for 20'
    with pytest.raises(LimitError, match=f"^{re.escape(message)}$"):
        read("/?size=1001")


def test_an_unknown_order_names_the_known_ones():
    message = 'no sort "best". Closest: newest. Allowed: relevance, newest, citations'
    with pytest.raises(UnknownName, match=f"^{re.escape(message)}$"):
        read("/?sort=best")


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " \tjavascript:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,<script>",
        "vbscript:x",
        "file:///etc/passwd",
        "//example.org/x",
        "/papers/x",
        "https:///x",
        "http://[::1",
        'https://example.org/"onclick="x',
        "https://example.org/<b>",
        "ftp://example.org/x",
        "",
    ],
)
def test_no_link_to_what_is_no_web_page(text):
    assert outside_url(text) is None


def test_web_pages_and_dois_are_links():
    assert outside_url("https://example.org/a?b=c#d") == "https://example.org/a?b=c#d"
    assert outside_url("doi:10.5555/x y") == "https://doi.org/10.5555/x%20y"


@given(st.text(min_size=1))
def test_a_paper_url_never_leaves_the_papers(paper_id):
    url = paper_url(paper_id)
    assert url.startswith("/papers/")
    assert re.fullmatch(r"[!-~]+", url)
    assert not {"?", "#", '"', "<", "\\"} & set(url)
