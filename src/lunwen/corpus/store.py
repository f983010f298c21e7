"""The library on disk: one SQLite file, one writer, many readers."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from lunwen.corpus import schema
from lunwen.corpus.codec import decode_paper, decode_record, encode_paper
from lunwen.corpus.database import FILE, Database
from lunwen.corpus.identifier import identifiers_in
from lunwen.corpus.lock import lock
from lunwen.errors import LibraryBusy, LibraryError, LibraryTooOld

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.checkup import Finding
    from lunwen.corpus.paper import Paper, Provenance

_PAGE = 1_000  # papers read at a time where all are wanted


class Store(Database):
    """The record of truth: papers, the records they are merged from, and every change in order.

    Reading is safe from several threads; writing is for the thread that opened a transaction.
    """

    @classmethod
    def open(cls, folder: str | Path, *, write: bool = False) -> Store:
        """Open the library in ``folder``; writing makes it where there is none.

        Raises:
            LibraryError: no library there, not readable or writable, or damaged.
            LibraryBusy: another process is writing.
            LibraryTooNew: made by a newer lunwen.
            LibraryTooOld: made by an older one, and it cannot be brought up to date.
        """
        folder = Path(folder)
        if not write:
            if not (folder / FILE).is_file():
                raise LibraryError(f"no library in {folder}. Make one with: lunwen import FILE")
            try:
                return cls._open_reading(folder)
            except LibraryTooOld:
                cls._bring_up_to_date(folder)
                return cls._open_reading(folder)
        held = lock(folder)
        store = cls(folder, "mode=rwc", held)
        try:
            with store._connection() as db:
                db.execute("PRAGMA journal_mode = WAL")
                schema.migrate(db)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _open_reading(cls, folder: Path) -> Store:
        # in a folder that can't be written WAL can't be used; there the file does not change either
        try:
            return _checked(cls(folder, "mode=ro", None))
        except LibraryBusy:
            raise
        except LibraryError as error:
            if not isinstance(error.__cause__, sqlite3.OperationalError):
                raise
            return _checked(cls(folder, "immutable=1", None))

    @classmethod
    def _bring_up_to_date(cls, folder: Path) -> None:
        try:
            cls.open(folder, write=True).close()  # which adds the tables it lacks
        except LibraryBusy:
            raise
        except LibraryError as error:
            what = "is of an older lunwen and cannot be brought up to date"
            raise LibraryTooOld(say_unwritable(folder, what, error)) from error

    @property
    def may_write(self) -> bool:
        """Whether this process alone writes papers."""
        return self._lock is not None

    # reading

    def paper(self, paper_id: str) -> Paper | None:
        """The paper of this id, or of an id it was merged from."""
        with self.reading() as db:
            found = db.execute(
                """SELECT paper_id, data FROM papers WHERE data IS NOT NULL AND (paper_id = :id
                   OR row = (SELECT row FROM aliases WHERE paper_id = :id)) ORDER BY paper_id <> :id""",
                {"id": paper_id},
            ).fetchone()
        return decode_paper(*found) if found else None

    def papers(self, rows: Sequence[int]) -> list[Paper]:
        """The papers of these rows in this order; rows that are gone are left out."""
        with self.reading() as db:
            found = {
                row: (paper_id, data)
                for row, paper_id, data in db.execute(
                    """SELECT row, paper_id, data FROM papers
                       WHERE row IN (SELECT value FROM json_each(?)) AND data IS NOT NULL""",
                    (orjson.dumps(list(rows)).decode(),),
                )
            }
        return [decode_paper(*found[row]) for row in rows if row in found]

    def all_papers(self) -> Iterator[Paper]:
        """Every paper, in the order they came."""
        row = 0
        while True:
            with self.reading() as db:
                page = db.execute(
                    "SELECT row, paper_id, data FROM papers WHERE row > ? ORDER BY row LIMIT ?", (row, _PAGE)
                ).fetchall()
            if not page:
                return
            for row, paper_id, data in page:  # noqa: B007 - the last row begins the next page
                if data is not None:
                    yield decode_paper(paper_id, data)

    def changed(self, after_seq: int = 0) -> Iterator[tuple[int, int, Paper | None]]:
        """Every (row, seq, paper) changed after ``after_seq``, in order; None where the paper is gone."""
        seq = after_seq
        while True:
            with self.reading() as db:
                page = db.execute(
                    "SELECT row, seq, paper_id, data FROM papers WHERE seq > ? ORDER BY seq LIMIT ?",
                    (seq, _PAGE),
                ).fetchall()
            if not page:
                return
            for row, seq, paper_id, data in page:
                yield row, seq, None if data is None else decode_paper(paper_id, data)

    def resolve(self, text: str) -> str | None:
        """The paper_id that ``text`` names: an id, an earlier id, an external id or a paper's URL."""
        text = text.strip().replace("\0", "")
        with self.reading() as db:
            found = db.execute(
                """SELECT paper_id FROM papers WHERE paper_id = :id AND data IS NOT NULL UNION ALL
                   SELECT p.paper_id FROM aliases a JOIN papers p USING(row)
                   WHERE a.paper_id = :id AND p.data IS NOT NULL""",
                {"id": _speakable(text)},
            ).fetchone()
            if found:
                return str(found[0])
            known = identifiers_in(text)
            scheme, value = (known.scheme, known.value) if known else (None, _speakable(text))
            papers = db.execute(
                """SELECT DISTINCT p.paper_id, i.scheme FROM identifiers i JOIN records r USING(record)
                   JOIN papers p ON p.row = r.paper WHERE i.value = ?""",
                (value,),
            ).fetchall()
        named = {paper_id for paper_id, of in papers if scheme in (None, of)}
        return str(named.pop()) if len(named) == 1 else None

    def row(self, paper_id: str) -> int | None:
        """The row of a paper that is there."""
        with self.reading() as db:
            found = db.execute(
                "SELECT row FROM papers WHERE paper_id = ? AND data IS NOT NULL", (paper_id,)
            ).fetchone()
        return int(found[0]) if found else None

    def provenance(self, paper_id: str) -> list[Provenance]:
        """Who said what of each field of the paper, and what is shown."""
        with self.reading() as db:
            found = db.execute(
                """SELECT r.data, r.source, i.file, i.imported FROM records r JOIN imports i USING(import)
                   WHERE r.paper = (SELECT row FROM papers WHERE paper_id = :id) UNION ALL
                   SELECT v.data, r.source, i.file, i.imported FROM versions v JOIN records r USING(record)
                   JOIN imports i ON i.import = v.import
                   WHERE r.paper = (SELECT row FROM papers WHERE paper_id = :id)""",
                {"id": paper_id},
            ).fetchall()
        from lunwen.corpus import merge  # noqa: PLC0415  long to load, and searching needs none

        return merge.provenance(
            [
                merge.Sighting(decode_record(data), source, file, imported)
                for data, source, file, imported in found
            ]
        )

    def passages(self, paper_id: str) -> list[tuple[int, str]]:
        """The (page, text) of a paper's PDF, the one kept last where papers merged; empty pages aside."""
        with self.reading() as db:
            return db.execute(
                """SELECT page, text FROM passages WHERE paper_id = (
                     SELECT paper_id FROM pdfs WHERE paper_id = ?1 OR paper_id IN (
                       SELECT a.paper_id FROM aliases a JOIN papers p USING(row) WHERE p.paper_id = ?1)
                     ORDER BY kept DESC LIMIT 1) ORDER BY page""",
                (paper_id,),
            ).fetchall()

    def rows_with_text(self) -> set[int]:
        """The rows of the papers whose text is here."""
        with self.reading() as db:
            found = db.execute(
                """SELECT coalesce(p.row, a.row) FROM pdfs LEFT JOIN aliases a USING(paper_id)
                   LEFT JOIN papers p ON p.paper_id = pdfs.paper_id AND p.data IS NOT NULL
                   WHERE EXISTS (SELECT 1 FROM passages WHERE passages.paper_id = pdfs.paper_id)"""
            )
            return {row for (row,) in found if row is not None}

    def maybe_same(self, paper_id: str) -> list[tuple[str, str]]:
        """The (paper_id, why) of papers that may be this one."""
        with self.reading() as db:
            found = db.execute(
                """SELECT o.paper_id, m.why FROM papers p JOIN maybe_same m ON p.row IN (m.row, m.other)
                   JOIN papers o ON o.row = m.row + m.other - p.row
                   WHERE p.paper_id = ? AND o.data IS NOT NULL ORDER BY o.row""",
                (paper_id,),
            ).fetchall()
        return [(other, why) for other, why in found]

    def first_seen(self, paper_ids: Sequence[str]) -> dict[str, str]:
        """When a file first brought each of these papers: ISO date and time, UTC."""
        with self.reading() as db:
            found = db.execute(
                """SELECT p.paper_id, min(i.imported) FROM papers p JOIN records r ON r.paper = p.row
                   LEFT JOIN versions v ON v.record = r.record
                   JOIN imports i ON i.import IN (r.import, v.import)
                   WHERE p.paper_id IN (SELECT value FROM json_each(?)) GROUP BY 1""",
                (orjson.dumps(list(paper_ids)).decode(),),
            )
            return dict(found.fetchall())

    def count(self) -> int:
        """How many papers there are."""
        with self.reading() as db:
            return int(db.execute("SELECT count(data) FROM papers").fetchone()[0])

    def last_seq(self) -> int:
        """The number of the last change."""
        with self.reading() as db:
            return int(db.execute("SELECT coalesce(max(seq), 0) FROM papers").fetchone()[0])

    def last_row(self, seq: int) -> int:
        """The last row whose paper is as it was at the change ``seq``, or as before."""
        with self.reading() as db:
            found = db.execute(
                "SELECT row FROM papers WHERE +seq <= ? ORDER BY row DESC LIMIT 1", (seq,)
            ).fetchone()
        return int(found[0]) if found else 0

    def imports(self) -> list[dict[str, object]]:
        """Every file imported, oldest first: file, source, imported, and what came of it.

        As in a report, records that waited, and whose paper has come in since, count as updated.
        """
        with self.reading() as db:
            found = db.execute(
                """SELECT file, source, imported, coalesce(report, '{}'), coalesce(waiting, 0) FROM imports
                   LEFT JOIN (SELECT import, count(*) AS waiting FROM records WHERE paper IS NULL GROUP BY 1)
                   USING(import) ORDER BY import"""
            ).fetchall()
        rows: list[dict[str, object]] = []
        for file, source, imported, report, waiting in found:
            counts = Counter(orjson.loads(report))
            counts["updated"] += max(counts["waiting"] - waiting, 0)
            counts["waiting"] = waiting
            rows.append({"file": file, "source": source, "imported": imported, **counts})
        return rows

    def count_maybe_same(self) -> int:
        """How many pairs of papers may be one."""
        with self.reading() as db:
            return int(db.execute("SELECT count(*) FROM maybe_same").fetchone()[0])

    def waiting(self, records: Sequence[int]) -> set[int]:
        """Which of these records have no paper yet."""
        with self.reading() as db:
            found = db.execute(
                """SELECT record FROM records
                   WHERE paper IS NULL AND record IN (SELECT value FROM json_each(?))""",
                (orjson.dumps(records).decode(),),
            ).fetchall()
        return {record for (record,) in found}

    def put(self, paper: Paper) -> int:
        """Keep a paper as it is under its paper_id, without looking for others of it; return its row."""
        data = encode_paper(paper)
        with self.transaction() as db:
            row: int = db.execute(
                """INSERT INTO papers(paper_id, data, hash, seq)
                   VALUES(?, ?, ?, (SELECT coalesce(max(seq), 0) + 1 FROM papers))
                   ON CONFLICT(paper_id) DO UPDATE SET data = excluded.data, hash = excluded.hash,
                   seq = CASE WHEN hash = excluded.hash AND data IS NOT NULL THEN seq ELSE excluded.seq END
                   RETURNING row""",
                (paper.paper_id, data, hash_text(data)),
            ).fetchone()[0]
        return row

    # doctor

    def check(self, *, repair: bool = False) -> list[Finding]:
        """Say what is wrong with the library; with ``repair`` mend what can be mended.

        Raises:
            LibraryError: it was opened for reading, and a repair is asked for.
        """
        from lunwen.corpus.checkup import check  # noqa: PLC0415  long to load, and searching needs none

        if not repair:
            with self.reading() as db:
                return check(db, repair=False)
        with self.transaction() as db:
            return check(db, repair=True)


def hash_text(text: str) -> bytes:
    """A short hash by which two versions are told apart."""
    return hashlib.blake2b(text.encode(), digest_size=12).digest()


def say_unwritable(folder: Path, what: str, error: LibraryError) -> str:
    """Say how to read a library that would have to be written first, and cannot be."""
    reason = getattr(error.__cause__, "strerror", None) or error.__cause__ or "no right to write"
    return (
        f"the library in {folder} {what} where it is ({reason}). "
        "Let who may write there search once, or copy the folder and name the copy with --library DIR"
    )


def _checked(store: Store) -> Store:
    with store.reading() as db:
        if schema.version(db) < schema.NEWEST:
            raise LibraryTooOld(
                f"the library in {store.folder} is of an older lunwen or unfinished. "
                "Bring it up to date with: lunwen doctor --repair"
            )
        db.execute("SELECT 1 FROM papers LIMIT 1").fetchone()
    return store


def _speakable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()  # SQLite refuses lone surrogates
