"""The library's tables: numbered migrations, only ever appended to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.errors import LibraryTooNew

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable


def _first_tables(db: sqlite3.Connection) -> None:
    for statement in (
        # data is NULL where the paper is gone: the index has to hear of it
        """CREATE TABLE papers(
             row INTEGER PRIMARY KEY AUTOINCREMENT, paper_id TEXT NOT NULL UNIQUE,
             data TEXT, hash BLOB NOT NULL, seq INTEGER NOT NULL)""",
        "CREATE UNIQUE INDEX papers_seq ON papers(seq)",
        "CREATE TABLE aliases(paper_id TEXT PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID",
        # one row per file and run
        """CREATE TABLE imports(
             import INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL, source TEXT NOT NULL,
             imported TEXT NOT NULL, report TEXT)""",
        # paper is NULL while the record waits for a paper it describes
        """CREATE TABLE records(
             record INTEGER PRIMARY KEY AUTOINCREMENT, paper INTEGER, source TEXT NOT NULL, key TEXT NOT NULL,
             import INTEGER NOT NULL, data TEXT NOT NULL, hash BLOB NOT NULL)""",
        "CREATE UNIQUE INDEX records_key ON records(source, key)",
        "CREATE INDEX records_paper ON records(paper)",
        # what a record said before a newer import of it
        """CREATE TABLE versions(
             record INTEGER NOT NULL, import INTEGER NOT NULL, data TEXT NOT NULL)""",
        "CREATE INDEX versions_record ON versions(record)",
        """CREATE TABLE identifiers(
             value TEXT NOT NULL, scheme TEXT NOT NULL, record INTEGER NOT NULL,
             PRIMARY KEY(value, scheme, record)) WITHOUT ROWID""",
        # hashed title, authors and event number: where to look for the same paper
        """CREATE TABLE keys(
             value INTEGER NOT NULL, kind TEXT NOT NULL, record INTEGER NOT NULL,
             PRIMARY KEY(value, kind, record)) WITHOUT ROWID""",
        """CREATE TABLE maybe_same(
             row INTEGER NOT NULL, other INTEGER NOT NULL, why TEXT NOT NULL,
             PRIMARY KEY(row, other)) WITHOUT ROWID""",
        "CREATE INDEX maybe_same_other ON maybe_same(other)",
        "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    ):
        db.execute(statement)


def _shelf(db: sqlite3.Connection) -> None:
    """Add what readers write; papers by paper_id there, which outlives a row."""
    for statement in (
        # a collection is there as long as papers are in it
        """CREATE TABLE stars(
             star INTEGER PRIMARY KEY, collection TEXT NOT NULL, paper_id TEXT NOT NULL,
             added TEXT NOT NULL)""",
        "CREATE UNIQUE INDEX stars_paper ON stars(paper_id, collection)",
        """CREATE TABLE notes(
             paper_id TEXT PRIMARY KEY, text TEXT NOT NULL, written TEXT NOT NULL) WITHOUT ROWID""",
        # papers in rows above last are new: rows only grow, and a paper keeps its own
        """CREATE TABLE watches(
             name TEXT PRIMARY KEY, request TEXT NOT NULL, made TEXT NOT NULL, visited TEXT NOT NULL,
             last INTEGER NOT NULL) WITHOUT ROWID""",
        "CREATE INDEX aliases_row ON aliases(row)",
    ):
        db.execute(statement)


def _follows(db: sqlite3.Connection) -> None:
    """Add what is followed, and which records each walk over it met."""
    for statement in (
        # walk, began, cursor, seq, row and tally are of the walk under way, or of the last one
        """CREATE TABLE follows(
             follow INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, edition TEXT NOT NULL,
             with_rejected INTEGER NOT NULL, walk INTEGER NOT NULL, began TEXT,
             cursor TEXT, seq INTEGER NOT NULL, row INTEGER NOT NULL, tally TEXT NOT NULL,
             synced TEXT, outcome TEXT, reason TEXT, counts TEXT)""",
        # the hash is that of the bytes which were read last
        """CREATE TABLE pages(
             page INTEGER PRIMARY KEY, follow INTEGER NOT NULL, name TEXT NOT NULL, hash BLOB NOT NULL)""",
        "CREATE UNIQUE INDEX pages_name ON pages(follow, name)",
        # a record on a page: the walk that last met it there, and since when it is gone
        """CREATE TABLE met(
             page INTEGER NOT NULL, record INTEGER NOT NULL, walk INTEGER NOT NULL, gone TEXT,
             PRIMARY KEY(page, record)) WITHOUT ROWID""",
        "CREATE INDEX met_record ON met(record)",
        # since when no edition that brought the record lists it any more
        "ALTER TABLE records ADD COLUMN gone TEXT",
    ):
        db.execute(statement)


def _full_text(db: sqlite3.Connection) -> None:
    """Add the papers' PDFs, files in a folder beside, and their text; papers by paper_id, as above."""
    for statement in (
        """CREATE TABLE pdfs(
             paper_id TEXT PRIMARY KEY, file TEXT NOT NULL, origin TEXT NOT NULL, kept TEXT NOT NULL,
             size INTEGER NOT NULL, pages INTEGER NOT NULL, remark TEXT NOT NULL) WITHOUT ROWID""",
        "CREATE TABLE passages(paper_id TEXT NOT NULL, page INTEGER NOT NULL, text TEXT NOT NULL)",
        "CREATE UNIQUE INDEX passages_page ON passages(paper_id, page)",
    ):
        db.execute(statement)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first_tables, _shelf, _follows, _full_text)
NEWEST = len(MIGRATIONS)


def version(db: sqlite3.Connection) -> int:
    """The number of migrations the library has had.

    Raises:
        LibraryTooNew: more than this lunwen knows.
    """
    number = int(db.execute("PRAGMA user_version").fetchone()[0])
    if number > NEWEST:
        raise LibraryTooNew(
            f"the library has schema {number}, this lunwen knows up to {NEWEST}. "
            "Update lunwen: pip install --upgrade lunwen"
        )
    return number


def migrate(db: sqlite3.Connection) -> None:
    """Bring the library's tables up to date, one transaction a step.

    Raises:
        LibraryTooNew: the library was made by a newer lunwen.
    """
    for number in range(version(db), NEWEST):
        db.execute("BEGIN IMMEDIATE")
        try:
            MIGRATIONS[number](db)
            db.execute(f"PRAGMA user_version = {number + 1}")
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")
