"""Every fault × every site, at its first page and at its second: what is told, and that nothing is lost."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from tests.corpus.sync.site import (
    papers,
    test_acl,
    test_arxiv,
    test_arxiv_query,
    test_dblp,
    test_openreview,
    test_paperlists,
    test_virtual,
)
from tests.server import FAULTS, serving
from tests.server.client import Client

from lunwen import settings
from lunwen.corpus.fetch.limit import Limits
from lunwen.corpus.store import Store
from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.report import EditionReport, Ending
from lunwen.corpus.sync.run import sync
from lunwen.corpus.sync.site import SITES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.server import Server


@dataclass(frozen=True, kw_only=True)
class Case:
    """A site with a few papers."""

    words: str  # the edition
    put: Callable[[Server], None]
    host: str
    pages: int = 2  # how many requests a walk takes; the fault is at the first, then at the second
    once: int = 0  # how many more the first walk takes, for what is never asked for again
    path: str = ".*"  # where the fault is
    small: Mapping[str, Any] = field(default_factory=dict)  # attributes of the site's module
    but: Mapping[tuple[str, int], Ending] = field(default_factory=dict)  # (fault, page) that ends otherwise


def _put_virtual(server: Server) -> None:
    events = [test_virtual.event(number) for number in range(5)]
    server.put("icml.cc", test_virtual.PROGRAM, test_virtual.program(*events))
    abstracts = {str(number): f"Wheel {number} turns." for number in range(5)}
    server.put("icml.cc", test_virtual.ABSTRACTS, json.dumps(abstracts))


def _put_acl(server: Server) -> None:
    volumes = {
        "2025.acl": test_acl.volume("long", "Wheels", "Cogs", "Rims"),
        "2025.findings": test_acl.volume("acl", "Spokes", "Hubs"),
    }
    for name, volume in volumes.items():
        server.put(test_acl.HOST, f"{test_acl.FOLDER}{name}.xml", test_acl.collection(name, volume))


def _put_openreview(server: Server) -> None:
    notes = [test_openreview.note(number) for number in range(5)]
    test_openreview.serve(server, test_openreview.V2, {test_openreview.GROUP: notes})


def _put_arxiv(server: Server) -> None:
    test_arxiv.Harvest(server, test_arxiv.days(*["2031-03-01"] * 5), size=3)


def _put_arxiv_query(server: Server) -> None:
    test_arxiv_query.Api(server, 5)


def _put_dblp(server: Server) -> None:
    test_dblp.serve(server, [test_dblp.hit(number) for number in range(5)])


def _put_paperlists(server: Server) -> None:
    rows = [test_paperlists.row(number, "Poster") for number in range(5)]
    server.put(test_paperlists.HOST, test_paperlists.PATH, json.dumps(rows))


def _put_file(server: Server) -> None:
    rows = [test_paperlists.row(number, "Poster") for number in range(5)]
    server.put("papers.example.org", "/iclr2018.json", json.dumps(rows))


def _put_pmlr(server: Server) -> None:
    server.put(papers.PMLR, "/v235/", papers.pmlr_list(range(5)))
    server.put(papers.PMLR, "/v235/assets/bib/citeproc.yaml", papers.pmlr_yaml(range(5)))


def _put_cvf(server: Server) -> None:
    server.put(papers.CVF, "/CVPR2024", papers.cvf_list(range(5)))
    for number in range(5):
        server.put(papers.CVF, papers.cvf_path(number), papers.cvf_paper(number))


def _put_ecva(server: Server) -> None:
    server.put(papers.ECVA, "/papers.php", papers.ecva_list([(number, 2024) for number in range(5)]))
    for number in range(5):
        server.put(papers.ECVA, f"/{papers.ecva_path(number)}", papers.ecva_paper(number))


def _put_proceedings(server: Server) -> None:
    server.put(papers.NEURIPS, "/paper_files/paper/2024", papers.neurips_list(range(5)))
    for number in range(5):
        server.put(papers.NEURIPS, papers.neurips_path(number), papers.neurips_paper(number))


_PARTLY = {("404", 1): Ending.NOT_PUBLISHED, ("410", 1): Ending.NOT_PUBLISHED}
CASES = {
    "virtual": Case(words="icml 2026 virtual", put=_put_virtual, host="icml.cc", but=_PARTLY),
    "acl": Case(words="acl 2025 acl", put=_put_acl, host=test_acl.HOST, but=_PARTLY),
    "openreview": Case(
        words="iclr 2024 openreview",
        put=_put_openreview,
        host=test_openreview.V2,
        small={"_SIZES": {"v2": 3}},
    ),
    "arxiv": Case(words="arxiv cs.LG", put=_put_arxiv, host=test_arxiv.HOST),
    "arxiv-query": Case(
        words="arxiv cat:cs.LG", put=_put_arxiv_query, host=test_arxiv_query.HOST, small={"SIZE": 3}
    ),
    "dblp": Case(words="icml 2024 dblp", put=_put_dblp, host="dblp.org", small={"_SIZE": 3}),
    "paperlists": Case(words="iclr 2018 paperlists", put=_put_paperlists, host=test_paperlists.HOST, pages=1),
    "pmlr": Case(words="icml 2024 pmlr", put=_put_pmlr, host=papers.PMLR),
    "cvf": Case(words="cvpr 2024 cvf", put=_put_cvf, host=papers.CVF, pages=1, once=5),
    "ecva": Case(words="eccv 2024 ecva", put=_put_ecva, host=papers.ECVA, pages=1, once=5),
    "proceedings": Case(
        words="neurips 2024 proceedings", put=_put_proceedings, host=papers.NEURIPS, pages=1, once=5
    ),
    "file": Case(
        words="https://papers.example.org/iclr2018.json",
        put=_put_file,
        host="papers.example.org",
        pages=1,
    ),
}

_CUT = "cut short|is not well-formed XML|broken JSON"
REASONS = {  # what the report says, whatever the site
    "429 with Retry-After": "the site is busy (HTTP 429)",
    "429 with a date": "the site is busy (HTTP 429)",
    "429 for a day": "the site asks to wait 24 hours (HTTP 429)",
    "500": "the site fails (HTTP 500)",
    "503": "the site is busy (HTTP 503)",
    "reset in the middle": "the connection broke",
    "truncated": "breaks off",
    "chunk cut": "breaks off",
    "hangs up": "breaks off",
    "not HTTP": "breaks off or is not HTTP",
    "304 unasked": "what nobody has is unchanged",
    "says nothing": "no answer within",
    "slow drip": "slow",
    "broken gzip": "its packing is damaged",
    "strange encoding": 'it is packed as "compress"',
    "401": "refuses (HTTP 401)|after a login",
    "403": "refuses (HTTP 403)|after a login",
    "404": "nothing there (HTTP 404)|not published yet|has no papers at|are not at|There is no list",
    "410": "nothing there (HTTP 410)|not published yet|has no papers at|are not at|There is no list",
    "redirect loop": "redirects more than",
    "redirect to another host": "redirects to another, login.example",
    "redirect to http": "redirects to http, not https",
    "redirect to nowhere": "redirects to nowhere",
    "gzip bomb": "it is longer than|it grows",
    "endless": "it is longer than",
    "HTML with 200": "an HTML page in place of|is in no format",
    "HTML called JSON": "an HTML page in place of|is in no format",
    "nothing with 200": "nothing in place of|is empty",
    "cut but whole": _CUT,
    "wrong charset": "UTF-16",
}


class Followed:
    """A site that was synced once."""

    def __init__(self, case: Case, server: Server, store: Store, fetcher: Client) -> None:
        self.case, self.server, self.store, self.fetcher = case, server, store, fetcher

    def sync(self) -> EditionReport:
        (report,) = sync(self.store, [find_edition(self.case.words)], self.fetcher).editions
        return report

    @contextmanager
    def fault(self, name: str, *, page: int, times: int) -> Iterator[None]:
        self.server.misbehave(self.case.host, self.case.path, FAULTS[name], times=times, skip=page)
        yield
        self.server.behave()

    def stored(self) -> list[tuple[object, ...]]:
        papers = self.store.all_papers()
        return sorted((one.paper_id, one.title, one.abstract, one.gone) for one in papers)  # type: ignore[type-var]


@pytest.fixture(scope="module", params=list(CASES))
def followed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    case, folder = CASES[request.param], tmp_path_factory.mktemp("faults")
    limits = Limits(paces={}, tries=2, size=4_000_000)
    with (
        pytest.MonkeyPatch.context() as patch,
        serving() as server,
        Store.open(folder / "library", write=True) as store,
        Client(folder / "cache", server, limits) as fetcher,
    ):
        patch.setattr(settings, "openreview_login", lambda: None)
        module = sys.modules[type(SITES[find_edition(case.words).site]).__module__]
        for name, value in {"_LARGEST": limits.size, **case.small}.items():
            patch.setattr(module, name, value, raising=False)
        case.put(server)
        followed = Followed(case, server, store, fetcher)
        report = followed.sync()
        assert (report.outcome, report.new, len(server.asked)) == (Ending.DONE, 5, case.pages + case.once)
        yield followed
        assert store.check() == []


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.kind == "passing"])
def test_what_passes_is_not_noticed(followed: Followed, name: str) -> None:
    before = followed.stored()
    with followed.fault(name, page=followed.case.pages - 1, times=1):
        report = followed.sync()
    assert (report.outcome, report.reason, report.unchanged) == (Ending.DONE, "", 5)
    assert followed.stored() == before


@pytest.mark.parametrize("name", list(FAULTS))
def test_what_lasts_is_told_and_takes_nothing(followed: Followed, name: str) -> None:
    before = followed.stored()
    for page in range(followed.case.pages):
        with followed.fault(name, page=page, times=1_000_000):
            report = followed.sync()
        assert report.outcome is followed.case.but.get((name, page), Ending.FAILED)
        assert (report.new, report.changed, report.gone) == (0, 0, 0)
        assert followed.stored() == before
        said = " ".join([report.reason, *(failure.reason for failure in report.failures)])
        assert any(words in said for words in REASONS[name].split("|")), said
        assert "\n" not in said
        report = followed.sync()
        assert (report.outcome, report.unchanged, report.back) == (Ending.DONE, 5, 0)
        assert followed.stored() == before
