"""The library's SQLite file: connections lent to readers, transactions, and its errors in words."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Self

from lunwen.errors import LibraryBusy, LibraryError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from filelock import FileLock

FILE = "library.sqlite"
_CACHE = 131_072  # kB of the file that each connection of a writer keeps in memory
_WAIT_MS = 5_000  # how long a reader waits for a checkpoint, and a brief writer for its turn


class Database:
    """One file, one writer of papers, many readers; reading is safe from several threads."""

    def __init__(self, folder: Path, how: str, held: FileLock | None) -> None:
        self.folder = folder
        self._how = how  # how SQLite opens the file: "mode=ro"
        self._lock = held
        self._cache = _CACHE
        self._idle: list[sqlite3.Connection] = []
        self._writer = threading.local()

    def limit_cache(self, kilobytes: int) -> None:
        """Have each connection keep so much of the file in memory, for long work beside other work."""
        self._cache = kilobytes
        while self._idle:
            self._idle.pop().close()

    def close(self) -> None:
        """Close the file and let another process write."""
        while self._idle:
            self._idle.pop().close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; within a transaction, the transaction's own."""
        held = getattr(self._writer, "db", None)
        if held is not None:
            yield held
        else:
            with self._connection() as db:
                yield db

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing: what is written inside is kept at the end, or none of it after an error.

        Raises:
            LibraryError: the store was opened for reading, or the disk refuses.
        """
        if self._lock is None:
            raise LibraryError(
                f"the library in {self.folder} was opened for reading. Open it with write=True"
            )
        if getattr(self._writer, "db", None) is not None:
            yield self._writer.db
            return
        with self._connection() as db:
            db.execute("BEGIN IMMEDIATE")
            self._writer.db = db
            try:
                yield db
            except BaseException:
                if db.in_transaction:  # a full disk has ended it already
                    db.execute("ROLLBACK")
                raise
            else:
                db.execute("COMMIT")
            finally:
                self._writer.db = None

    @contextmanager
    def brief_transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction of moments, open to readers too: it takes its turn between those of an import.

        Raises:
            LibraryBusy: another process wrote all the while.
            LibraryError: the file cannot be written.
        """
        if getattr(self._writer, "db", None) is not None:
            yield self._writer.db
            return
        with (
            self._in_words(),
            closing(self._connect("mode=rw")) as db,
        ):  # closing it undoes what is unfinished
            db.execute("PRAGMA synchronous = FULL")  # what a person wrote cannot be imported again
            db.execute("BEGIN IMMEDIATE")
            self._writer.db = db
            try:
                yield db
            finally:
                self._writer.db = None
            db.execute("COMMIT")

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with self._in_words():
            db = self._idle.pop() if self._idle else self._connect(self._how)
            try:
                yield db
            except BaseException:
                db.close()
                raise
            self._idle.append(db)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _refusal(self.folder, error) from error

    def _connect(self, how: str) -> sqlite3.Connection:
        uri = f"{(self.folder / FILE).absolute().as_uri()}?{how}"
        db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        try:
            db.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA temp_store = MEMORY")
            if self._lock is not None:
                db.execute(f"PRAGMA cache_size = {-self._cache}")
        except sqlite3.Error:
            db.close()
            raise
        return db


def _refusal(folder: Path, error: sqlite3.Error) -> LibraryError:
    if "locked" in str(error):
        return LibraryBusy(f"the library in {folder} is busy ({error}). Wait a little, then try again")
    if "full" in str(error):
        return LibraryError(
            f"no room left for the library in {folder} ({error}); what was there is kept. "
            "Free some space, then try again"
        )
    if isinstance(error, sqlite3.OperationalError):
        return LibraryError(
            f"the library in {folder} cannot be used ({error}). Check the folder and its rights"
        )
    return LibraryError(
        f"the library in {folder} is not a library or damaged ({error}). "
        "Check it with: lunwen doctor, or name another with --library DIR"
    )
