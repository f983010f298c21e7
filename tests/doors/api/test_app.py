from __future__ import annotations

import re
from dataclasses import fields

import pytest

from lunwen.doors.api.app import ADDRESSES, OPERATIONS
from lunwen.doors.shape import response_dict
from lunwen.export.format import FORMATS
from lunwen.retrieval.request import SearchRequest


def following(response) -> str:
    return re.fullmatch(r'<(\S+)>; rel="next"', response.headers["link"])[1]


def without_time(shape: dict) -> dict:
    return {name: value for name, value in shape.items() if name != "took_ms"}


# Search


def test_a_search_answers_with_the_object_of_every_door(client, library):
    found = client.get("/api/search?query=kites&venue=icml&venue=NeurIPS&year=2003..&sort=newest&limit=3")
    request = SearchRequest(
        query="kites", venue=("icml", "NeurIPS"), year=("2003..",), sort="newest", limit=3
    )
    assert found.headers["content-type"] == "application/json"
    assert without_time(found.json()) == without_time(response_dict(library.search(request)))
    assert [one["paper_id"] for one in found.json()["items"]] == [
        "p24",
        "p26",
        "p23",
    ]  # the second by its meaning


def test_the_pages_name_of_a_query_is_understood(client):
    assert (
        client.get("/api/search?q=kites").json()["total"]
        == client.get("/api/search?query=kites").json()["total"]
    )


def test_links_lead_through_all_results_once(client):
    url, seen, totals = "/api/search?query=kites&sort=newest&limit=7", [], set()
    for _ in range(9):
        page = client.get(url)
        seen += [one["paper_id"] for one in page.json()["items"]]
        totals.add(page.json()["total"])
        if "link" not in page.headers:
            break
        url = following(page)
        assert "limit=7" in url
        assert "query=kites" in url
    assert len(seen) == len(set(seen)) == totals.pop()
    assert not totals


def test_a_cursor_is_refused_once_the_library_has_changed(own, make_client):
    library, write_library = own
    client = make_client(library)
    url = following(client.get("/api/search?query=kites&limit=5"))
    assert client.get(url).status_code == 200
    write_library([{"title": "More kites", "authors": ["C D"], "year": 2025}])
    refused = client.get(url)
    assert (refused.status_code, refused.json()["title"]) == (409, "Changed")
    assert re.fullmatch(
        r"cursor 5\.[0-9a-f]{8}: the library has changed since that page, so papers could come twice or "
        r"be missed\. Begin again without cursor, or go on all the same with offset=5",
        refused.json()["detail"],
    )
    assert client.get("/api/search?query=kites&limit=5&offset=5").status_code == 200


# Refusals


@pytest.mark.parametrize(
    ("url", "status", "title", "detail"),
    [
        (
            "/api/search?limit=5000",
            400,
            "LimitError",
            "limit 5000: a page has 1 to 1000 papers. Ask for fewer; all at once: lunwen export",
        ),
        (
            "/api/search?limit=ten",
            400,
            "LimitError",
            'limit "ten" is no number. Allowed: 1 to 1000. Leave it out for 20',
        ),
        (
            "/api/search?sort=newst",
            400,
            "UnknownName",
            'no sort "newst". Closest: newest. Allowed: relevance, newest, citations',
        ),
        (
            "/api/search?venue=neurps",
            400,
            "UnknownName",
            'no venue "neurps". Known: ICML, NeurIPS. List them with: lunwen venues',
        ),
        (
            "/api/topics?dept=1",
            400,
            "UnknownName",
            'no parameter "dept". Allowed: none here. All are listed at /api',
        ),
        (
            "/api/papers/p1/similar?limt=3",
            400,
            "UnknownName",
            'no parameter "limt". Closest: limit. Allowed: limit. All are listed at /api',
        ),
        ("/api/search?query=a&q=b", 400, "UsageError", "query is given twice. Allowed: once. Leave one out"),
        (
            "/api/search?cursor=next",
            400,
            "UsageError",
            'no cursor "next". Allowed: one that the Link header of a page before gave. Leave it out',
        ),
        (
            "/api/authors/Ada%20Kiefer?limit=0",
            400,
            "LimitError",
            "limit 0 is not possible. Allowed: 1 to 1000. Leave it out for 100",
        ),
        (
            "/api/export?format=bibtx",
            400,
            "UnknownName",
            f'no format "bibtx". Closest: bibtex. Allowed: {", ".join(FORMATS)}',
        ),
        (
            "/api/nothing",
            404,
            "NotFound",
            "there is nothing at /api/nothing. What there is, is listed at /api and /openapi.json",
        ),
        (
            "/feed.atom?author_id=ada-kiefer&venue=icml",
            400,
            "UsageError",
            "author_id stands alone in a feed: it is no filter. Leave the rest out",
        ),
    ],
)
def test_refusals_are_problems_in_one_line(client, url, status, title, detail):
    response = client.get(url)
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json() == {"type": "about:blank", "title": title, "status": status, "detail": detail}
    assert response.status_code == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("one", OPERATIONS, ids=lambda one: one.name)
