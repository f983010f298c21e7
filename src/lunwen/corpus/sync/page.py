"""What a walk over a site gives: pages to import, in an order in which it can go on after any of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.paper import Record
    from lunwen.corpus.source import SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One venue in one year at one place: a row of the table of what can be followed."""

    venue: str  # canonical, as ``corpus.venue`` has it; "arXiv" for its categories
    year: int | None  # None where it has no years (arXiv)
    site: str  # the name of a Site
    address: str  # what that site needs to find it: a host, a group id, a volume, a set
    licence: str = ""  # what may be done with the data, in a few words

    @property
    def name(self) -> str:
        """What it is called everywhere: "icml 2026 virtual", "arxiv cs.LG"; a file by its URL."""
        if self.site == "file":
            return self.address
        where = self.address if self.venue == "arXiv" else self.site
        return " ".join(filter(None, (self.venue.lower(), str(self.year or ""), where)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One fetched page of an edition."""

    name: str  # the same at every sync: records seen on it are remembered under it
    url: str
    source: str | None = None  # the name of the source that has to recognise and read it; None: by sniffing
    file: SourceFile  # always, from the cache too: what the library has read already is told by its bytes
    next: str | None = None  # from where the walk goes on after this page; None: this is the last
    later: str | None = None  # on the last page: from where the next sync's walk begins; None: from the start
    total: int | None = None  # how many records the site says there are in all
    gone: tuple[str, ...] = ()  # keys of records of ``source`` that the site says are no longer there
    check: Callable[[], object] | None = None  # called before it is read, refuses what is not whole
    keep: Callable[[Record], bool] | None = None  # which of its records belong to the edition; None: all


def is_wanted(record: Record) -> bool:
    """Whether a record is brought without ``--with-rejected``, for ``Page.keep`` where a page mixes them."""
    return record.status is None or record.status.shown


class Site(Protocol):
    """How the editions at one kind of site are walked.

    A site imports no parsers, which take longer to load than an unchanged site takes to be asked: pages name
    their source, and the walk has it recognise and read what is new.
    """

    name: str
    is_whole: bool  # a finished walk has seen all there is, so that a record not met is gone
    can_reject: bool  # knows rejected and withdrawn papers, brought with ``--with-rejected`` only

    def pages(
        self, edition: Edition, fetcher: Fetcher, *, after: str | None = None, with_rejected: bool = False
    ) -> Iterator[Page]:
        """Walk the edition, from its start or from where ``Page.next`` said.

        Raises:
            NotPublished: the site has nothing of this edition yet.
            Expired: ``after`` is no longer accepted; the walk has to begin again.
            FetchError: a page could not be had.
            UnreadableFile: a page is not what the site publishes (HTML in place of JSON, truncated …). What
                takes long to see is left to ``Page.check``, since most pages were read at an earlier sync.
        """
        ...
