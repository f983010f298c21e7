"""What is followed, and what the walks over it met.

A walk has a number. Every record it meets is noted under the page it stood on with that number, so that at
the end of a walk over a whole site the records with an older one are gone.
"""

# ruff: noqa: S608 - the statements are put together from those below

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import orjson

from lunwen.corpus.moment import now
from lunwen.corpus.sync.page import Edition

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from lunwen.corpus.store import Store

_PRESENT = """FROM pages JOIN met USING(page) JOIN records r USING(record)
    WHERE follow = :follow AND met.gone IS NULL"""
_MET = f"{_PRESENT} AND met.walk = :walk"
# papers that this edition listed and no longer does; what only adds to a paper, as an abstract, lists nothing
_TITLED = "json_extract({}.data, '$.title') IS NOT NULL"
_UNLISTED = f"""SELECT r.paper FROM pages JOIN met USING(page) JOIN records r USING(record)
    WHERE follow = :follow AND met.gone IS NOT NULL AND {_TITLED.format("r")} AND NOT EXISTS
      (SELECT 1 FROM records o JOIN met m USING(record) JOIN pages p ON p.page = m.page
       WHERE o.paper = r.paper AND p.follow = :follow AND m.gone IS NULL AND {_TITLED.format("o")})"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follow:
    """An edition that is followed, and how far its last walk came."""

    follow: int
    edition: Edition
    with_rejected: bool
    walk: int
    began: str | None  # when the walk under way began; None: none is
    cursor: str | None  # from where it goes on, or where the next one begins
    synced: str | None  # when the last walk ended, however it did
    outcome: str | None
    reason: str
    counts: dict[str, int]


class Follows:
    """The followed editions in a store that was opened for writing, or for reading alone."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self) -> list[Follow]:
        """Every followed edition by name."""
        with self._store.reading() as db:
            return [_read(row) for row in db.execute(f"SELECT {_COLUMNS} FROM follows ORDER BY name")]

    def find(self, name: str) -> Follow | None:
        """The edition of this name, where it is followed."""
        with self._store.reading() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM follows WHERE name = ?", (name,)).fetchone()
        return _read(row) if row else None

    def count(self, follow: Follow) -> int:
        """How many papers the edition lists, as far as is known."""
        with self._store.reading() as db:
            found = db.execute(
                f"SELECT count(paper) FROM (SELECT r.paper {_PRESENT} EXCEPT {_UNLISTED})",
                {"follow": follow.follow},
            )
            return int(found.fetchone()[0])

    def count_records(self, follow: Follow) -> int:
        """How many records the edition's pages held, as far as is known."""
        with self._store.reading() as db:
            found = db.execute(f"SELECT count(DISTINCT record) {_PRESENT}", {"follow": follow.follow})
            return int(found.fetchone()[0])

    def count_pages(self, follow: Follow) -> int:
        """How many pages the edition has."""
        with self._store.reading() as db:
            number = (follow.follow,)
            found = db.execute("SELECT count(*) FROM pages WHERE follow = ? AND hash <> x''", number)
            return int(found.fetchone()[0])

    def count_met(self, follow: Follow) -> int:
        """How many records the walk under way has met."""
        with self._store.reading() as db:
            found = db.execute(
                f"SELECT count(DISTINCT record) {_MET}", {"follow": follow.follow, "walk": follow.walk}
            )
            return int(found.fetchone()[0])

    def count_unmet(self, follow: Follow) -> int:
        """How many papers that the edition listed the walk under way has not met, under any record."""
        with self._store.reading() as db:
            found = db.execute(
                f"""SELECT count(DISTINCT r.paper) {_PRESENT}
                    AND r.paper NOT IN (SELECT r.paper {_MET} AND r.paper IS NOT NULL)""",
                {"follow": follow.follow, "walk": follow.walk},
            )
            return int(found.fetchone()[0])

    def forget(self, name: str) -> bool:
        """Stop following an edition; its papers stay, and what was known of its pages goes."""
        with self._store.transaction() as db:
            follow = db.execute("SELECT follow FROM follows WHERE name = ?", (name,)).fetchone()
            if follow is None:
                return False
            records = _records(
                db.execute("SELECT DISTINCT record FROM pages JOIN met USING(page) WHERE follow = ?", follow)
            )
            db.execute("DELETE FROM met WHERE page IN (SELECT page FROM pages WHERE follow = ?)", follow)
            db.execute("DELETE FROM pages WHERE follow = ?", follow)
            db.execute("DELETE FROM follows WHERE follow = ?", follow)
            mark(db, records)
        return True

    # one walk

    def begin(self, edition: Edition, *, with_rejected: bool, fresh: bool, again: bool = False) -> Follow:
        """Begin a walk over an edition, or go on with the one that stopped, unless it is to be ``fresh``.

        ``again`` has the one that stopped walk from the start, and counts on from where it began to count.
        """
        with self._store.transaction() as db:
            follow = self.find(edition.name)
            if follow is None:
                db.execute(
                    """INSERT INTO follows(name, edition, with_rejected, walk, seq, row, tally)
                       VALUES(?, '', 0, 0, 0, 0, '{}')""",
                    (edition.name,),
                )
            # rejected papers that once were asked for would be gone at the next sync
            asked = with_rejected or (follow is not None and follow.with_rejected)
            db.execute(
                "UPDATE follows SET edition = ?, with_rejected = ? WHERE name = ?",
                (orjson.dumps(asdict(edition)).decode(), asked, edition.name),
            )
            fresh = fresh or follow is None or asked != follow.with_rejected
            if again:
                db.execute(
                    """UPDATE follows SET walk = walk + 1, began = ?, cursor = NULL,
                       tally = json_remove(tally, '$.failed') WHERE name = ?""",
                    (now(), edition.name),
                )
            elif fresh or follow is None or follow.began is None or self._has_ended(follow):
                db.execute(
                    """UPDATE follows SET walk = walk + 1, began = ?, tally = '{}',
                       cursor = CASE WHEN ? THEN NULL ELSE cursor END,
                       seq = (SELECT coalesce(max(seq), 0) FROM papers),
                       row = (SELECT coalesce(max(row), 0) FROM papers) WHERE name = ?""",
                    (now(), fresh, edition.name),
                )
        found = self.find(edition.name)
        assert found is not None  # noqa: S101 - written above
        return found

    def _has_ended(self, follow: Follow) -> bool:
        """Whether a walk has nowhere to go on; one that stopped within its first page counts on."""
        return follow.cursor is None and (follow.outcome == "failed" or self.count_met(follow) > 0)

    def is_read(self, follow: Follow, page: str, hash_: bytes) -> bool:
        """Whether the page was read as it is now."""
        with self._store.reading() as db:
            found = db.execute(
                "SELECT 1 FROM pages WHERE follow = ? AND name = ? AND hash = ?", (follow.follow, page, hash_)
            ).fetchone()
        return found is not None

    def meet(
        self,
        follow: Follow,
        page: str,
        hash_: bytes,
        records: Sequence[int] | None,
        *,
        failed: int,
        cursor: str | None,
    ) -> tuple[int, int]:
        """Note the records met on a page (None: those that it had before), and where to go on.

        Returns:
            How many they are, and how many of them this walk had not met before.
        """
        with self._store.transaction() as db:
            number: int = db.execute(
                """INSERT INTO pages(follow, name, hash) VALUES(?, ?, ?)
                   ON CONFLICT(follow, name) DO UPDATE SET hash = excluded.hash RETURNING page""",
                (follow.follow, page, hash_),
            ).fetchone()[0]
            if records is None:
                # those that stood on it when it was read last; others may have stood on it before
                records = _records(
                    db.execute(
                        """SELECT record FROM met WHERE page = ?1 AND gone IS NULL
                           AND walk = (SELECT max(walk) FROM met WHERE page = ?1)""",
                        (number,),
                    )
                )
                first = len(records) - _count_met_of(db, follow, records)
                db.executemany(
                    "UPDATE met SET walk = ? WHERE page = ? AND record = ?",
                    [(follow.walk, number, record) for record in records],
                )
            else:
                records = list(dict.fromkeys(records))
                first = len(records) - _count_met_of(db, follow, records)
                back = _unlisted(db, follow, records)
                db.executemany(
                    """INSERT INTO met(page, record, walk) VALUES(?, ?, ?)
                       ON CONFLICT DO UPDATE SET walk = excluded.walk, gone = NULL""",
                    [(number, record, follow.walk) for record in records],
                )
                mark(db, records)
                _add(db, follow, back=back, failed=failed)
            db.execute("UPDATE follows SET cursor = ? WHERE follow = ?", (cursor, follow.follow))
        return len(records), first

    def lose(self, follow: Follow, source: str, keys: Sequence[str]) -> None:
        """Note records that the site says are no longer there."""
        with self._store.transaction() as db:
            lost = db.execute(
                """SELECT record FROM records
                   WHERE source = ? AND key IN (SELECT value FROM json_each(?))""",
                (source, orjson.dumps(keys).decode()),
            )
            _lose(db, follow, _records(lost))

    def lose_unmet(self, follow: Follow) -> None:
        """Note that records which this walk, now at its end, did not meet are no longer there."""
        with self._store.transaction() as db:
            here = {"follow": follow.follow, "walk": follow.walk}
            unmet = _records(
                db.execute(
                    f"""SELECT DISTINCT record {_PRESENT} AND met.walk < :walk
                        AND record NOT IN (SELECT record {_MET})""",
                    here,
                )
            )
            db.execute(  # they stand elsewhere now
                f"""DELETE FROM met WHERE page IN (SELECT page FROM pages WHERE follow = :follow)
                    AND walk < :walk AND record IN (SELECT record {_MET})""",
                here,
            )
            db.execute(  # read again if they come back: what stood on them is gone or elsewhere
                f"UPDATE pages SET hash = x'' WHERE follow = :follow AND page NOT IN (SELECT page {_MET})",
                here,
            )
            _lose(db, follow, unmet)

    def unmeet_new(self, follow: Follow) -> None:
        """Forget that this walk met papers which were not there before it."""
        with self._store.transaction() as db:
            db.execute(
                """DELETE FROM met WHERE page IN (SELECT page FROM pages WHERE follow = :follow)
                   AND record IN (SELECT record FROM records r JOIN papers p ON r.paper = p.row
                                  WHERE p.row > (SELECT row FROM follows WHERE follow = :follow))""",
                {"follow": follow.follow},
            )
            db.execute("UPDATE pages SET hash = x'' WHERE follow = ?", (follow.follow,))

    def tally(self, follow: Follow) -> dict[str, int]:
        """What the walk under way has come to: papers new, changed, gone, back, unchanged; records failed."""
        with self._store.reading() as db:
            kept, seq, row = db.execute(
                "SELECT tally, seq, row FROM follows WHERE follow = ?", (follow.follow,)
            ).fetchone()
            met, new, changed = db.execute(
                f"""SELECT count(*), count(*) FILTER (WHERE row > :row),
                    count(*) FILTER (WHERE row <= :row AND seq > :seq)
                    FROM papers WHERE row IN (SELECT r.paper {_MET} EXCEPT {_UNLISTED})""",
                {"follow": follow.follow, "walk": follow.walk, "seq": seq, "row": row},
            ).fetchone()
        counts = Counter(orjson.loads(kept))
        changed = max(changed - counts["back"], 0)
        return {
            "new": new,
            "changed": changed,
            "gone": counts["gone"],
            "back": counts["back"],
            "unchanged": max(met - new - changed - counts["back"], 0),
            "failed": counts["failed"],
        }

    def end(self, follow: Follow, outcome: str, reason: str, counts: dict[str, int], *, whole: bool) -> None:
        """Note how the walk ended; one that did not come to its end goes on next time."""
        with self._store.transaction() as db:
            db.execute(
                """UPDATE follows SET synced = ?, outcome = ?, reason = ?, counts = ?,
                   began = CASE WHEN ? THEN NULL ELSE began END WHERE follow = ?""",
                (now(), outcome, reason, orjson.dumps(counts).decode(), whole, follow.follow),
            )


