"""Saved searches, and up to which paper each was looked through.

A paper is new where its row came after: rows are given once, in order, and a changed paper keeps its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.corpus.moment import now
from lunwen.corpus.shelf import choose, tidy_name
from lunwen.errors import UsageError

if TYPE_CHECKING:
    from lunwen.corpus.store import Store


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved search as it is kept."""

    name: str
    request: str
    made: str
    visited: str
    last: int  # papers in later rows are new


class Watches:
    """The saved searches in a store; they may be written while another imports."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def save(self, name: str, request: str, last: int) -> None:
        """Keep a search under a new name.

        Raises:
            UsageError: the name cannot be one, or is there already.
            LibraryBusy: another process wrote all the while.
        """
        name, moment = tidy_name("watch", name), now()
        with self._store.brief_transaction() as db:
            if db.execute("SELECT 1 FROM watches WHERE name = ?", (name,)).fetchone():
                raise UsageError(
                    f'there is a watch "{name}" already. Choose another name, or first: '
                    f'lunwen watch remove "{name}"'
                )
            db.execute("INSERT INTO watches VALUES(?, ?, ?, ?, ?)", (name, request, moment, moment, last))

    def all(self) -> list[Saved]:
        """Every saved search by name."""
        with self._store.reading() as db:
            found = db.execute("SELECT name, request, made, visited, last FROM watches").fetchall()
        return sorted((Saved(*row) for row in found), key=lambda one: one.name.casefold())

    def find(self, name: str) -> Saved:
        """One saved search.

        Raises:
            NotFound: there is none of this name.
        """
        found = {one.name: one for one in self.all()}
        return found[choose("watch", name, found, "lunwen watch")]

    def visit(self, name: str, last: int) -> None:
        """Note that everything up to a row was seen; what was seen before stays seen.

        Raises:
            NotFound: no such saved search.
            LibraryBusy: another process wrote all the while.
        """
        with self._store.brief_transaction() as db:
            db.execute(
                "UPDATE watches SET visited = ?, last = max(last, ?) WHERE name = ?",
                (now(), last, self.find(name).name),
            )

    def remove(self, name: str) -> None:
        """Forget a saved search.

        Raises:
            NotFound: no such saved search.
            LibraryBusy: another process wrote all the while.
        """
        with self._store.brief_transaction() as db:
            db.execute("DELETE FROM watches WHERE name = ?", (self.find(name).name,))
