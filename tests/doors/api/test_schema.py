"""The API against its own document, with requests that nobody thought of."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from lunwen.doors.api.app import OPERATIONS, create_api
from lunwen.doors.api.schema import SCHEMAS, schema_of
from lunwen.doors.shape import response_dict
from lunwen.retrieval.request import SearchRequest

# Which names of venues, topics and papers are right, only the library knows: another string is refused (400)
# or not found (404), which no schema can say.
CONFIG = {"checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "400", "404"]}}}
EXAMPLES = 25

ASKED = [(one.path, GenerationMode.POSITIVE) for one in OPERATIONS]
ASKED += [  # where anything can be wrong by its form: any string is a name
    (one.path, GenerationMode.NEGATIVE)
    for one in OPERATIONS
    if any(given.type is int or given.choices for given in one.parameters)
]


@pytest.fixture
def schema(library):
    config = SchemathesisConfig.from_dict(CONFIG)
    return schemathesis.openapi.from_asgi("/openapi.json", create_api(library), config=config)


@pytest.mark.parametrize(("path", "mode"), ASKED)
def test_whatever_is_asked_the_answer_is_one_that_the_document_names(schema, path, mode):
    """Requests that the document allows, and requests that it does not."""

    @given(case=schema[path]["GET"].as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    def ask(case):
        case.call_and_validate()

    ask()


def test_the_schemas_have_the_names_that_answers_have(library):
    answer = response_dict(library.search(SearchRequest(query="kites")))
    assert set(SCHEMAS["Search"]["properties"]) == set(answer)
    item = SCHEMAS["Search"]["properties"]["items"]["items"]["allOf"][1]
    assert set(answer["items"][0]) - set(SCHEMAS["Paper"]["properties"]) == set(item["properties"])
    assert set(answer["facets"]) == set(SCHEMAS["Search"]["properties"]["facets"]["properties"])


def test_every_schema_that_is_named_is_there():
    assert {one.schema for one in OPERATIONS if one.schema} <= set(SCHEMAS)


def test_a_type_without_a_schema_is_refused():
    with pytest.raises(TypeError, match="no schema for <class 'bytes'>"):
        schema_of(bytes)
