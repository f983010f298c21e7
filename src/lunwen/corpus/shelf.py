"""What readers add to papers: stars in named collections, and notes.

Both are kept under the id that the paper had. Ids are never given twice, and one that went into another paper
leads there, so papers may merge without a star having to be moved.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import orjson

from lunwen.corpus.moment import now
from lunwen.errors import LimitError, NotFound, UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from lunwen.corpus.store import Store

STARRED = "starred"  # the collection that is always there
MAX_NAME = 100  # characters
MAX_NOTE = 10_000

#: The id that the paper of ``held.paper_id`` has now; NULL where the library does not have it.
_NOW = """coalesce(
    (SELECT paper_id FROM papers WHERE paper_id = held.paper_id AND data IS NOT NULL),
    (SELECT p.paper_id FROM aliases a JOIN papers p USING(row)
     WHERE a.paper_id = held.paper_id AND p.data IS NOT NULL))"""

#: Every (paper_id, name) of the papers listed in ``?1``: the ids under which something may be kept.
_NAMES = """(SELECT value AS paper_id, value AS name FROM json_each(?1) UNION
    SELECT p.paper_id, a.paper_id FROM json_each(?1) asked JOIN papers p ON p.paper_id = asked.value
    JOIN aliases a ON a.row = p.row)"""


@dataclass(frozen=True, slots=True)
class Collection:
    """A named list of papers; it is there as long as papers are in it."""

    name: str
    papers: int
    changed: str  # when a paper last came in; empty where there is none


@dataclass(frozen=True, slots=True)
class Star:
    """A paper in a collection."""

    paper_id: str
    added: str


class Shelf:
    """The collections and notes in a store; they may be written while another imports."""

    def __init__(self, store: Store) -> None:
        self._store = store

    # collections

    def star(self, paper_ids: Sequence[str], collection: str = STARRED) -> int:
        """Put papers into a collection; return how many were not in it.

        Raises:
            UsageError: no collection can have this name.
            LibraryBusy: another process wrote all the while.
        """
        name = tidy_name("collection", collection)
        with self._store.brief_transaction() as db:
            before = db.total_changes
            for paper_id in paper_ids:
                db.execute(
                    f"""INSERT INTO stars(collection, paper_id, added) SELECT ?2, ?3, ?4 WHERE NOT EXISTS (
                        SELECT 1 FROM stars WHERE collection = ?2
                        AND paper_id IN (SELECT name FROM {_NAMES}))""",  # noqa: S608 - a constant
                    (_array([paper_id]), name, paper_id, now()),
                )
            return db.total_changes - before

    def unstar(self, paper_ids: Sequence[str], collection: str = STARRED) -> int:
        """Take papers out of a collection; return how many were in it.

        Raises:
            NotFound: no such collection.
            LibraryBusy: another process wrote all the while.
        """
        with self._store.brief_transaction() as db:
            name = self._known(db, collection)
            there = {star.paper_id for star in self._stars(db).get(name, ())}.intersection(paper_ids)
            db.execute(
                f"DELETE FROM stars WHERE collection = ?2 AND paper_id IN (SELECT name FROM {_NAMES})",  # noqa: S608
                (_array(paper_ids), name),
            )
        return len(there)

    def collections(self) -> list[Collection]:
        """Every collection by name, "starred" first."""
        with self._store.reading() as db:
            found = self._stars(db)
        names = [STARRED, *sorted(found.keys() - {STARRED}, key=str.casefold)]
        return [
            Collection(name, len(stars), max((star.added for star in stars), default=""))
            for name in names
            for stars in [found.get(name, [])]
        ]

    def stars(self, collection: str = STARRED) -> list[Star]:
        """The papers of a collection in the order in which they came in.

        Raises:
            NotFound: no such collection.
        """
        with self._store.reading() as db:
            name = self._known(db, collection)
            return self._stars(db).get(name, [])

    def rename(self, collection: str, name: str) -> None:
        """Give a collection another name.

        Raises:
            NotFound: no such collection.
            UsageError: the name cannot be one, or is another collection's.
        """
        new = tidy_name("collection", name)
        with self._store.brief_transaction() as db:
            old = self._known(db, collection)
            if new in self._names(db):
                raise UsageError(f'there is a collection "{new}" already. Choose another name for "{old}"')
            db.execute("UPDATE stars SET collection = ? WHERE collection = ?", (new, old))

    def delete(self, collection: str) -> int:
        """Take every paper out of a collection, which ends it; return how many there were.

        Raises:
            NotFound: no such collection.
        """
        with self._store.brief_transaction() as db:
            name = self._known(db, collection)
            papers = len(self._stars(db).get(name, ()))
            db.execute("DELETE FROM stars WHERE collection = ?", (name,))
        return papers

    def collections_of(self, paper_ids: Iterable[str]) -> dict[str, list[str]]:
        """The collections of each of these papers that is in any, in order of time."""
        with self._store.reading() as db:
            found = db.execute(
                f"""SELECT named.paper_id, collection FROM {_NAMES} named
                    JOIN stars ON stars.paper_id = named.name ORDER BY star""",  # noqa: S608 - a constant
                (_array(paper_ids),),
            ).fetchall()
        held: dict[str, list[str]] = {}
        for paper_id, collection in found:
            names = held.setdefault(paper_id, [])
            if collection not in names:  # under two ids of a merged paper
                names.append(collection)
        return held

    def _stars(self, db: sqlite3.Connection) -> dict[str, list[Star]]:
        """The papers of each collection that can be shown: those here, and the catalogue's."""
        found: dict[str, dict[str, Star]] = {}
        for collection, paper_id, added, known in db.execute(
            f"SELECT collection, paper_id, added, {_NOW} FROM stars held ORDER BY star"  # noqa: S608
        ):
            shown = known or (paper_id if paper_id in self._catalogue else None)
            if shown is not None:
                found.setdefault(collection, {}).setdefault(shown, Star(shown, added))
        return {collection: list(stars.values()) for collection, stars in found.items()}

    def _names(self, db: sqlite3.Connection) -> set[str]:
        return {STARRED, *(name for (name,) in db.execute("SELECT DISTINCT collection FROM stars"))}

    def _known(self, db: sqlite3.Connection, collection: str) -> str:
        return choose("collection", collection, self._names(db), "lunwen list")

    # notes

    def write_note(self, paper_id: str, text: str | None) -> None:
        """Keep a note with a paper in place of the one before; without text, none.

        Raises:
            LimitError: it is too long.
            LibraryBusy: another process wrote all the while.
        """
        text = (text or "").replace("\0", "").encode("utf-8", "replace").decode().strip()
        if len(text) > MAX_NOTE:
            raise LimitError(f"a note of {len(text):,} characters: 1 to {MAX_NOTE:,} are kept. Shorten it")
        with self._store.brief_transaction() as db:
            db.execute(
                f"DELETE FROM notes WHERE paper_id IN (SELECT name FROM {_NAMES})",  # noqa: S608 - a constant
                (_array([paper_id]),),
            )
            if text:
                db.execute("INSERT INTO notes VALUES(?, ?, ?)", (paper_id, text, now()))

    def notes(self, paper_ids: Iterable[str] | None = None) -> dict[str, str]:
        """The notes of these papers, or of all that have one; those of merged papers below each other."""
        with self._store.reading() as db:
            if paper_ids is None:
                found = db.execute(
                    f"SELECT coalesce({_NOW}, paper_id), text FROM notes held ORDER BY written"  # noqa: S608
                ).fetchall()
            else:
                found = db.execute(
                    f"""SELECT named.paper_id, text FROM {_NAMES} named
                        JOIN notes ON notes.paper_id = named.name ORDER BY written""",  # noqa: S608
                    (_array(paper_ids),),
                ).fetchall()
        texts: dict[str, list[str]] = {}
        for paper_id, text in found:
            texts.setdefault(paper_id, []).append(text)
        return {paper_id: "\n\n".join(held) for paper_id, held in texts.items()}

    # the catalogue's papers

    def at_home(self, paper_id: str) -> str:
        """The id of a paper here; for one of the catalogue that is not, of one with an identifier of it."""
        if self._store.row(paper_id) is not None or paper_id not in self._catalogue:
            return paper_id
        return next(filter(None, map(self._store.resolve, self._catalogue[paper_id])), paper_id)

    def follow_catalogue(self) -> None:
        """Move stars and notes of the catalogue's papers to papers here that have an identifier of theirs.

        A paper of the catalogue can be starred without being in the library; the first import may drop it.
        """
        with self._store.reading() as db:
            astray = {
                paper_id
                for table in ("stars", "notes")
                for (paper_id,) in db.execute(f"SELECT paper_id FROM {table} held WHERE {_NOW} IS NULL")  # noqa: S608
                if paper_id in self._catalogue
            }
        moved = {old: new for old in astray if (new := self.at_home(old)) != old}
        if not moved:
            return
        with self._store.brief_transaction() as db:
            for old, new in moved.items():
                db.execute("UPDATE OR REPLACE stars SET paper_id = ? WHERE paper_id = ?", (new, old))
                db.execute(
                    """INSERT INTO notes SELECT ?, text, written FROM notes WHERE paper_id = ? ON CONFLICT DO
                       UPDATE SET text = text || char(10, 10) || excluded.text, written = excluded.written""",
                    (new, old),
                )
                db.execute("DELETE FROM notes WHERE paper_id = ?", (old,))

    @cached_property
    def _catalogue(self) -> dict[str, list[str]]:
        """The catalogue's paper_ids, each with its identifiers."""
        from lunwen.corpus.catalogue import records  # noqa: PLC0415 - eighty papers, seldom needed

        return {record.key: list(record.identifiers.values()) for record in records()}