def mark(db: sqlite3.Connection, records: Sequence[int]) -> None:
    """Bring up to date which of ``records`` are gone, and their papers."""
    since = """(SELECT CASE WHEN count(*) = count(met.gone) THEN max(met.gone) END FROM met
                WHERE met.record = records.record)"""
    changed = _records(
        db.execute(
            f"""UPDATE records SET gone = {since} WHERE record IN (SELECT value FROM json_each(?))
                AND gone IS NOT {since} RETURNING record""",
            (orjson.dumps(list(records)).decode(),),
        )
    )
    if changed:
        from lunwen.corpus.settlement import Settlement  # noqa: PLC0415 - parsers are slow to load

        Settlement(db).settle({}, changed)


def _records(found: sqlite3.Cursor) -> list[int]:
    return [record for (record,) in found]


def _lose(db: sqlite3.Connection, follow: Follow, records: Sequence[int]) -> None:
    """Mark records as gone from this edition, as of today, and count the papers it lists no more."""
    if not records:
        return
    today = now()[:10]
    here = {"follow": follow.follow, "records": orjson.dumps(list(records)).decode(), "today": today}
    db.execute(
        """UPDATE met SET gone = :today WHERE gone IS NULL
           AND page IN (SELECT page FROM pages WHERE follow = :follow)
           AND record IN (SELECT value FROM json_each(:records))""",
        here,
    )
    mark(db, records)
    _add(db, follow, gone=_unlisted(db, follow, records))


