from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.corpus.sync.site import papers

from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.page import Edition
from lunwen.corpus.sync.site.cvf import Cvf
from lunwen.errors import NotPublished, UnreadableFile

if TYPE_CHECKING:
    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher

HOST = "openaccess.thecvf.com"
CVPR = Edition(venue="CVPR", year=2024, site="cvf", address="CVPR2024")
EMPTY = "<title>CVPR 2024 Open Access Repository</title><dl></dl>"


def lists(fetcher: HttpFetcher) -> list[tuple[str, str]]:
    pages = Cvf().pages(CVPR, fetcher)
    return [(page.name, page.url) for page in pages if page.name.startswith("list")]


def test_where_it_is() -> None:
    assert find_edition("cvpr", 2019).address == "CVPR2019"
    assert find_edition("iccv", 2013, site="cvf").address == "ICCV2013"


def test_all_papers_are_on_one_page(server: Server, fetcher: HttpFetcher) -> None:
    server.put(HOST, "/CVPR2024?day=all", papers.cvf_list([1]))
    server.put(HOST, papers.cvf_path(1), papers.cvf_paper(1))
    assert lists(fetcher) == [("list", f"https://{HOST}/CVPR2024?day=all")]
    assert server.asked == [f"{HOST}/CVPR2024?day=all", HOST + papers.cvf_path(1)]


@pytest.mark.parametrize("days_at", ["/CVPR2024?day=all", "/CVPR2024"])
def test_before_2021_each_day_has_a_page(server: Server, fetcher: HttpFetcher, days_at: str) -> None:
    days = "".join(
        f'<dd><a href="CVPR2024?day=2024-06-{day}">Day: 2024-06-{day}</a><br></dd>' for day in (18, 19)
    )
    server.put(HOST, "/CVPR2024?day=all", EMPTY)
    server.put(HOST, days_at, EMPTY.replace("</dl>", f"{days}</dl>"))
    server.put(HOST, "/CVPR2024?day=2024-06-18", papers.cvf_list([1, 2]))
    server.put(HOST, "/CVPR2024?day=2024-06-19", papers.cvf_list([2, 3]))
    for number in (1, 2, 3):
        server.put(HOST, papers.cvf_path(number), papers.cvf_paper(number))
    assert lists(fetcher) == [
        ("list of 2024-06-18", f"https://{HOST}/CVPR2024?day=2024-06-18"),
        ("list of 2024-06-19", f"https://{HOST}/CVPR2024?day=2024-06-19"),
    ]
    assert sum(target.endswith("_paper.html") for target in server.asked) == 3


def test_before_there_are_papers(server: Server, fetcher: HttpFetcher) -> None:
    says = f"The papers of CVPR 2024 are not at https://{HOST}/CVPR2024 yet. Sync again later."
    with pytest.raises(NotPublished) as error:
        lists(fetcher)
    assert str(error.value) == says
    server.put(HOST, "/CVPR2024", EMPTY)
    with pytest.raises(NotPublished) as error:
        lists(fetcher)
    assert str(error.value) == says


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            "<html><title>Log in</title></html>",
            (
                "gave an HTML page in place of CVF's list of papers. Nothing of it was taken. "
                "Look at it in a browser, or try again later."
            ),
        ),
        (
            papers.cvf_list([1, 2]).partition("</dl>")[0],
            "came cut short. Nothing of it was taken. Try again later.",
        ),
    ],
)
def test_what_is_no_list_is_refused(server: Server, fetcher: HttpFetcher, body: str, says: str) -> None:
    server.put(HOST, "/CVPR2024", body)
    with pytest.raises(UnreadableFile) as error:
        lists(fetcher)
    assert str(error.value) == f"https://{HOST}/CVPR2024?day=all {says}"
