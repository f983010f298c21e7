"""The last sync: when it began, and after which paper; what came in later rows is news of it.

One that was stopped or killed is gone on with by the next, so that what it brought is news of that one too.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import orjson

from lunwen.corpus.moment import now

if TYPE_CHECKING:
    from lunwen.corpus.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class LastSync:
    """From where on a sync brought papers."""

    began: str  # ISO date and time, UTC
    row: int  # the last paper before it
    ended: bool = False


def note_begin(store: Store) -> None:
    """Note that a sync begins, or goes on with one that did not end."""
    before = last_sync(store)
    if before is None or before.ended:
        _write(store, LastSync(began=now(), row=store.last_row(store.last_seq())))


def note_end(store: Store) -> None:
    """Note that the sync came to its end, whatever came of it."""
    if under_way := last_sync(store):
        _write(store, LastSync(began=under_way.began, row=under_way.row, ended=True))


def last_sync(store: Store) -> LastSync | None:
    """Return the last sync, or the one under way; None: there never was one."""
    with store.reading() as db:
        found = db.execute("SELECT value FROM meta WHERE name = 'sync'").fetchone()
    return LastSync(**orjson.loads(found[0])) if found else None


def _write(store: Store, sync: LastSync) -> None:
    with store.transaction() as db:
        db.execute("INSERT OR REPLACE INTO meta VALUES('sync', ?)", (orjson.dumps(asdict(sync)).decode(),))
