from __future__ import annotations

import json
import re
from datetime import datetime
from urllib.parse import quote
from uuid import UUID

import feedparser
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from lunwen.doors.feed import NEVER

SPACES = {"a": "http://www.w3.org/2005/Atom", "o": "http://a9.com/-/spec/opensearch/1.1/"}


def entries(client, query: str) -> list[dict]:
    parsed = feedparser.parse(client.get(f"/feed.atom{query}").content)
    assert not parsed.bozo, parsed.get("bozo_exception")
    return parsed.entries


# Atom


def test_a_search_is_a_feed_of_its_newest_papers(client):
    response = client.get("/feed.atom?q=lamp&limit=2")
    assert response.headers["content-type"] == "application/atom+xml"
    parsed = feedparser.parse(response.content)
    assert not parsed.bozo
    assert parsed.feed.title == "lamp · lunwen 论文"
    links = {link.rel: link.href for link in parsed.feed.links}
    assert links == {"self": "http://test/feed.atom?q=lamp&limit=2", "alternate": "http://test/?q=lamp"}
    first, second = parsed.entries
    assert (first.title, first.link) == ("The newest & last <lamp>", "http://test/papers/p24")
    assert [author.name for author in first.authors] == ["Ada Kiefer", "Bo Li24"]
    assert [tag.term for tag in first.tags] == ["NeurIPS", "Theory", "Kites"]
    assert first.summary.startswith("A lamp burns with x_24 & more")
    assert {link.rel: link.href for link in first.links}["related"] == "https://x.org/1"
    assert second.title == "零阶优化 lamp"
    assert all("javascript" not in link.href for link in second.links)


def test_dates_are_what_is_known(client, library):
    seen = library.first_seen(["p24"])["p24"]
    dated, undated = entries(client, "?q=lamp&limit=2")
    assert (dated.published, dated.updated) == ("2026-07-06T00:00:00Z", seen)
    assert datetime.fromisoformat(seen).tzinfo is not None
    assert "published" not in undated


def test_what_came_in_last_is_news_however_old_it_is(own, make_client):
    library, write_library = own
    client = make_client(library)
    before = [one.title for one in entries(client, "?q=lamp&limit=5")]
    old = {"title": "Lamps of old", "authors": ["Eve Old"], "year": 1950}
    older = {"title": "Lamps of older days", "authors": ["Eve Old"], "year": 1940}
    write_library([older, old])
    after = [one.title for one in entries(client, "?q=lamp&limit=5")]
    assert after == ["Lamps of old", "Lamps of older days", *before[:3]]
    assert [one.title for one in entries(client, "?q=lamp&limit=1")] == after[:1]
    assert [one.title for one in entries(client, "?q=lamp&limit=5&sort=newest")] == before
    whole = [one.title for one in entries(client, "?q=lamp&limit=100")]
    assert (whole[:2], len(whole)) == (after[:2], len(set(whole)))
    many = [{"title": f"Lamps of {year}", "authors": ["Eve Old"], "year": year} for year in range(1930, 1936)]
    write_library(many)
    assert [one.title for one in entries(client, "?q=lamp&limit=1")] == before[:1]  # so many count by date
    assert len([one for one in entries(client, "?q=lamp&limit=8") if "Lamps of 193" in one.title]) == 6


def test_an_authors_feed_begins_with_what_came_in_last(own, make_client):
    library, write_library = own
    client = make_client(library)
    before = [one.title for one in entries(client, "?author_id=ada-kiefer&limit=2")]
    write_library([{"title": "Lamps of old", "authors": ["Ada Kiefer"], "year": 1950}])
    after = [one.title for one in entries(client, "?author_id=ada-kiefer&limit=3")]
    assert after == ["Lamps of old", *before]


def test_a_paper_that_is_imported_again_is_not_news(own, make_client):
    library, write_library = own
    client = make_client(library)
    before = {one.id: one.updated for one in entries(client, "?venue=icml")}
    write_library(
        [
            {
                "title": "Lamps and kites, part 1",
                "paper_id": "p1",
                "authors": ["Ada Kiefer"],
                "keywords": ["new"],
            }
        ]
    )
    after = {one.id: one.updated for one in entries(client, "?venue=icml")}
    assert after == before


def test_ids_stay_where_ever_the_library_is_served(client, make_client, library):
    def ids(served, url: str) -> list[str]:
        root = etree.fromstring(served.get(url, host="elsewhere.example").content)
        return root.xpath("//a:id/text()", namespaces=SPACES)

    found = ids(client, "/feed.atom?venue=icml&limit=3")
    assert found[1:] == ids(make_client(library), "/feed.atom?venue=icml&limit=3")[1:]
    assert found[0] == ids(client, "/feed.atom?limit=5&venue=icml")[0]
    assert found[0] != ids(client, "/feed.atom?venue=neurips")[0]
    assert all(UUID(one) for one in found)


