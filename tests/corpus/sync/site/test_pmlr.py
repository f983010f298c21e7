from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.corpus.sync.site import papers

from lunwen.corpus.paper import Record
from lunwen.corpus.sources import find_source
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.page import Edition
from lunwen.corpus.sync.site.pmlr import Pmlr
from lunwen.errors import NotPublished, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher
    from lunwen.corpus.sync.page import Page

HOST = "proceedings.mlr.press"
ICML = Edition(venue="ICML", year=2024, site="pmlr", address="v235")
FOUR = range(4)


@pytest.fixture(autouse=True)
def volume(server: Server) -> None:
    server.put(HOST, "/v235/", papers.pmlr_list(FOUR))
    for number in FOUR:
        server.put(HOST, f"/v235/{papers.pmlr_key(number)}.html", papers.pmlr_paper(number))


def walk(fetcher: HttpFetcher) -> list[Page]:
    return list(Pmlr().pages(ICML, fetcher))


def read(page: Page) -> dict[str, str | None]:
    """Titles and abstracts."""
    source = find_source(page.source or "")
    assert source.sniff(page.file)
    return {
        one.title: one.abstract for one in source.read(page.file) if isinstance(one, Record) and one.title
    }


def test_where_it_is() -> None:
    assert [find_edition("icml", year, site="pmlr").address for year in (2013, 2024)] == ["v28", "v235"]
    assert find_edition("colt 2024").name == "colt 2024 pmlr"


def test_a_volume_in_one_file(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, "/v235/assets/bib/citeproc.yaml", papers.pmlr_yaml(FOUR))
    (page,) = walk(fetcher)
    assert (page.name, page.next, page.total) == ("file", None, 4)
    assert read(page) == {f"Odd Wheel {number}": papers.abstract(number) for number in FOUR}
    assert server.asked == [f"{HOST}/v235/", f"{HOST}/v235/assets/bib/citeproc.yaml"]


@pytest.mark.parametrize("path", ["assets/bib/bibliography.bib", "bibliography.bib"])
def test_older_volumes_have_bibtex(server: Server, fetcher: HttpFetcher, path: str) -> None:
    server.put(HOST, f"/v235/{path}", papers.pmlr_bib(FOUR))
    (page,) = walk(fetcher)
    assert read(page) == {f"Odd Wheel {number}": papers.abstract(number) for number in FOUR}
    (first, *_) = find_source("bibtex").read(page.file)
    assert isinstance(first, Record)
    assert first.identifiers == {"pmlr": f"v235/{papers.pmlr_key(0)}"}


def test_a_paper_that_the_file_lacks_comes_from_its_own_page(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, "/v235/assets/bib/citeproc.yaml", papers.pmlr_yaml([0, 1, 3]))
    file, own = walk(fetcher)
    assert (file.total, own.total) == (3, 4)
    assert read(own) == {"Odd Wheel 2": papers.abstract(2)}


def test_without_a_file_it_is_the_papers_own_pages(fetcher: HttpFetcher) -> None:
    (own,) = walk(fetcher)
    assert (own.name, own.total) == ("papers 1", 4)
    assert read(own) == {f"Odd Wheel {number}": papers.abstract(number) for number in FOUR}


def test_a_file_that_lacks_many_is_cut_short(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, "/v235/assets/bib/citeproc.yaml", papers.pmlr_yaml([0, 1]))
    with pytest.raises(UnreadableFile) as error:
        walk(fetcher)
    assert str(error.value) == (
        f"https://{HOST}/v235/assets/bib/citeproc.yaml lacks 2 of the volume's 4 papers, as if it were cut "
        "short. Nothing of it was taken. Try again later."
    )


def test_a_volume_that_is_not_there_yet(server: Server, fetcher: HttpFetcher) -> None:
    server.remove(HOST, "/v235/")
    with pytest.raises(NotPublished) as error:
        walk(fetcher)
    assert str(error.value) == (
        f"The proceedings of ICML 2024 are not at https://{HOST}/v235/ yet. Sync again later."
    )


@pytest.mark.parametrize(
    ("path", "what"), [("", "a volume of PMLR"), ("bibliography.bib", "the papers of a volume")]
)
def test_something_else_is_refused(server: Server, fetcher: HttpFetcher, path: str, what: str) -> None:
    server.put(HOST, f"/v235/{path}", "<html><title>We will be back</title></html>")
    with pytest.raises(UnreadableFile) as error:
        walk(fetcher)
    assert str(error.value) == (
        f"https://{HOST}/v235/{path} gave an HTML page in place of {what}. "
        "Nothing of it was taken. Look at it in a browser, or try again later."
    )
