from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.server import FAULTS

from lunwen.corpus.paper import Record, Status
from lunwen.corpus.sources import find_source
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.site.virtual import Virtual
from lunwen.errors import Expired, FetchError, NotPublished, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher
    from lunwen.corpus.sync.page import Page

ODD = find_edition("icml", 2026, site="virtual")
HOST, FOLDER = "icml.cc", "/static/virtual/data/"
PROGRAM, ABSTRACTS = f"{FOLDER}icml-2026-orals-posters.json", f"{FOLDER}icml-2026-abstracts.json"


def event(number: int, **more: object) -> dict[str, object]:
    return {
        "id": number,
        "uid": f"u{number}",
        "name": f"Wheel {number}",
        "authors": [{"id": 1, "fullname": "Ada Odd", "institution": "Odd Institute"}],
        "abstract": None,
        "topic": "Theory->Wheels",
        "decision": "Accept (poster)",
        "eventtype": "Poster",
        "virtualsite_url": f"/virtual/2026/poster/{number}",
        "sourceurl": "https://openreview.net/group?id=ICML.cc/2026/Conference",
        "visible": True,
    } | more


def program(*events: dict[str, object], **more: object) -> str:
    return json.dumps({"count": len(events), "next": None, "previous": None, "results": events} | more)


def walk(fetcher: HttpFetcher, after: str | None = None) -> list[Page]:
    pages = list(Virtual().pages(ODD, fetcher, after=after))
    for page in pages:
        if page.check:
            page.check()
    return pages


def read(page: Page) -> list[Record]:
    assert page.source is not None
    source = find_source(page.source)
    assert source.sniff(page.file)
    return [one for one in source.read(page.file) if isinstance(one, Record)]


def test_the_program_and_then_its_abstracts(server: Server, fetcher: HttpFetcher) -> None:
    server.put(
        HOST, PROGRAM, program(event(7), event(8, eventtype="Oral", decision="Accept (Oral)")), etag='"1"'
    )
    server.put(HOST, ABSTRACTS, '{"7": "It turns.", "8": "It turns too."}', etag='"1"')
    papers, abstracts = walk(fetcher)
    assert (papers.name, papers.next, papers.total) == ("program", "abstracts", 2)
    assert papers.url == f"https://{HOST}{PROGRAM}"
    assert [(one.title, one.venue, one.year, one.status) for one in read(papers)] == [
        ("Wheel 7", "ICML.cc", 2026, Status.POSTER),
        ("Wheel 8", "ICML.cc", 2026, Status.ORAL),
    ]
    assert (abstracts.name, abstracts.next) == ("abstracts", None)
    assert [(one.key, one.abstract) for one in read(abstracts)] == [
        ("icml-2026-7", "It turns."),
        ("icml-2026-8", "It turns too."),
    ]
    sent = server.sent
    assert len(walk(fetcher)) == 2
    assert server.sent == sent
    assert [page.name for page in walk(fetcher, "abstracts")] == ["abstracts"]


def test_a_program_with_abstracts_needs_no_file_of_them(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, PROGRAM, program(event(7, abstract="It turns.")))
    (papers,) = walk(fetcher)
    assert papers.next is None
    with pytest.raises(Expired, match="icml 2026 virtual has no file of abstracts any more"):
        walk(fetcher, "abstracts")


@pytest.mark.parametrize(
    "empty", [program(), '{"count": 0, "results": null}', ' {"count" : 0, "next": null}', None]
)
def test_no_program_yet(server: Server, fetcher: HttpFetcher, empty: str | None) -> None:
    if empty:
        server.put(HOST, PROGRAM, empty)
    with pytest.raises(NotPublished) as refused:
        walk(fetcher)
    assert str(refused.value) == (
        f"The program of ICML 2026 is not published yet at https://{HOST}{PROGRAM}. Sync again later."
    )


@pytest.mark.parametrize("empty", ["{}", None])
def test_a_program_whose_abstracts_are_not_there_yet_is_given(
    server: Server, fetcher: HttpFetcher, empty: str | None
) -> None:
    server.put(HOST, PROGRAM, program(event(7)))
    if empty:
        server.put(HOST, ABSTRACTS, empty)
    pages = Virtual().pages(ODD, fetcher)
    assert next(pages).next is None  # the next sync begins with the program again
    with pytest.raises(NotPublished, match="its abstracts are not published yet"):
        next(pages)


def test_a_program_is_given_though_its_abstracts_fail(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, PROGRAM, program(event(7)))
    server.put(HOST, ABSTRACTS, '{"7": "It turns."}')
    server.misbehave(HOST, ABSTRACTS, FAULTS["500"])
    pages = Virtual().pages(ODD, fetcher)
    assert next(pages).next == "abstracts"
    with pytest.raises(FetchError):
        next(pages)
    server.behave()
    assert [page.name for page in walk(fetcher, "abstracts")] == ["abstracts"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<html><p>Soon</p></html>", "gave an HTML page in place of JSON. Nothing of it was taken."),
        ('["7"]', "gave JSON of another kind in place of a program. Nothing of it was taken."),
        (
            program(event(7), count=6799),
            "says that it has 6,799 events and holds 1.",
        ),
        (program(event(7))[:-9], "came cut short or damaged (unexpected end of data"),
    ],
)
def test_what_is_no_program_or_not_all_of_it_is_not_taken(
    server: Server, fetcher: HttpFetcher, body: str, said: str
) -> None:
    server.put(HOST, PROGRAM, body)
    with pytest.raises(UnreadableFile) as refused:
        walk(fetcher)
    assert str(refused.value).startswith(f"https://{HOST}{PROGRAM} {said}")


def test_what_is_no_abstracts_is_not_taken(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, PROGRAM, program(event(7)))
    server.put(HOST, ABSTRACTS, '{"detail": "busy"}')
    with pytest.raises(UnreadableFile, match="JSON of another kind in place of abstracts by event"):
        walk(fetcher)
