"""What readers add to a library: stars, collections, notes, saved searches; a part of ``Library``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from lunwen.corpus.shelf import STARRED, Shelf, tidy_name
from lunwen.corpus.watch import Watches
from lunwen.errors import CouldNot, LimitError, UsageError
from lunwen.retrieval.request import SearchRequest
from lunwen.retrieval.search import search
from lunwen.retrieval.watch import News, Watch, read_request, write_request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    from lunwen.corpus.paper import Paper
    from lunwen.corpus.shelf import Collection
    from lunwen.corpus.store import Store
    from lunwen.corpus.sync.last import LastSync
    from lunwen.corpus.watch import Saved
    from lunwen.retrieval.engine import Engine
    from lunwen.retrieval.request import SearchResponse


class Shelved(ABC):
    """The reader's own part of a library; all of it may be written while another process imports.

    Whatever writes raises LibraryBusy where another process writes all the while.
    """

    _store: Store

    @property
    @abstractmethod
    def _engine(self) -> Engine: ...

    @abstractmethod
    def paper(self, text: str) -> Paper:
        """Return the paper of any id."""

    def keeping(self) -> AbstractContextManager[object]:
        """All that readers write within is kept at its end, or after an error none of it."""
        return self._store.brief_transaction()

    # Collections

    def star(self, papers: Sequence[str], collection: str = STARRED) -> int:
        """Put papers, named by any id, into a collection; return how many were not in it.

        Raises:
            NotFound: one of them is no paper; then none is put in.
            UsageError: no collection can have this name.
        """
        return self._shelf.star(self._ids(papers), collection)

    def unstar(self, papers: Sequence[str], collection: str = STARRED) -> int:
        """Take papers, named by any id, out of a collection; return how many were in it.

        Raises:
            NotFound: one of them is no paper, or there is no such collection.
        """
        return self._shelf.unstar(self._ids(papers), collection)

    def collections(self) -> list[Collection]:
        """Return every collection with its count, "starred" first."""
        return self._shelf.collections()

    def collection(self, name: str = STARRED) -> list[tuple[Paper, str]]:
        """Return the papers of a collection in the order in which they came in, and when each did.

        Raises:
            NotFound: no such collection.
        """
        return [(self.paper(star.paper_id), star.added) for star in self._shelf.stars(name)]

    def collections_of(self, paper_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return the names of the collections of each of these papers that is in any."""
        return self._shelf.collections_of(paper_ids)

    def rename_collection(self, name: str, new: str) -> None:
        """Give a collection another name.

        Raises:
            NotFound: no such collection.
            UsageError: the name cannot be one, or is another collection's.
        """
        self._shelf.rename(name, new)

    def delete_collection(self, name: str) -> int:
        """Empty a collection, which ends it; return how many papers were in it.

        Raises:
            NotFound: no such collection.
        """
        return self._shelf.delete(name)

    # Notes

    def note(self, paper: str, text: str | None) -> None:
        """Keep a note with a paper, named by any id, in place of the one before; without text, none.

        Raises:
            NotFound: no such paper.
            LimitError: the note is too long.
        """
        (paper_id,) = self._ids([paper])
        self._shelf.write_note(paper_id, text)

    def notes(self, paper_ids: Iterable[str] | None = None) -> dict[str, str]:
        """Return the notes of these papers, or of all that have one."""
        return self._shelf.notes(paper_ids)

    # Saved searches

    def save_watch(self, name: str, request: SearchRequest) -> SearchResponse:
        """Save a search under a new name; return what it finds now, which is not new to it.

        Raises:
            UsageError: the name cannot be one or is there already, or the request is wrong.
        """
        name = tidy_name("watch", name)
        if name in ("add", "remove"):
            raise UsageError(f'"{name}" is a word of the command line. Choose another name for the watch')
        last = self._newest
        response = search(replace(request, offset=0), self._engine, self._store, self._store.resolve)
        self._watches.save(name, write_request(request), last)
        return response

    def watches(self) -> list[Watch]:
        """Return the saved searches with how many papers are new to each."""
        newest = self._newest
        return [self._count(saved, newest) for saved in self._watches.all()]

    def watch(self, name: str, *, limit: int = 20, offset: int = 0, since_sync: bool = False) -> News:
        """Return what a saved search finds that entered the library after the last visit.

        Args:
            name: what it is called.
            limit: how many papers are returned.
            offset: how many are left out before.
            since_sync: whether what the last sync brought is meant instead, seen or not.

        Raises:
            NotFound: no such saved search.
            UnknownName: it filters by what the library no longer knows.
            LimitError: limit or offset is out of range.
            UsageError: nothing was synced yet.
        """
        last = self._newest  # before the search, which may have more: better shown twice than never
        saved = self._watches.find(name)
        after, since = saved.last, saved.visited
        if since_sync:
            after, since = self.last_sync.row, self.last_sync.began
        response = self._find_new(saved, after=after, limit=limit, offset=offset)
        watch = Watch(
            name=saved.name,
            request=read_request(saved.request),
            made=saved.made,
            visited=saved.visited,
            new=response.total,
        )
        return News(watch=watch, response=response, last=last, since=since)

    @property
    def last_sync(self) -> LastSync:
        """The last sync of what is followed, or the one under way.

        Raises:
            UsageError: nothing was synced yet.
        """
        from lunwen.corpus.sync.last import last_sync  # noqa: PLC0415  only following needs it

        sync = last_sync(self._store)
        if sync is None:
            raise UsageError("nothing was synced yet. Follow a venue with: lunwen sync VENUE YEAR")
        return sync

    def visit(self, name: str, last: int) -> None:
        """Note that a saved search was seen up to ``News.last``.

        Raises:
            NotFound: no such saved search.
            LimitError: no paper came in so late.
        """
        newest = self._store.last_row(self._store.last_seq())
        if not 0 <= last <= newest:
            raise LimitError(
                f"last {last} is of no paper here. Allowed: 0 to {newest}, as given with what is new. "
                "Ask what is new again"
            )
        self._watches.visit(name, last)

    def delete_watch(self, name: str) -> None:
        """Forget a saved search.

        Raises:
            NotFound: no such saved search.
        """
        self._watches.remove(name)

    def _ids(self, papers: Sequence[str]) -> list[str]:
        return [self._shelf.at_home(self.paper(text).paper_id) for text in papers]

    def _count(self, saved: Saved, newest: int) -> Watch:
        watch = Watch(name=saved.name, request=SearchRequest(), made=saved.made, visited=saved.visited)
        try:
            watch = replace(watch, request=read_request(saved.request))
            new = self._find_new(saved, after=saved.last, limit=1).total if newest > saved.last else 0
        except (UsageError, CouldNot) as error:
            return replace(watch, problem=str(error))
        return replace(watch, new=new)

    def _find_new(self, saved: Saved, *, after: int, limit: int, offset: int = 0) -> SearchResponse:
        request = replace(read_request(saved.request), limit=limit, offset=offset)
        return search(request, self._engine, self._store, self._store.resolve, after_row=after)

    @property
    def _newest(self) -> int:
        """The last row of which the index surely knows."""
        return self._store.last_row(self._engine.seq)

    @property
    def _shelf(self) -> Shelf:
        return Shelf(self._store)

    @property
    def _watches(self) -> Watches:
        return Watches(self._store)
