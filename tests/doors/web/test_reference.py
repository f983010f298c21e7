from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from lunwen.doors.api.app import OPERATIONS
from lunwen.doors.web.option import Options
from lunwen.errors import UsageError


def test_every_operation_is_on_the_page_with_its_parameters(client):
    tree = LexborHTMLParser(client.get("/api").text)
    for one in OPERATIONS:
        section = tree.css_first(f"#{one.name}")
        assert one.path in section.css_first("h2").text()
        names = [code.text() for code in section.css("tbody th code")]
        assert names == [parameter.name for parameter in one.parameters]


def test_the_page_names_what_is_allowed(client):
    rows = LexborHTMLParser(client.get("/api").text).css("#search tbody tr")
    said = {row.css_first("code").text(): [cell.text() for cell in row.css("td")][:2] for row in rows}
    assert said["limit"] == ["1 to 1000", "20"]
    assert said["sort"] == ["relevance, newest, citations", ""]
    assert said["venue"] == ["text, repeatable", ""]


def test_the_server_of_the_page_answers_for_the_api_too(client):
    refused = client.get("/api/search?limit=ten", accept="text/html")
    assert (refused.status_code, refused.headers["content-type"]) == (400, "application/problem+json")
    assert client.get("/openapi.json").json()["openapi"] == "3.1.0"
    assert (
        client.get("/api/nothing", accept="text/html").headers["content-type"] == "application/problem+json"
    )
    assert client.get("/opensearch.xml").headers["content-security-policy"]
    assert client.get("/openapi.json").headers["vary"] == "Accept-Encoding, Accept, Accept-Language, Cookie"


@pytest.mark.parametrize("path", ["/", "/api", "/healthz"])
def test_a_page_is_only_read(client, path):
    refused = client.get(path, method="POST")
    assert refused.status_code == 405
    assert set(refused.headers["allow"].split(", ")) == {"GET", "HEAD"}
    assert client.get(path, method="HEAD").status_code == 200


def test_each_search_leads_to_its_feeds(client):
    tree = LexborHTMLParser(
        client.get("/?q=lamps&venue=ICML&year=2020..2026&size=50&sort=newest&explain=1").text
    )
    links = {link.attributes["type"]: link.attributes["href"] for link in tree.css("link[rel=alternate]")}
    query = "?q=lamps&venue=ICML&year=2020..2026&sort=newest"
    assert links == {
        "application/atom+xml": f"/feed.atom{query}",
        "application/feed+json": f"/feed.json{query}",
    }
    assert tree.css_first("link[rel=search]").attributes["href"] == "/opensearch.xml"


@pytest.mark.parametrize("origin", ["https://a.example", "http://localhost:3000", "http://[::1]:80", "*"])
def test_an_origin_is_a_site(origin):
    assert Options(origins=(origin,)).origins == (origin,)


@pytest.mark.parametrize(
    "origin", ["a.example", "https://a.example/", "https://a.example/x", "null", "HTTPS://A"]
)
def test_what_is_no_origin_is_refused(origin):
    with pytest.raises(UsageError) as refused:
        Options(origins=(origin,))
    assert str(refused.value) == (
        f'no origin "{origin}". Allowed: a site without a path, in small letters, or * for any. '
        "Write it so: https://example.org"
    )
