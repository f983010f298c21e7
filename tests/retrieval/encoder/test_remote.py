"""The encoder behind a URL, against a server on this machine that behaves as each test says."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from lunwen.errors import CouldNot, UsageError
from lunwen.retrieval.encoder.post import _pause
from lunwen.retrieval.encoder.remote import LONGEST, REST, RemoteEncoder

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "sk-of-this-test"


@dataclass
class Reply:
    """What the server does instead of answering well."""

    status: int = 200
    body: bytes | None = None  # None: the embeddings
    headers: dict[str, str] = field(default_factory=dict)
    dimensions: int = 2
    backwards: bool = False
    hangs_up: bool = False


class Server(ThreadingHTTPServer):
    """Serves embeddings: the length of a text and how often it has an "a"."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies: list[Reply] = []  # the next ones; then it behaves
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.waited: list[float] = []
        self.now = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/embeddings"

    def encoder(self, model: str = "small", key: str | None = KEY) -> RemoteEncoder:
        return RemoteEncoder(f"{self.url}#{model}", key=key, wait=self.waited.append, clock=lambda: self.now)


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(asked)
        self.server.keys.append(self.headers["Authorization"])
        reply = self.server.replies.pop(0) if self.server.replies else Reply()
        if reply.hangs_up:
            self.close_connection = True
            return
        body = _embed(asked, reply) if reply.body is None else reply.body
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(body)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _embed(asked: dict[str, Any], reply: Reply) -> bytes:
    data = [
        {
            "object": "embedding",
            "index": place,
            "embedding": [len(text), text.count("a"), *[0] * (reply.dimensions - 2)],
        }
        for place, text in enumerate(asked["input"])
    ]
    if reply.backwards:
        data.reverse()
    return json.dumps({"object": "list", "data": data, "model": asked["model"]}).encode()


@contextmanager
def _serving() -> Iterator[Server]:
    with Server() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with _serving() as serving:
        yield serving


def _fails(encoder: RemoteEncoder, kind: Any = "document") -> str:
    with pytest.raises(CouldNot) as failed:
        encoder.encode(["text"], kind=kind)
    return str(failed.value)


# It works


def test_rows_are_unit_vectors_in_the_order_of_texts(server: Server) -> None:
    encoder = server.encoder()
    assert encoder.dimensions == 2
    server.replies.append(Reply(backwards=True))
    assert encoder.encode(["aaax", "", "bbbb"], kind="document").tolist() == [
        pytest.approx([0.8, 0.6]),
        [0, 0],
        [1, 0],
    ]
    assert server.requests[-1] == {"model": "small", "input": ["aaax", "bbbb"]}  # no empty text is sent


def test_it_sends_batches_and_no_endless_text(server: Server) -> None:
    encoder = server.encoder()
    texts = [*("a" * (place + 1) for place in range(150)), "x" * 9_999]
    encoded = encoder.encode(texts, kind="document")
    assert encoded.shape == (151, 2)
    assert [len(asked["input"]) for asked in server.requests] == [1, 64, 64, 23]
    assert len(server.requests[-1]["input"][-1]) == LONGEST


def test_a_model_is_asked_as_it_was_trained(server: Server) -> None:
    encoder = server.encoder("intfloat/e5-small")
    encoder.encode(["x"], kind="query")
    encoder.encode(["x"], kind="document")
    assert [asked["input"] for asked in server.requests[1:]] == [["query: x"], ["passage: x"]]


def test_the_key_is_sent_and_stands_nowhere_else(server: Server) -> None:
    encoder = server.encoder()
    assert KEY not in encoder.contract
    assert KEY not in repr(vars(encoder))
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert server.encoder(key=None).dimensions == 2
    assert server.keys[-1] is None


def test_the_contract_names_model_address_dimensions_and_prompts(server: Server) -> None:
    assert server.encoder().contract == f"remote-{server.url}#small/2/query:'',document:''/cut4000-l2"
    with _serving() as other:
        contracts = {server.encoder(model).contract for model in ("small", "large", "e5")}
        contracts.add(other.encoder().contract)
    server.replies.append(Reply(dimensions=3))
    contracts.add(server.encoder().contract)
    assert len(contracts) == 5


# It is busy


@pytest.mark.parametrize("status", [429, 503])
def test_documents_wait_as_long_as_they_are_told(server: Server, status: int) -> None:
    encoder = server.encoder()
    assert encoder.dimensions == 2
    server.replies += [Reply(status, b"", {"Retry-After": "7"}), Reply(status, b"")]
    assert encoder.encode(["bb"], kind="document").tolist() == [[1, 0]]
    assert server.waited == [7, 2]


def test_documents_are_sent_again_after_a_broken_connection(server: Server) -> None:
    encoder = server.encoder()
    assert encoder.dimensions == 2
    server.replies.append(Reply(hangs_up=True))
    assert encoder.encode(["bb"], kind="document").tolist() == [[1, 0]]
    assert server.waited == [1]


def test_documents_do_not_wait_for_ever(server: Server) -> None:
    encoder = server.encoder()
    assert encoder.dimensions == 2
    server.replies += [Reply(503, b"")] * 5
    assert _fails(encoder) == (
        f'the encoder at "{server.url}" refuses (HTTP 503). Look whether it runs, or set '
        "LUNWEN_ENCODER=static"
    )
    assert server.waited == [1, 2, 4, 8]
    server.replies.append(Reply(429, b"", {"Retry-After": "3600"}))
    _fails(encoder)
    assert len(server.waited) == 4


