from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.doors.mcp.argument import input_schema, read_arguments
from lunwen.doors.mcp.find import PAPER_ID, REQUEST
from lunwen.doors.parameter import request_in
from lunwen.errors import LimitError, LunwenError, UnknownName, UsageError
from lunwen.retrieval.request import MAX_LIMIT, Mode, SearchRequest, Sort

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
NAMES = st.sampled_from([one.name for one in fields(SearchRequest)])


def test_the_schema_is_made_of_the_request() -> None:
    schema = input_schema(REQUEST)
    known = {one.name: one for one in fields(SearchRequest)}
    assert list(schema["properties"]) == list(known)
    for name, shape in schema["properties"].items():
        assert shape["description"] == known[name].metadata["help"]
    assert schema["properties"]["limit"] | {"description": ""} == {
        "type": "integer",
        "minimum": 1,
        "maximum": MAX_LIMIT,
        "default": 20,
        "description": "",
    }
    assert schema["properties"]["sort"]["enum"] == [str(one) for one in Sort]
    assert schema["properties"]["mode"]["default"] == "hybrid"
    assert schema["properties"]["venue"]["items"] == {"type": "string"}
    assert (schema["required"], schema["additionalProperties"]) == ([], False)
    assert input_schema((PAPER_ID,))["required"] == ["paper_id"]


def test_one_value_is_a_list_of_one_and_a_number_its_text() -> None:
    found = read_arguments(
        REQUEST,
        {
            "venue": "ICML",
            "year": [2024, "2020.."],
            "limit": 5.0,
            "offset": "7",
            "sort": "Newest",
            "mode": None,
        },
    )
    assert request_in(found) == SearchRequest(
        venue=("ICML",), year=("2024", "2020.."), limit=5, offset=7, sort=Sort.NEWEST, mode=Mode.HYBRID
    )


@pytest.mark.parametrize(
    ("given_", "error", "words"),
    [
        (
            {"venu": "ICML"},
            UnknownName,
            'no argument "venu". Closest: venue. Allowed: '
            + ", ".join(one.name for one in fields(SearchRequest)),
        ),
        ({"sort": "old"}, UnknownName, 'no sort "old". Allowed: relevance, newest, citations'),
        (
            {"limit": "many"},
            LimitError,
            'limit "many" is no number. Allowed: 1 to 1000. Leave it out for 20',
        ),
        (
            {"query": {"a": 1}},
            UsageError,
            "query is \"{'a': 1}\". Allowed: text, a whole number, or a list of them. Write it so",
        ),
        ({"query": ["a", "b"]}, UsageError, "query is given twice. Allowed: once. Leave one out"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(
    given_: dict[str, Any], error: type[LunwenError], words: str
) -> None:
    with pytest.raises(error) as refused:
        read_arguments(REQUEST, given_)
    assert str(refused.value) == words


def test_what_must_be_given() -> None:
    for given_ in ({}, {"paper_id": None}):
        with pytest.raises(UsageError) as refused:
            read_arguments((PAPER_ID,), given_)
        assert str(refused.value) == (
            "paper_id is missing. Allowed: A paper_id, DOI, arXiv, OpenReview or ACL id, or a URL with one. "
            "Give one"
        )
    assert read_arguments((PAPER_ID,), {"paper_id": "a"}) == {"paper_id": "a"}


def test_a_wrong_name_is_told_what_must_be_given() -> None:
    with pytest.raises(UnknownName) as refused:
        read_arguments((PAPER_ID,), {"id": "a"})
    assert str(refused.value) == 'no argument "id". Allowed: paper_id'


@given(st.dictionaries(NAMES, JSON, max_size=4))
def test_whatever_is_given_is_read_or_refused(given_: dict[str, Any]) -> None:
    try:
        found = read_arguments(REQUEST, given_)
    except LunwenError as error:
        found = {}
        one_line = str(error)
    else:
        one_line = ""
    assert isinstance(request_in(found), SearchRequest)
    assert len(one_line.splitlines()) <= 1