def test_nothing_is_written_by_any_method(client, one, method):
    response = client.get(re.sub("{.*}", "x", one.path), method=method)
    assert (response.status_code, response.headers["allow"]) == (405, "GET, HEAD")
    assert response.headers["content-type"] == "application/problem+json"


def test_a_paper_that_is_not_there_says_the_words_of_the_library(client):
    response = client.get("/api/papers/10.1/none")
    assert response.status_code == 404
    assert response.json()["detail"].startswith('no paper "10.1/none". A paper_id, DOI')


def test_what_nobody_foresaw_says_nothing_of_itself(client, library, monkeypatch):
    monkeypatch.setattr(library, "topics", lambda: 1 / 0)
    response = client.get("/api/topics")
    assert response.status_code == 500
    assert response.json()["title"] == "InternalError"
    assert "ZeroDivision" not in response.text


# One of each


@pytest.mark.parametrize(
    ("url", "holds"),
    [
        ("/api/papers/10.5555/lamp.3", {"paper_id": "p3"}),
        ("/api/papers/p3", {"paper_id": "p3", "venue": "ICML", "maybe_same": []}),
        ("/api/papers/10.5555%2Flamp.3", {"paper_id": "p3"}),
        ("/api/authors/Ada%20Kiefer", {"name": "Ada Kiefer", "total": 24, "hidden": 1, "offset": 0}),
        ("/api/methods/000-18", {"method_id": "000-18"}),
        ("/api/collections/starred", {"name": "starred", "items": []}),
    ],
)
def test_one_thing_is_an_object(client, url, holds):
    shape = client.get(url).json()
    assert holds.items() <= shape.items()


def test_similar_papers_come_nearest_first(client):
    items = client.get("/api/papers/p3/similar?limit=4").json()["items"]
    cosines = [one["cosine"] for one in items]
    assert cosines == sorted(cosines, reverse=True)
    assert len(cosines) == 4


def test_an_author_comes_in_pages(client):
    whole = client.get("/api/authors/Ada%20Kiefer").json()["papers"]
    page = client.get("/api/authors/Ada%20Kiefer?limit=5&offset=20").json()
    assert [one["paper_id"] for one in page["papers"]] == [one["paper_id"] for one in whole[20:25]]
    assert page["next_offset"] is None


def test_lists_are_whole(client, library):
    assert client.get("/api/topics").json()["items"] == [
        {"value": "Theory", "count": 26},
        {"value": "Theory/Kites", "count": 26},
    ]
    assert [one["venue"] for one in client.get("/api/venues").json()["items"]] == ["ICML", "NeurIPS"]
    assert client.get("/api/venues").json()["index_version"] == library.version
    assert {"000-18"} <= {one["method_id"] for one in client.get("/api/methods").json()["items"]}


def test_what_is_typed_is_completed(client):
    items = client.get("/api/suggest?query=kit&limit=3").json()["items"]
    assert items[0] == {
        "kind": "topic",
        "text": "Theory/Kites",
        "papers": 25,
        "paper_id": None,
        "request": {"topic": ["Theory/Kites"]},
    }
    assert [one["kind"] for one in items] == ["topic", "title", "title"]


def test_a_star_shows_in_the_collections(own, make_client):
    library, _ = own
    client = make_client(library)
    library.star(["p5", "p2"], "To read")
    assert {"To read": 2}.items() <= {
        one["name"]: one["papers"] for one in client.get("/api/collections").json()["items"]
    }.items()
    items = client.get("/api/collections/To%20read").json()["items"]
    assert [one["paper_id"] for one in items] == ["p5", "p2"]


# Writing


STAR = "/api/collections/To%20read/papers/10.5555/lamp.5"


@pytest.fixture
def writing(own, make_client):
    return make_client(own[0], token="s3cret")  # noqa: S106 - of this test alone


def test_a_paper_is_starred_by_who_knows_the_token(writing):
    bearer = {"authorization": "Bearer s3cret"}
    assert writing.get(STAR, method="PUT", **bearer).json() == {"name": "To read", "changed": 1}
    assert writing.get(STAR, method="PUT", **bearer).json() == {"name": "To read", "changed": 0}
    assert [one["paper_id"] for one in writing.get("/api/collections/To%20read").json()["items"]] == ["p5"]
    assert writing.get(STAR, method="DELETE", **bearer).json() == {"name": "To read", "changed": 1}
    assert writing.get(STAR.replace("lamp.5", "none"), method="PUT", **bearer).status_code == 404
    assert "put" in writing.get("/openapi.json").json()["paths"]["/api/collections/{name}/papers/{paper_id}"]


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer s3cre", "Bearer s3cret2", "Basic s3cret", "s3cret", "Bearer é"]
)
def test_without_the_token_nothing_is_written(writing, given):
    refused = writing.get(STAR, method="PUT", authorization=given.encode())
    assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
    assert refused.json()["detail"] == (
        "writing needs the token that the server was started with (LUNWEN_TOKEN). "
        "Send it so: Authorization: Bearer TOKEN"
    )
    assert writing.get("/api/collections/To%20read").status_code == 404


