"""An answer on its way out: a body with its media type, whether it is still what the client has, links."""

from __future__ import annotations

import gzip
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import orjson
from starlette.responses import Response, StreamingResponse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from starlette.requests import Request

JSON = "application/json"
_WORTH_PACKING = 1_000  # bytes; fewer go into one packet as they are
_PIECE = 64 * 1024  # characters sent at a time of what is written while it is sent


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation says; ``body`` may come piece by piece."""

    body: bytes | Iterator[str]
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    packed: bytes | None = None  # the body by gzip, so that what is kept is not packed for each who asks

    def pack(self) -> Answer:
        """Return the answer with its body by gzip too, where it is whole and large enough."""
        if not isinstance(self.body, bytes) or len(self.body) < _WORTH_PACKING:
            return self
        return replace(self, packed=gzip.compress(self.body, 4))


def json_answer(document: Any, headers: Mapping[str, str] | None = None) -> Answer:
    """Answer with plain JSON values."""
    return Answer(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), JSON, headers or {})


def link_to(path: str, pairs: Iterable[tuple[str, str]], rel: str) -> dict[str, str]:
    """Return the header that links to another page of a list (RFC 8288)."""
    return {"link": f'<{path}?{urlencode(list(pairs))}>; rel="{rel}"'}


def tag_of(*parts: object) -> str:
    """Return an ETag of all that an answer depends on; weak, for ``took_ms`` may differ."""
    return f'W/"{blake2b(repr(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()}"'


def respond(request: Request, answer: Answer, tag: str) -> Response:
    """Turn an answer into a response, or say that the client has it already.

    Of what is written while it is sent, the first piece is written here, so that errors are still answers.
    """
    if is_held(request, tag):
        return unchanged(tag)
    headers = {**answer.headers, "etag": tag}
    if answer.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        headers |= {"content-encoding": "gzip", "vary": "Accept-Encoding"}
        return Response(answer.packed, 200, headers, answer.media_type)
    if isinstance(answer.body, bytes):
        return Response(answer.body, 200, headers, answer.media_type)
    pieces = in_pieces(answer.body)
    first = next(pieces, "")
    rest = () if request.method == "HEAD" else chain([first], pieces)
    return StreamingResponse(rest, 200, headers, answer.media_type)


def is_held(request: Request, tag: str) -> bool:
    """Whether the client already has what ``tag`` names."""
    held = {one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")}
    return tag.removeprefix("W/") in held


def unchanged(tag: str) -> Response:
    """Say that the client has the answer already."""
    return Response(status_code=304, headers={"etag": tag})


def in_pieces(texts: Iterator[str]) -> Iterator[str]:
    """Join many small texts to fewer, so that sending them costs little."""
    held: list[str] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text)
        if size >= _PIECE:
            yield "".join(held)
            held, size = [], 0
    if held:
        yield "".join(held)


class Kept:
    """The last answers by their tags; safe between threads."""

    def __init__(self, number: int, largest: int) -> None:
        self._number = number
        self._largest = largest  # bytes of a body
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._lock = Lock()

    def get(self, tag: str) -> Answer | None:
        """Return the answer, where it is still there."""
        with self._lock:
            if tag in self._answers:
                self._answers.move_to_end(tag)
            return self._answers.get(tag)

    def put(self, tag: str, answer: Answer) -> None:
        """Keep an answer; one that is large, or written while it is sent, is not kept."""
        if not isinstance(answer.body, bytes) or len(answer.body) > self._largest:
            return
        with self._lock:
            self._answers[tag] = answer
            if len(self._answers) > self._number:
                self._answers.popitem(last=False)
