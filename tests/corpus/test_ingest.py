from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.corpus.ingest import IngestReport, ingest, ingest_records
from lunwen.corpus.paper import Author, Paper, Record, Status
from lunwen.corpus.store import Store
from lunwen.errors import UnreadableFile

TEXT = (
    "We walk through a small garden of odd machines and count the teeth of every wheel. The count is then "
    "compared with a list kept by the gardener, who disagrees. Three remedies are proposed and none works."
)


def lines(path: Path, *papers: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(paper) + "\n" for paper in papers), encoding="utf-8")
    return str(path)


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


def counts(report: IngestReport) -> tuple[int, int, int, int, int]:
    return report.added, report.updated, report.unchanged, report.waiting, report.failed


def known(store: Store) -> list[Paper]:
    return sorted(store.all_papers(), key=lambda one: one.title)


def test_a_file_comes_in_once_however_often_it_is_imported(tmp_path: Path) -> None:
    file = lines(tmp_path / "a.jsonl", *(paper(number) for number in range(5)))
    overlap = lines(tmp_path / "b.jsonl", *(paper(number) for number in range(3, 7)))
    with Store.open(tmp_path / "library", write=True) as store:
        assert counts(ingest(store, [file])) == (5, 0, 0, 0, 0)
        seq = store.last_seq()
        assert counts(ingest(store, [file])) == (0, 0, 5, 0, 0)
        assert store.last_seq() == seq
        assert counts(ingest(store, [overlap])) == (2, 0, 2, 0, 0)
        assert store.count() == 7


def test_a_corrected_file_wins_and_the_older_value_stays_known(tmp_path: Path) -> None:
    old = lines(tmp_path / "old.jsonl", paper(1, title="Wheel Nmuber 1", cites=7), paper(2))
    new = lines(tmp_path / "new.jsonl", paper(1, abstract=None), paper(2))
    with Store.open(tmp_path / "library", write=True) as store:
        ingest(store, [old])
        assert counts(ingest(store, [new])) == (0, 1, 1, 0, 0)
        found = store.paper("p1")
        assert found is not None
        assert found.title == "Wheel Number 1"
        assert found.abstract is not None  # silence hides nothing
        assert found.citations == 7
        titles = [(one.value, one.file, one.chosen) for one in store.provenance("p1") if one.field == "title"]
        assert titles == [("Wheel Number 1", "new.jsonl", True), ("Wheel Nmuber 1", "old.jsonl", False)]
        assert store.check() == []


def test_one_broken_line_among_many_is_reported_with_its_place(tmp_path: Path) -> None:
    good = [json.dumps(paper(number)).encode() for number in range(300)]
    good[149] = b'{"id": "p150", "title": "Whe'
    good[199] = good[199].replace(b"Wheel", b"Wh\xffel")
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"\n".join(good))
    with Store.open(tmp_path / "library", write=True) as store:
        report = ingest(store, [str(file)])
    assert counts(report) == (298, 0, 0, 0, 2)
    assert [(one.file, one.place) for one in report.failures] == [
        ("a.jsonl", "line 150"),
        ("a.jsonl", "line 200"),
    ]
    assert all(one.reason for one in report.failures)


