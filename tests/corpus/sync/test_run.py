"""Walks over a small site that does what it is told: what is new, changed, gone, back, failed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from lunwen.corpus import moment
from lunwen.corpus.ingest import ingest
from lunwen.corpus.source import HEAD_BYTES, SourceFile
from lunwen.corpus.store import Store
from lunwen.corpus.sync import reader, run
from lunwen.corpus.sync.page import Edition, Page
from lunwen.corpus.sync.report import EditionReport, Ending
from lunwen.corpus.sync.run import SyncOptions, sync
from lunwen.corpus.sync.site import SITES
from lunwen.corpus.sync.state import Follows
from lunwen.errors import Expired, FetchError, NotPublished

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lunwen.corpus.fetch.reply import Fetcher

GARDEN = Edition(venue="ICML", year=2024, site="garden", address="")
ORCHARD = Edition(venue="ICML", year=2025, site="garden", address="orchard")
TEXT = "We count the teeth of a wheel and compare the count with a list that the gardener keeps."


def paper(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"p{number}",
        "title": f"Wheel Number {number}",
        "abstract": f"The wheel of number {number}. {TEXT}",
        "authors": [f"Ada Lovelace{number}", f"Bo Li{number}"],
        "venue": "icml",
        "year": 2024,
        **more,
    }


@dataclass
class Garden:
    """A site of pages, each a list of papers; ``trouble`` is what its pages of these numbers raise."""

    name: str = "garden"
    is_whole: bool = True
    can_reject: bool = True
    listed: list[list[dict[str, Any]] | bytes] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    trouble: dict[int, BaseException] = field(default_factory=dict)
    totals: int | None = None
    later: str | None = None
    gone: tuple[str, ...] = ()
    asked: list[str | None] = field(default_factory=list)

    def pages(
        self, edition: Edition, _: Fetcher, *, after: str | None = None, with_rejected: bool = False
    ) -> Iterator[Page]:
        self.asked.append(after)
        start = int(after) if after and after.isdigit() else 0
        listed = [*self.listed, self.rejected] if with_rejected else self.listed
        for number in range(start, len(listed)):
            if number in self.trouble:
                raise self.trouble.pop(number)
            content = listed[number]
            body = (
                content
                if isinstance(content, bytes)
                else b"".join(orjson.dumps(one) + b"\n" for one in content)
            )
            last = number + 1 == len(listed)
            yield Page(
                name=f"page {number}",
                url=f"https://garden.example/{edition.address}{number}",
                source="jsonl",
                file=SourceFile(
                    f"garden.example/{number}", body[:HEAD_BYTES], lambda body=body: BytesIO(body)
                ),
                next=None if last else str(number + 1),
                later=self.later if last else None,
                total=self.totals,
                gone=self.gone if last else (),
            )


class Nobody:
    """A fetcher that nobody has to ask."""

    offline = False

    def forget(self) -> None:
        """Nothing is held."""


@pytest.fixture
def garden(monkeypatch: pytest.MonkeyPatch) -> Garden:
    site = Garden(listed=[[paper(1), paper(2)], [paper(3), paper(4)], [paper(5)]])
    monkeypatch.setitem(SITES, "garden", site)
    return site


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "library", write=True) as store:
        yield store
        assert store.check() == []


def walk(store: Store, edition: Edition = GARDEN, **options: bool) -> EditionReport:
    (one,) = sync(store, [edition], Nobody(), options=SyncOptions(**options)).editions  # type: ignore[arg-type]
    return one


def counts(one: EditionReport) -> tuple[int, int, int, int, int]:
    return one.new, one.changed, one.gone, one.back, one.unchanged


def dates_of_gone(store: Store) -> dict[str, str | None]:
    return {one.paper_id: one.gone for one in store.all_papers()}


def today(monkeypatch: pytest.MonkeyPatch, date: str) -> None:
    class Moment(moment.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromisoformat(f"{date}T12:00:00").replace(tzinfo=tz)

    monkeypatch.setattr(moment, "datetime", Moment)
    monkeypatch.setattr(run, "datetime", Moment)


def test_a_site_comes_in_and_is_then_unchanged(garden: Garden, store: Store) -> None:
    first = walk(store)
    assert first.outcome is Ending.DONE
    assert counts(first) == (5, 0, 0, 0, 0)
    seq, imports = store.last_seq(), store.imports()
    assert counts(walk(store)) == (0, 0, 0, 0, 5)
    assert counts(walk(store, fresh=True)) == (0, 0, 0, 0, 5)
    assert store.last_seq() == seq
    assert store.imports() == imports  # what brought nothing leaves no line
    assert store.count() == 5
    assert garden.asked == [None, None, None]


@pytest.mark.usefixtures("garden")
def test_what_was_imported_from_a_file_is_not_new(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(orjson.dumps(paper(number)) + b"\n" for number in (1, 2)))
    ingest(store, [str(file)])
    assert counts(walk(store)) == (3, 0, 0, 0, 2)


def test_changed_gone_and_back(garden: Garden, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    walk(store)
    today(monkeypatch, "2026-11-30")
    garden.listed[1] = [paper(3, abstract=""), paper(4, title="Cog Number 4")]
    garden.listed[0] = [paper(1), paper(6)]
    del garden.listed[2]
    assert counts(walk(store)) == (1, 1, 2, 0, 2)
    assert dates_of_gone(store) == {f"p{n}": "2026-11-30" if n in (2, 5) else None for n in range(1, 7)}
    third = store.paper("p3")
    assert third is not None
    assert third.abstract  # silence blanks nothing
    garden.listed.append([paper(5)])
    assert counts(walk(store)) == (0, 0, 0, 1, 4)
    assert dates_of_gone(store) == {f"p{n}": "2026-11-30" if n == 2 else None for n in range(1, 7)}


def test_a_paper_that_moves_to_another_page_is_there(garden: Garden, store: Store) -> None:
    walk(store)
    garden.listed = [[paper(5), paper(1)], [paper(2), paper(3)], [paper(4)]]
    assert counts(walk(store)) == (0, 0, 0, 0, 5)
    garden.listed = [[paper(5), paper(1)], [paper(2), paper(3)]]
    assert counts(walk(store)) == (0, 0, 1, 0, 4)


def test_a_paper_that_another_source_or_feed_has_is_not_gone(
    garden: Garden, store: Store, tmp_path: Path
) -> None:
    walk(store)
    walk(store, ORCHARD)  # brings the same records
    file = tmp_path / "a.bib"
    file.write_text(
        "@inproceedings{w5, title={Wheel Number 5}, author={Lovelace5, Ada and Li5, Bo}, year=2024}"
    )
    del garden.listed[2]
    assert counts(walk(store)) == (0, 0, 1, 0, 4)
    assert store.paper("p5").gone is None  # type: ignore[union-attr]
    assert walk(store, ORCHARD).gone == 1
    assert store.paper("p5").gone is not None  # type: ignore[union-attr]
    ingest(store, [str(file)])
    assert store.paper("p5").gone is None  # type: ignore[union-attr]


def test_what_is_no_longer_followed_is_no_longer_gone(garden: Garden, store: Store) -> None:
    walk(store)
    del garden.listed[2]
    walk(store)
    assert any(dates_of_gone(store).values())
    assert Follows(store).forget(GARDEN.name)
    assert not Follows(store).forget(GARDEN.name)
    assert set(dates_of_gone(store).values()) == {None}
    assert Follows(store).all() == []


def test_a_walk_goes_on_where_it_failed_and_its_counts_with_it(garden: Garden, store: Store) -> None:
    garden.trouble[1] = FetchError("garden.example did not answer. Try again later")
    first = walk(store)
    assert (first.outcome, first.reason) == (Ending.FAILED, "garden.example did not answer. Try again later")
    assert counts(first) == (2, 0, 0, 0, 0)
    second = walk(store)
    assert (second.outcome, counts(second)) == (Ending.DONE, (5, 0, 0, 0, 0))
    assert garden.asked == [None, "1"]


def test_a_failure_never_marks_what_it_did_not_reach(garden: Garden, store: Store) -> None:
    walk(store)
    garden.trouble[1] = FetchError("garden.example did not answer. Try again later")
    assert walk(store).gone == 0
    assert set(dates_of_gone(store).values()) == {None}


def test_a_walk_that_stopped_days_ago_begins_again(
    garden: Garden, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    today(monkeypatch, "2026-11-28")
    garden.trouble[2] = FetchError("garden.example did not answer. Try again later")
    walk(store)
    today(monkeypatch, "2026-11-30")
    assert counts(walk(store)) == (1, 0, 0, 0, 4)
    assert garden.asked == [None, None]


def test_an_expired_cursor_begins_again_once(garden: Garden, store: Store) -> None:
    garden.trouble[1] = FetchError("garden.example did not answer. Try again later")
    walk(store)
    garden.trouble[1] = Expired("the token is old")
    report = walk(store)
    assert (report.outcome, *counts(report)) == (Ending.DONE, 5, 0, 0, 0, 0), "what came first counts as new"
    assert garden.asked == [None, "1", None]
    assert store.count() == 5
    garden.trouble = {0: Expired("the token is old")}
    assert walk(store).outcome is Ending.DONE


def test_what_fails_before_and_after_a_cursor_expires_counts_once(garden: Garden, store: Store) -> None:
    garden.listed[0].append({"id": "p9", "title": ["no", "text"]})
    garden.trouble[1] = Expired("the token is old")
    report = walk(store)
    assert (report.new, report.failed, len(report.failures)) == (5, 1, 1)


def test_ctrl_c_ends_all_walks_and_keeps_what_came(garden: Garden, store: Store) -> None:
    garden.trouble[2] = KeyboardInterrupt()
    report = sync(store, [GARDEN, ORCHARD], Nobody())  # type: ignore[arg-type]
    assert [(one.outcome, one.new) for one in report.editions] == [(Ending.INTERRUPTED, 4)]
    assert report.interrupted
    report = sync(store, [GARDEN, ORCHARD], Nobody())  # type: ignore[arg-type]
    assert [counts(one) for one in report.editions] == [(5, 0, 0, 0, 0), (0, 0, 0, 0, 5)]
    assert not report.interrupted


def test_papers_of_a_page_that_was_not_finished_count_as_new(
    garden: Garden, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr("lunwen.corpus.sync.state.mark", stop)
        assert walk(store).outcome is Ending.INTERRUPTED
    assert store.count() == 2
    garden.listed[0] = [paper(1), paper(2, title="Wheel Number Two")]
    assert counts(walk(store)) == (5, 0, 0, 0, 0)
    assert counts(walk(store)) == (0, 0, 0, 0, 5)


def test_one_edition_that_fails_does_not_stop_the_others(garden: Garden, store: Store) -> None:
    garden.trouble[0] = FetchError("garden.example did not answer. Try again later")
    report = sync(store, [GARDEN, ORCHARD], Nobody())  # type: ignore[arg-type]
    assert [one.outcome for one in report.editions] == [Ending.FAILED, Ending.DONE]
    assert report.went_wrong


def test_not_published_is_a_state_of_its_own_but_not_where_there_were_papers(
    garden: Garden, store: Store
) -> None:
    garden.trouble[0] = NotPublished("ICML 2024 is not published yet.")
    one = walk(store)
    assert (one.outcome, one.reason) == (Ending.NOT_PUBLISHED, "ICML 2024 is not published yet.")
    walk(store)
    garden.trouble[0] = NotPublished("ICML 2024 is not published yet.")
    one = walk(store)
    assert one.outcome is Ending.FAILED
    assert one.reason == "ICML 2024 is not published yet. It listed 5 papers before; these are kept"
    assert set(dates_of_gone(store).values()) == {None}


NONSENSE = {
    "an HTML page": (b"<!doctype html><title>Please wait</title>", "gave an HTML page in place of"),
    "nothing": (b"", "gave nothing in place of"),
    "no papers": (b'{"id": 1}\n{"id": 2}\n', "in place of the format"),
}


@pytest.mark.parametrize(("body", "said"), NONSENSE.values(), ids=NONSENSE)
def test_nonsense_changes_nothing(garden: Garden, store: Store, body: bytes, said: str) -> None:
    walk(store)
    before = list(store.changed())
    garden.listed[0] = body
    one = walk(store)
    assert one.outcome is Ending.FAILED
    assert said in one.reason
    assert list(store.changed()) == before


def test_a_site_that_lists_fewer_than_half_is_not_believed(garden: Garden, store: Store) -> None:
    garden.listed = [[paper(number) for number in range(9)]]
    walk(store)
    before = list(store.changed())
    garden.listed = [[paper(number, title="Nothing") for number in range(4)]]
    one = walk(store)
    assert one.reason == (
        "icml 2024 garden lists 4 records and listed 9 before, as if the site had a fault. "
        "What is stored is kept. If it is right, add: --accept-fewer"
    )
    assert list(store.changed()) == before
    assert counts(walk(store, accept_fewer=True)) == (0, 4, 5, 0, 0)


def test_a_site_that_turns_no_pages_loses_nothing(garden: Garden, store: Store) -> None:
    garden.listed = [[paper(1), paper(2)], [paper(3), paper(4)]]
    walk(store)
    garden.listed[1] = garden.listed[0]
    one = walk(store)
    assert (one.outcome, counts(one)) == (Ending.FAILED, (0, 0, 0, 0, 2))
    assert one.reason == (
        "https://garden.example/1 gave what an earlier page had. Nothing counts as gone. Try again later, or "
        "take another site: lunwen sources"
    )
    garden.listed[1] = [paper(3), paper(4)]
    assert counts(walk(store)) == (0, 0, 0, 0, 4)


def test_what_left_a_page_in_a_walk_that_failed_is_gone_after_the_next(garden: Garden, store: Store) -> None:
    walk(store)
    garden.listed[0] = [paper(1)]
    garden.trouble[1] = FetchError("nobody there")
    assert walk(store).outcome is Ending.FAILED
    assert counts(walk(store)) == (0, 0, 1, 0, 4)
    garden.listed[1] = [paper(3)]
    garden.trouble[2] = FetchError("nobody there")
    walk(store)
    garden.trouble[2] = Expired("no longer there")
    assert counts(walk(store)) == (0, 0, 1, 0, 3)


def test_what_left_a_page_is_gone_though_the_walk_begins_again_and_reads_nothing(
    garden: Garden, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk(store)
    garden.listed[0] = [paper(1)]
    garden.trouble[1] = FetchError("nobody there")
    walk(store)
    today(monkeypatch, "2099-01-01")
    assert counts(walk(store)) == (0, 0, 1, 0, 4)


def test_a_walk_without_an_end_ends(garden: Garden, store: Store) -> None:
    garden.is_whole = False
    garden.listed = [[paper(1)], *([[paper(2)], [paper(1)]] * 1_000)]
    one = walk(store)
    assert (one.outcome, counts(one)) == (Ending.FAILED, (2, 0, 0, 0, 0))
    assert one.reason == (
        "icml 2024 garden: nothing new on the last 10 pages, as if there were no end. What came before is "
        "kept. Try again later"
    )


def test_papers_of_another_list_do_not_take_the_place_of_those_before(garden: Garden, store: Store) -> None:
    garden.listed = [[paper(1), paper(2)], [paper(3), paper(4)]]
    walk(store)
    garden.listed[1:] = [[paper(13)], [paper(14), paper(15)]]
    assert counts(walk(store)) == (3, 0, 2, 0, 2)  # half of them may be gone
    garden.listed = [[paper(21), paper(22)], [paper(23), paper(24), paper(15)]]
    one = walk(store)
    assert (one.outcome, one.gone) == (Ending.FAILED, 0)
    assert one.reason == (
        "icml 2024 garden no longer lists 4 of the 5 papers that it listed before, as if the site gave "
        "another list. They are kept. If it is right, add: --accept-fewer"
    )
    assert walk(store).reason == one.reason
    assert walk(store, accept_fewer=True).gone == 4


def test_papers_that_got_other_ids_are_there(garden: Garden, store: Store) -> None:
    walk(store)
    garden.listed = [[paper(number, id=f"other{number}") for number in range(1, 6)]]
    one = walk(store)
    assert (one.outcome, one.new, one.gone, store.count()) == (Ending.DONE, 0, 0, 5)


def test_a_total_that_fell_is_refused_before_anything_is_read(garden: Garden, store: Store) -> None:
    walk(store)
    garden.totals = 2
    garden.listed[0] = [paper(7), paper(8)]
    assert walk(store).outcome is Ending.FAILED
    assert store.count() == 5


def test_a_record_that_cannot_be_read_fails_alone_and_nothing_is_gone(garden: Garden, store: Store) -> None:
    walk(store)
    garden.listed[2] = orjson.dumps(paper(6)) + b'\n{"id": "p7", "title": "Whe'
    one = walk(store)
    assert (one.outcome, one.failed, counts(one)) == (Ending.DONE, 1, (1, 0, 0, 0, 4))
    assert [(failure.file, failure.place) for failure in one.failures] == [("garden.example/2", "line 2")]
    assert set(dates_of_gone(store).values()) == {None}
    assert walk(store).failed == 1  # said as long as it is so
    garden.listed[2] = [paper(6)]
    assert counts(walk(store)) == (0, 0, 1, 0, 5)


def test_rejected_papers_once_asked_for_stay(garden: Garden, store: Store) -> None:
    garden.rejected = [paper(9, status="Reject")]
    assert walk(store).new == 5
    assert counts(walk(store, with_rejected=True)) == (1, 0, 0, 0, 5)
    assert counts(walk(store)) == (0, 0, 0, 0, 6)


def test_a_site_that_tells_only_news_begins_later_and_says_what_is_gone(garden: Garden, store: Store) -> None:
    garden.is_whole = False
    garden.later = "since Monday"
    assert counts(walk(store)) == (5, 0, 0, 0, 0)
    garden.listed = [[paper(2, title="Cog Number 2"), paper(8)]]
    garden.gone = ("p4", "p77")
    assert counts(walk(store)) == (1, 1, 1, 0, 0)
    assert garden.asked == [None, "since Monday"]
    assert {name for name, date in dates_of_gone(store).items() if date} == {"p4"}
    (follow,) = Follows(store).all()
    assert (follow.counts["papers"], follow.cursor, follow.began) == (5, "since Monday", None)


def test_offline_nothing_is_gone(garden: Garden, store: Store) -> None:
    walk(store)
    garden.listed[1:] = [[paper(3)], [paper(5)]]
    offline = Nobody()
    offline.offline = True
    report = sync(store, [GARDEN], offline)  # type: ignore[arg-type]
    assert report.offline
    assert (report.editions[0].outcome, report.editions[0].gone) == (Ending.DONE, 0)
    assert walk(store).gone == 1


def test_the_library_is_made_ready_only_where_something_comes_in(garden: Garden, store: Store) -> None:
    called: list[int] = []
    garden.trouble[0] = FetchError("garden.example did not answer. Try again later")
    for _ in range(3):
        sync(store, [GARDEN], Nobody(), begin=lambda: called.append(1))  # type: ignore[arg-type]
    assert called == [1]


def test_a_long_walk_pauses_between_pages(
    garden: Garden, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MANY", 4)
    garden.listed += [[paper(6), paper(7), paper(8), paper(9)]]
    there: list[int] = []
    report = sync(store, [GARDEN], Nobody(), pause=lambda: there.append(store.count()))  # type: ignore[arg-type]
    assert there == [4, 9]
    assert report.editions[0].new == 9


def test_progress_counts_records_of_each_edition(garden: Garden, store: Store) -> None:
    heard: list[tuple[int, int | None, str]] = []
    garden.totals = 5
    sync(store, [GARDEN], Nobody(), progress=lambda *said: heard.append(said))  # type: ignore[arg-type]
    assert heard == [(0, None, "ICML 2024"), *((done, 5, "ICML 2024") for done in (2, 4, 5))]


@pytest.mark.usefixtures("garden")
def test_a_report_as_json(store: Store) -> None:
    one = sync(store, [GARDEN], Nobody()).as_dict()["editions"][0]  # type: ignore[arg-type]
    assert orjson.loads(orjson.dumps(one)) == {
        "edition": "icml 2024 garden",
        "venue": "ICML",
        "year": 2024,
        "site": "garden",
        "outcome": "done",
        "reason": "",
        "new": 5,
        "changed": 0,
        "gone": 0,
        "back": 0,
        "unchanged": 0,
        "failed": 0,
        "failures": [],
    }
    assert replace(GARDEN, year=None).name == "icml garden"
