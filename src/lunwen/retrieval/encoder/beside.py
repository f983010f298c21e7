"""Encoding in one more process, while this one indexes words."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Self

import numpy as np

from lunwen.corpus.process import GONE, Process, serve
from lunwen.retrieval.encoder.choice import load_encoder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from lunwen.retrieval.encoder import Encoder

ALONE = 1_024  # texts encoded before another process is worth its start


class Beside:
    """Encodes documents in batches; a context manager that ends its process.

    The other process loads the encoder that is chosen; where that is not this very one, this process encodes.
    """

    def __init__(self, encoder: Encoder, *, alone: int = ALONE) -> None:
        self._encoder = encoder
        self._alone = alone
        self._thread: ThreadPoolExecutor | None = None
        self._process: Process | None = None
        self._batches: list[Future[NDArray[np.float16]] | NDArray[np.float16]] = []
        self._texts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)
        if self._process is not None:
            self._process.close()

    def add(self, texts: Sequence[str]) -> None:
        """Have texts encoded, after those added before."""
        self._texts += len(texts)
        if self._texts <= self._alone:
            self._batches.append(self._encode(texts))
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1)
        self._batches.append(self._thread.submit(self._ask, texts))

    def result(self) -> NDArray[np.float16]:
        """Return one row per text, in the order in which they were added."""
        nothing = np.empty((0, self._encoder.dimensions), np.float16)
        done = [batch if isinstance(batch, np.ndarray) else batch.result() for batch in self._batches]
        return np.concatenate([nothing, *done])

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float16]:
        return self._encoder.encode(texts, kind="document").astype(np.float16)

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float16]:
        try:
            if self._process is None:
                self._process = Process("from lunwen.retrieval.encoder.beside import work; work()")
                if self._process.ask(None) != self._encoder.contract:
                    self._process.kill()
            encoded: NDArray[np.float16] = self._process.ask(list(texts))
        except GONE:  # no process to be had here, or one with another encoder
            return self._encode(texts)
        return encoded


def work() -> None:
    """Encode what comes on standard input; first say with which encoder."""
    encoder = load_encoder()

    def answer(texts: list[str] | None) -> object:
        return (
            encoder.contract if texts is None else encoder.encode(texts, kind="document").astype(np.float16)
        )

    serve(answer)
