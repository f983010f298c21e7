"""What one connection of a server may cost: a request has to be made in time, and have an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

SECONDS = 20.0  # from the beginning of a request, or of a connection, to the request's end
LARGEST_HEAD = 1 << 17  # bytes before the body; the longest address that the page makes has half
WAITING = 400  # connections whose request is not yet whole; then the longest-waiting one is closed

_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Bounded(HttpToolsProtocol):
    """Uvicorn's protocol, closing connections on which a request comes too slowly, or has no end.

    Uvicorn itself waits as long as a client likes, so that some hundreds who send nothing take all the
    connections that a process may have.
    """

    ends: asyncio.TimerHandle | None = None  # while a request is not whole
    _head: int | None = 0  # bytes of it so far; None in its body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._begin()
        others = [one for one in self.connections if isinstance(one, Bounded) and one.ends is not None]
        if len(others) > WAITING:
            min(others, key=Bounded._due).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._end()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, unless it is too much."""
        if self._head is not None:
            end = data.find(b"\r\n\r\n")
            self._head += len(data) if end < 0 else end
            if self._head > LARGEST_HEAD:
                self.transport.write(_TOO_LARGE)
                self.transport.close()
                return
        super().data_received(data)
        if self.ends is None and (self.cycle is None or self.cycle.response_complete):
            self._begin()  # on what is no request, as empty lines are

    def on_message_begin(self) -> None:
        """Begin to wait for the request's end."""
        super().on_message_begin()
        self._end()
        self._begin()

    def on_headers_complete(self) -> None:
        """Leave the size of the body to whoever reads it."""
        self._head = None
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Wait no more: the request is whole."""
        self._end()
        self._head = 0
        super().on_message_complete()

    def _begin(self) -> None:
        self.ends = self.loop.call_later(SECONDS, self._close)

    def _end(self) -> None:
        if self.ends is not None:
            self.ends.cancel()
            self.ends = None

    def _due(self) -> float:
        return cast("asyncio.TimerHandle", self.ends).when()

    def _close(self) -> None:
        self.ends = None
        self.transport.abort()
