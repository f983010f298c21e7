from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.sources import sniff
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.site.file import File
from lunwen.errors import NotThere, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher
    from lunwen.corpus.sync.page import Page

HOST = "papers.example.org"
ROW = json.dumps({"title": "Wheels", "author": "Ada Odd", "status": "Poster", "track": "main"})
ENTRY = "@inproceedings{odd31, title={Wheels}, author={Odd, Ada}, year={2031}}"


def walk(fetcher: HttpFetcher, path: str, after: str | None = None) -> list[Page]:
    return list(File().pages(find_edition(f"https://{HOST}{path}"), fetcher, after=after))


def test_a_file_of_any_format(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, "/lists/icml2019.json", f"[{ROW}]")
    server.put(HOST, "/odd.bib.gz", gzip.compress(ENTRY.encode()), media_type="application/gzip")
    (page,) = walk(fetcher, "/lists/icml2019.json")
    assert (page.name, page.next, sniff(page.file).name) == (page.url, None, "paperlists")
    (page,) = walk(fetcher, "/odd.bib.gz")
    assert sniff(page.file).name == "bibtex"
    assert [record.title for record in sniff(page.file).read(page.file)] == ["Wheels"]  # type: ignore[union-attr]


def test_an_archive_is_a_page_for_each_file(server: Server, fetcher: HttpFetcher) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.bib", ENTRY)
        archive.writestr("b/icml2019.json", f"[{ROW}]")
    server.put(HOST, "/all.zip", packed.getvalue(), media_type="application/zip")
    url = f"https://{HOST}/all.zip"
    pages = walk(fetcher, "/all.zip")
    assert [(page.name, page.next) for page in pages] == [
        (f"{url}/a.bib", "1"),
        (f"{url}/b/icml2019.json", None),
    ]
    assert [page.name for page in walk(fetcher, "/all.zip", "1")] == [f"{url}/b/icml2019.json"]


def test_what_is_not_there_or_no_papers(server: Server, fetcher: HttpFetcher) -> None:
    with pytest.raises(NotThere):
        walk(fetcher, "/none.json")
    server.put(HOST, "/page.json", "<html><body>Log in</body></html>", media_type="text/html")
    (page,) = walk(fetcher, "/page.json")
    with pytest.raises(UnreadableFile, match="is in no format that is read here"):
        sniff(page.file)