def _count_met_of(db: sqlite3.Connection, follow: Follow, records: Sequence[int]) -> int:
    """Count those of ``records`` that the walk under way has met."""
    here = {"follow": follow.follow, "walk": follow.walk, "records": orjson.dumps(list(records)).decode()}
    found = db.execute(
        """SELECT count(DISTINCT record) FROM met JOIN pages USING(page) WHERE follow = :follow
           AND walk = :walk AND gone IS NULL AND record IN (SELECT value FROM json_each(:records))""",
        here,
    )
    return int(found.fetchone()[0])


def _unlisted(db: sqlite3.Connection, follow: Follow, records: Sequence[int]) -> int:
    """Count the papers of ``records`` of which this edition once listed some, and now lists none."""
    found = db.execute(
        f"""SELECT count(DISTINCT paper) FROM
            ({_UNLISTED} AND record IN (SELECT value FROM json_each(:records)))""",
        {"follow": follow.follow, "records": orjson.dumps(list(records)).decode()},
    )
    return int(found.fetchone()[0])


def _add(db: sqlite3.Connection, follow: Follow, **more: int) -> None:
    if any(more.values()):
        (kept,) = db.execute("SELECT tally FROM follows WHERE follow = ?", (follow.follow,)).fetchone()
        tally = Counter(orjson.loads(kept)) + Counter(more)
        db.execute(
            "UPDATE follows SET tally = ? WHERE follow = ?",
            (orjson.dumps(dict(tally)).decode(), follow.follow),
        )


_COLUMNS = (
    "follow, edition, with_rejected, walk, began, cursor, synced, outcome, coalesce(reason, ''), "
    "coalesce(counts, '{}')"
)


def _read(
    row: tuple[int, str, int, int, str | None, str | None, str | None, str | None, str, str],
) -> Follow:
    follow, edition, with_rejected, walk, began, cursor, synced, outcome, reason, counts = row
    return Follow(
        follow=follow,
        edition=Edition(**orjson.loads(edition)),
        with_rejected=bool(with_rejected),
        walk=walk,
        began=began,
        cursor=cursor,
        synced=synced,
        outcome=outcome,
        reason=reason,
        counts=orjson.loads(counts),
    )