def test_a_query_does_not_wait_and_the_next_ones_do_not_ask(server: Server) -> None:
    encoder = server.encoder()
    assert encoder.dimensions == 2
    server.replies.append(Reply(429, b"", {"Retry-After": "1"}))
    first = _fails(encoder, "query")
    assert _fails(encoder, "query") == first
    assert (len(server.requests), server.waited) == (2, [])
    server.now = REST
    assert encoder.encode(["bb"], kind="query").tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("3", 3), (" 12 ", 12), (None, 4), ("soon", 4), ("-1", 4), ("Thu, 01 Jan 1970 00:00:00 GMT", 0)],
)
def test_a_pause_is_read_as_seconds_or_a_date(said: str | None, seconds: float) -> None:
    assert _pause(said, 3) == seconds


def test_a_date_to_come_is_a_pause() -> None:
    assert _pause(formatdate(4e9, usegmt=True), 1) > 1e6


# It is wrong


GOOD = b'{"data": [{"index": 0, "embedding": [1, 2]}]}'


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (GOOD[:-9], "answers with something else than embeddings"),
        (b"<!doctype html><title>Welcome</title>", "answers with something else than embeddings"),
        (b"[]", "answers with something else than embeddings"),
        (b'{"data": {}}', "does not answer with one vector for each of 1 texts"),
        (b'{"data": []}', "does not answer with one vector for each of 1 texts"),
        (GOOD.replace(b"0", b"1"), "does not answer with one vector for each of 1 texts"),
        (GOOD.replace(b"2", b"null"), "answers with vectors that are none"),
        (GOOD.replace(b"[1, 2]", b"[]"), "answers with vectors that are none"),
        (GOOD.replace(b"[1, 2]", b'"AACAPw=="'), "answers with something else than embeddings"),
        (GOOD.replace(b"2", b"2, 3"), "answers with 3 dimensions where it had 2"),
    ],
)
def test_what_is_no_embedding_is_refused(server: Server, body: bytes, says: str) -> None:
    encoder = server.encoder()
    assert encoder.dimensions == 2
    server.replies.append(Reply(body=body))
    assert says in _fails(encoder)


def test_dimensions_are_those_of_the_first_answer(server: Server) -> None:
    encoder = server.encoder()
    assert encoder.dimensions == 2
    server.replies.append(Reply(dimensions=3))
    assert _fails(encoder) == (
        f'the encoder at "{server.url}" answers with 3 dimensions where it had 2. If its model has changed, '
        "start lunwen again and run: lunwen reindex"
    )


def test_a_wrong_key_is_not_repeated(server: Server) -> None:
    server.replies.append(Reply(401, json.dumps({"error": {"message": f"wrong key {KEY}"}}).encode()))
    assert _fails(server.encoder()) == (
        f'the encoder at "{server.url}" refuses the key in LUNWEN_ENCODER_KEY (HTTP 401). Set the right one'
    )
    server.replies.append(Reply(401, b""))
    assert "asks for a key; there is none in LUNWEN_ENCODER_KEY" in _fails(server.encoder(key=None))


def test_what_the_server_says_is_one_clean_line_without_the_key(server: Server) -> None:
    said = json.dumps({"error": {"message": f"no model\n\x1b[31m for {KEY}"}}).encode()
    server.replies.append(Reply(404, said))
    assert "refuses (HTTP 404: no model [31m for …). Look" in _fails(server.encoder())


def test_a_redirect_does_not_carry_the_key_away(server: Server) -> None:
    with _serving() as other:
        server.replies.append(Reply(307, b"", {"Location": other.url}))
        assert "has moved (HTTP 307)" in _fails(server.encoder())
        assert other.keys == []


def test_a_proxy_is_not_asked_for_this_machine(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert server.encoder().dimensions == 2


def test_where_nobody_listens_is_said_at_once() -> None:
    with _serving() as gone:
        encoder = gone.encoder()
    assert "does not answer (" in _fails(encoder)
    assert gone.waited == []


# Its address


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("http://example.org/v1/embeddings#m", "is not reached in secret"),
        ("http://127.0.0.1.example.org/v1#m", "is not reached in secret"),
        ("https://example.org/v1/embeddings", "has no model"),
        ("https://me:word@example.org/v1#m", "has a password in its URL"),
        ("https:///v1#m", "is no URL of a server"),
        ("https://exa mple.org/v1#m", "is no URL of a server"),
        ("https://example.org:port/v1#m", "LUNWEN_ENCODER is no URL"),
        ("https://[::1/v1#m", "LUNWEN_ENCODER is no URL"),
    ],
)
def test_some_addresses_are_refused(address: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        RemoteEncoder(address)


@pytest.mark.parametrize("host", ["localhost:80", "127.0.0.2", "[::1]:8080", "LOCALHOST"])
def test_this_machine_needs_no_secrecy(host: str) -> None:
    RemoteEncoder(f"http://{host}/v1/embeddings#m")


def test_a_refusal_is_one_exact_line() -> None:
    with pytest.raises(UsageError) as refused:
        RemoteEncoder("http://example.org/v1/embeddings?key=secret#m")
    assert str(refused.value) == (
        'the encoder "http://example.org/v1/embeddings" is not reached in secret. It is '
        "https://HOST/v1/embeddings#MODEL; http is for this machine alone"
    )


def test_a_key_that_is_none_is_not_shown() -> None:
    with pytest.raises(UsageError) as refused:
        RemoteEncoder("https://example.org/v1#m", key="sk-1\nX-More: 2")
    assert str(refused.value) == "LUNWEN_ENCODER_KEY has a character that no key has. Set it again"
