from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.paper import Record
from lunwen.corpus.sources import find_source
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.site.paperlists import Paperlists
from lunwen.errors import NotPublished, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher
    from lunwen.corpus.sync.page import Page

HOST, PATH = "raw.githubusercontent.com", "/Papercopilot/paperlists/main/iclr/iclr2018.json"
ODD = find_edition("iclr", 2018, site="paperlists")


def row(number: int, status: str) -> dict[str, str]:
    return {
        "id": f"r{number}",
        "title": f"Wheel {number}",
        "status": status,
        "track": "main",
        "author": "Ada Odd;Bo Odd",
        "aff": "Odd Institute;",
        "site": f"https://openreview.net/forum?id=r{number}",
    }


def walk(fetcher: HttpFetcher, *, with_rejected: bool = False) -> list[Page]:
    pages = list(Paperlists().pages(ODD, fetcher, with_rejected=with_rejected))
    for page in pages:
        if page.check:
            page.check()
    return pages


def read(page: Page) -> list[str]:
    records = [one for one in find_source("paperlists").read(page.file) if isinstance(one, Record)]
    return [one.key for one in records if page.keep is None or page.keep(one)]


def test_one_list_without_what_was_rejected(server: Server, fetcher: HttpFetcher) -> None:
    rows = [row(1, "Poster"), row(2, "Reject"), row(3, "Withdraw"), row(4, "")]
    server.put(HOST, PATH, json.dumps(rows), etag='"1"')
    (page,) = walk(fetcher)
    assert (page.name, page.url, page.next) == ("list", f"https://{HOST}{PATH}", None)
    assert read(page) == ["iclr-2018/r1", "iclr-2018/r4"]
    (page,) = walk(fetcher, with_rejected=True)
    assert server.requests[-1].status == 304
    assert page.name == "list with rejected"  # so that the library reads it though its bytes came before
    assert read(page) == [f"iclr-2018/r{number}" for number in (1, 2, 3, 4)]


@pytest.mark.parametrize("body", ["[]", None])
def test_no_list_yet(server: Server, fetcher: HttpFetcher, body: str | None) -> None:
    if body:
        server.put(HOST, PATH, body)
    with pytest.raises(NotPublished, match="There is no list of ICLR 2018 at https://raw"):
        walk(fetcher)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("version https://git-lfs.github.com/spec/v1", "gave something else in place of JSON."),
        ('{"papers": []}', "gave JSON of another kind in place of a list of papers."),
        (json.dumps([row(1, "Poster")])[:-9], "came cut short or damaged"),
        (json.dumps([row(1, "Poster")]).encode("utf-16"), "gave UTF-16 text in place of JSON."),
    ],
)
def test_nonsense_is_not_taken(server: Server, fetcher: HttpFetcher, body: str | bytes, said: str) -> None:
    server.put(HOST, PATH, body)
    with pytest.raises(UnreadableFile) as refused:
        walk(fetcher)
    assert str(refused.value).startswith(f"https://{HOST}{PATH} {said}")
