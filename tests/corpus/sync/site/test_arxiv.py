from __future__ import annotations

from dataclasses import replace
from datetime import date
from io import BytesIO
from urllib.parse import parse_qs, quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.paper import Record
from lunwen.corpus.source import SourceFile
from lunwen.corpus.sources.arxiv import SOURCE
from lunwen.corpus.store import Store
from lunwen.corpus.sync.arxiv import arxiv_edition
from lunwen.corpus.sync.edition import EDITIONS, find_edition
from lunwen.corpus.sync.report import Ending
from lunwen.corpus.sync.run import sync
from lunwen.corpus.sync.site.arxiv import Arxiv, read_days
from lunwen.errors import Expired, FetchError, UnknownName, UnreadableFile, UsageError

HOST = "oaipmh.arxiv.org"
OAI = """<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">
<responseDate>2031-03-01T00:00:07Z</responseDate><request verb="ListRecords">http://oaipmh.arxiv.org/oai</request>
{}</OAI-PMH>"""


def record(name: str, day: str) -> str:
    return f"""<record><header><identifier>oai:arXiv.org:{name}</identifier><datestamp>{day}</datestamp>
<setSpec>cs:cs:LG</setSpec></header><metadata><arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>{name}</id>
<created>{day}</created><authors><author><keyname>Odd</keyname><forenames>Ada</forenames></author></authors>
<title>Odd wheels, number {name}</title><categories>cs.LG</categories><abstract>They turn.</abstract>
</arXiv></metadata></record>"""


def deleted(name: str, day: str) -> str:
    return f"""<record><header status="deleted"><identifier>oai:arXiv.org:{name}</identifier>
<datestamp>{day}</datestamp></header></record>"""


class Harvest:
    """arXiv's OAI as it is: tokens that hold a day and how many of its records to skip."""

    def __init__(self, server, records: list[tuple[str, str]], size: int = 2) -> None:
        self.records = records  # day, XML
        self.size = size
        self.expired: set[int] = set()  # which questions with a token are refused, counted from 1
        self.tokens = 0
        server.route(HOST, "/oai", self.answer)

    def answer(self, asked) -> str:
        query = asked.query
        if token := query.get("resumptionToken"):
            self.tokens += 1
            if self.tokens in self.expired:
                return OAI.format('<error code="badResumptionToken">gone stale</error>')
            query = {name: one for name, (one,) in parse_qs(unquote(token)).items()}
        else:
            assert query["verb"] == "ListRecords"
            assert query["metadataPrefix"] == "arXiv"
            assert query["set"] == "cs:cs:LG"
        first, last = query.get("from", ""), query.get("until", "9999")
        skip = int(query.get("skip", 0))
        found = [one for one in self.records if first <= one[0] <= last][skip:]
        page, more = found[: self.size], found[self.size :]
        if not page:
            return OAI.format('<error code="noRecordsMatch"/>')
        end = page[-1][0]
        skipped = sum(day == end for day, _ in page) + (skip if end == first else 0)
        token = quote(f"from={end}&until={last}&skip={skipped}") if more else ""
        return OAI.format(
            f"<ListRecords>{''.join(xml for _, xml in page)}"
            f'<resumptionToken expirationDate="2031-03-02T00:00:00Z">{token}</resumptionToken></ListRecords>'
        )


def days(*given: str) -> list[tuple[str, str]]:
    return [(day, record(f"2101.{number:05}", day)) for number, day in enumerate(given)]


def walk(fetcher, address: str = "cs.LG", after: str | None = None):
    return [copied(page) for page in Arxiv().pages(arxiv_edition(address), fetcher, after=after)]


def copied(page):
    """The page with its bytes at hand: the fetcher keeps none, since their URLs never come again."""
    with page.file.open() as stream:
        data = stream.read()
    return replace(page, file=SourceFile(page.file.name, page.file.head, lambda: BytesIO(data)))


def keys(pages) -> list[str]:
    return [one.key for page in pages for one in SOURCE.read(page.file) if isinstance(one, Record)]


def test_a_category_is_walked_page_by_page(server, fetcher) -> None:
    Harvest(
        server,
        [*days("2030-01-01", "2030-01-01", "2030-01-02"), ("2030-01-03", deleted("0704.0101", "2030-01-03"))],
    )
    first, second = walk(fetcher)
    assert keys([first, second]) == ["2101.00000", "2101.00001", "2101.00002"]
    assert (first.source, first.gone, second.gone) == ("arxiv", (), ("0704.0101",))
    assert first.later is None
    assert second.next is None
    assert [asked.partition("?")[2].split("&")[-1] for asked in server.asked] == [
        "set=cs:cs:LG",
        "resumptionToken=from%253D2030-01-01%2526until%253D9999%2526skip%253D2",
    ]


