"""Cleaning in two more processes where there is much to clean."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
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
_GONE = (OSError, EOFError, ValueError, pickle.UnpicklingError)  # how a dead process shows


class Cleaner:
    """Cleans batches in order; a context manager that ends its processes."""

    def __init__(self, *, alone: int = ALONE) -> None:
        self._alone = alone
        self._cleaned = 0
        self._threads: ThreadPoolExecutor | None = None
        self._workers: list[_Worker] = []
        self._idle: SimpleQueue[_Worker] = SimpleQueue()

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
            self._workers = [_Worker() for _ in range(WORKERS)]
            for worker in self._workers:
                self._idle.put(worker)
        return self._threads.submit(self._ask, chunk, source)

    def _ask(self, chunk: Published, source: str) -> Cleaned:
        worker = self._idle.get()
        try:
            return worker.clean(chunk, source)
        finally:
            self._idle.put(worker)

    def _collect(self, chunks: Sequence[tuple[Published, Future[Cleaned] | None]], source: str) -> Cleaned:
        cleaned: Cleaned = []
        for chunk, future in chunks:
            try:
                cleaned += future.result() if future else prepare(chunk, source)
            except _GONE:  # no processes to be had here: it goes on in this one
                cleaned += prepare(chunk, source)
        return cleaned


class _Worker:
    """A process that cleans what it reads on its standard input, and ends where that ends.

    Not ``multiprocessing``, which would run the user's own script again in each process.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if not sys.executable:
            return
        # its own session, so that Ctrl-C is for the process that writes; without processes it is None
        with suppress(OSError):
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from lunwen.corpus.cleaner import work; work()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def clean(self, chunk: Published, source: str) -> Cleaned:
        """Have a chunk cleaned."""
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise EOFError
        pickle.dump((chunk, source), self._process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()
        cleaned: Cleaned = pickle.load(self._process.stdout)  # noqa: S301 - from our own process
        return cleaned

    def kill(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Let go of its pipes."""
        if self._process is not None:
            self._process.wait()
            for pipe in (self._process.stdout, self._process.stdin):
                if pipe is not None:
                    with suppress(OSError):  # what was not yet sent has nowhere to go
                        pipe.close()


def work() -> None:
    """Clean chunks from standard input to standard output until there are no more."""
    while True:
        try:
            chunk, source = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
        except EOFError:
            return
        pickle.dump(prepare(chunk, source), sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)
        sys.stdout.buffer.flush()


def _cut(batch: Published) -> Iterator[Published]:
    for start in range(0, len(batch), _CHUNK):
        yield batch[start : start + _CHUNK]
