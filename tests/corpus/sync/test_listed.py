"""Lists first, then each paper's own page: from the walk to the papers in the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.corpus.sync.site import papers
from tests.server import FAULTS

from lunwen.corpus.store import Store
from lunwen.corpus.sync import listed
from lunwen.corpus.sync.page import Edition
from lunwen.corpus.sync.report import EditionReport, Ending
from lunwen.corpus.sync.run import SyncOptions, sync
from lunwen.corpus.sync.site import SITES
from lunwen.errors import Expired, FetchError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher
    from lunwen.corpus.paper import Paper

HOST = "openaccess.thecvf.com"
CVPR = Edition(venue="CVPR", year=2024, site="cvf", address="CVPR2024")
SEVEN = range(1, 8)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "library", write=True) as store:
        yield store
        assert store.check() == []


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed, "GROUP", 3)


@pytest.fixture
def site(server: Server) -> Server:
    put(server, SEVEN)
    return server


def put(server: Server, numbers: range) -> None:
    server.put(HOST, "/CVPR2024", papers.cvf_list(numbers), media_type="text/html", etag=f'"{numbers}"')
    for number in numbers:
        server.put(HOST, papers.cvf_path(number), papers.cvf_paper(number), media_type="text/html")


def walk(store: Store, fetcher: HttpFetcher, **options: bool) -> EditionReport:
    (one,) = sync(store, [CVPR], fetcher, options=SyncOptions(**options)).editions
    return one


def library(store: Store) -> dict[str, Paper]:
    return {paper.title: paper for paper in store.all_papers()}


def test_a_walk_gives_the_list_and_then_groups(site: Server, fetcher: HttpFetcher) -> None:
    pages = list(SITES["cvf"].pages(CVPR, fetcher))
    assert [(page.name, page.next) for page in pages] == [
        ("list", "papers 1"),
        ("papers 1", "papers 2"),
        ("papers 2", "papers 3"),
        ("papers 3", None),
    ]
    assert [page.total for page in pages] == [7, 14, 14, 14]
    again = list(SITES["cvf"].pages(CVPR, fetcher, after="papers 2"))
    assert [page.name for page in again] == ["papers 2", "papers 3"]
    with pytest.raises(Expired) as error:
        list(SITES["cvf"].pages(CVPR, fetcher, after="papers 9"))
    assert str(error.value) == 'cvpr 2024 cvf no longer goes on at "papers 9". The walk begins again.'
    assert sum(target.endswith("_paper.html") for target in site.asked) == 7  # each was asked for once


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.kind == "passing"])
def test_what_passes_at_a_papers_own_page_is_not_noticed(
    store: Store, site: Server, fetcher: HttpFetcher, name: str
) -> None:
    site.misbehave(HOST, papers.cvf_path(5), FAULTS[name], times=1)
    assert walk(store, fetcher).failures == ()
    assert all(paper.abstract for paper in store.all_papers())


@pytest.mark.parametrize("name", sorted(set(FAULTS) - {"404", "410"}))
def test_what_lasts_at_a_papers_own_page_keeps_that_abstract_away(
    store: Store, site: Server, fetcher: HttpFetcher, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(listed, "LARGEST", 1_000_000)
    site.misbehave(HOST, papers.cvf_path(5), FAULTS[name])
    one = walk(store, fetcher)
    assert one.outcome is Ending.DONE
    (failure,) = one.failures
    assert failure.place == f"https://{HOST}{papers.cvf_path(5)}"
    assert failure.reason.startswith('no paper: "')
    without = [title for title, paper in library(store).items() if paper.abstract is None]
    assert without == ["Odd Wheel 5"]
    site.behave()
    assert walk(store, fetcher).failures == ()  # what could not be read is asked for again
    assert all(paper.abstract for paper in store.all_papers())


def test_papers_come_at_once_and_their_abstracts_after_them(
    store: Store, site: Server, fetcher: HttpFetcher
) -> None:
    site.misbehave(HOST, papers.cvf_path(5), FAULTS["403"])
    site.misbehave(HOST, papers.cvf_path(6), FAULTS["HTML with 200"])
    one = walk(store, fetcher)
    assert one.outcome is Ending.DONE
    assert [failure.place for failure in one.failures] == [
        f"https://{HOST}{papers.cvf_path(5)}",
        f"https://{HOST}{papers.cvf_path(6)}",
    ]
    found = library(store)
    assert {title: paper.abstract is not None for title, paper in found.items()} == {
        f"Odd Wheel {number}": number not in (5, 6) for number in SEVEN
    }
    assert found["Odd Wheel 7"].abstract == papers.abstract(7)
    assert (found["Odd Wheel 7"].venue, found["Odd Wheel 7"].year) == ("CVPR", 2024)

    site.behave()
    before = len(site.asked)
    assert walk(store, fetcher).failures == ()
    assert [target.partition("html/")[2] for target in site.asked[before:]] == [
        "",
        *(papers.cvf_path(number).partition("html/")[2] for number in (5, 6)),
    ]
    assert library(store)["Odd Wheel 6"].abstract == papers.abstract(6)


def test_what_is_unchanged_is_neither_asked_for_nor_read_again(
    store: Store, site: Server, fetcher: HttpFetcher
) -> None:
    walk(store, fetcher)
    before = len(site.requests)
    again = walk(store, fetcher)
    assert (again.new, again.changed, again.gone, again.unchanged) == (0, 0, 0, 7)
    assert [(one.status, one.sent) for one in site.requests[before:]] == [(304, 0)]


def test_a_list_that_grows_takes_no_abstract_back(store: Store, site: Server, fetcher: HttpFetcher) -> None:
    walk(store, fetcher)
    put(site, range(9))
    grown = walk(store, fetcher)
    assert (grown.new, grown.changed, grown.gone) == (2, 0, 0)
    assert all(paper.abstract for paper in store.all_papers())
    put(site, range(1, 9))
    shrunk = walk(store, fetcher)
    assert (shrunk.new, shrunk.gone) == (0, 1)


def test_a_walk_that_stops_goes_on_at_the_next_group(
    store: Store, site: Server, fetcher: HttpFetcher
) -> None:
    site.misbehave(HOST, "/content/.*", FAULTS["403"], skip=3)
    monkey = pytest.MonkeyPatch()
    monkey.setattr(listed, "PATIENCE", 1)
    stopped = walk(store, fetcher)
    monkey.undo()
    assert stopped.outcome is Ending.FAILED
    assert HOST in stopped.reason
    assert sum(paper.abstract is not None for paper in store.all_papers()) == 3
    site.behave()
    before = len(site.asked)
    assert walk(store, fetcher).outcome is Ending.DONE
    assert len(site.asked) - before == 1 + 4
    assert all(paper.abstract for paper in store.all_papers())


def test_a_listed_paper_without_a_page_is_in_as_the_list_says(
    store: Store, site: Server, fetcher: HttpFetcher
) -> None:
    site.remove(HOST, papers.cvf_path(2))
    assert walk(store, fetcher).failures == ()
    assert library(store)["Odd Wheel 2"].abstract is None


def test_a_site_that_fails_everywhere_is_not_asked_on(site: Server, fetcher: HttpFetcher) -> None:
    site.misbehave(HOST, "/content/.*", FAULTS["403"])
    with pytest.raises(FetchError):
        list(SITES["cvf"].pages(CVPR, fetcher))
    assert len(site.asked) == 1 + 3  # no page of the first group came
