"""Cleaning in two more processes where there is much to clean."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING, Self, TypeAlias

from lunwen.corpus.prepare import prepare
from lunwen.corpus.process import GONE, Process, serve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from lunwen.corpus.paper import BadRecord
    from lunwen.corpus.prepare import Prepared

    Published: TypeAlias = list[tuple[bytes, str]]
    Cleaned: TypeAlias = list[Prepared | BadRecord]

WORKERS = 2
ALONE = 2_000  # records cleaned before other processes are worth their start
_CHUNK = 500
_AHEAD = 3  # batches being cleaned while one is kept
_CODE = "from lunwen.corpus.cleaner import work; work()"


class Cleaner:
    """Cleans batches in order; a context manager that ends its processes."""

    def __init__(self, *, alone: int = ALONE) -> None:
        self._alone = alone
        self._cleaned = 0
        self._threads: ThreadPoolExecutor | None = None
        self._workers: list[Process] = []
        self._idle: SimpleQueue[Process] = SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.kill()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def clean(self, batches: Iterable[Published], source: str) -> Iterator[Cleaned]:
        """Yield each batch cleaned."""
        pending: deque[list[tuple[Published, Future[Cleaned] | None]]] = deque()
        for batch in batches:
            pending.append([(chunk, self._submit(chunk, source)) for chunk in _cut(batch)])
            self._cleaned += len(batch)
            if len(pending) > (_AHEAD if self._threads else 0):
                yield self._collect(pending.popleft(), source)
        while pending:
            yield self._collect(pending.popleft(), source)

    def _submit(self, chunk: Published, source: str) -> Future[Cleaned] | None:
        if self._cleaned < self._alone:
            return None
        if self._threads is None:
            self._threads = ThreadPoolExecutor(WORKERS)
            self._workers = [Process(_CODE) for _ in range(WORKERS)]
            for worker in self._workers:
                self._idle.put(worker)
        return self._threads.submit(self._ask, chunk, source)

    def _ask(self, chunk: Published, source: str) -> Cleaned:
        worker = self._idle.get()
        try:
            cleaned: Cleaned = worker.ask((chunk, source))
        finally:
            self._idle.put(worker)
        return cleaned

    def _collect(self, chunks: Sequence[tuple[Published, Future[Cleaned] | None]], source: str) -> Cleaned:
        cleaned: Cleaned = []
        for chunk, future in chunks:
            try:
                cleaned += future.result() if future else prepare(chunk, source)
            except GONE:  # no processes to be had here: it goes on in this one
                cleaned += prepare(chunk, source)
        return cleaned


def work() -> None:
    """Clean chunks from standard input to standard output until there are no more."""
    serve(lambda question: prepare(*question))


def _cut(batch: Published) -> Iterator[Published]:
    for start in range(0, len(batch), _CHUNK):
        yield batch[start : start + _CHUNK]
