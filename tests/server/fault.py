"""What goes wrong between a site and its readers, each as it looks on the network."""

from __future__ import annotations

import socket
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.server.server import Answer

HTML = b"<!doctype html><html><head><title>We will be back</title></head><body>Please wait.</body></html>"
_ZEROS = 1 << 20  # bytes of one block of the bomb
_BLOCKS = 2_000


@dataclass(frozen=True)
class Fault:
    """One way of going wrong.

    ``kind`` says what can be expected: "passing" is worth another try; "lasting" is refused at once and says
    so; "nonsense" is a good answer over HTTP whose content is not what the site publishes, so that only who
    reads it can tell. ``soon`` are limits under which one that only takes long shows soon.
    """

    name: str
    kind: Literal["passing", "lasting", "nonsense"]
    send: Callable[[Any, Answer], None]  # the connection; what would have been answered
    soon: Mapping[str, float] = field(default_factory=dict)


def status(code: int, headers: Mapping[str, str] | None = None) -> Callable[[Any, Answer], None]:
    """Answer with a status and a page of HTML."""

    def send(to: Any, _: Answer) -> None:
        to.head(
            code, {"Content-Type": "text/html", "Content-Length": str(len(HTML)), **(headers or {})}, HTML
        )

    return send


def body(change: Callable[[bytes], bytes], media_type: str | None = None) -> Callable[[Any, Answer], None]:
    """Answer with another body than there is, under the status of a good one."""

    def send(to: Any, answer: Answer) -> None:
        data = change(answer.bytes)
        to.head(
            200, {"Content-Type": media_type or answer.media_type, "Content-Length": str(len(data))}, data
        )

    return send


def redirect(location: Callable[[Any], str], code: int = 302) -> Callable[[Any, Answer], None]:
    """Send elsewhere."""

    def send(to: Any, _: Answer) -> None:
        to.head(code, {"Location": location(to.request_), "Content-Length": "0"})

    return send


def _busy_until_a_date(to: Any, answer: Answer) -> None:
    status(429, {"Retry-After": formatdate(usegmt=True)})(to, answer)


def _truncated(to: Any, answer: Answer) -> None:
    data = answer.bytes
    to.head(200, _half(answer) | {"Content-Length": str(len(data) + 1)}, data[: len(data) // 2])
    to.close_connection = True


def _chunk_cut(to: Any, answer: Answer) -> None:
    data = answer.bytes
    chunk = b"%x\r\n" % (len(data) + 1) + data
    to.head(200, _half(answer) | {"Transfer-Encoding": "chunked"}, chunk)
    to.close_connection = True


def _reset(to: Any, answer: Answer) -> None:
    data = answer.bytes
    to.head(200, _half(answer) | {"Content-Length": str(len(data) + 1)}, data[: len(data) // 2])
    # closing with a linger of 0 is a reset in place of a good end
    to.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    to.connection.close()
    to.close_connection = True


def _hang_up(to: Any, _: Answer) -> None:
    to.close_connection = True


def _silence(to: Any, _: Answer) -> None:
    to.server.stopping.wait(20)
    to.close_connection = True


def _drip(to: Any, answer: Answer) -> None:
    to.close_connection = True
    to.head(200, _half(answer) | {"Content-Length": "1000000"})
    with suppress(OSError):
        for _ in range(400):
            to.write(b" ")
            if to.server.stopping.wait(0.05):
                return


def _endless(to: Any, answer: Answer) -> None:
    to.close_connection = True
    to.head(200, _half(answer) | {"Transfer-Encoding": "chunked"})
    with suppress(OSError):
        for _ in range(_BLOCKS):
            to.write(b"%x\r\n" % _ZEROS + bytes(range(256)) * (_ZEROS // 256) + b"\r\n")


def _bomb(to: Any, answer: Answer) -> None:
    to.close_connection = True
    packer = zlib.compressobj(9, wbits=31)
    start = packer.compress(b"")  # the header of gzip, if it comes at once
    first = start + packer.compress(bytes(_ZEROS)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(_ZEROS)) + packer.flush(zlib.Z_FULL_FLUSH)
    size = len(first) + len(again) * _BLOCKS
    to.head(200, _half(answer) | {"Content-Encoding": "gzip", "Content-Length": str(size)}, first)
    with suppress(OSError):
        for _ in range(_BLOCKS):
            to.write(again)


def _broken_gzip(to: Any, answer: Answer) -> None:
    data = answer.bytes
    to.head(200, _half(answer) | {"Content-Encoding": "gzip", "Content-Length": str(len(data))}, data)


def _strange_encoding(to: Any, answer: Answer) -> None:
    data = answer.bytes
    to.head(200, _half(answer) | {"Content-Encoding": "compress", "Content-Length": str(len(data))}, data)


def _not_modified(to: Any, _: Answer) -> None:
    to.head(304, {"ETag": '"of another body"'})


def _no_http(to: Any, _: Answer) -> None:
    to.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n")
    to.close_connection = True


def _half(answer: Answer) -> dict[str, str]:
    return {"Content-Type": answer.media_type}


def _charset(data: bytes) -> bytes:
    """Text in UTF-16, which the header will call UTF-8."""
    return data.decode("utf-8", "replace").encode("utf-16")


FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("429 with Retry-After", "passing", status(429, {"Retry-After": "2"})),
        Fault("429 with a date", "passing", _busy_until_a_date),
        Fault("429 for a day", "lasting", status(429, {"Retry-After": "86400"})),
        Fault("500", "passing", status(500)),
        Fault("503", "passing", status(503)),
        Fault("reset in the middle", "passing", _reset),
        Fault("truncated", "passing", _truncated),
        Fault("chunk cut", "passing", _chunk_cut),
        Fault("hangs up", "passing", _hang_up),
        Fault("says nothing", "passing", _silence, {"read": 0.1}),
        Fault("slow drip", "passing", _drip, {"window": 0.05}),
        Fault("not HTTP", "passing", _no_http),
        Fault("broken gzip", "passing", _broken_gzip),
        Fault("strange encoding", "lasting", _strange_encoding),
        Fault("304 unasked", "passing", _not_modified),
        Fault("401", "lasting", status(401)),
        Fault("403", "lasting", status(403)),
        Fault("404", "lasting", status(404)),
        Fault("410", "lasting", status(410)),
        Fault("redirect loop", "lasting", redirect(lambda asked: f"https://{asked.host}{asked.target}")),
        Fault("redirect to another host", "lasting", redirect(lambda _: "https://login.example/portal")),
        Fault("redirect to http", "lasting", redirect(lambda asked: f"http://{asked.host}/plain")),
        Fault("redirect to nowhere", "lasting", redirect(lambda _: "")),
        Fault("gzip bomb", "lasting", _bomb),
        Fault("endless", "lasting", _endless),
        Fault("HTML with 200", "nonsense", body(lambda _: HTML, "text/html; charset=utf-8")),
        Fault("HTML called JSON", "nonsense", body(lambda _: HTML)),
        Fault("nothing with 200", "nonsense", body(lambda _: b"")),
        Fault("cut but whole", "nonsense", body(lambda data: data[: len(data) // 2])),
        Fault("wrong charset", "nonsense", body(_charset)),
    )
}
