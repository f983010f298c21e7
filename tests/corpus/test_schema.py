from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus import schema
from lunwen.corpus.database import FILE
from lunwen.corpus.store import Store
from lunwen.errors import LibraryBusy

if TYPE_CHECKING:
    from pathlib import Path


def connect(path: str = ":memory:") -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, isolation_level=None))


def test_every_step_is_taken_once() -> None:
    with connect() as db:
        schema.migrate(db)
        schema.migrate(db)
        assert schema.version(db) == schema.NEWEST == len(schema.MIGRATIONS)


def test_a_step_that_fails_leaves_the_version_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_off(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE half(a)")
        db.execute("CREATE TABLE papers(a)")  # there already

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, break_off))
    monkeypatch.setattr(schema, "NEWEST", schema.NEWEST + 1)
    with connect() as db:
        with pytest.raises(sqlite3.OperationalError):
            schema.migrate(db)
        assert schema.version(db) == schema.NEWEST - 1
        assert db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)


@pytest.mark.parametrize("write", [True, False], ids=["writing", "reading"])
def test_an_older_library_is_brought_up_to_date_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: bool
) -> None:
    Store.open(tmp_path, write=True).close()

    def add(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE added(a)")

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, add))
    monkeypatch.setattr(schema, "NEWEST", schema.NEWEST + 1)
    Store.open(tmp_path, write=write).close()
    with connect(str(tmp_path / FILE)) as db:
        assert db.execute("SELECT count(*) FROM added").fetchone() == (0,)


def test_an_older_library_that_another_process_writes_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path, write=True):
        monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, schema.MIGRATIONS[-1]))
        monkeypatch.setattr(schema, "NEWEST", schema.NEWEST + 1)
        with pytest.raises(LibraryBusy, match="is being written by another process"):
            Store.open(tmp_path)
