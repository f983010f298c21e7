from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.fetch.address import Mirror, read_address
from lunwen.corpus.fetch.redirect import follow
from lunwen.corpus.fetch.trouble import Trouble

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher


def _follow(start: str, location: str) -> str:
    return str(follow(read_address(start), location, Mirror()).url)


@pytest.mark.parametrize(
    ("start", "location", "end"),
    [
        ("https://icml.cc/a", "/b?c=d", "https://icml.cc/b?c=d"),
        ("https://icml.cc/a/", "b#top", "https://icml.cc/a/b"),
        ("https://papers.nips.cc/a", "https://proceedings.neurips.cc/a", "https://proceedings.neurips.cc/a"),
        ("https://export.arxiv.org/oai2?x=1", "https://oaipmh.arxiv.org/oai", "https://oaipmh.arxiv.org/oai"),
        ("https://mlr.press/a", "//proceedings.mlr.press/a", "https://proceedings.mlr.press/a"),
        ("https://www.example.org/a", "https://example.org/a", "https://example.org/a"),
    ],
)
def test_a_redirect_stays_within_the_site(start: str, location: str, end: str) -> None:
    assert _follow(start, location) == end


@pytest.mark.parametrize(
    ("start", "location", "reason"),
    [
        ("https://icml.cc/a", "https://nips.cc/a", "the site redirects to another, nips.cc"),
        ("https://icml.cc/a", "https://icml.cc.evil.example/", "the site redirects to another, "),
        ("https://icml.cc/a", "https://evilicml.cc/", "the site redirects to another, evilicml.cc"),
        ("https://one.github.io/a", "https://two.github.io/a", "the site redirects to another, "),
        ("https://icml.cc/a", "https://cc/", "the site redirects to another, cc"),
        ("https://icml.cc/a", "http://icml.cc/a", "the site redirects to http, not https"),
        ("https://icml.cc/a", "file:///etc/passwd", "the site redirects to file, not https"),
        ("https://icml.cc/a", "https://ann:pw@icml.cc/a", "the site redirects to what is no URL"),
        ("https://icml.cc/a", "https://icml.cc:x/", "the site redirects to what is no URL"),
        ("https://icml.cc/a", " ", "the site redirects to nowhere"),
    ],
)
def test_a_redirect_that_leads_away_is_not_followed(start: str, location: str, reason: str) -> None:
    with pytest.raises(Trouble) as stopped:
        _follow(start, location)
    assert stopped.value.reason.startswith(reason)
    assert stopped.value.tries == 1


def test_a_mirror_may_redirect_to_itself(server: Server, fetcher: HttpFetcher) -> None:
    server.put("icml.cc", "/a", "", status=301, headers={"Location": f"{server.url}/icml.cc/b"})
    server.put("icml.cc", "/b", "[]", etag='"b"')
    replies = [fetcher.get("https://icml.cc/a") for _ in range(2)]
    assert [reply.final_url for reply in replies] == ["https://icml.cc/b"] * 2
    assert [reply.unchanged for reply in replies] == [False, True]  # the condition is for where the body was
    assert [one.headers.get("if-none-match") for one in server.requests if one.path == "/a"] == [None, None]
