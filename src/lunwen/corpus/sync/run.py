"""A sync: the walks over editions, page by page into the store, and a report of what came of them."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from typing import TYPE_CHECKING

from lunwen.corpus.sync.reader import Reader
from lunwen.corpus.sync.report import EditionReport, Ending, SyncReport
from lunwen.corpus.sync.site import SITES
from lunwen.corpus.sync.state import Follow, Follows
from lunwen.errors import Expired, FetchError, LibraryError, LunwenError, NotPublished, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.ingest import Failure, Progress
    from lunwen.corpus.store import Store
    from lunwen.corpus.sync.page import Edition, Page, Site

#: A walk over a whole site that stopped longer ago begins again: what it saw may have moved since.
STALE = timedelta(days=1)
_CACHE = 16_384  # kB: a sync may take hours, and stays small beside other work
_CHUNK = 1 << 20
_IDLE = 10  # pages on end without a record that is new to the walk: it has no end


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncOptions:
    """How editions are walked."""

    with_rejected: bool = False  # rejected and withdrawn papers too, where the site knows them
    fresh: bool = False  # everything is asked for and read again
    accept_fewer: bool = False  # a site may list fewer than half of what it listed before


def sync(
    store: Store,
    editions: Iterable[Edition],
    fetcher: Fetcher,
    *,
    options: SyncOptions | None = None,
    begin: Callable[[], None] | None = None,
    pause: Callable[[], None] | None = None,
    progress: Progress | None = None,
) -> SyncReport:
    """Walk over editions and import what is new; one that fails does not stop the others.

    Args:
        store: what it fills.
        editions: what is walked, in this order.
        fetcher: gets the pages.
        options: how they are walked.
        begin: called once before the first page is imported.
        pause: called after every ten thousand records, between two pages.
        progress: hears how far it is.

    Raises:
        LibraryError: the library cannot be written.
    """
    began = time.monotonic()
    follows, reports = Follows(store), list[EditionReport]()
    store.limit_cache(_CACHE)
    with Reader(store, begin, pause, progress) as reader:
        for edition in editions:
            reports.append(_Walk(follows, edition, fetcher, reader, options or SyncOptions()).run())
            if reports[-1].outcome is Ending.INTERRUPTED:
                break
    return SyncReport(
        editions=tuple(reports), offline=fetcher.offline, seconds=round(time.monotonic() - began, 3)
    )


class _Walk:
    """The walk over one edition."""

    def __init__(
        self,
        follows: Follows,
        edition: Edition,
        fetcher: Fetcher,
        reader: Reader,
        options: SyncOptions,
    ) -> None:
        self._follows = follows
        self._edition = edition
        self._site: Site = SITES[edition.site]
        self._fetcher = fetcher
        self._reader = reader
        self._options = options
        self._failures: list[Failure] = []
        self._idle, self._url = 0, ""  # pages on end with nothing new; the last one's address
        self._was_whole = False  # the walk before came to its end
        self._read = self._unread = 0  # pages that were read, and that are as they were when they were
        self._is_doubted = False  # the site gave another list than before

    def run(self) -> EditionReport:
        """Walk to the end or as far as possible, and note how it ended."""
        follow = self._begin()
        outcome, reason = Ending.DONE, ""
        try:
            try:
                self._go(follow)
            except Expired:  # once; what is met again is not doubled
                self._failures = []
                follow = self._begin(again=True)
                self._go(follow)
        except KeyboardInterrupt:
            outcome = Ending.INTERRUPTED
        except LibraryError:
            raise
        except NotPublished as error:
            outcome, reason = Ending.NOT_PUBLISHED, str(error)
            if not self._follows.count_met(follow) and (before := self._follows.count(follow)):
                outcome = Ending.FAILED
                reason = f"{reason} It listed {before:,} papers before; these are kept"
        except LunwenError as error:
            outcome, reason = Ending.FAILED, str(error)
            if isinstance(error, UnreadableFile):
                self._fetcher.forget()
        # offline nothing counts as gone, so that the next walk has to look
        whole = outcome in (Ending.DONE, Ending.NOT_PUBLISHED) and not (
            self._site.is_whole and self._fetcher.offline
        )
        counts = self._follows.tally(follow)
        if self._is_doubted:  # or the next walk would compare with what is doubted
            self._follows.unmeet_new(follow)
        papers = self._follows.count(follow)
        self._follows.end(follow, outcome.value, reason, {**counts, "papers": papers}, whole=whole)
        return EditionReport(
            edition=self._edition.name,
            venue=self._edition.venue,
            year=self._edition.year,
            site=self._edition.site,
            outcome=outcome,
            reason=reason,
            failures=tuple(self._failures),
            **counts,
        )

    def _begin(self, *, again: bool = False) -> Follow:
        before = self._follows.find(self._edition.name)
        stale = (
            self._site.is_whole
            and before is not None
            and before.began is not None
            and datetime.now(UTC) - datetime.fromisoformat(before.began) > STALE
        )
        done = before is not None and before.began is None and before.outcome == Ending.DONE
        self._was_whole = self._site.is_whole and done
        fresh = self._options.fresh or stale
        with_rejected = self._options.with_rejected and self._site.can_reject
        return self._follows.begin(self._edition, with_rejected=with_rejected, fresh=fresh, again=again)

    def _go(self, follow: Follow) -> None:
        """Read every page that is left.

        Raises:
            LunwenError: a page could not be had, or is not what it should be.
        """
        listed = self._follows.count(follow) if self._site.is_whole else 0
        before = self._follows.count_records(follow) if self._site.is_whole else 0
        self._reader.tell(self._title, 0, None)
        walked = self._site.pages(
            self._edition, self._fetcher, after=follow.cursor, with_rejected=follow.with_rejected
        )
        for page in walked:
            if page.total is not None:
                self._check_number(page.total, listed)
            self._check_progress(page, *self._take(page, follow, before))
        if self._was_whole and not self._read and self._unread == self._follows.count_pages(follow):
            return  # nothing was read since, and no page is missing: nothing can be gone
        self._check_number(self._follows.count_met(follow), before)
        if self._site.is_whole and not self._fetcher.offline and not self._follows.tally(follow)["failed"]:
            self._check_lost(self._follows.count_unmet(follow), listed)
            self._follows.lose_unmet(follow)

    def _take(self, page: Page, follow: Follow, before: int) -> tuple[int, int]:
        """Import a page, unless it was read as it is, and note what was met on it.

        Returns:
            How many records were met on it, and how many of them for the first time in this walk.
        """
        whole = self._site.is_whole
        # where pages are never the same twice, it says nothing on which of them a record stood
        name, hash_ = (page.name, _hash(page)) if whole else ("", b"")
        cursor = page.next or page.later
        if page.total == 0:
            return self._follows.meet(follow, name, hash_, [], failed=0, cursor=cursor)
        if whole and not self._options.fresh and self._follows.is_read(follow, name, hash_):
            self._unread += 1
            return self._follows.meet(follow, name, hash_, None, failed=0, cursor=cursor)
        self._read += 1
        source, records = self._reader.read(page)
        if whole and page.next is None:  # of one that has a single page nothing is taken
            self._check_number(self._follows.count_met(follow) + len(records), before)
        met, failures = self._reader.take(page, source, records, self._title)
        self._failures += failures
        # what could not be read is tried again
        if failures or not met:
            hash_ = b""
        counted = self._follows.meet(follow, name, hash_, met, failed=len(failures), cursor=cursor)
        if page.gone:
            self._follows.lose(follow, source, page.gone)
        self._reader.rest(len(records))
        return counted

    def _check_progress(self, page: Page, met: int, first: int) -> None:
        """Refuse to walk in a circle.

        Raises:
            Expired: a page of a whole site gave again what others had, as if it did not turn pages.
            FetchError: page after page brings nothing new.
        """
        again = not first and page.url != self._url  # files of one archive may be alike
        self._idle = self._idle + 1 if again else 0
        self._url = page.url
        if again and met and self._site.is_whole:
            raise Expired(
                f"{page.url} gave what an earlier page had. Nothing counts as gone. Try again later, or take "
                "another site: lunwen sources"
            )
        if self._idle >= _IDLE:
            raise FetchError(
                f"{self._edition.name}: nothing new on the last {_IDLE} pages, as if there were no end. What "
                "came before is kept. Try again later"
            )

    def _check_lost(self, lost: int, listed: int) -> None:
        """Refuse to believe that most papers were replaced by others.

        Raises:
            UnreadableFile: more than half of the papers listed before are missing.
        """
        if lost * 2 > listed > 1 and not self._options.accept_fewer:
            self._is_doubted = True
            raise UnreadableFile(
                f"{self._edition.name} no longer lists {lost:,} of the {listed:,} papers that it listed "
                "before, as if the site gave another list. They are kept. If it is right, add: --accept-fewer"
            )

    def _check_number(self, now: int, before: int) -> None:
        """Refuse what looks like a site in trouble.

        Raises:
            UnreadableFile: there are fewer than half as many records as before.
        """
        if now * 2 < before and not self._options.accept_fewer:
            raise UnreadableFile(
                f"{self._edition.name} lists {now:,} records and listed {before:,} before, as if the site "
                "had a fault. What is stored is kept. If it is right, add: --accept-fewer"
            )

    @property
    def _title(self) -> str:
        return " ".join(filter(None, (self._edition.venue, str(self._edition.year or "")))) or "sync"


def _hash(page: Page) -> bytes:
    """The hash by which a page that was read is recognised; another lunwen may read more out of it."""
    hashed = hashlib.blake2b(version("lunwen").encode(), digest_size=16)
    with page.file.open() as stream:
        while chunk := stream.read(_CHUNK):
            hashed.update(chunk)
    return hashed.digest()
