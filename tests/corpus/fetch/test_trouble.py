"""Which pauses are made, and which connections are trusted."""

from __future__ import annotations

import socket
import ssl
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest
import trustme
from tenacity import RetryCallState, Retrying
from tests.server import FAULTS, Fault
from tests.server.fault import status

from lunwen.corpus.fetch.client import HttpFetcher
from lunwen.corpus.fetch.limit import Limits
from lunwen.corpus.fetch.retry import _GROWING
from lunwen.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server import Server

HOST, PATH, URL = "icml.cc", "/papers.json", "https://icml.cc/papers.json"


@pytest.fixture
def waited() -> list[float]:
    return []


@pytest.fixture
def patient(server: Server, tmp_path: Path, waited: list[float]) -> Iterator[HttpFetcher]:
    with HttpFetcher(
        tmp_path, mirror=server.url, limits=Limits(paces={}, tries=4), wait=waited.append
    ) as fetcher:
        yield fetcher


def _busy(after: str, **headers: str) -> Fault:
    return Fault(after, "passing", status(503, {"Retry-After": after, **headers}))


@pytest.mark.parametrize(
    ("fault", "pause"),
    [
        (FAULTS["429 with Retry-After"], 2.0),
        (_busy("0"), 0.0),
        (_busy("300"), 300.0),
        # by the site's own clock, whatever the date is here
        (_busy(formatdate(1_000_000_045, usegmt=True), Date=formatdate(1_000_000_000, usegmt=True)), None),
        (_busy("Wed, 01 Jan 2020 00:00:00 GMT"), 0.0),
    ],
    ids=lambda value: value.name if isinstance(value, Fault) else "",
)
def test_a_site_is_given_the_time_it_asks_for(
    fault: Fault, pause: float | None, server: Server, patient: HttpFetcher, waited: list[float]
) -> None:
    server.put(HOST, PATH, "[]")
    server.misbehave(HOST, PATH, fault, times=1)
    patient.get(URL)
    assert waited == [45.0 if pause is None else pause]


def test_pauses_grow_where_a_site_does_not_say(
    server: Server, patient: HttpFetcher, waited: list[float]
) -> None:
    server.misbehave(HOST, PATH, _busy("soon"))
    with pytest.raises(FetchError, match=r"busy \(HTTP 503\), 4 times"):
        patient.get(URL)
    assert [1 <= waited[0] <= 2, 2 <= waited[1] <= 3, 4 <= waited[2] <= 5] == [True] * 3
    assert len(waited) == 3


def test_pauses_do_not_grow_for_ever() -> None:
    state = RetryCallState(Retrying(), None, (), {})
    state.attempt_number = 50
    assert _GROWING(state) == 60


def test_an_interrupt_between_two_tries_is_one(server: Server, tmp_path: Path) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    server.put(HOST, PATH, "[]")
    server.misbehave(HOST, PATH, FAULTS["truncated"], times=1)
    client = HttpFetcher(tmp_path, mirror=server.url, limits=Limits(paces={}), wait=interrupted)
    with client as fetcher, pytest.raises(KeyboardInterrupt):
        fetcher.get(URL)
    assert len(server.asked) == 1
    assert not list(tmp_path.rglob("*.part"))


def test_nobody_there_is_tried_twice(tmp_path: Path, waited: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    mirror = f"http://127.0.0.1:{port}"
    client = HttpFetcher(tmp_path, mirror=mirror, limits=Limits(paces={}), wait=waited.append)
    with client as fetcher, pytest.raises(FetchError) as failed:
        fetcher.get(URL)
    assert str(failed.value) == (
        '"icml.cc/papers.json" could not be fetched: no connection (Connection refused), 2 times. '
        "Look at the network, or use --offline for what is in the cache"
    )
    assert len(waited) == 1


# TLS


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/papers.json" else 404)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *_: object) -> None:
        pass


class _TlsServer(HTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that trusts nobody hangs up."""


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def tls(authority: trustme.CA) -> Iterator[str]:
    """The address of a server whose certificate is signed by ``authority``, for "localhost"."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    with _TlsServer(("127.0.0.1", 0), _Site) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"localhost:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def direct(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpFetcher]:
    """A fetcher that asks the sites themselves."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with HttpFetcher(tmp_path / "cache", limits=Limits(paces={}), wait=lambda _: None) as fetcher:
        yield fetcher


def test_a_certificate_that_nobody_vouches_for_is_refused(tls: str, direct: HttpFetcher) -> None:
    with pytest.raises(FetchError) as failed:
        direct.get(f"https://{tls}/papers.json")
    assert str(failed.value) == (
        f'"{tls}/papers.json" could not be fetched: its certificate is not trusted '
        "(unable to get local issuer certificate). "
        "Look at the clock of this machine, and who answers in place of the site"
    )


def test_a_certificate_of_another_name_is_refused(
    tls: str, direct: HttpFetcher, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    assert direct.get(f"https://{tls}/papers.json").size == 2
    with pytest.raises(FetchError, match=r"its certificate is not trusted \(IP address mismatch"):
        direct.get(f"https://{tls}/papers.json".replace("localhost", "127.0.0.1"))
