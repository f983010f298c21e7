from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.corpus.sync.site import papers

from lunwen.corpus.paper import Record
from lunwen.corpus.sources.proceedings import SOURCE
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.page import Edition
from lunwen.corpus.sync.site.proceedings import Proceedings
from lunwen.errors import NotPublished, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher

HOST = "papers.nips.cc"
PLACE = "/paper_files/paper/2024"
NEURIPS = Edition(venue="NeurIPS", year=2024, site="proceedings", address=HOST + PLACE)


def test_where_it_is() -> None:
    assert find_edition("nips", 1987, site="proceedings").address == "papers.nips.cc/paper_files/paper/1987"
    assert find_edition("iclr 2025 proceedings").address == "proceedings.iclr.cc/paper_files/paper/2025"


def test_a_year(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, PLACE, papers.neurips_list([1, 2]))
    for number in (1, 2):
        server.put(HOST, papers.neurips_path(number), papers.neurips_paper(number))
    listed, own = Proceedings().pages(NEURIPS, fetcher)
    assert (listed.name, listed.total, own.name, own.next) == (f"list at {HOST}", 2, "papers 1", None)
    first, second = SOURCE.read(own.file)
    assert isinstance(first, Record)
    assert first.identifiers == {"neurips": f"2024/{1:032x}"}
    assert first.abstract == papers.abstract(1)
    assert isinstance(second, Record)
    assert second.authors[0].family == "Lovelace2"


def test_a_year_in_two_places(server: Server, fetcher: HttpFetcher) -> None:
    other = "datasets-benchmarks-proceedings.neurips.cc"
    for host in (HOST, other):
        server.put(host, PLACE, papers.neurips_list([1]))
        server.put(host, papers.neurips_path(1), papers.neurips_paper(1))
    edition = Edition(venue="NeurIPS", year=2024, site="proceedings", address=f"{HOST}{PLACE} {other}{PLACE}")
    pages = list(Proceedings().pages(edition, fetcher))
    assert [page.name for page in pages] == [f"list at {HOST}", f"list at {other}", "papers 1"]
    records = [one for one in SOURCE.read(pages[1].file) if isinstance(one, Record)]
    assert records[0].identifiers == {"neurips": f"datasets-2024/{1:032x}"}  # numbers of its own


@pytest.mark.parametrize(
    "body", [None, '<h1 class="book-title">NeurIPS 2024</h1><ul class="paper-list"></ul>']
)
def test_before_there_are_papers(server: Server, fetcher: HttpFetcher, body: str | None) -> None:
    if body:
        server.put(HOST, PLACE, body)
    with pytest.raises(NotPublished) as error:
        list(Proceedings().pages(NEURIPS, fetcher))
    assert str(error.value) == (
        f"The proceedings of NeurIPS 2024 are not at https://{HOST}{PLACE} yet. Sync again later."
    )


def test_what_is_no_list_is_refused(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, PLACE, "<html><title>We will be back</title></html>")
    with pytest.raises(UnreadableFile) as error:
        list(Proceedings().pages(NEURIPS, fetcher))
    assert str(error.value) == (
        f"https://{HOST}{PLACE} gave an HTML page in place of a list of papers. "
        "Nothing of it was taken. Look at it in a browser, or try again later."
    )
