"""Files → records → clean → papers in the store, and a report of what came of it."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, Self

import orjson

from lunwen.corpus.cleaner import Cleaner
from lunwen.corpus.codec import encode_record
from lunwen.corpus.files import open_paths
from lunwen.corpus.ledger import Ledger, known
from lunwen.corpus.moment import now
from lunwen.corpus.paper import BadRecord
from lunwen.corpus.prepare import hash_published
from lunwen.corpus.settlement import Outcome
from lunwen.corpus.sources import find_source, sniff
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lunwen.corpus.paper import Record
    from lunwen.corpus.prepare import Prepared
    from lunwen.corpus.source import Source, SourceFile
    from lunwen.corpus.store import Store

BATCH = 2_000  # records kept or lost together


class Progress(Protocol):
    """What is told how far the import is: records done, records in all where known, and the file."""

    def __call__(self, done: int, total: int | None, what: str) -> None:
        """Hear of it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A record or a file that could not be read."""

    file: str
    place: str  # "line 12"; empty for the whole file
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What came of one file's records."""

    file: str
    source: str
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    waiting: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What came of an import, counted in records; every record is counted once.

    ``added`` records made a new paper, ``updated`` ones changed or joined one, ``unchanged`` ones said
    nothing new, ``waiting`` ones describe a paper which is not there yet, ``failed`` ones could not be read;
    ``skipped`` are files of no known format.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    waiting: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[Failure, ...] = ()
    files: tuple[FileReport, ...] = ()
    maybe_same: int = 0  # pairs of papers more than before
    seconds: float = 0.0
    interrupted: bool = False  # stopped by the user; what is counted is kept, the same import again goes on

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return asdict(self)


def ingest(
    store: Store, paths: Sequence[str], *, source: str | None = None, progress: Progress | None = None
) -> IngestReport:
    """Import files into the store; what cannot be read is reported and the rest goes on.

    Raises:
        UnreadableFile: a path is not there, or none of the files can be read.
        UnknownName: no such source.
        LibraryError: the library cannot be written.
    """
    began = time.monotonic()
    before = store.count_maybe_same()
    interrupted = False
    with Import(store, find_source(source) if source else None, progress=progress) as run:
        try:
            for file in open_paths(paths):
                run.read(file)
        except KeyboardInterrupt:
            interrupted = True
    report = run.report()
    if run.unreadable and not report.files:
        raise run.unreadable[0]
    return replace(
        report,
        maybe_same=store.count_maybe_same() - before,
        seconds=round(time.monotonic() - began, 3),
        interrupted=interrupted,
    )


def ingest_records(store: Store, source: str, records: Iterable[Record]) -> IngestReport:
    """Import records that are at hand, such as the built-in catalogue's.

    Raises:
        LibraryError: the library cannot be written.
    """
    began = time.monotonic()
    before = store.count_maybe_same()
    with Import(store) as run:
        run.take(source, source, iter(records))
    return replace(
        run.report(),
        maybe_same=store.count_maybe_same() - before,
        seconds=round(time.monotonic() - began, 3),
    )