@pytest.mark.parametrize(
    ("query", "title", "home", "number"),
    [
        ("", "lunwen 论文", "http://test/", 25),
        ("?topic=Theory/Kites&limit=4", "topic Theory/Kites", "http://test/?topic=Theory%2FKites", 4),
        ("?author=Bo+Li3", "author Bo Li3", "http://test/?author=Bo+Li3", 1),
        ("?author_id=Ada+Kiefer", "Ada Kiefer", "http://test/authors/ada-kiefer", 24),
        ("?q=zzzyx&venue=icml", "zzzyx, venue icml", "http://test/?q=zzzyx&venue=icml", 0),
    ],
)
def test_whatever_can_be_looked_at_can_be_followed(client, query, title, home, number):
    parsed = feedparser.parse(client.get(f"/feed.atom{query}").content)
    assert parsed.feed.title.removesuffix(" · lunwen 论文") == title
    assert parsed.feed.link == home
    assert len(parsed.entries) == number
    assert number or parsed.feed.updated == NEVER


def test_a_collection_is_followed_with_the_last_added_first(own, make_client):
    library, _ = own
    library.star(["p5", "p2"], "To read/now")
    client = make_client(library)
    before = client.get("/feed.atom?collection=" + quote("To read/now"))
    assert [one.link.rpartition("/")[2] for one in feedparser.parse(before.content).entries] == ["p2", "p5"]
    library.star(["p9"], "To read/now")
    after = client.get("/feed.atom?collection=To+read/now", if_none_match=before.headers["etag"])
    assert after.status_code == 200
    assert feedparser.parse(after.content).feed.link == "http://test/collections/To%20read%2Fnow"


def test_what_no_xml_may_hold_is_left_out(client):
    response = client.get("/feed.atom?q=" + quote("lamp\x00\x0b\ufffe<b>"))
    assert etree.fromstring(response.content).findtext("a:title", namespaces=SPACES).startswith("lamp<b>")


@given(query=st.text(max_size=30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
def test_any_query_has_a_feed_that_can_be_read(client, query):
    response = client.get("/feed.atom?q=" + quote(query))
    assert response.status_code == 200
    assert not feedparser.parse(response.content).bozo
    assert_json_feed(client.get("/feed.json?q=" + quote(query)))


# JSON Feed


def assert_json_feed(response) -> dict:
    """Hold a feed against the rules of JSON Feed 1.1: what must be there, and of which type."""
    assert response.headers["content-type"] == "application/feed+json"
    feed = json.loads(response.content)
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert isinstance(feed["title"], str)
    assert all(re.match("https?://", feed[name]) for name in ("home_page_url", "feed_url"))
    assert len({item["id"] for item in feed["items"]}) == len(feed["items"])
    for item in feed["items"]:
        assert isinstance(item["id"], str)
        assert item["content_text"]
        assert all(re.match("https?://", item[name]) for name in ("url", "external_url") if name in item)
        assert all(
            datetime.fromisoformat(item[name]).tzinfo
            for name in ("date_published", "date_modified")
            if name in item
        )
        assert all(set(author) == {"name"} for author in item.get("authors", []))
        assert all(isinstance(tag, str) for tag in item.get("tags", []))
    return feed


def test_both_feeds_hold_the_same(client):
    feed = assert_json_feed(client.get("/feed.json?q=lamp&venue=NeurIPS"))
    atom = entries(client, "?q=lamp&venue=NeurIPS")
    assert [(item["id"], item["url"], item["date_modified"]) for item in feed["items"]] == [
        (one.id, one.link, one.updated) for one in atom
    ]
    assert feed["items"][0]["title"] == "The newest & last <lamp>"
    assert feed["items"][1]["content_text"] == "零阶优化 lamp"


# OpenSearch


def test_a_browser_is_told_how_to_search(client):
    response = client.get("/opensearch.xml")
    assert response.headers["content-type"] == "application/opensearchdescription+xml"
    root = etree.fromstring(response.content)
    urls = {url.get("type"): url.get("template") for url in root.findall("o:Url", SPACES)}
    assert urls["text/html"] == "http://test/?q={searchTerms}"
    assert len(root.findtext("o:ShortName", namespaces=SPACES)) <= 16
    for kind, template in urls.items():
        if kind != "text/html":
            path = template.removeprefix("http://test").replace("{searchTerms}", "kit")
            assert client.get(path).headers["content-type"] == kind


def test_a_search_box_gets_suggestions(client):
    typed, texts, papers, urls = client.get("/opensearch.json?q=kit").json()
    assert typed == "kit"
    assert (texts[0], papers[0], urls[0]) == (
        "Theory/Kites",
        "25 papers",
        "http://test/?topic=Theory%2FKites",
    )
    assert len(texts) == len(papers) == len(urls) == 10
