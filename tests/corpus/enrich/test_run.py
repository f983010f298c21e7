from __future__ import annotations

from dataclasses import replace

import pytest
from tests.server import FAULTS

from lunwen.corpus.enrich import run, service
from lunwen.corpus.enrich.run import EnrichOptions, StepReport, enrich
from lunwen.corpus.ingest import ingest_records
from lunwen.corpus.paper import Author, Paper, Record

from .conftest import ANA, CROSSREF, LEI, OPENALEX, work

ORCID = "0000-0001-2345-6789"
LINKS = EnrichOptions(citations=False, orcids=False)
ASKED = EnrichOptions(links=False)


@pytest.fixture(autouse=True)
def no_key(monkeypatch) -> None:
    monkeypatch.setattr("lunwen.settings.openalex_key", lambda: None)


def paper(store, title: str):
    return next(one for one in store.all_papers() if one.title == title)


def seen(store) -> list[Paper]:
    return list(store.all_papers())


def test_links_come_from_abstracts_and_ids(store, fetcher) -> None:
    report = enrich(store, store.all_papers, fetcher, options=LINKS)
    assert report.steps == (StepReport(source="links", papers=4, found=3, changed=3),)
    odd, even, bare = (
        paper(store, one) for one in ("Odd wheels turn", "Even wheels stop", "Wheels without any id")
    )
    assert odd.urls == {
        "code": "https://github.com/odd/wheels",
        "pdf": "https://openreview.net/pdf?id=aBc_1",
    }
    assert even.urls == {"pdf": "https://arxiv.org/pdf/3101.00002"}
    assert bare.urls == {"project": "https://odd.github.io"}
    assert odd.sources == ("program", "links")
    said = [one for one in store.provenance(odd.paper_id) if one.field == "urls.code"]
    assert [(one.source, one.chosen) for one in said] == [("links", True)]
    assert store.count() == 4  # nothing that is added makes a paper
    assert enrich(store, store.all_papers, fetcher, options=LINKS).steps[0].found == 0


def test_a_link_that_the_publisher_gives_stays(store, fetcher) -> None:
    enrich(store, store.all_papers, fetcher, options=LINKS)
    theirs = Record(
        key="9", title="Even wheels stop", authors=(LEI,), year=2031, urls={"pdf": "https://odd.org/p"}
    )
    ingest_records(store, "program", [theirs])
    assert paper(store, "Even wheels stop").urls == {"pdf": "https://odd.org/p"}


def test_citations_orcids_and_ids(store, fetcher, services, server) -> None:
    known = (replace(ANA, orcid=f"https://orcid.org/{ORCID}"), LEI)
    services.openalex = {
        "10.1234/odd.1": work(
            1,
            "Odd wheels turn",
            2030,
            known,
            doi="https://doi.org/10.1234/odd.1",
            cited_by_count=12,
            locations=[{"landing_page_url": "http://arxiv.org/abs/3001.00001"}],
        ),
        "10.48550/arxiv.3101.00002": work(
            2,
            "Even wheels stop",
            2031,
            (LEI,),
            doi="https://doi.org/10.48550/arxiv.3101.00002",
            cited_by_count=0,
        ),
    }
    services.crossref = {"10.1234/odd.1": {"title": ["Odd wheels turn"], "is-referenced-by-count": 9}}
    report = enrich(store, store.all_papers, fetcher, options=ASKED)
    assert [(one.source, one.papers, one.found, one.changed) for one in report.steps] == [
        ("openalex", 4, 2, 2),
        ("crossref", 4, 1, 1),
    ]
    odd, even = paper(store, "Odd wheels turn"), paper(store, "Even wheels stop")
    assert (odd.citations, odd.citations_source, even.citations) == (12, "openalex", 0)
    assert odd.citations_date == store.imports()[-1]["imported"][:10]
    assert odd.authors == (replace(ANA, orcid=ORCID), LEI)
    assert odd.identifiers == {"openreview": "aBc_1", "doi": "10.1234/odd.1", "arxiv": "3001.00001"}
    assert even.identifiers == {"arxiv": "3101.00002"}  # its DOI at arXiv says no more
    assert [one.split("&")[0] for one in server.asked] == [
        "api.openalex.org/works?filter=doi:10.48550/arxiv.3101.00002%7C10.1234/odd.1",
        "api.crossref.org/works?filter=doi:10.1234/odd.1",
    ]


