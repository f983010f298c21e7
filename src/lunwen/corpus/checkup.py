"""Whether the library holds together, and mending what does not."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import orjson

from lunwen.corpus.codec import decode_record, encode_paper
from lunwen.corpus.identity import paper_ids
from lunwen.corpus.merge import Sighting, merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with the library."""

    what: str
    count: int
    repaired: bool


def check(db: sqlite3.Connection, *, repair: bool) -> list[Finding]:
    """Look at every table; with ``repair`` within a transaction, mend what can be mended."""
    damage = _find_damage(db)
    if damage:
        # nothing is written into a damaged file
        return [
            Finding(
                f"the file is damaged ({damage[0]}); import its files into a new library", len(damage), False
            )
        ]
    findings = _sweep(db, _DANGLING, repair=repair)
    if repair:
        findings += _settle_waiting(db)
    for what, find, mend in _CHECKS:
        if found := list(find(db)):
            if repair:
                mend(db, found)
            findings.append(Finding(what, len(found), repair))
    return findings + _sweep(db, _READERS, repair=repair)  # after papers were restored


def _find_damage(db: sqlite3.Connection) -> list[str]:
    """What SQLite says of the file's pages."""
    try:
        return [row[0] for row in db.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:  # too damaged to be looked at
        return [str(error)]


_LIVING = "(SELECT row FROM papers WHERE data IS NOT NULL)"
_RECORDS = "(SELECT record FROM records)"
_DANGLING = (
    ("identifiers of no record", "identifiers", f"record NOT IN {_RECORDS}"),
    ("keys of no record", "keys", f"record NOT IN {_RECORDS}"),
    ("older versions of no record", "versions", f"record NOT IN {_RECORDS}"),
    ("pages of nothing that is followed", "pages", "follow NOT IN (SELECT follow FROM follows)"),
    (
        "notes of a walk that lead nowhere",
        "met",
        f"record NOT IN {_RECORDS} OR page NOT IN (SELECT page FROM pages)",  # noqa: S608 - named above
    ),
    ("aliases of a paper that is gone", "aliases", f"row NOT IN {_LIVING}"),
    (
        "maybe-the-same links to a paper that is gone",
        "maybe_same",
        f"row NOT IN {_LIVING} OR other NOT IN {_LIVING}",
    ),
)


#: The ids under which there is a paper, here or in the catalogue.
_KNOWN = f"""(SELECT paper_id FROM papers WHERE data IS NOT NULL UNION
    SELECT paper_id FROM aliases WHERE row IN {_LIVING} UNION SELECT value FROM json_each(:catalogue))"""  # noqa: S608
_READERS = (
    ("stars of papers that are gone", "stars", f"paper_id NOT IN {_KNOWN}"),
    ("notes of papers that are gone", "notes", f"paper_id NOT IN {_KNOWN}"),
    ("PDFs of papers that are gone", "pdfs", f"paper_id NOT IN {_KNOWN}"),
    ("pages of no PDF", "passages", "paper_id NOT IN (SELECT paper_id FROM pdfs)"),
    ("saved searches that cannot be read", "watches", "NOT json_valid(request)"),
)


def _sweep(db: sqlite3.Connection, rules: Iterable[tuple[str, str, str]], *, repair: bool) -> list[Finding]:
    """Count the rows of tables that should not be there, and delete them where ``repair`` says so."""
    from lunwen.corpus.catalogue import records  # noqa: PLC0415 - only a check needs it

    names = {"catalogue": orjson.dumps([record.key for record in records()]).decode()}
    findings = []
    for what, table, wrong in rules:
        (count,) = db.execute(f"SELECT count(*) FROM {table} WHERE {wrong}", names).fetchone()  # noqa: S608
        if count and repair:
            db.execute(f"DELETE FROM {table} WHERE {wrong}", names)  # noqa: S608
        if count:
            findings.append(Finding(what, count, repair))
    return findings


def _find_unfiled(db: sqlite3.Connection) -> Iterator[int]:
    """Records that cannot be found under their identifiers and keys."""
    from lunwen.corpus.prepare import tokens_of  # noqa: PLC0415 - only a check needs it

    filed: set[tuple[int, str, str | int]] = set(db.execute("SELECT record, scheme, value FROM identifiers"))
    filed.update(db.execute("SELECT record, kind, value FROM keys"))
    for record, data in db.execute("SELECT record, data FROM records"):
        ids, keys = tokens_of(decode_record(data))
        if any((record, kind, value) not in filed for kind, value in (*ids, *keys)):
            yield record


def _file(db: sqlite3.Connection, records: list[int]) -> None:
    from lunwen.corpus.prepare import tokens_of  # noqa: PLC0415 - only a repair needs it

    for record in records:
        (data,) = db.execute("SELECT data FROM records WHERE record = ?", (record,)).fetchone()
        ids, keys = tokens_of(decode_record(data))
        db.executemany(
            "INSERT OR IGNORE INTO identifiers(scheme, value, record) VALUES(?, ?, ?)",
            [(scheme, value, record) for scheme, value in ids],
        )
        db.executemany(
            "INSERT OR IGNORE INTO keys(kind, value, record) VALUES(?, ?, ?)",
            [(kind, value, record) for kind, value in keys],
        )
    _settle(db, records)


def _find_lost(db: sqlite3.Connection) -> Iterator[int]:
    """Records of a paper that is not there, and titled ones of none."""
    for record, paper, data in db.execute(
        f"SELECT record, paper, data FROM records WHERE paper IS NULL OR paper NOT IN {_LIVING}"  # noqa: S608
    ):
        if paper is not None or decode_record(data).title:
            yield record


def _restore(db: sqlite3.Connection, records: list[int]) -> None:
    """Give each record the paper that was made of it, where it is still there, or else a new one."""
    for record in records:
        source, data = db.execute("SELECT source, data FROM records WHERE record = ?", (record,)).fetchone()
        names = list(islice(paper_ids(decode_record(data), source), 3))
        own = db.execute(
            f"""SELECT row FROM papers WHERE row IN {_LIVING}
                AND paper_id IN (SELECT value FROM json_each(?))
                AND row NOT IN (SELECT paper FROM records WHERE paper IS NOT NULL)""",  # noqa: S608
            (orjson.dumps(names).decode(),),
        ).fetchone()
        db.execute("UPDATE records SET paper = ? WHERE record = ?", (own[0] if own else None, record))
    _settle(db, records)


def _find_stale(db: sqlite3.Connection) -> Iterator[int]:
    """Papers that are not what their records make of them."""
    paper, sightings = None, list[Sighting]()
    rows = db.execute(
        f"""SELECT r.paper, r.source, file, imported, data, coalesce(gone, '')
            FROM records r JOIN imports USING(import) WHERE r.paper IN {_LIVING} ORDER BY r.paper"""  # noqa: S608
    )
    stored = db.cursor()
    for row, source, file, imported, data, gone in (*rows, (None, "", "", "", "", "")):
        if row != paper:
            if sightings:
                held = stored.execute("SELECT data FROM papers WHERE row = ?", (paper,)).fetchone()[0]
                if encode_paper(merge(sightings)) != held:
                    yield paper or 0
            paper, sightings = row, []
        if row is not None:
            sightings.append(Sighting(decode_record(data), source, file, imported, gone))


def _remerge(db: sqlite3.Connection, rows: list[int]) -> None:
    for row in rows:
        db.execute("UPDATE papers SET hash = x'' WHERE row = ?", (row,))
        _settle(
            db, [record for (record,) in db.execute("SELECT record FROM records WHERE paper = ?", (row,))]
        )


def _settle_waiting(db: sqlite3.Connection) -> list[Finding]:
    """Look again for the papers of records that wait."""
    waiting = "SELECT record FROM records WHERE paper IS NULL AND json_extract(data, '$.title') IS NULL"
    before = [record for (record,) in db.execute(waiting)]
    _settle(db, before)
    found = len(before) - len(db.execute(waiting).fetchall())
    return [Finding("records that waited although their paper was there", found, True)] if found > 0 else []


def _settle(db: sqlite3.Connection, records: list[int]) -> None:
    from lunwen.corpus.settlement import Settlement  # noqa: PLC0415 - only a repair needs it

    for batch in _batches(records):
        Settlement(db).settle({}, batch)


def _batches(records: Iterable[int]) -> Iterator[list[int]]:
    left = iter(records)
    while batch := list(islice(left, _BATCH)):
        yield batch


class _Check(NamedTuple):
    what: str
    find: Callable[[sqlite3.Connection], Iterator[int]]
    mend: Callable[[sqlite3.Connection, list[int]], None]


_CHECKS = (
    _Check("records that cannot be found by their identifiers or keys", _find_unfiled, _file),
    _Check("records without their paper", _find_lost, _restore),
    _Check("papers that differ from what their records say", _find_stale, _remerge),
)
