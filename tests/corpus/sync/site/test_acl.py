from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.paper import Record
from lunwen.corpus.sources import find_source
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.site.acl import Acl
from lunwen.errors import NotPublished, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher
    from lunwen.corpus.sync.page import Edition, Page

HOST, FOLDER = "raw.githubusercontent.com", "/acl-org/acl-anthology/master/data/xml/"
LIST = "/repos/acl-org/acl-anthology/git/trees/master:data/xml"
ACL = find_edition("acl", 2025)


def volume(name: str, *titles: str, venue: str = "acl") -> str:
    author = "<author><first>Ada</first><last>Odd</last></author>"
    papers = "".join(
        f'<paper id="{number}"><title>{title}</title>{author}</paper>'
        for number, title in enumerate(titles, start=1)
    )
    meta = f"<booktitle>Odd <b>wheels</b></booktitle><year>2025</year><venue>{venue}</venue>"
    return f'<volume id="{name}"><meta>{meta}</meta><frontmatter/>{papers}</volume>'


def collection(name: str, *volumes: str) -> str:
    return (
        f"<?xml version='1.0' encoding='UTF-8'?>\n<collection id=\"{name}\">{''.join(volumes)}</collection>"
    )


def put(server: Server, name: str, *volumes: str) -> None:
    server.put(
        HOST, f"{FOLDER}{name}.xml", collection(name, *volumes), media_type="text/plain", etag=f'"{name}"'
    )


def walk(fetcher: HttpFetcher, edition: Edition = ACL, after: str | None = None) -> list[Page]:
    pages = list(Acl().pages(edition, fetcher, after=after))
    for page in pages:
        if page.check:
            page.check()
    return pages


def read(page: Page) -> list[str]:
    records = [one for one in find_source("acl").read(page.file) if isinstance(one, Record)]
    return [one.key for one in records if page.keep is None or page.keep(one)]


def test_a_conference_comes_with_its_findings(server: Server, fetcher: HttpFetcher) -> None:
    put(server, "2025.acl", volume("long", "Wheels", "Cogs"), volume("demos", "Bikes"))
    put(
        server,
        "2025.findings",
        volume("acl", "Spokes", venue="findings"),
        volume("emnlp", "Rims", venue="findings"),
    )
    main, findings = walk(fetcher)
    assert (main.name, main.next) == ("2025.acl", "2025.findings/acl")
    assert read(main) == ["2025.acl-long.1", "2025.acl-long.2", "2025.acl-demos.1"]
    assert (findings.name, findings.next) == ("2025.findings/acl", None)
    assert read(findings) == ["2025.findings-acl.1"]
    assert [page.name for page in walk(fetcher, after=main.next)] == [findings.name]
    sent = server.sent
    assert len(walk(fetcher)) == 2
    assert server.sent == sent


def test_years_before_2020_are_called_by_letters(server: Server, fetcher: HttpFetcher) -> None:
    put(server, "P09", volume("1", "Wheels"))
    (page,) = walk(fetcher, find_edition("acl", 2009))
    assert read(page) == ["P09-1001"]


def test_what_is_not_there_yet(server: Server, fetcher: HttpFetcher) -> None:
    with pytest.raises(NotPublished, match="ACL 2025 has no papers at acl yet"):
        walk(fetcher)
    put(server, "2025.acl", volume("long", "Wheels"))
    put(server, "2025.findings")
    pages = Acl().pages(ACL, fetcher)
    assert next(pages).next is None
    with pytest.raises(NotPublished) as refused:
        next(pages)
    assert str(refused.value) == "acl 2025 acl: 2025.findings/acl is not published yet. Sync again later."


def test_the_whole_anthology_by_its_list(server: Server, fetcher: HttpFetcher) -> None:
    paths = ["P09.xml", "2025.acl.xml", "README.md"]
    server.put(
        "api.github.com", LIST, json.dumps({"tree": [{"path": path} for path in paths], "truncated": False})
    )
    put(server, "P09", volume("1", "Wheels"))
    put(server, "2025.acl", volume("long", "Cogs"))
    everything = find_edition("acl anthology")
    assert [(page.name, page.next) for page in walk(fetcher, everything)] == [
        ("2025.acl", "P09"),
        ("P09", None),
    ]
    assert [page.name for page in walk(fetcher, everything, "P09")] == ["P09"]
    for listed in ({"tree": [], "truncated": False}, {"tree": [{"path": "a.xml"}], "truncated": True}, []):
        server.put("api.github.com", LIST, json.dumps(listed))
        with pytest.raises(UnreadableFile, match="in place of the list of all collections"):
            walk(fetcher, everything)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<html><body>Busy</body></html>", "gave an HTML page in place of a collection of the Anthology."),
        ("404: Not Found", "gave something else in place of a collection of the Anthology."),
        (collection("P09", volume("1", "Wheels"))[:-20], "is not well-formed XML"),
    ],
)
def test_what_is_no_collection_or_not_all_of_it_is_not_taken(
    server: Server, fetcher: HttpFetcher, body: str, said: str
) -> None:
    server.put(HOST, f"{FOLDER}P09.xml", body, media_type="text/plain")
    with pytest.raises(UnreadableFile) as refused:
        walk(fetcher, find_edition("acl", 2009))
    assert str(refused.value).startswith(f"https://{HOST}{FOLDER}P09.xml {said}")
