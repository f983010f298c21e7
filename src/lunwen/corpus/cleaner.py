"""Cleaning in two more processes where there is much to clean."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Self, TypeAlias

from lunwen.corpus.prepare import prepare

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


class Cleaner:
    """Cleans batches in order; a context manager that ends its processes."""

    def __init__(self, *, alone: int = ALONE) -> None:
        self._alone = alone
        self._cleaned = 0
        self._pool: ProcessPoolExecutor | None = None
        self._broken = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def clean(self, batches: Iterable[Published], source: str) -> Iterator[Cleaned]:
        """Yield each batch cleaned."""
        pending: deque[list[tuple[Published, Future[Cleaned] | None]]] = deque()
        for batch in batches:
            pending.append([(chunk, self._submit(chunk, source)) for chunk in _cut(batch)])
            self._cleaned += len(batch)
            if len(pending) > (_AHEAD if self._pool else 0):
                yield self._collect(pending.popleft(), source)
        while pending:
            yield self._collect(pending.popleft(), source)

    def _submit(self, chunk: Published, source: str) -> Future[Cleaned] | None:
        if self._broken or self._cleaned < self._alone:
            return None
        if self._pool is None:
            # spawned, not forked: a fork would hold the library's lock after this process is killed
            self._pool = ProcessPoolExecutor(
                WORKERS, mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker
            )
        try:
            return self._pool.submit(prepare, chunk, source)
        except BrokenProcessPool:
            self._broken = True
            return None

    def _collect(self, chunks: Sequence[tuple[Published, Future[Cleaned] | None]], source: str) -> Cleaned:
        cleaned: Cleaned = []
        for chunk, future in chunks:
            try:
                cleaned += future.result() if future else prepare(chunk, source)
            except BrokenProcessPool:  # no processes to be had here: it goes on in this one
                self._broken = True
                cleaned += prepare(chunk, source)
        return cleaned


def _cut(batch: Published) -> Iterator[Published]:
    for start in range(0, len(batch), _CHUNK):
        yield batch[start : start + _CHUNK]


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that writes
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
