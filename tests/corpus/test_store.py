from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from lunwen.corpus.database import FILE
from lunwen.corpus.ingest import ingest_records
from lunwen.corpus.paper import Author, Paper, Record
from lunwen.corpus.schema import NEWEST
from lunwen.corpus.store import Store
from lunwen.errors import LibraryBusy, LibraryError, LibraryTooNew

ODD = Paper(paper_id="odd-1", title="Odd Wheels", authors=(Author(name="Ada Lovelace"),), year=2024)
EVEN = Paper(paper_id="even-1", title="Even Wheels")


def test_what_is_put_is_read_again_in_the_order_asked(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        odd, even = store.put(ODD), store.put(EVEN)
    with Store.open(tmp_path) as store:
        assert store.papers([even, odd, even, 99]) == [EVEN, ODD, EVEN]
        assert store.paper("odd-1") == ODD
        assert store.paper("nothing") is None
        assert store.count() == 2
        assert list(store.all_papers()) == [ODD, EVEN]


def test_every_change_has_the_next_number(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        row = store.put(ODD)
        store.put(EVEN)
        assert store.last_seq() == 2
        assert store.put(ODD) == row  # nothing new
        assert store.last_seq() == 2
        newer = replace(ODD, year=2025)
        store.put(newer)
        assert list(store.changed(0)) == [(2, 2, EVEN), (1, 3, newer)]
        assert list(store.changed(2)) == [(1, 3, newer)]


def test_an_error_inside_a_transaction_leaves_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        store.put(ODD)
        with pytest.raises(KeyboardInterrupt):
            _write_and_stop(store)
        assert store.count() == 1
        store.put(EVEN)
        assert store.count() == 2


def _write_and_stop(store: Store) -> None:
    with store.transaction():
        store.put(EVEN)
        assert store.count() == 2
        raise KeyboardInterrupt


def test_papers_are_found_by_whatever_names_them(tmp_path: Path) -> None:
    record = Record(
        key="1",
        title="Odd Wheels",
        venue="ICML",
        year=2026,
        identifiers={
            "openreview": "O4PweOea13",
            "arxiv": "2505.21336",
            "acl": "P17-1001",
            "event": "icml-2026-7",
        },
    )
    with Store.open(tmp_path, write=True) as store:
        ingest_records(store, "program", [record])
        for text in (
            "P17-1001",
            "p17-1001",
            "O4PweOea13",
            "openreview:O4PweOea13",
            "arXiv:2505.21336v2",
            "2505.21336",
            "https://openreview.net/forum?id=O4PweOea13",
            "https://icml.cc/virtual/2026/poster/7",
            "icml-2026-7",
        ):
            assert store.resolve(text) == "P17-1001", text
        for text in (
            "o4pweoea13",
            "attention",
            "",
            "\0",
            "\ud800",
            "arxiv:O4PweOea13",
            "'; DROP TABLE papers",
        ):
            assert store.resolve(text) is None, text


def test_readers_see_the_old_state_while_one_writes(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as writer:
        writer.put(ODD)
        with Store.open(tmp_path) as reader, writer.transaction():
            writer.put(EVEN)
            assert (reader.count(), writer.count()) == (1, 2)


def test_many_threads_read_one_store(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        rows = [store.put(replace(ODD, paper_id=f"p{number}")) for number in range(50)]
    with Store.open(tmp_path) as store:
        wrong: list[object] = []

        def read() -> None:
            wrong.extend(
                row
                for place, row in enumerate(rows)
                if [one.paper_id for one in store.papers([row])] != [f"p{place}"]
            )

        threads = [threading.Thread(target=read) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong
        assert len(store._idle) <= 16


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True):
        with pytest.raises(LibraryBusy) as refusal:
            Store.open(tmp_path, write=True)
        assert str(refusal.value) == (
            f"the library in {tmp_path} is being written by another process. "
            "Wait for it to end, then try again"
        )
    Store.open(tmp_path, write=True).close()


def test_reading_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(LibraryError) as refusal:
        Store.open(tmp_path / "none")
    assert str(refusal.value) == f"no library in {tmp_path / 'none'}. Make one with: lunwen import FILE"
    assert not (tmp_path / "none").exists()


def test_a_reader_does_not_write(tmp_path: Path) -> None:
    Store.open(tmp_path, write=True).close()
    with Store.open(tmp_path) as store:
        with pytest.raises(LibraryError, match="was opened for reading"):
            store.put(ODD)
        with pytest.raises(LibraryError, match="was opened for reading"):
            store.check(repair=True)


@pytest.mark.parametrize("write", [False, True])
def test_a_newer_library_is_left_alone(tmp_path: Path, write: bool) -> None:
    Store.open(tmp_path, write=True).close()
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute(f"PRAGMA user_version = {NEWEST + 1}")
    db.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(LibraryTooNew) as refusal:
        Store.open(tmp_path, write=write)
    assert str(refusal.value) == (
        f"the library has schema {NEWEST + 1}, this lunwen knows up to {NEWEST}. "
        "Update lunwen: pip install --upgrade lunwen"
    )
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.parametrize("write", [False, True])
def test_a_file_that_is_no_library_is_refused_and_left(tmp_path: Path, write: bool) -> None:
    (tmp_path / FILE).write_bytes(b"this is a letter to my aunt " * 100)
    with pytest.raises(LibraryError, match="is not a library or damaged"):
        Store.open(tmp_path, write=write)
    assert (tmp_path / FILE).read_bytes().startswith(b"this is a letter")


def test_a_damaged_page_is_an_error_of_one_line(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store, store.transaction():
        for number in range(500):
            store.put(replace(ODD, paper_id=f"p{number}", abstract="wheel " * 50))
    data = bytearray((tmp_path / FILE).read_bytes())
    size = len(data) // 4
    data[2 * size : 3 * size] = b"\x99" * size  # behind the pages that say which tables there are
    (tmp_path / FILE).write_bytes(data)
    with Store.open(tmp_path) as store:
        with pytest.raises(LibraryError) as refusal:
            list(store.all_papers())
        assert "\n" not in str(refusal.value)
        (finding,) = store.check()
        assert finding.what.startswith("the file is damaged")


def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        store.put(ODD)
        with store.reading() as db:
            db.execute("PRAGMA max_page_count = 30")
        with pytest.raises(LibraryError, match="no room left for the library"):
            _write_much(store)
        assert list(store.all_papers()) == [ODD]


def _write_much(store: Store) -> None:
    with store.transaction():
        for number in range(500):
            store.put(replace(EVEN, paper_id=f"p{number}", abstract="wheel " * 200))


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(LibraryError, match=r"cannot be written \(.*\)\. Name a folder of your own"):
        Store.open(tmp_path / "taken", write=True)


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "fork"), reason="rights are those of Unix")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_read_only_folder_is_read_and_not_written() -> None:
    with tempfile.TemporaryDirectory() as place:  # pytest's own folders are closed to other users
        Path(place).chmod(0o755)
        _read_as_another_user(Path(place) / "library")


def _read_as_another_user(library: Path) -> None:
    with Store.open(library, write=True) as store:
        store.put(ODD)
    library.chmod(0o555)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            if os.getuid() == 0:
                os.setuid(65534)  # root may write anywhere
            with Store.open(library) as store:
                read = store.paper("odd-1") == ODD
            try:
                Store.open(library, write=True)
            except LibraryError as refusal:
                code = 0 if read and "cannot be written" in str(refusal) else 2
            else:
                code = 3
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    library.chmod(0o755)
    assert os.waitstatus_to_exitcode(status) == 0
