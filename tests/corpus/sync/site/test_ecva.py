from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.corpus.sync.site import papers

from lunwen.corpus.paper import Record
from lunwen.corpus.sources.ecva import SOURCE
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.page import Edition
from lunwen.corpus.sync.site.ecva import Ecva
from lunwen.errors import NotPublished, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher

HOST = "www.ecva.net"
ECCV = Edition(venue="ECCV", year=2024, site="ecva", address="eccv_2024")


def test_where_it_is() -> None:
    assert find_edition("eccv", 2022).address == "eccv_2022"


def test_a_year_is_taken_from_the_page_of_all(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, "/papers.php", papers.ecva_list([(1, 2024), (2, 2024), (3, 2022)]))
    for number in (1, 2):
        server.put(HOST, f"/{papers.ecva_path(number)}", papers.ecva_paper(number))
    listed, own = Ecva().pages(ECCV, fetcher)
    assert (listed.total, own.total) == (2, 4)
    kept = [one.title for one in SOURCE.read(listed.file) if isinstance(one, Record) and listed.keep(one)]
    assert kept == ["Odd Wheel 1", "Odd Wheel 2"]
    assert SOURCE.sniff(own.file)
    records = [one for one in SOURCE.read(own.file) if isinstance(one, Record)]
    assert [(one.identifiers["cvf"], one.abstract) for one in records] == [
        ("1_ECCV_2024_paper", papers.abstract(1)),
        ("2_ECCV_2024_paper", papers.abstract(2)),
    ]


def test_a_year_that_is_not_there_yet(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, "/papers.php", papers.ecva_list([(3, 2022)]))
    with pytest.raises(NotPublished) as error:
        list(Ecva().pages(ECCV, fetcher))
    assert str(error.value) == (
        "The papers of ECCV 2024 are not at https://www.ecva.net/papers.php yet. Sync again later."
    )


def test_a_page_without_any_is_refused(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, "/papers.php", "<html><title>ECVA</title></html>")
    with pytest.raises(UnreadableFile) as error:
        list(Ecva().pages(ECCV, fetcher))
    assert str(error.value) == (
        "https://www.ecva.net/papers.php gave an HTML page in place of ECVA's list of papers. "
        "Nothing of it was taken. Look at it in a browser, or try again later."
    )
