"""What an import writes: each record once, under its source and key, with what it said before."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import orjson

from lunwen.corpus.codec import decode_record, encode_record
from lunwen.corpus.merge import overlay
from lunwen.corpus.prepare import tokens_of
from lunwen.corpus.settlement import Outcome, Settlement

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from lunwen.corpus.prepare import Prepared


class Filed(NamedTuple):
    """One record and what came of it."""

    record: int
    outcome: Outcome


def known(db: sqlite3.Connection, source: str, keys: Sequence[str]) -> dict[str, tuple[int, bytes]]:
    """The record and the hash of each of these keys that the source has used before."""
    found = db.execute(
        """SELECT key, record, hash FROM records
           WHERE source = ? AND key IN (SELECT value FROM json_each(?))""",
        (source, orjson.dumps(keys).decode()),
    )
    return {key: (record, hash_) for key, record, hash_ in found}


def forget(db: sqlite3.Connection) -> None:
    """Drop all papers and records; what readers wrote and follow stays, and no row is given twice."""
    read = ("records", "versions", "identifiers", "keys", "imports", "pages", "met")
    for table in ("papers", "aliases", "maybe_same", *read):
        db.execute(f"DELETE FROM {table}")  # noqa: S608 - named above
    db.execute("UPDATE follows SET cursor = NULL")


class Ledger:
    """The writing half of an import, within the transaction of ``db``."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        (self._record,) = db.execute(
            "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'records'"
        ).fetchone()

    def file(self, run: int, source: str, batch: Sequence[Prepared], seen: set[str]) -> list[Filed]:
        """Keep the records of one batch and bring the papers they belong to up to date.

        ``seen`` are the keys this run has met: a key met twice in one file is two records.
        """
        placed, new, changed = self._place(run, source, batch, seen)
        outcomes = Settlement(self._db).settle(new, changed)
        return [Filed(record, outcomes.get(record, Outcome.UNCHANGED)) for record in placed]

    # records

    def _place(
        self, run: int, source: str, batch: Sequence[Prepared], seen: set[str]
    ) -> tuple[list[int], dict[int, Prepared], list[int]]:
        """Write the records; return the record of each, the new ones, and the changed ones."""
        held = known(self._db, source, [one.key for one in batch])
        placed: list[int] = []
        new: dict[int, Prepared] = {}
        changed: list[int] = []
        for one in batch:
            key, record = self._find(source, one, seen, held)
            seen.add(key)
            if record is None:
                self._record += 1
                record = self._record
                new[record] = one._replace(key=key)
                held[key] = (record, one.hash)
            elif held[key][1] != one.hash and record not in new:
                changed.append(record)
                self._replace(run, record, one._replace(key=key))
            placed.append(record)
        self._db.executemany(
            "INSERT INTO records(record, source, key, import, data, hash) VALUES(?, ?, ?, ?, ?, ?)",
            [(record, source, one.key, run, one.data, one.hash) for record, one in new.items()],
        )
        self._index(new)
        return placed, new, changed

    def _find(
        self, source: str, one: Prepared, seen: set[str], held: dict[str, tuple[int, bytes]]
    ) -> tuple[str, int | None]:
        """The key under which the record is kept, and the record it replaces."""
        number = 1
        key = one.key
        while True:
            if key not in held and number > 1:
                held.update(known(self._db, source, [key]))
            other = held.get(key)
            if other is None:
                return key, None
            if other[1] == one.hash:
                return key, other[0]
            if key not in seen and not self._is_another(other[0], one):
                return key, other[0]
            key = f"{one.key}#{one.digest}" + (f"-{number}" if number > 1 else "")
            number += 1

    def _is_another(self, record: int, one: Prepared) -> bool:
        """Whether a key now names another paper: neither title nor authors nor an identifier is the same."""
        older = decode_record(
            self._db.execute("SELECT data FROM records WHERE record = ?", (record,)).fetchone()[0]
        )
        ids, keys = tokens_of(older)
        return bool(keys) and bool(one.keys) and not {*ids, *keys} & {*one.identifiers, *one.keys}

    def _replace(self, run: int, record: int, one: Prepared) -> None:
        data, before = self._db.execute(
            "SELECT data, import FROM records WHERE record = ?", (record,)
        ).fetchone()
        ids, keys = tokens_of(decode_record(data))
        self._db.executemany(
            "DELETE FROM identifiers WHERE value = ? AND scheme = ? AND record = ?",
            [(value, scheme, record) for scheme, value in ids],
        )
        self._db.executemany(
            "DELETE FROM keys WHERE value = ? AND kind = ? AND record = ?",
            [(value, kind, record) for kind, value in keys],
        )
        self._db.execute("INSERT INTO versions(record, import, data) VALUES(?, ?, ?)", (record, before, data))
        whole = overlay(decode_record(data), decode_record(one.data))
        self._db.execute(
            "UPDATE records SET import = ?, data = ?, hash = ? WHERE record = ?",
            (run, encode_record(whole), one.hash, record),
        )
        ids, keys = tokens_of(whole)
        self._index({record: one._replace(identifiers=ids, keys=keys)})

    def _index(self, records: dict[int, Prepared]) -> None:
        self._db.executemany(
            "INSERT OR IGNORE INTO identifiers(value, scheme, record) VALUES(?, ?, ?)",
            [(value, scheme, record) for record, one in records.items() for scheme, value in one.identifiers],
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO keys(value, kind, record) VALUES(?, ?, ?)",
            [(value, kind, record) for record, one in records.items() for kind, value in one.keys],
        )
