from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lunwen.corpus.paper import Record
from lunwen.corpus.sources import find_source
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.site import dblp
from lunwen.corpus.sync.site.dblp import Dblp
from lunwen.errors import Expired, NotPublished, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Request, Server

    from lunwen.corpus.fetch.client import HttpFetcher
    from lunwen.corpus.sync.page import Page

HOST, PATH = "dblp.org", "/search/publ/api"
ODD = find_edition("icml", 2024, site="dblp")


def hit(number: int, kind: str = "Conference and Workshop Papers") -> dict[str, Any]:
    info = {
        "authors": {"author": [{"@pid": "o/AdaOdd", "text": "Ada Odd 0001"}]},
        "title": f"Wheels, number {number}.",
        "venue": "ICML",
        "year": "2024",
        "type": kind,
        "key": f"conf/icml/Odd{number}",
    }
    return {"@score": "1", "@id": str(number), "info": info}


def serve(server: Server, hits: list[dict[str, Any]]) -> None:
    """Answer as the search does: the list is not there where nothing was found."""

    def answer(asked: Request) -> str:
        assert asked.query["q"] == "toc:db/conf/icml/icml2024.bht:"
        first = int(asked.query["f"])
        sent = hits[first : first + int(asked.query["h"])]
        said = {"@total": str(len(hits)), "@computed": "0", "@sent": str(len(sent)), "@first": str(first)}
        return json.dumps(
            {"result": {"status": {"@code": "200"}, "hits": said | ({"hit": sent} if sent else {})}}
        )

    server.route(HOST, PATH, answer)


def walk(fetcher: HttpFetcher, after: str | None = None) -> list[Page]:
    return list(Dblp().pages(ODD, fetcher, after=after))


def test_a_table_of_contents_page_by_page(
    server: Server, fetcher: HttpFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dblp, "_SIZE", 2)
    serve(server, [hit(0, "Editorship"), hit(1), hit(2)])
    pages = walk(fetcher)
    contents = "conf/icml/icml2024"
    assert [(page.name, page.next, page.total) for page in pages] == [
        (f"{contents} 0", f"{contents} 2", 3),
        (f"{contents} 2", None, 3),
    ]
    records = [one for page in pages for one in find_source("dblp").read(page.file)]
    assert [one.title for one in records if isinstance(one, Record)] == [
        "Wheels, number 1",
        "Wheels, number 2",
    ]
    assert len(records) == 2  # the volume itself is no paper
    assert [page.name for page in walk(fetcher, f"{contents} 2")] == [f"{contents} 2"]
    with pytest.raises(Expired):
        walk(fetcher, f"{contents} 4")


def test_a_volume_that_is_not_there_yet(server: Server, fetcher: HttpFetcher) -> None:
    serve(server, [])
    with pytest.raises(NotPublished, match="ICML 2024 has no papers at dblp yet"):
        walk(fetcher)


@pytest.mark.parametrize(
    ("hits", "said"),
    [
        (
            {"@total": "9", "@sent": "2", "hit": [hit(1)]},
            "gave 2 hits from 0 on, of 9 that there are, or fewer.",
        ),
        ({"@total": "9", "@sent": "0"}, "gave 0 hits from 0 on, of 9 that there are, or fewer."),
        ({"@total": "9" * 5_000, "@sent": "1"}, "gave JSON of another kind in place of hits of DBLP."),
        ({"@sent": "0"}, "gave JSON of another kind in place of hits of DBLP."),
        (None, "gave JSON of another kind in place of hits of DBLP."),
    ],
)
def test_nonsense_is_not_taken(server: Server, fetcher: HttpFetcher, hits: object, said: str) -> None:
    server.put(HOST, PATH, json.dumps({"result": {"hits": hits}}))
    with pytest.raises(UnreadableFile) as refused:
        walk(fetcher)
    assert str(refused.value).partition(" ")[2].startswith(said)
