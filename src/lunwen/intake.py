"""What brings papers into a library: files, the catalogue, sites that are followed; a part of ``Library``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from lunwen.errors import CouldNot, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from lunwen.corpus.enrich.run import EnrichOptions, EnrichReport
    from lunwen.corpus.ingest import IngestReport, Progress
    from lunwen.corpus.paper import Paper
    from lunwen.corpus.shelf import Shelf
    from lunwen.corpus.store import Store
    from lunwen.corpus.sync.page import Edition
    from lunwen.corpus.sync.report import SyncReport
    from lunwen.corpus.sync.run import SyncOptions
    from lunwen.corpus.sync.survey import Followable
    from lunwen.retrieval.engine import Engine

AUTOMATIC = "automatic"  # a file beside the store: the library is the catalogue, and nobody asked for it


class Intake(ABC):
    """The part of a library through which papers come in; it was opened for writing."""

    folder: Path
    _store: Store

    @property
    @abstractmethod
    def _engine(self) -> Engine: ...

    @property
    @abstractmethod
    def _shelf(self) -> Shelf: ...

    @abstractmethod
    def catch_up(self, progress: Progress | None = None) -> None:
        """Index what changed since the last time."""

    @abstractmethod
    def reindex(self, progress: Progress | None = None) -> None:
        """Build the index anew from the records."""

    def import_files(
        self, paths: Sequence[str], *, source: str | None = None, progress: Progress | None = None
    ) -> IngestReport:
        """Take in files, folders, archives or standard input, then index what changed.

        Raises:
            UnreadableFile: no path could be read at all.
            UnknownName: no such source.
        """
        from lunwen.corpus.ingest import ingest  # noqa: PLC0415  parsers are slow to load, searching needs none

        self._make_ready()
        try:
            return ingest(self._store, paths, source=source, progress=progress)
        finally:
            self.catch_up(progress)
            self._shelf.follow_catalogue()

    def import_catalogue(self) -> IngestReport:
        """Take in the built-in catalogue."""
        from lunwen.corpus.catalogue import records  # noqa: PLC0415  only needed here
        from lunwen.corpus.ingest import ingest_records  # noqa: PLC0415  same

        report = ingest_records(self._store, "catalogue", records())
        self.catch_up()
        (self.folder / AUTOMATIC).unlink(missing_ok=True)
        return report

    def sync(
        self,
        editions: Sequence[Edition],
        *,
        options: SyncOptions | None = None,
        offline: bool = False,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Follow editions: take in what is new at their sites, then index what changed.

        Args:
            editions: what to walk, and to follow from now on.
            options: how.
            offline: whether only what was fetched before is read.
            progress: hears how far it is.

        Raises:
            LibraryError: the library cannot be written.
            UsageError: a setting of how sites are asked is wrong.
        """
        from lunwen.corpus.fetch.client import open_fetcher  # noqa: PLC0415  httpx is slow to load
        from lunwen.corpus.sync.last import note_begin, note_end  # noqa: PLC0415  only following needs it
        from lunwen.corpus.sync.run import sync  # noqa: PLC0415  httpx is slow to load

        began, before = monotonic(), self._store.last_seq()
        with open_fetcher(offline=offline, fresh=options is not None and options.fresh) as fetcher:
            note_begin(self._store)
            try:
                report = sync(
                    self._store,
                    editions,
                    fetcher,
                    options=options,
                    begin=self._make_ready,
                    pause=lambda: self._pause(progress),
                    progress=progress,
                )
            finally:
                if self._store.last_seq() != before:
                    self.catch_up(progress)
                    self._shelf.follow_catalogue()
        if not report.interrupted:
            note_end(self._store)
        return replace(report, seconds=round(monotonic() - began, 3))

    def enrich(
        self,
        papers: Iterable[Paper],
        *,
        options: EnrichOptions | None = None,
        offline: bool = False,
        progress: Progress | None = None,
    ) -> EnrichReport:
        """Add links, citations and ORCIDs to papers, then index what changed.

        Args:
            papers: those to look over. The catalogue's are passed over where they are not in this library.
            options: what is added.
            offline: whether only what was fetched before is read.
            progress: hears how far it is.

        Raises:
            LibraryError: the library cannot be written.
            UsageError: a setting of how sites are asked is wrong.
        """
        from lunwen.corpus.enrich.run import enrich  # noqa: PLC0415  httpx is slow to load
        from lunwen.corpus.fetch.client import open_fetcher  # noqa: PLC0415  same

        def here() -> Iterator[Paper]:
            return (paper for paper in papers if self._store.row(paper.paper_id) is not None)

        began = monotonic()
        self.catch_up(progress)  # papers that a search finds
        if isinstance(papers, Iterator):  # which each source would find empty but the first
            papers = list(papers)
        with open_fetcher(offline=offline) as fetcher:
            try:
                report = enrich(self._store, here, fetcher, options=options, progress=progress)
            finally:
                self.catch_up(progress)
        return replace(report, seconds=round(monotonic() - began, 3))

    def _pause(self, progress: Progress | None) -> None:
        """Index amid a long sync, so that what came can be found, and memory stays bounded."""
        with suppress(CouldNot):  # it is tried again at the end, and told there
            self.catch_up(progress)

    def followed(self) -> list[Edition]:
        """Return what was synced and is followed."""
        from lunwen.corpus.sync.state import Follows  # noqa: PLC0415  only following needs it

        return [follow.edition for follow in Follows(self._store).all()]

    def unfollow(self, edition: Edition) -> None:
        """Follow an edition no longer; its papers stay, and none of them is gone on its account.

        Raises:
            UsageError: it is not followed.
        """
        from lunwen.corpus.sync.state import Follows  # noqa: PLC0415  only following needs it

        follows = Follows(self._store)
        if not follows.forget(edition.name):
            known = ", ".join(follow.edition.name for follow in follows.all()) or "nothing"
            raise UsageError(f'"{edition.name}" is not followed. Followed: {known}. More: lunwen sources')
        self.catch_up()

    def sources(self, words: str = "") -> list[Followable]:
        """Return what can be followed, and how what is followed stands; those that have all the words."""
        from lunwen.corpus.sync.state import Follows  # noqa: PLC0415  only following needs it
        from lunwen.corpus.sync.survey import survey  # noqa: PLC0415  same

        return survey(Follows(self._store).all(), words)

    def _make_ready(self) -> None:
        """Drop a catalogue that nobody asked for, so that a library holds just what was imported.

        What readers wrote stays: the catalogue's papers are known in any library.
        """
        if (self.folder / AUTOMATIC).exists():
            from lunwen.corpus.ledger import forget  # noqa: PLC0415  parsers are slow to load

            with self._store.transaction() as db:
                forget(db)
            (self.folder / AUTOMATIC).unlink()
        if self._engine.seq > self._store.last_seq():
            self.reindex()  # of records that are no longer there; soon the numbers would hide it