def tidy_name(what: str, name: str) -> str:
    """Return a name as it is kept: composed, without spaces around or lines within.

    Raises:
        UsageError: it is empty, dots, too long, or holds what cannot be seen.
    """
    tidy = unicodedata.normalize("NFC", " ".join(name.split()))
    # a browser takes "." and ".." of a path for steps, so that none of them has a page
    if tidy in ("", ".", "..") or len(tidy) > MAX_NAME or not tidy.isprintable():
        raise UsageError(
            f"{name[:40]!a} is no name for a {what}: 1 to {MAX_NAME} visible characters are. "
            "Choose another name"
        )
    return tidy


def choose(what: str, name: str, known: Iterable[str], listing: str) -> str:
    """Return the one of the ``known`` names that is meant.

    Raises:
        NotFound: there is none; with the closest.
    """
    tidy, names = unicodedata.normalize("NFC", " ".join(name.split())), list(known)
    if tidy in names:
        return tidy
    from rapidfuzz import process  # noqa: PLC0415 - long to load, and only a refusal needs it

    near = process.extract(tidy, names, limit=2, score_cutoff=60)
    closest = ", ".join(f'"{one}"' for one, *_ in near)
    hint = f"Closest: {closest}. " if near else ""
    raise NotFound(f'no {what} "{name[:80]}". {hint}List them with: {listing}')


def _array(values: Iterable[str]) -> str:
    return orjson.dumps([value.encode("utf-8", "replace").decode() for value in values]).decode()