def test_an_id_joins_the_preprint_that_has_it(store, fetcher, services) -> None:
    ingest_records(store, "arxiv", [Record(key="3001.00001", title="On wheels", authors=(ANA,), year=2029,
                                           venue="arXiv", identifiers={"arxiv": "3001.00001"})])  # fmt: skip
    services.openalex["10.1234/odd.1"] = work(
        1, "Odd wheels turn", 2030, (ANA, LEI), doi="https://doi.org/10.1234/odd.1",
        locations=[{"landing_page_url": "http://arxiv.org/abs/3001.00001"}],
    )  # fmt: skip
    enrich(store, store.all_papers, fetcher, options=ASKED)
    odd = paper(store, "Odd wheels turn")
    assert (store.count(), odd.sources) == (4, ("program", "arxiv", "openalex"))


def test_ids_of_a_work_under_another_title_join_nothing(store, fetcher, services) -> None:
    services.openalex["10.1234/odd.1"] = work(
        1, "Quite another title", 2030, (ANA, LEI), doi="https://doi.org/10.1234/odd.1", cited_by_count=1,
        locations=[{"landing_page_url": "http://arxiv.org/abs/3001.00001"}],
    )  # fmt: skip
    enrich(store, store.all_papers, fetcher, options=ASKED)
    odd = paper(store, "Odd wheels turn")
    assert "arxiv" not in odd.identifiers
    assert odd.citations == 3  # what the program says is more


def test_what_was_counted_is_not_asked_again_for_a_month(store, fetcher, services, monkeypatch) -> None:
    services.openalex["10.1234/odd.1"] = work(
        1, "Odd wheels turn", 2030, (ANA, LEI), doi="https://doi.org/10.1234/odd.1", cited_by_count=12
    )

    def count(options: EnrichOptions) -> int:
        before = services.asked["doi"]
        enrich(store, lambda: [paper(store, "Odd wheels turn")], fetcher, options=options)
        return services.asked["doi"] - before

    assert [count(ASKED), count(ASKED), count(replace(ASKED, fresh=True))] == [1, 0, 1]
    monkeypatch.setattr(run, "RENEW", -run.RENEW)
    assert count(ASKED) == 1
    assert paper(store, "Odd wheels turn").citations == 12


def test_papers_without_a_doi_are_asked_for_by_title_where_wished(store, fetcher, services, server) -> None:
    services.titled = [
        work(7, "Wheels without any id", 2029, (Author(name="Bo Wu"),), cited_by_count=900),
        work(8, "Wheels Without Any ID.", 2030, (ANA, LEI), cited_by_count=5, doi="https://doi.org/10.9/w"),
    ]
    enrich(store, store.all_papers, fetcher, options=ASKED)
    assert services.asked["title.search"] == 0
    enrich(store, store.all_papers, fetcher, options=replace(ASKED, by_title=True))
    bare = paper(store, "Wheels without any id")
    assert (bare.citations, bare.identifiers) == (5, {"doi": "10.9/w"})
    (asked,) = (one for one in server.asked if "title.search" in one)
    assert "?filter=title.search:Wheels%20without%20any%20id,publication_year:2028-2030&" in asked
    assert services.asked["title.search"] == 1  # the one that is withdrawn has no year


def test_each_kind_can_be_left_out(store, fetcher, services) -> None:
    known = (replace(ANA, orcid=ORCID), LEI)
    services.openalex["10.1234/odd.1"] = work(
        1, "Odd wheels turn", 2030, known, doi="https://doi.org/10.1234/odd.1", cited_by_count=12
    )
    enrich(store, store.all_papers, fetcher, options=replace(ASKED, citations=False))
    odd = paper(store, "Odd wheels turn")
    assert (odd.citations, odd.authors[0].orcid) == (3, ORCID)
    nothing = EnrichOptions(links=False, citations=False, orcids=False)
    assert enrich(store, store.all_papers, fetcher, options=nothing).steps == ()