def test_where_no_token_is_set_nobody_writes(client):
    refused = client.get(STAR, method="PUT", authorization="Bearer ")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
    assert "/api/collections/{name}/papers/{paper_id}" not in client.get("/openapi.json").json()["paths"]


# Exports


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_exported_with_its_name(client, name):
    response = client.get(f"/api/export?query=kites&format={name}&limit=3")
    form = FORMATS[name]
    assert response.headers["content-type"].split(";")[0] == form.media_type
    assert response.headers["content-disposition"] == f'attachment; filename="papers.{form.extension}"'
    assert "kites" in response.text


def test_an_export_holds_all_that_a_search_finds(client, library):
    lines = client.get("/api/export?venue=icml").text.splitlines()
    assert len(lines) == library.search(SearchRequest(venue=("icml",))).total
    named = client.get("/api/export?ids=p4&ids=p2&format=csv").text
    assert [line.split(",")[0] for line in named.splitlines()[1:]] == ["p4", "p2"]


# Caching


@pytest.mark.parametrize(
    "path", ["/openapi.json", "/api/search?query=kites", "/api/methods", "/feed.atom?q=kites"]
)
def test_what_the_client_holds_is_not_sent_again(client, path):
    first = client.get(path)
    tag = first.headers["etag"]
    again = client.get(path, if_none_match=f'"x", {tag}')
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert client.get(path, if_none_match='"x"').status_code == 200


def test_a_change_of_the_library_changes_the_tag(own, make_client):
    library, write_library = own
    client = make_client(library)
    before = client.get("/api/search?query=kites")
    write_library([{"title": "More kites", "authors": ["C D"], "year": 2025}])
    after = client.get("/api/search?query=kites", if_none_match=before.headers["etag"])
    assert after.status_code == 200
    assert after.json()["total"] == before.json()["total"] + 1


def test_the_export_of_a_collection_is_new_after_a_star(own, make_client):
    library, _ = own
    client = make_client(library)
    library.star(["p1"], "lamps")
    url = "/api/export?collection=lamps&format=ris"
    before = client.get(url)
    assert client.get(url, if_none_match=before.headers["etag"]).status_code == 304
    library.star(["p2"], "lamps")
    after = client.get(url, if_none_match=before.headers["etag"])
    assert (before.text.count("TY  - "), after.text.count("TY  - ")) == (1, 2)


def test_a_kept_answer_is_not_worked_out_again(client, library, monkeypatch):
    first = client.get("/api/search?query=kites").content
    monkeypatch.setattr(library, "search", None)
    assert client.get("/api/search?query=kites").content == first


def test_answers_are_packed_for_who_can_unpack(client):
    packed = client.get("/api/search?query=kites", accept_encoding="gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["vary"]
    plain = client.get("/api/search?query=kites", accept_encoding="identity")
    assert "content-encoding" not in plain.headers
    assert plain.json() == packed.json()
    streamed = client.get("/api/export?format=csv", accept_encoding="gzip")
    assert streamed.headers["content-encoding"] == "gzip"
    assert len(streamed.text.splitlines()) > 20


@pytest.mark.parametrize("path", ["/api/search?query=kites", "/openapi.json", "/feed.json", "/api/export"])
def test_head_has_the_headers_of_get(client, path):
    head, get = client.get(path, method="HEAD"), client.get(path)
    assert head.status_code == 200
    for name in ("etag", "content-type"):
        assert head.headers[name] == get.headers[name]


# Other sites


def test_other_sites_may_not_read_unless_they_are_named(client, library, make_client):
    assert "access-control-allow-origin" not in client.get("/api/topics", origin="https://a.example").headers
    named = make_client(library, origins=["https://a.example"])
    allowed = named.get("/api/topics", origin="https://a.example")
    assert allowed.headers["access-control-allow-origin"] == "https://a.example"
    assert "access-control-allow-origin" not in named.get("/api/topics", origin="https://b.example").headers
    asked = named.get(
        "/api/topics", method="OPTIONS", origin="https://a.example", access_control_request_method="POST"
    )
    assert asked.status_code == 400


# One definition


def test_names_and_limits_are_those_of_the_request(client):
    document = client.get("/openapi.json").json()
    said = {one["name"]: one for one in document["paths"]["/api/search"]["get"]["parameters"]}
    assert set(said) - {one.name for one in fields(SearchRequest)} == {"cursor"}
    for one in fields(SearchRequest):
        assert said[one.name]["description"] == one.metadata["help"]
    assert said["limit"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 1000, "default": 20}
    assert said["venue"]["schema"] == {"type": "array", "items": {"type": "string"}}
    assert said["sort"]["schema"] == {"type": "string", "enum": ["relevance", "newest", "citations"]}


def test_every_operation_has_an_address_of_the_api():
    for one in OPERATIONS:
        assert one.path in ADDRESSES or one.path.startswith("/api/")
        assert one.says.endswith(".")
