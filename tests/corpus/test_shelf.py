from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.corpus import database
from lunwen.corpus.ingest import ingest_records
from lunwen.corpus.paper import Author, Paper, Record
from lunwen.corpus.shelf import MAX_NOTE, Shelf, tidy_name
from lunwen.corpus.store import Store
from lunwen.errors import LibraryBusy, LimitError, NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

IDS = ("p0", "p1", "p2", "p3")
ADA = (Author(name="Ada Lovelace"), Author(name="Bo Li"))


def fill(folder: Path) -> None:
    with Store.open(folder, write=True) as store:
        for paper_id in IDS:
            store.put(Paper(paper_id=paper_id, title=paper_id))


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    fill(tmp_path)
    with Store.open(tmp_path) as store:
        yield Shelf(store)


def ids(shelf: Shelf, collection: str = "starred") -> list[str]:
    return [star.paper_id for star in shelf.stars(collection)]


def counts(shelf: Shelf) -> dict[str, int]:
    return {one.name: one.papers for one in shelf.collections()}


def test_papers_are_kept_in_the_order_in_which_they_came(shelf: Shelf) -> None:
    assert counts(shelf) == {"starred": 0}
    assert shelf.star(["p2", "p0", "p2"]) == 2
    assert shelf.star(["p0", "p1"]) == 1
    assert shelf.star(["p3"], " to \n read ") == 1
    assert ids(shelf) == ["p2", "p0", "p1"]
    assert counts(shelf) == {"starred": 3, "to read": 1}
    assert shelf.unstar(["p0", "p3"]) == 1
    assert ids(shelf) == ["p2", "p1"]
    assert shelf.collections_of(IDS) == {"p1": ["starred"], "p2": ["starred"], "p3": ["to read"]}
    shelf.star(["p3"])
    assert shelf.collections_of(["p3"]) == {"p3": ["to read", "starred"]}


def test_a_collection_ends_with_its_last_paper_and_starred_never(shelf: Shelf) -> None:
    shelf.star(["p1"], "later")
    shelf.unstar(["p1"], "later")
    with pytest.raises(NotFound, match=r'^no collection "later"\. List them with: lunwen list$'):
        shelf.stars("later")
    shelf.star(["p1"])
    assert shelf.delete("starred") == 1
    assert counts(shelf) == {"starred": 0}
    assert ids(shelf) == []


def test_a_collection_gets_another_name(shelf: Shelf) -> None:
    shelf.star(["p1", "p0"], "later")
    shelf.rename("later", "much  later")
    assert ids(shelf, "much later") == ["p1", "p0"]
    said = 'there is a collection "starred" already. Choose another name for "much later"'
    with pytest.raises(UsageError, match=f"^{re.escape(said)}$"):
        shelf.rename("much later", "starred")
    with pytest.raises(NotFound, match=r'^no collection "mich later"\. Closest: "much later"\. List them'):
        shelf.delete("mich later")


@pytest.mark.parametrize("name", ["", " \n ", ".", " .. ", "x" * 101, "a\0b", "a\u202eb", "\ud800"])
def test_a_name_that_is_none(shelf: Shelf, name: str) -> None:
    said = f"{name[:40]!a} is no name for a collection: 1 to 100 visible characters are. Choose another name"
    with pytest.raises(UsageError, match=f"^{re.escape(said)}$"):
        shelf.star(["p1"], name)
    assert counts(shelf) == {"starred": 0}


@given(st.text())
def test_a_tidy_name_stays_as_it_is(name: str) -> None:
    tidy = ""
    with suppress(UsageError):
        tidy = tidy_name("collection", name)
    if tidy:
        assert tidy_name("collection", tidy) == tidy
        assert len(tidy.encode().splitlines()) == 1