def test_batches_are_bounded(store, fetcher, services, monkeypatch) -> None:
    monkeypatch.setattr(service, "BATCH", 1)
    enrich(store, store.all_papers, fetcher, options=ASKED)
    assert (services.asked["doi"], services.asked["crossref"]) == (2, 1)


def test_a_key_is_sent_and_never_kept(store, fetcher, server, monkeypatch) -> None:
    monkeypatch.setattr("lunwen.settings.openalex_key", lambda: "s3cret")
    server.misbehave(OPENALEX, "/works", FAULTS["403"])
    report = enrich(store, store.all_papers, fetcher, options=ASKED)
    (asked,) = (one for one in server.requests if one.host == OPENALEX and one.path == "/works")
    assert asked.query["api_key"] == "s3cret"
    assert "s3cret" not in str(report) + str(store.imports())


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_one_service_changes_nothing_and_stops_no_other(
    store, fetcher, services, server, name
) -> None:
    services.openalex["10.1234/odd.1"] = work(1, "Odd wheels turn", 2030, (ANA, LEI), cited_by_count=12)
    services.crossref = {"10.1234/odd.1": {"title": ["Odd wheels turn"], "is-referenced-by-count": 9}}
    server.misbehave(OPENALEX, "/works", FAULTS[name])
    before = seen(store)
    report = enrich(store, store.all_papers, fetcher, options=ASKED)
    first, second = report.steps
    assert report.went_wrong
    assert (first.found, first.changed) == (0, 0)
    assert "api.openalex.org/works" in first.reason
    assert first.reason.endswith("get one there for nothing, set OPENALEX_KEY")
    assert (second.found, second.reason) == (1, "")
    after = {one.paper_id: one for one in store.all_papers()}
    assert [one.title for one in before] == [one.title for one in after.values()]
    assert paper(store, "Odd wheels turn").citations == 9


def test_an_answer_of_another_shape_is_refused(store, fetcher, server) -> None:
    server.put(OPENALEX, "/works", b'{"error": "odd"}')
    server.put(CROSSREF, "/works", b'{"message": {"items": [7, {"DOI": null}, {"DOI": "10.1234/odd.1"}]}}')
    first, second = enrich(store, store.all_papers, fetcher, options=ASKED).steps
    assert "gave JSON of another kind in place of works of openalex. Nothing of it was taken." in first.reason
    assert (second.found, second.reason) == (0, "")


def test_what_was_found_before_it_was_stopped_is_kept(store, fetcher, services) -> None:
    services.openalex["10.1234/odd.1"] = work(
        1, "Odd wheels turn", 2030, (ANA, LEI), doi="https://doi.org/10.1234/odd.1", cited_by_count=12
    )

    def stopped():
        yield paper(store, "Odd wheels turn")
        raise KeyboardInterrupt

    report = enrich(store, stopped, fetcher, options=EnrichOptions())
    assert (report.interrupted, len(report.steps), report.steps[0].changed) == (True, 1, 1)
    assert paper(store, "Odd wheels turn").urls["code"] == "https://github.com/odd/wheels"


@pytest.mark.parametrize(
    ("identifiers", "dois"),
    [
        ({"doi": "10.1/X", "arxiv": "hep-th/9901001"}, ["10.1/x", "10.48550/arxiv.hep-th/9901001"]),
        ({"doi": "10.1/a,b|c"}, []),
        ({"openreview": "aB"}, []),
    ],
)
def test_dois_by_which_a_paper_is_asked_for(identifiers, dois) -> None:
    paper = Paper(paper_id="p", title="T", identifiers=identifiers)
    assert service.OPENALEX.dois_of(paper) == dois
    assert service.CROSSREF.dois_of(paper) == dois[:1]