def test_the_next_sync_asks_for_what_changed_since(server, fetcher) -> None:
    harvest = Harvest(server, days("2030-01-01", "2030-01-02"))
    (page,) = walk(fetcher)
    harvest.records += [("2031-03-01", record("2103.00001", "2031-03-01"))]
    (news,) = walk(fetcher, after=page.later)
    assert keys([news]) == ["2103.00001"]
    # the day before the answer, whatever the time zone of its days
    assert server.requests[-1].query["from"] == "2031-02-28"
    assert news.later == page.later


def test_nothing_new_is_an_empty_page(server, fetcher) -> None:
    Harvest(server, [])
    (page,) = walk(fetcher, after="start=2031-02-28")
    assert keys([page]) == []
    assert page.later == "start=2031-02-28&number=1"


def test_a_walk_goes_on_after_any_page(server, fetcher) -> None:
    Harvest(server, days(*(f"2030-01-{day:02}" for day in range(1, 10))))
    pages = walk(fetcher)
    for place, page in enumerate(pages[:-1]):
        rest = walk(fetcher, after=page.next)
        assert keys(rest) == keys(pages[place + 1 :])
        assert [one.name for one in rest] == [one.name for one in pages[place + 1 :]]


def test_where_a_token_expired_the_walk_goes_on_from_its_day(server, fetcher) -> None:
    harvest = Harvest(server, days("2030-01-01", "2030-01-02", "2030-01-03", "2030-01-04", "2030-01-05"))
    harvest.expired = {2}
    assert keys(walk(fetcher)) == [f"2101.{number:05}" for number in (0, 1, 2, 3, 3, 4)]
    assert [one.query.get("from") for one in server.requests if "from" in one.query] == ["2030-01-04"]


def test_a_token_that_expires_where_nothing_was_gained_ends_the_walk(server, fetcher) -> None:
    harvest = Harvest(server, days(*["2030-01-01"] * 5))
    harvest.expired = {1, 2}  # after the first page, and again after the page from that day on
    with pytest.raises(Expired, match=r"^arXiv no longer knows how this walk goes on; it begins again$"):
        walk(fetcher)
    assert [one.query.get("from") for one in server.requests] == [None, None, "2030-01-01", None]


def test_records_out_of_order_do_not_say_how_far_the_walk_has_come(server, fetcher) -> None:
    harvest = Harvest(server, days("2030-01-05", "2030-01-01", "2030-01-06", "2030-01-07"))
    first = next(Arxiv().pages(arxiv_edition("cs.LG"), fetcher))
    harvest.expired = {1}
    with pytest.raises(Expired):
        walk(fetcher, after=first.next)


def test_what_arxiv_deletes_is_gone_at_once(server, fetcher, tmp_path) -> None:
    harvest = Harvest(server, days("2030-01-01", "2030-01-01", "2030-01-02"))
    edition = arxiv_edition("cs.LG")
    with Store.open(tmp_path / "library", write=True) as store:
        (report,) = sync(store, [edition], fetcher).editions
        assert (report.outcome, report.new) == (Ending.DONE, 3)
        harvest.records = [("2031-03-01", deleted("2101.00001", "2031-03-01"))]
        (report,) = sync(store, [edition], fetcher).editions
        assert (report.outcome, report.gone, report.unchanged) == (Ending.DONE, 1, 0)
        assert [paper.identifiers["arxiv"] for paper in store.all_papers() if paper.gone] == ["2101.00001"]
        harvest.records = []
        (report,) = sync(store, [edition], fetcher).editions
        assert (report.outcome, report.gone, report.back) == (Ending.DONE, 0, 0)
        harvest.records = days("2031-03-01", "2031-03-01")
        (report,) = sync(store, [edition], fetcher).editions
        assert (report.outcome, report.back, store.count()) == (Ending.DONE, 1, 3)


def test_a_token_that_expired_for_good_begins_the_walk_again_once(server, fetcher, tmp_path) -> None:
    harvest = Harvest(server, days(*["2030-01-01"] * 5))
    harvest.expired = {1, 2}
    with Store.open(tmp_path / "library", write=True) as store:
        (report,) = sync(store, [arxiv_edition("cs.LG")], fetcher).editions
        assert (report.outcome, report.new + report.unchanged, store.count()) == (Ending.DONE, 5, 5)


