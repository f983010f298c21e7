from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.doors.parameter import (
    Parameter,
    limit_of,
    parameters_of,
    read_parameters,
    request_in,
    request_pairs,
)
from lunwen.errors import LimitError, UnknownName
from lunwen.export.format import ExportOptions
from lunwen.retrieval.request import Mode, SearchRequest, Sort

REQUEST = parameters_of(SearchRequest)
TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=8), max_size=3).map(tuple)

requests = st.builds(
    SearchRequest,
    query=st.text(st.characters(codec="utf-8"), max_size=20),
    venue=TEXTS,
    year=TEXTS,
    topic=TEXTS,
    author=TEXTS,
    has=TEXTS,
    sort=st.none() | st.sampled_from(Sort),
    mode=st.sampled_from(Mode),
    limit=st.integers(-5, 5_000),
    offset=st.integers(-5, 5_000),
)


@given(requests)
def test_a_request_comes_back_from_its_pairs(request):
    assert request_in(read_parameters(REQUEST, request_pairs(request), {})) == request


def test_parameters_say_what_the_dataclass_says():
    assert [one.name for one in REQUEST] == [one.name for one in fields(SearchRequest)]
    assert {one.name for one in REQUEST if one.many} == {
        one.name for one in fields(SearchRequest) if one.default == ()
    }
    key, style = parameters_of(ExportOptions)
    assert (key.choices, key.default) == (("scholar", "acl"), "scholar")
    assert style.choices[0] == "apa"


@pytest.mark.parametrize("text", ["", "-", "1.5", "1e3", "٣", "٣٤", "9" * 30, " 5", "+5", "--5"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(LimitError) as refused:
        limit_of("Papers", 20).read(text)
    assert str(refused.value) == f'limit "{text[:20]}" is no number. Allowed: 1 to 1000. Leave it out for 20'


def test_a_number_without_a_maximum_says_so():
    with pytest.raises(LimitError) as refused:
        Parameter(name="limit", help="", type=int, least=1).read("x")
    assert str(refused.value) == 'limit "x" is no number. Allowed: 1 or more. Leave it out for all'


def test_a_choice_is_taken_in_any_case():
    assert read_parameters(REQUEST, [("mode", "LEXICAL")], {})["mode"] is Mode.LEXICAL


def test_bytes_that_are_no_text_are_marked():
    assert read_parameters(REQUEST, [("query", "a\udcff")], {})["query"] == "a?"


def test_a_part_of_the_path_is_not_asked_for_beside_it():
    name = Parameter(name="paper_id", help="", in_path=True)
    assert read_parameters([name], [], {"paper_id": "p1"}) == {"paper_id": "p1"}
    with pytest.raises(UnknownName) as refused:
        read_parameters([name], [("paper_id", "p2")], {"paper_id": "p1"})
    assert str(refused.value) == 'no parameter "paper_id". Allowed: none here'


def test_each_door_says_what_it_calls_a_parameter_and_where_they_are_listed():
    with pytest.raises(UnknownName) as refused:
        read_parameters([limit_of("Papers", 20)], [("limits", "1")], {}, word="argument", listed="See x")
    assert str(refused.value) == 'no argument "limits". Closest: limit. Allowed: limit. See x'