def test_notes(shelf: Shelf) -> None:
    shelf.write_note("p1", "  first\nsecond \0\ud800 ")
    assert shelf.notes() == {"p1": "first\nsecond ?"}
    shelf.write_note("p1", "third")
    assert shelf.notes(IDS) == {"p1": "third"}
    shelf.write_note("p1", None)
    assert shelf.notes() == {}
    with pytest.raises(LimitError, match=r"^a note of 10,001 characters: 1 to 10,000 are kept\. Shorten it$"):
        shelf.write_note("p1", "x" * (MAX_NOTE + 1))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["star", "unstar", "delete", "rename"]),
            st.lists(st.sampled_from(IDS), max_size=3),
            st.sampled_from(["starred", "a", "b"]),
            st.sampled_from(["starred", "a", "b", "c"]),
        ),
        max_size=12,
    )
)
def test_a_shelf_is_lists_by_name(steps: list[tuple[str, list[str], str, str]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        fill(Path(place))
        with Store.open(place) as store:
            shelf, model = Shelf(store), defaultdict[str, list[str]](list)
            for what, papers, name, other in steps:
                known = name == "starred" or bool(model[name])
                free = other != "starred" and not model[other]
                if what == "star":
                    shelf.star(papers, name)
                    model[name] += [one for one in dict.fromkeys(papers) if one not in model[name]]
                elif not known:
                    with pytest.raises(NotFound):
                        _take(shelf, what, papers, name, other)
                elif what == "rename" and not free:
                    with pytest.raises(UsageError):
                        shelf.rename(name, other)
                else:
                    _take(shelf, what, papers, name, other)
                    left = [one for one in model[name] if what == "unstar" and one not in papers]
                    if what == "rename":
                        model[other] = model[name]
                    model[name] = left
            held = {name: papers for name, papers in model.items() if papers}
            assert {one.name: ids(shelf, one.name) for one in shelf.collections()} == {"starred": [], **held}
            kept = {paper: {name for name, papers in held.items() if paper in papers} for paper in IDS}
            said = shelf.collections_of(IDS)
            assert {paper: set(said.get(paper, ())) for paper in IDS} == kept


def _take(shelf: Shelf, what: str, papers: list[str], name: str, other: str) -> None:
    if what == "unstar":
        shelf.unstar(papers, name)
    elif what == "delete":
        shelf.delete(name)
    else:
        shelf.rename(name, other)


# papers that change


def record(key: str, title: str, **identifiers: str) -> Record:
    return Record(key=key, title=title, authors=ADA, year=2024, identifiers=identifiers)


def test_papers_that_merge_keep_their_stars_and_notes(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        shelf = Shelf(store)
        ingest_records(store, "arxiv", [record("a", "Owls", arxiv="2401.00001")])
        ingest_records(store, "acl", [record("b", "Of Birds at Night", acl="P17-1001")])
        first, second = store.resolve("2401.00001"), store.resolve("P17-1001")
        assert first is not None
        assert second is not None
        assert first != second
        for paper_id in (second, first):
            shelf.star([paper_id])
            shelf.write_note(paper_id, f"note on {paper_id}")
        shelf.star([second], "b only")
        both = record("c", "Owls of the Night", arxiv="2401.00001", acl="P17-1001")
        ingest_records(store, "dblp", [both])
        assert store.count() == 1
        assert (store.resolve(first), store.resolve(second)) == (first, first)
        assert [star.paper_id for star in shelf.stars()] == [first]
        assert counts(shelf) == {"starred": 1, "b only": 1}
        assert shelf.collections_of([first]) == {first: ["starred", "b only"]}
        said = f"note on {second}\n\nnote on {first}"
        assert shelf.notes([first]) == shelf.notes() == {first: said}
        assert shelf.star([first]) == 0
        assert shelf.unstar([first]) == 1
        assert shelf.stars() == []
        shelf.write_note(first, "one note")
        assert shelf.notes() == {first: "one note"}
        assert store.check() == []


def test_a_paper_that_is_gone_is_hidden_until_it_is_back(tmp_path: Path) -> None:
    fill(tmp_path)
    with Store.open(tmp_path, write=True) as store:
        shelf = Shelf(store)
        shelf.star(["p1", "p2"])
        with store.transaction() as db:
            db.execute("UPDATE papers SET data = NULL, seq = 99 WHERE paper_id = 'p1'")
        assert ids(shelf) == ["p2"]
        assert counts(shelf) == {"starred": 1}
        store.put(Paper(paper_id="p1", title="p1"))
        assert ids(shelf) == ["p1", "p2"]


def test_papers_of_the_catalogue_become_those_that_come_in(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        shelf = Shelf(store)
        shelf.star(["000-01", "000-02"])
        shelf.write_note("000-01", "of the catalogue")
        assert ids(shelf) == ["000-01", "000-02"]
        ingest_records(store, "arxiv", [record("a", "Fully First-Order", arxiv="2505.21336")])
        shelf.follow_catalogue()
        here = store.resolve("2505.21336")
        assert here is not None
        assert ids(shelf) == [here, "000-02"]
        assert shelf.notes() == {here: "of the catalogue"}
        assert (shelf.at_home("000-01"), shelf.at_home("000-02")) == (here, "000-02")
        shelf.write_note("000-01", "again")
        shelf.follow_catalogue()
        assert shelf.notes() == {here: "of the catalogue\n\nagain"}


# several processes


STARRING = """
import sys
from lunwen.corpus.shelf import Shelf
from lunwen.corpus.store import Store
with Store.open(sys.argv[1]) as store:
    for number in range(int(sys.argv[3])):
        Shelf(store).star([f"p{number % 4}"], f"{sys.argv[2]}{number}")
        print(number, flush=True)
"""
STARTED = """
import sys, time
from lunwen.corpus.store import Store
with Store.open(sys.argv[1]) as store, store.brief_transaction() as db:
    db.execute("INSERT INTO stars(collection, paper_id, added) VALUES('half', 'p1', '')")
    print("in", flush=True)
    time.sleep(60)
"""


@contextmanager
def running(script: str, *args: object) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", script, *map(str, args)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_two_processes_star_while_a_third_may_import(tmp_path: Path) -> None:
    fill(tmp_path)
    with (
        Store.open(tmp_path, write=True) as store,
        running(STARRING, tmp_path, "a", 40) as one,
        running(STARRING, tmp_path, "b", 40) as other,
    ):
        for number in range(40):
            store.put(Paper(paper_id=f"new{number}", title="T"))
        assert [process.communicate()[1] for process in (one, other)] == ["", ""]
        assert len(Shelf(store).collections()) == 81
        assert (store.count(), store.check()) == (44, [])


def test_a_killed_process_keeps_what_it_said_and_blocks_nobody(tmp_path: Path) -> None:
    fill(tmp_path)
    with running(STARRING, tmp_path, "a", 10_000) as process:
        done = [read_line(process).strip() for _ in range(20)]
        process.send_signal(signal.SIGKILL)
        process.wait()
    with running(STARTED, tmp_path) as process:
        assert read_line(process) == "in\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
    with Store.open(tmp_path) as store:
        shelf = Shelf(store)
        assert {f"a{number}" for number in done} <= counts(shelf).keys()
        assert "half" not in counts(shelf)
        assert shelf.star(["p1"]) == 1
        assert store.check() == []


def test_who_waits_too_long_is_told(shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_WAIT_MS", 50)
    with Store.open(tmp_path, write=True) as writer, writer.transaction():
        with pytest.raises(LibraryBusy) as refusal:
            shelf.star(["p1"])
        assert str(refusal.value) == (
            f"the library in {tmp_path} is busy (database is locked). Wait a little, then try again"
        )
    assert shelf.star(["p1"]) == 1