def test_days_are_asked_for_as_they_are_named(server, fetcher) -> None:
    Harvest(server, days("2030-01-01", "2030-02-01", "2030-02-28", "2030-03-01"), size=9)
    (page,) = walk(fetcher, "cs.lg 2030-02")
    assert keys([page]) == ["2101.00001", "2101.00002"]
    assert page.later is None  # the same days again next time
    (since,) = walk(fetcher, "cs.LG 2030-02..")
    assert keys([since]) == ["2101.00001", "2101.00002", "2101.00003"]


def test_other_refusals_are_told(server, fetcher) -> None:
    server.put(HOST, "/oai", OAI.format('<error code="badArgument">set does not exist</error>'))
    with pytest.raises(FetchError, match=r"^arxiv cs\.LG: arXiv refuses: badArgument set does not exist$"):
        walk(fetcher)


def test_the_same_token_again_is_no_walk(server, fetcher) -> None:
    body = (
        f"<ListRecords>{record('2101.00001', '2030-01-01')}<resumptionToken>x</resumptionToken></ListRecords>"
    )
    server.put(HOST, "/oai", OAI.format(body))
    with pytest.raises(FetchError, match="gives the same page again"):
        walk(fetcher)


@pytest.mark.parametrize("body", ["", "<!doctype html><p>Back soon", OAI[:90], '{"count": 0}'])
def test_nonsense_is_refused(server, fetcher, body: str) -> None:
    server.put(HOST, "/oai", body)
    with pytest.raises(UnreadableFile):
        walk(fetcher)


@pytest.mark.parametrize(
    ("words", "site", "name"),
    [
        ("cs.lg", "arxiv", "arxiv cs.LG"),
        ("math.IT 2030-02..", "arxiv", "arxiv cs.IT 2030-02.."),
        ("hep-th", "arxiv", "arxiv hep-th"),
        ("cat:cs.LG AND ti:odd", "arxiv-query", "arxiv cat:cs.LG AND ti:odd"),
        (
            "2101.00001v2, https://arxiv.org/abs/hep-th/9901001",
            "arxiv-query",
            "arxiv 2101.00001 hep-th/9901001",
        ),
    ],
)
def test_words_name_an_edition(words: str, site: str, name: str) -> None:
    edition = arxiv_edition(words)
    assert (edition.site, edition.name) == (site, name)
    assert arxiv_edition(edition.address) == edition


def test_a_category_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownName) as error:
        arxiv_edition("cs.LGG")
    assert str(error.value) == (
        'no arXiv category "cs.LGG". Closest: cs.LG, cs.PL, cs.LO. Categories are as in cs.LG, stat.ML or '
        "math.OC, archives as in cs. They are listed at https://arxiv.org/category_taxonomy"
    )


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2028-02", "2028-02-01", "2028-02-29"),
        ("2028", "2028-01-01", "2028-12-31"),
        ("2028-02-03", "2028-02-03", "2028-02-03"),
        ("2028-02..", "2028-02-01", ""),
        ("2028..2029-02", "2028-01-01", "2029-02-28"),
    ],
)
def test_days(text: str, first: str, last: str) -> None:
    assert read_days(text) == (first, last)


@given(st.dates(date(1991, 1, 1)), st.dates(date(1991, 1, 1)))
def test_any_range_of_days_is_read(one: date, other: date) -> None:
    first, last = sorted((one.isoformat(), other.isoformat()))
    assert read_days(f"{first}..{last}") == (first, last)


@pytest.mark.parametrize("text", ["2028-13", "yesterday", "2028-02-30", "2029..2028", "..2028", "2028-2"])
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as error:
        read_days(text)
    assert str(error.value) == (
        f'no days: "{text}". Give a day, a month, a year or a range of them: 2026-11-30, 2026-11, '
        "2026-11-01.. (from then on), 2025..2026-03"
    )


def test_the_table_of_editions_leads_here() -> None:
    assert find_edition("arXiv cs.lg") == arxiv_edition("cs.LG")
    assert find_edition("arxiv cs.LG", 2030).name == "arxiv cs.LG 2030"
    assert find_edition("arxiv https://arxiv.org/abs/2101.00001") == arxiv_edition("2101.00001")
    rows = [edition for edition in EDITIONS if edition.venue == "arXiv"]
    assert rows == [arxiv_edition(edition.address) for edition in rows]
    with pytest.raises(UsageError, match=r"^of arXiv a category is followed, a query or ids"):
        find_edition("arxiv")
