"""Serves what tests put under ``/{host}/{path}``, as a mirror of all sites, and notes what was asked."""

from __future__ import annotations

import gzip
import re
import socket
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.server.fault import Fault

ROBOTS = "/robots.txt"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a site says at a URL; with a validator it says 304 to who has it already."""

    body: bytes | str = b""
    status: int = 200
    media_type: str = "application/json"
    etag: str | None = None  # quotes included: '"v1"'
    last_modified: str | None = None
    zipped: bool = False  # gzip, for who accepts it
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def bytes(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


@dataclass(kw_only=True)
class Request:
    """What was asked, and what came of it."""

    host: str
    method: str
    path: str  # decoded by nobody, without the query
    query: dict[str, str]
    target: str  # path and query as they came
    headers: dict[str, str]  # names in lower case
    body: bytes = b""
    status: int = 0  # 0: no answer, or not yet
    sent: int = 0  # bytes of body, as they went over the network


@dataclass
class _Trouble:
    host: str
    path: re.Pattern[str]
    fault: Fault
    skip: int
    times: int


class Server(ThreadingHTTPServer):
    """The server; ``url`` is what LUNWEN_MIRROR has to be."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.requests: list[Request] = []
        self.stopping = threading.Event()
        self._answers: dict[tuple[str, str], Answer] = {}
        self._routes: list[tuple[str, re.Pattern[str], Callable[[Request], Answer | bytes | str | None]]] = []
        self._troubles: list[_Trouble] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def put(self, host: str, path: str, body: bytes | str, **said: object) -> None:
        """Answer with ``body`` at ``path``: with a query at this one alone, else at every query.

        ``said`` is what else ``Answer`` has: media_type, etag, last_modified, zipped, status, headers.
        """
        self._answers[host, path] = Answer(body=body, **said)  # type: ignore[arg-type]

    def remove(self, host: str, path: str) -> None:
        """Have nothing there any more: 404."""
        del self._answers[host, path]

    def route(
        self, host: str, pattern: str, answer: Callable[[Request], Answer | bytes | str | None]
    ) -> None:
        """Let ``answer`` say what is at the paths that match as a whole; None is 404.

        What is put goes first.
        """
        self._routes.append((host, re.compile(pattern), answer))

    def misbehave(self, host: str, path: str, fault: Fault, *, times: int = 1_000_000, skip: int = 0) -> None:
        """Do ``fault`` at the paths that match as a whole, ``times`` times after ``skip`` good answers.

        ``path`` is a regular expression over the path without query; "/robots.txt" has to be named.
        """
        self._troubles.append(_Trouble(host, re.compile(path), fault, skip, times))

    def behave(self) -> None:
        """Forget all faults."""
        self._troubles.clear()

    def soon(self, host: str, path: str) -> Mapping[str, float]:
        """The limits under which the fault that is due there shows soon; none where it shows anyhow."""
        with self._lock:
            due = (one for one in self._troubles if one.times and not one.skip)
            here = (one for one in due if one.host == host and one.path.fullmatch(path))
            return next((one.fault.soon for one in here), {})

    @property
    def asked(self) -> list[str]:
        """What was asked, robots.txt left out: "icml.cc/static/x.json?page=2"."""
        return [one.host + one.target for one in self.requests if one.path != ROBOTS]

    @property
    def sent(self) -> int:
        """Bytes of body that went out, robots.txt left out."""
        return sum(one.sent for one in self.requests if one.path != ROBOTS)

    def find(self, request: Request) -> Answer:
        """What is at a URL, whatever the faults."""
        for key in ((request.host, request.target), (request.host, request.path)):
            if key in self._answers:
                return self._answers[key]
        for host, pattern, answer in self._routes:
            if host == request.host and pattern.fullmatch(request.path):
                said = answer(request)
                if said is not None:
                    return said if isinstance(said, Answer) else Answer(body=said)
        return Answer(body="not here", status=404, media_type="text/plain")

    def fault(self, request: Request) -> Fault | None:
        """The fault that is due at a URL, counted."""
        with self._lock:
            for one in self._troubles:
                named = request.path != ROBOTS or one.path.pattern == ROBOTS
                if one.host == request.host and named and one.path.fullmatch(request.path) and one.times:
                    if one.skip:
                        one.skip -= 1
                        continue
                    one.times -= 1
                    return one.fault
        return None

    def process_request(self, request: socket.socket, client_address: object) -> None:  # type: ignore[override]
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)  # type: ignore[arg-type]

    def shutdown_request(self, request: socket.socket) -> None:  # type: ignore[override]
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End every connection."""
        self.stopping.set()
        with self._lock:
            for one in self._open:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def handle_error(self, *_: object) -> None:
        """Say nothing: the other side may hang up at any time."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server
    request_: Request

    def do_GET(self) -> None:
        asked = self.request_ = self._read()
        self.server.requests.append(asked)
        answer = self.server.find(asked)
        fault = self.server.fault(asked)
        if fault is None:
            self.say(answer)
        else:
            fault.send(self, answer)

    do_POST = do_GET  # noqa: N815

    def _read(self) -> Request:
        _, host, *rest = self.path.split("/", 2)
        target = "/" + (rest[0] if rest else "")
        length = int(self.headers.get("Content-Length", 0))
        return Request(
            host=host,
            method=self.command,
            path=target.partition("?")[0],
            query=dict(parse_qsl(urlsplit(target).query, keep_blank_values=True)),
            target=target,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length) if length else b"",
        )

    def say(self, answer: Answer) -> None:
        """Answer well, with 304 where the other side has it already."""
        if self._has(answer):
            self.head(304, _validators(answer))
            return
        body, headers = answer.bytes, {"Content-Type": answer.media_type, **_validators(answer)}
        if answer.zipped and "gzip" in self.request_.headers.get("accept-encoding", ""):
            body, headers["Content-Encoding"] = gzip.compress(body, 1), "gzip"
        self.head(answer.status, {**headers, "Content-Length": str(len(body)), **answer.headers}, body)

    def head(self, status: int, headers: Mapping[str, str], body: bytes = b"") -> None:
        """Send a status, headers, and the beginning of a body or all of it, at once."""
        self.request_.status = status
        self.send_response_only(status)
        headers = {"Date": self.date_time_string(), **headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self._headers_buffer.append(b"\r\n")  # type: ignore[attr-defined]
        self._headers_buffer.append(body)  # type: ignore[attr-defined]
        self.request_.sent += len(body)  # before: who has read it may look at once
        self.flush_headers()

    def write(self, data: bytes) -> None:
        """Send more of a body."""
        self.request_.sent += len(data)
        self.wfile.write(data)

    def _has(self, answer: Answer) -> bool:
        asked = self.request_.headers
        if answer.status != 200:
            return False
        if "if-none-match" in asked:
            return answer.etag is not None and asked["if-none-match"] == answer.etag
        return answer.last_modified is not None and asked.get("if-modified-since") == answer.last_modified

    def log_message(self, *_: object) -> None:
        pass


def _validators(answer: Answer) -> dict[str, str]:
    said = {"ETag": answer.etag, "Last-Modified": answer.last_modified}
    return {name: value for name, value in said.items() if value is not None}


@contextmanager
def serving() -> Iterator[Server]:
    """Have a server for a while."""
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.hang_up()
            server.shutdown()
            thread.join()