class Import:
    """One import, as it goes; a context manager that ends its processes.

    Args:
        store: what it fills.
        source: what reads the files, whatever they look like.
        keeps_idle: whether a file that brought nothing new is noted among the library's imports.
        progress: what hears how far it is.
    """

    def __init__(
        self,
        store: Store,
        source: Source | None = None,
        *,
        keeps_idle: bool = True,
        progress: Progress | None = None,
    ) -> None:
        self._store = store
        self._source = source
        self._keeps_idle = keeps_idle
        self._progress = progress
        self._cleaner = Cleaner()
        self._done = 0
        self._files: list[tuple[str, str, Counter[str]]] = []
        self._waiting: dict[int, Counter[str]] = {}  # record → the counts of its file
        self.failures: list[Failure] = []
        self.unreadable: list[UnreadableFile] = []

    def __enter__(self) -> Self:
        self._cleaner.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._cleaner.__exit__(*raised)

    def read(self, file: SourceFile) -> None:
        """Import one file."""
        try:
            source = self._source or sniff(file)
        except UnreadableFile as error:
            self._refuse(file.name, error)
            return
        self.take(file.name, source.name, source.read(file))

    def take(self, file: str, source: str, records: Iterator[Record | BadRecord]) -> list[int]:
        """Import one file's records; return which of the library's they are."""
        run = _Run(file, source, self._begin(file, source))
        self._files.append((file, source, run.counts))
        try:
            for batch in self._cleaner.clean(self._unknown(records, run), source):
                self._keep(batch, run)
        except UnreadableFile as error:
            if not run.counts:
                self._files.pop()
            self._refuse(file, error)
        finally:
            self._end(run)
        return run.records

    def report(self) -> IngestReport:
        """What came of everything so far."""
        waiting = self._store.waiting(list(self._waiting))
        for record, counts in self._waiting.items():
            if record not in waiting:  # its paper came in later
                counts["waiting"] -= 1
                counts["updated"] += 1
        total: Counter[str] = sum((counts for _, _, counts in self._files), Counter())
        return IngestReport(
            added=total["added"],
            updated=total["updated"],
            unchanged=total["unchanged"],
            waiting=total["waiting"],
            failed=total["failed"],
            skipped=len(self.unreadable),
            failures=tuple(self.failures),
            files=tuple(
                [FileReport(file=file, source=source, **counts) for file, source, counts in self._files]
            ),
        )

    def _begin(self, file: str, source: str) -> int:
        with self._store.transaction() as db:
            number: int = db.execute(
                "INSERT INTO imports(file, source, imported) VALUES(?, ?, ?) RETURNING import",
                (file, source, now()),
            ).fetchone()[0]
        return number

    def _end(self, run: _Run) -> None:
        """Keep what came of the file, where anything did."""
        idle = not run.wrote and not self._keeps_idle
        with self._store.transaction() as db:
            if idle or run.counts.keys() <= {"failed"}:
                db.execute("DELETE FROM imports WHERE import = ?", (run.number,))
            else:
                db.execute(
                    "UPDATE imports SET report = ? WHERE import = ?",
                    (orjson.dumps(run.counts).decode(), run.number),
                )

    def _unknown(self, records: Iterator[Record | BadRecord], run: _Run) -> Iterator[list[tuple[bytes, str]]]:
        """Yield the records which the library does not hold as they are, in batches."""
        while batch := list(islice(records, BATCH)):
            published = []
            for record in batch:
                if isinstance(record, BadRecord):
                    self._fail(record, run)
                else:
                    data = encode_record(record).encode()
                    published.append((record.key, data, hash_published(data), record.place))
            with self._store.reading() as db:
                held = known(db, run.source, [key for key, *_ in published])
            fresh = []
            for key, data, digest, place in published:
                if key in held and held[key][1] == digest and key not in run.seen:
                    run.seen.add(key)
                    run.records.append(held[key][0])
                    run.counts["unchanged"] += 1
                else:
                    fresh.append((data, place))
            self._tell(len(batch) - len(fresh), run)
            if fresh:
                yield fresh

    def _keep(self, batch: Sequence[Prepared | BadRecord], run: _Run) -> None:
        good: list[Prepared] = []
        for one in batch:
            if isinstance(one, BadRecord):
                self._fail(one, run)
            else:
                good.append(one)
        with self._store.transaction() as db:
            filed = Ledger(db).file(run.number, run.source, good, run.seen)
        run.wrote = True
        for record, outcome in filed:
            run.records.append(record)
            run.counts[outcome.value] += 1
            if outcome is Outcome.WAITING:
                self._waiting[record] = run.counts
        self._tell(len(batch), run)

    def _tell(self, more: int, run: _Run) -> None:
        self._done += more
        if self._progress is not None:
            self._progress(self._done, None, run.file)

    def _fail(self, bad: BadRecord, run: _Run) -> None:
        run.counts["failed"] += 1
        self.failures.append(Failure(run.file, bad.place, bad.reason))

    def _refuse(self, file: str, error: UnreadableFile) -> None:
        self.unreadable.append(error)
        self.failures.append(Failure(file, "", str(error)))


@dataclass(slots=True)
class _Run:
    """The import of one file."""

    file: str
    source: str
    number: int
    counts: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)  # keys met in this file
    records: list[int] = field(default_factory=list)  # what they are in the library
    wrote: bool = False  # whether records now refer to this import
