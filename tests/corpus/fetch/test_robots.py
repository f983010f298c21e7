from __future__ import annotations

import os
from typing import TYPE_CHECKING

import orjson
import pytest
from tests.server import FAULTS

from lunwen.corpus.fetch.client import HttpFetcher
from lunwen.corpus.fetch.limit import Limits
from lunwen.errors import FetchError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server import Server

RULES = """
User-agent: *
Disallow: /private/
Crawl-delay: 2

User-agent: lunwen
Disallow: /private/
Disallow: /*.zip$
Crawl-delay: 120
"""


def _asked(server: Server) -> list[str]:
    return [one.target for one in server.requests]


def test_what_a_site_does_not_want_is_not_fetched(server: Server, fetcher: HttpFetcher) -> None:
    server.put("icml.cc", "/robots.txt", RULES, media_type="text/plain")
    server.put("icml.cc", "/a", "[]")
    assert fetcher.get("https://icml.cc/a").size == 2
    for path in ("/private/a", "/b.zip"):
        with pytest.raises(FetchError) as refused:
            fetcher.get(f"https://icml.cc{path}")
        assert str(refused.value) == (
            f'"icml.cc{path}" could not be fetched: the site asks programs not to (robots.txt). '
            "Download it in a browser and import the file"
        )
    assert _asked(server) == ["/robots.txt", "/a"]


def test_another_port_is_another_site(server: Server, fetcher: HttpFetcher) -> None:
    server.put("icml.cc:8443", "/robots.txt", RULES)
    server.put("icml.cc", "/private/a", "[]")
    assert fetcher.get("https://icml.cc/private/a").size == 2
    with pytest.raises(FetchError, match=r"robots\.txt"):
        fetcher.get("https://icml.cc:8443/private/a")


def test_a_redirect_does_not_lead_to_what_a_site_does_not_want(server: Server, fetcher: HttpFetcher) -> None:
    server.put("virtual.icml.cc", "/robots.txt", RULES)
    server.put("icml.cc", "/a", "", status=302, headers={"Location": "https://virtual.icml.cc/private/a"})
    with pytest.raises(FetchError, match=r"robots\.txt"):
        fetcher.get("https://icml.cc/a")


def test_a_site_is_asked_as_slowly_as_it_wants_within_bounds(server: Server, tmp_path: Path) -> None:
    waited: list[float] = []
    server.put("icml.cc", "/robots.txt", RULES)
    server.put("icml.cc", "/a", "[]")
    with HttpFetcher(tmp_path, mirror=server.url, limits=Limits(paces={}), wait=waited.append) as fetcher:
        fetcher.get("https://icml.cc/a")
        fetcher.get("https://icml.cc/a")
    assert len(waited) == 1
    assert 0 < waited[0] <= 30  # not 120


def test_an_interface_for_programs_has_other_rules(server: Server, fetcher: HttpFetcher) -> None:
    server.put("dblp.org", "/robots.txt", "User-agent: *\nDisallow: /search/\nDisallow: /db/")
    server.put("dblp.org", "/search/publ/api", "{}")
    assert fetcher.get("https://dblp.org/search/publ/api?q=x").size == 2
    with pytest.raises(FetchError, match=r"robots\.txt"):
        fetcher.get("https://dblp.org/db/conf")


@pytest.mark.parametrize(
    "name",
    ["503", "says nothing", "HTML with 200", "redirect to another host", "404", "gzip bomb", "endless"],
)
def test_rules_that_cannot_be_had_forbid_nothing(name: str, server: Server, fetcher: HttpFetcher) -> None:
    server.put("icml.cc", "/a", "[]")
    server.misbehave("icml.cc", "/robots.txt", FAULTS[name])
    assert [fetcher.get("https://icml.cc/a").size for _ in range(2)] == [2, 2]
    assert _asked(server) == ["/robots.txt", "/a", "/a"]


@pytest.mark.parametrize("rules", [RULES, None])
def test_rules_are_asked_for_once_a_day(rules: str | None, server: Server, tmp_path: Path) -> None:
    server.put("icml.cc", "/a", "[]")
    if rules:
        server.put("icml.cc", "/robots.txt", rules)

    def again() -> int:
        server.requests.clear()
        with HttpFetcher(tmp_path, mirror=server.url, wait=lambda _: None) as fetcher:
            fetcher.get("https://icml.cc/a")
        return _asked(server).count("/robots.txt")

    assert [again(), again()] == [1, 0]
    for path in (tmp_path / "fetched").glob("*/*.json"):
        entry = orjson.loads(path.read_bytes())
        if entry["url"].endswith("robots.txt"):
            entry["fetched"] = "2020-01-01T00:00:00+00:00"
            path.write_bytes(orjson.dumps(entry))
            os.utime(path)
    assert [again(), again()] == [1, 0]