def test_files_of_no_format_are_skipped_and_named(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    lines(folder / "a.jsonl", paper(1))
    (folder / "letter.txt").write_text("Dear aunt,\nthank you.\n")
    with Store.open(tmp_path / "library", write=True) as store:
        report = ingest(store, [str(folder)])
        assert (report.added, report.skipped, report.failed) == (1, 1, 0)
        assert report.failures[0].file.endswith("letter.txt")
        assert [one.file for one in report.files] == [str(Path("in/a.jsonl"))]
        with pytest.raises(UnreadableFile):
            ingest(store, [str(folder / "letter.txt")])
        assert [one["file"] for one in store.imports()] == [str(Path("in/a.jsonl"))]


def test_an_import_that_read_nothing_leaves_no_trace(tmp_path: Path) -> None:
    file = lines(tmp_path / "a.jsonl", paper(1))
    nothing = lines(tmp_path / "b.jsonl", {"id": "x"}, {"id": "y"})
    with Store.open(tmp_path / "library", write=True) as store:
        with pytest.raises(UnreadableFile):
            ingest(store, [file], source="bibtex")
        assert store.imports() == []
        assert counts(ingest(store, [nothing], source="jsonl")) == (0, 0, 0, 0, 2)
        assert store.imports() == []
        ingest(store, [file])
        ingest(store, [file])
        assert [one["file"] for one in store.imports()] == ["a.jsonl", "a.jsonl"]


def test_the_report_is_json(tmp_path: Path) -> None:
    file = lines(tmp_path / "a.jsonl", paper(1), {"id": "x"})
    with Store.open(tmp_path / "library", write=True) as store:
        told: list[tuple[int, int | None, str]] = []
        report = ingest(store, [file], progress=lambda done, total, what: told.append((done, total, what)))
    held = json.loads(json.dumps(report.as_dict()))
    assert held["files"] == [
        {
            "file": "a.jsonl",
            "source": "jsonl",
            "added": 1,
            "updated": 0,
            "unchanged": 0,
            "waiting": 0,
            "failed": 1,
        }
    ]
    assert held["failures"][0]["place"] == "line 2"
    assert told[-1] == (2, None, "a.jsonl")


def test_giants_come_in(tmp_path: Path) -> None:
    giant = paper(
        1, abstract="The wheel turns. " * 120_000, authors=[f"Ada Number{number}" for number in range(1_500)]
    )
    with Store.open(tmp_path / "library", write=True) as store:
        assert ingest(store, [lines(tmp_path / "a.jsonl", giant)]).added == 1
        found = store.paper("p1")
    assert found is not None
    assert len(found.authors) == 1_500
    assert len(found.abstract or "") > 2_000_000


def test_an_id_that_names_two_papers_keeps_both(tmp_path: Path) -> None:
    first = Record(key="7", title="Odd Wheels", authors=(Author(name="Ada Lovelace"), Author(name="Bo Li")))
    second = Record(key="7", title="Even Gears", authors=(Author(name="Cy Twombly"), Author(name="Di Ng")))
    with Store.open(tmp_path, write=True) as store:
        assert counts(ingest_records(store, "mine", [first, second])) == (2, 0, 0, 0, 0)
        assert counts(ingest_records(store, "mine", [first, second])) == (0, 0, 2, 0, 0)
        assert counts(ingest_records(store, "mine", [second])) == (0, 0, 1, 0, 0)
        assert store.count() == 2


def test_a_record_that_joins_two_papers_makes_them_one(tmp_path: Path) -> None:
    arxiv = Record(key="a", title="Old Name", identifiers={"arxiv": "2505.21336"}, venue="arXiv", year=2025)
    acl = Record(key="b", title="New Name", identifiers={"acl": "P17-1001"}, venue="ACL", year=2026)
    both = Record(
        key="c",
        title="New Name",
        identifiers={"acl": "P17-1001", "arxiv": "2505.21336"},
        venue="ACL",
        year=2026,
    )
    with Store.open(tmp_path, write=True) as store:
        ingest_records(store, "arxiv", [arxiv])
        ingest_records(store, "acl", [acl])
        assert store.count() == 2
        seq = store.last_seq()
        assert counts(ingest_records(store, "dblp", [both])) == (0, 1, 0, 0, 0)
        assert store.count() == 1
        for text in ("arxiv-2505.21336", "P17-1001", "arxiv:2505.21336", "acl:P17-1001"):
            assert store.resolve(text) == "arxiv-2505.21336"  # the older one keeps its id
        merged = store.paper("P17-1001")
        assert merged is not None
        assert (merged.paper_id, merged.title) == ("arxiv-2505.21336", "New Name")
        assert [(row, gone is None) for row, _, gone in store.changed(seq)] == [(2, True), (1, False)]
        assert store.check() == []


def test_a_paper_is_known_by_the_id_that_a_later_file_gives_it(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        ingest_records(store, "program", [PROGRAM])
        ingest_records(store, "catalogue", [replace(PROGRAM, key="000-01", identifiers={})])
        (only,) = store.all_papers()
        assert store.resolve("000-01") == only.paper_id
        assert store.check() == []


def test_a_withdrawn_note_without_authors_is_kept_and_hidden(tmp_path: Path) -> None:
    notes = [
        Record(
            key=key,
            title="Withdrawn",
            status=Status.WITHDRAWN,
            venue="ICLR",
            year=2018,
            authors=(Author(name="Anonymous"),),
            identifiers={"openreview": key},
        )
        for key in ("aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc")
    ]
    with Store.open(tmp_path, write=True) as store:
        ingest_records(store, "openreview", notes)
        assert store.count() == 3
        found = store.paper("iclr2018-aaaaaaaaaa")
        assert found is not None
        assert not found.status.shown


PROGRAM = Record(
    key="1",
    title="Odd Wheels",
    authors=(Author(name="Ada Lovelace"), Author(name="Bo Li")),
    venue="ICML",
    year=2026,
    identifiers={"event": "icml-2026-64393", "uid": "u"},
    status=Status.POSTER,
    topic=("Theory",),
)
ORAL = Record(
    key="2",
    title="Odd Wheels",
    authors=(Author(name="Ada Lovelace"), Author(name="Bo Li")),
    venue="ICML",
    year=2026,
    identifiers={"event": "icml-2026-70000", "uid": "u"},
    status=Status.ORAL,
)
ABSTRACT = Record(key="64393", abstract=TEXT, identifiers={"event": "64393"})
LISTING = Record(
    key="l",
    abstract=TEXT,
    authors=(Author(name="Ada Lovelace"), Author(name="Bo Li")),
    topic=("Theory", "Bandits"),
)
PREPRINT = Record(
    key="a",
    title="A Garden of Odd Wheels",
    authors=(Author(name="Ada Lovelace"), Author(name="Bo Li")),
    abstract=TEXT,
    identifiers={"arxiv": "2505.21336"},
    status=Status.PREPRINT,
    venue="arXiv",
    year=2025,
)
PARTS = (
    ("program", PROGRAM),
    ("program", ORAL),
    ("abstracts", ABSTRACT),
    ("listing", LISTING),
    ("arxiv", PREPRINT),
)


def test_the_order_of_imports_does_not_matter(tmp_path: Path) -> None:
    results = []
    for number, order in enumerate(permutations(PARTS)):
        with Store.open(tmp_path / str(number), write=True) as store:
            for source, record in order:
                ingest_records(store, source, [record])
            (only,) = store.all_papers()
            results.append(only.__class__(**{**_fields(only), "paper_id": ""}))
            if number % 40 == 0:
                assert store.check() == []
    assert all(one == results[0] for one in results)
    assert results[0].status is Status.ORAL
    assert results[0].abstract == TEXT
    assert set(results[0].sources) == {"program", "abstracts", "listing", "arxiv"}


def _fields(one: Paper) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}


odd = st.builds(
    Record,
    title=st.sampled_from((None, "Odd Wheels", "Even Wheels")),
    abstract=st.sampled_from((None, TEXT, "Gears. " + TEXT[::-1])),
    authors=st.sampled_from(((), ("Ada Lovelace", "Bo Li"), ("Cy Twombly",))).map(
        lambda names: tuple(Author(name=name) for name in names)
    ),
    venue=st.sampled_from((None, "ICML", "arXiv")),
    year=st.sampled_from((None, 2024, 2025)),
    status=st.sampled_from((None, Status.POSTER, Status.REJECTED)),
    identifiers=st.dictionaries(
        st.sampled_from(("openreview", "arxiv", "event")), st.sampled_from(("x-1", "y-1", "1")), max_size=2
    ),
    key=st.just(""),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(odd, min_size=2, max_size=5), st.randoms())
def test_any_order_gives_the_same_papers(
    tmp_path_factory: pytest.TempPathFactory, found: list[Record], chance: Any
) -> None:
    named = [one.__class__(**{**_slots(one), "key": f"r{number}"}) for number, one in enumerate(found)]
    shuffled = list(named)
    chance.shuffle(shuffled)
    states = []
    for order in (named, shuffled):
        with Store.open(tmp_path_factory.mktemp("library"), write=True) as store:
            for one in order:
                ingest_records(store, "mine", [one])
            papers = [repr(Paper(**{**_fields(one), "paper_id": ""})) for one in store.all_papers()]
            states.append((sorted(papers), store.count_maybe_same()))
            assert store.check() == []
    assert states[0] == states[1]


def _slots(one: Record) -> dict[str, Any]:
    return {name: getattr(one, name) for name in one.__slots__}


def test_what_waits_is_counted_until_its_paper_comes(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        assert counts(ingest_records(store, "listing", [LISTING])) == (0, 0, 0, 1, 0)
        assert store.count() == 0
        assert [one["waiting"] for one in store.imports()] == [1]
        assert counts(ingest_records(store, "listing", [LISTING])) == (0, 0, 1, 0, 0)
        assert counts(ingest_records(store, "arxiv", [PREPRINT])) == (1, 0, 0, 0, 0)
        (only,) = store.all_papers()
        assert only.topic == ("Theory", "Bandits")
        assert [(one["waiting"], one["updated"]) for one in store.imports()] == [(0, 1), (0, 0), (0, 0)]


def test_papers_that_may_be_one_are_linked(tmp_path: Path) -> None:
    pair = [
        Record(
            key="3817",
            title="Data Poisoning Attacks in Multi-Party Learning",
            venue="ICML",
            year=2019,
            authors=(Author(name="Ada Lovelace"), Author(name="Bo Li")),
        ),
        Record(
            key="m19",
            title="Universal Multi-Party Poisoning Attacks",
            venue="ICML",
            year=2019,
            abstract=TEXT,
            authors=(Author(name="Ada Lovelace"), Author(name="Bo Li")),
            identifiers={"pmlr": "v97/m19"},
        ),
    ]
    with Store.open(tmp_path, write=True) as store:
        assert ingest_records(store, "paperlists", pair).maybe_same == 1
        one, other = (paper.paper_id for paper in store.all_papers())
        assert store.maybe_same(one) == [(other, "the same authors and a similar title")]
        assert store.maybe_same(other) == [(one, "the same authors and a similar title")]


def test_ctrl_c_keeps_whole_batches_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lunwen.corpus.ingest.BATCH", 10)
    file = lines(tmp_path / "a.jsonl", *(paper(number) for number in range(60)))

    def stop(done: int, total: int | None, what: str) -> None:  # noqa: ARG001
        if done >= 30:
            raise KeyboardInterrupt

    with Store.open(tmp_path / "library", write=True) as store:
        report = ingest(store, [file], progress=stop)
        assert report.interrupted
        assert report.added == store.count() == 30
        assert counts(ingest(store, [file])) == (30, 0, 30, 0, 0)


IMPORT = """
import sys
from lunwen.corpus import ingest
from lunwen.corpus.cleaner import Cleaner
from lunwen.corpus.store import Store
if __name__ == "__main__":
    ingest.BATCH = 100
    with Store.open(sys.argv[1], write=True) as store:
        print("open", flush=True)
        ingest.ingest(store, [sys.argv[2]])
        print("done", flush=True)
"""


def test_killed_again_and_again_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    file = lines(tmp_path / "a.jsonl", *(paper(number) for number in range(4_000)))
    library = tmp_path / "library"
    kept = 0
    for delay in (0.05, 0.3, 0.6, 0.15, 0.9):
        process = subprocess.Popen(
            [sys.executable, "-c", IMPORT, str(library), file], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"  # the dead writer's lock is free
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with Store.open(library) as store:
            assert store.count() % 100 == 0 or store.count() == 4_000
            assert store.count() >= kept
            assert store.check() == []
            kept = store.count()
    with Store.open(library, write=True) as store:
        report = ingest(store, [file])
        assert report.added == 4_000 - kept
        assert report.unchanged == kept
        assert [one.title for one in store.all_papers()] == [
            f"Wheel Number {number}" for number in range(4_000)
        ]
        assert store.check() == []
        assert counts(ingest(store, [file])) == (0, 0, 4_000, 0, 0)
