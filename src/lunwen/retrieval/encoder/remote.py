"""Models behind a URL: any server that answers as OpenAI's ``/v1/embeddings`` does."""

from __future__ import annotations

from ipaddress import ip_address
from time import monotonic, sleep
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

import numpy as np
import orjson

from lunwen.errors import CouldNot, UsageError
from lunwen.retrieval.encoder.post import Patience, Post
from lunwen.retrieval.encoder.prompt import prompts_of
from lunwen.retrieval.encoder.unit import says_something, unit_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from urllib.parse import SplitResult

    from numpy.typing import NDArray

    from lunwen.retrieval.encoder import Kind

LONGEST = 4_000  # characters of a text that are sent
REST = 30.0  # seconds in which no search asks again after one was not answered
_BATCH = 64  # texts of a request
_FORM = "It is https://HOST/v1/embeddings#MODEL; http is for this machine alone"


class RemoteEncoder:
    """Encodes with a model behind a URL; an ``Encoder``. Nothing is sent before the first text or question.

    Documents are sent with patience. A query is not: who searches gets what the words find meanwhile.

    Args:
        address: the URL; the model's name stands after "#".
        key: what the server asks for, if it does.
        wait: waits some seconds between two tries.
        clock: the time in seconds.

    Raises:
        UsageError: the address is not allowed, or the key is no key.
    """

    def __init__(
        self,
        address: str,
        *,
        key: str | None = None,
        wait: Callable[[float], None] = sleep,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._post, self._model = _read_address(address, key)
        self._prompts = prompts_of(self._model)
        self._clock = clock
        self._patience: dict[Kind, Patience] = {
            "document": Patience(tries=5, timeout=60, wait=wait),
            "query": Patience(tries=1, timeout=5),
        }
        self._dimensions: int | None = None
        self._failed: tuple[float, str] | None = None

    @property
    def dimensions(self) -> int:
        """Numbers in a vector; the server is asked once.

        Raises:
            CouldNot: it does not say.
        """
        if self._dimensions is None:
            self._dimensions = self._ask(["dimensions"], "query").shape[1]
        return self._dimensions

    @property
    def contract(self) -> str:
        """Name all that a vector depends on; the server is asked once.

        Raises:
            CouldNot: it does not say.
        """
        return f"remote-{self._post.shown}#{self._model}/{self.dimensions}/{self._prompts}/cut{LONGEST}-l2"

    def encode(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """Return one row per text, of length one; a text that says nothing is a row of zeros.

        Raises:
            CouldNot: the server does not answer, or not with vectors of the right dimensions.
        """
        prompt = self._prompts.before(kind)

        def encode(said: list[str]) -> NDArray[np.float32]:
            sent = [(prompt + text)[:LONGEST] for text in said]
            batches = [sent[start : start + _BATCH] for start in range(0, len(sent), _BATCH)]
            return np.concatenate([self._ask(batch, kind) for batch in batches])

        return unit_rows(texts, self.dimensions, encode)

    def knows(self, text: str) -> bool:
        """Whether there is anything to encode."""
        return says_something(text)

    def _ask(self, texts: list[str], kind: Kind) -> NDArray[np.float32]:
        if kind == "query" and self._failed and self._clock() < self._failed[0] + REST:
            raise CouldNot(self._failed[1])
        try:
            answer = self._post.send({"model": self._model, "input": texts}, self._patience[kind])
            rows = self._read(answer, len(texts))
        except CouldNot as error:
            self._failed = self._clock(), str(error)
            raise
        self._failed = None
        return rows

    def _read(self, answer: bytes, count: int) -> NDArray[np.float32]:
        try:
            data = orjson.loads(answer)["data"]
            if sorted(one.get("index", place) for place, one in enumerate(data)) != list(range(count)):
                raise self._post.fail(f"does not answer with one vector for each of {count} texts")
            data.sort(key=lambda one: one.get("index", 0))
            rows = np.array([one["embedding"] for one in data], np.float32)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._post.fail(
                "answers with something else than embeddings", "Look at the address in LUNWEN_ENCODER"
            ) from error
        if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
            raise self._post.fail("answers with vectors that are none")
        if self._dimensions not in {None, rows.shape[1]}:
            raise self._post.fail(
                f"answers with {rows.shape[1]} dimensions where it had {self._dimensions}",
                "If its model has changed, start lunwen again and run: lunwen reindex",
            )
        return rows


def _read_address(address: str, key: str | None) -> tuple[Post, str]:
    """Return where to send and the model's name.

    Raises:
        UsageError: either is missing or not allowed.
    """
    try:
        url = urlsplit(address)
        port, host = url.port, url.hostname or ""  # reading the port checks it
    except ValueError as error:
        raise UsageError(f"LUNWEN_ENCODER is no URL ({error}). {_FORM}") from error
    netloc = f"[{host}]" if ":" in host else host
    shown = f"{url.scheme}://{netloc}{f':{port}' if port else ''}{url.path}"
    if url.username is not None or url.password is not None:
        raise UsageError(f'the encoder "{shown}" has a password in its URL. Set LUNWEN_ENCODER_KEY instead')
    if not host or not address.isprintable() or not address.isascii() or " " in address:
        raise UsageError(f'the encoder "{shown}" is no URL of a server. {_FORM}')
    if not url.fragment:
        raise UsageError(f'the encoder "{shown}" has no model. {_FORM}')
    if url.scheme != "https" and not _is_local(host):
        raise UsageError(f'the encoder "{shown}" is not reached in secret. {_FORM}')
    if key is not None and not (key.isascii() and key.isprintable()):
        raise UsageError("LUNWEN_ENCODER_KEY has a character that no key has. Set it again")
    return Post(_without_fragment(url), shown, key, _is_local(host)), unquote(url.fragment)


def _without_fragment(url: SplitResult) -> str:
    return urlunsplit(url._replace(fragment=""))


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
