"""Pages of a walk into the store; the parsers are loaded with the first page that is new."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from lunwen.corpus.memory import return_large_blocks
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.corpus.ingest import Failure, Import, Progress
    from lunwen.corpus.paper import BadRecord, Record
    from lunwen.corpus.store import Store
    from lunwen.corpus.sync.page import Page

MANY = 10_000  # records from one pause to the next


class Reader:
    """Reads pages and imports them; a context manager that ends the processes which help it.

    Args:
        store: what it fills.
        begin: called once before the first page is imported.
        pause: called after ``MANY`` records.
        progress: hears how far it is.
    """

    def __init__(
        self,
        store: Store,
        begin: Callable[[], None] | None,
        pause: Callable[[], None] | None,
        progress: Progress | None,
    ) -> None:
        self._store = store
        self._begin = begin
        self._pause = pause
        self._since = 0  # records since the last pause
        self._progress = progress
        self._held = ExitStack()
        self._import: Import | None = None
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._held.close()

    def tell(self, what: str, done: int, total: int | None) -> None:
        """Say how far it is."""
        self._done = done
        if self._progress is not None:
            self._progress(done, total, what)

    def rest(self, records: int) -> None:
        """Pause after many records."""
        self._since += records
        if self._since >= MANY and self._pause is not None:
            return_large_blocks()
            self._held.close()  # the processes that clean would only wait
            self._import = None
            self._pause()
            self._since = 0

    def read(self, page: Page) -> tuple[str, list[Record | BadRecord]]:
        """Return which source recognises the page, and its records.

        Raises:
            UnreadableFile: none does, or it is damaged.
        """
        if page.check is not None:
            page.check()
        from lunwen.corpus.paper import BadRecord  # noqa: PLC0415 - as below
        from lunwen.corpus.sources import find_source, sniff  # noqa: PLC0415 - slow to load

        source = find_source(page.source) if page.source else sniff(page.file)
        if not source.sniff(page.file):
            from lunwen.corpus.sync.arrival import refuse  # noqa: PLC0415 - slow to load

            raise refuse(page.file, f'the format "{source.name}"')
        records = [
            one
            for one in source.read(page.file)
            if page.keep is None or isinstance(one, BadRecord) or page.keep(one)
        ]
        if records and all(isinstance(one, BadRecord) for one in records):
            first = next(one.reason for one in records if isinstance(one, BadRecord))
            raise UnreadableFile(
                f"{page.url}: none of its {len(records):,} records can be read: {first}. Nothing of it was "
                "taken. Try again later."
            )
        return source.name, records

    def take(
        self, page: Page, source: str, records: list[Record | BadRecord], title: str
    ) -> tuple[list[int], list[Failure]]:
        """Import the records of a page; return which of the library's they are, and those that failed."""
        if self._import is None:
            from lunwen.corpus.ingest import Import  # noqa: PLC0415 - slow to load

            if self._begin is not None:
                self._begin()
                self._begin = None
            self._import = self._held.enter_context(Import(self._store, keeps_idle=False))
        known = len(self._import.failures)
        met = self._import.take(page.file.name, source, iter(records))
        self.tell(title, self._done + len(records), page.total)
        return met, self._import.failures[known:]
