"""A body as it comes: unpacked in small pieces, and refused as soon as it is too long or too slow."""

from __future__ import annotations

import zlib
from time import monotonic
from typing import TYPE_CHECKING

from lunwen.corpus.fetch.trouble import BROWSER, Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from lunwen.corpus.fetch.limit import Limits

_PIECE = 1 << 18  # bytes that are unpacked at once
_ZIPPED = {"gzip", "x-gzip"}


class Body:
    """The body of a response; ``received`` counts what came over the network.

    Args:
        response: begun, its body not yet read.
        limits: what it may cost.
        max_bytes: how long it may be, decompressed.
    """

    def __init__(self, response: httpx.Response, limits: Limits, max_bytes: int) -> None:
        self.received = 0
        self._response, self._limits, self._max_bytes = response, limits, max_bytes

    @property
    def headers(self) -> httpx.Headers:
        """What the site says of it."""
        return self._response.headers

    def pieces(self) -> Iterator[bytes]:
        """Give it piece by piece.

        Raises:
            Trouble: it is too long, too slow, damaged, or breaks off.
        """
        packed = self.headers.get("content-encoding", "").strip().lower()
        if packed not in {"", "identity", *_ZIPPED}:
            raise Trouble(f'it is packed as "{packed[:40]}", which nobody asked for', BROWSER)
        announced = self.headers.get("content-length", "")
        if not packed and announced.isdecimal() and int(announced) > self._max_bytes:
            raise self._too_long()
        size = 0
        for piece in _unpack(self._raw()) if packed in _ZIPPED else self._raw():
            size += len(piece)
            if size > self._max_bytes:
                raise self._too_long()
            if size > max(self._limits.ratio_from, self.received * self._limits.ratio):
                grown = f"{self.received:,} bytes unpack to {size:,} and more"
                raise Trouble(f"{grown}, which no page does", BROWSER)
            yield piece

    def _raw(self) -> Iterator[bytes]:
        limits, began = self._limits, monotonic()
        since, count = began, 0
        for raw in self._response.iter_raw():
            self.received += len(raw)
            count += len(raw)
            now = monotonic()
            if now - began > limits.whole:
                raise Trouble(f"it takes longer than {limits.whole:g} s")
            if now - since >= limits.window:
                if count < limits.rate * (now - since):
                    raise Trouble(f"it comes too slowly, {count:,} bytes in {now - since:.3g} s", tries=None)
                since, count = now, 0
            yield raw

    def _too_long(self) -> Trouble:
        return Trouble(f"it is longer than {self._max_bytes:,} bytes", "Download it and import the file")


def _unpack(raws: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack gzip, its members one after another."""
    unpacker, is_open = zlib.decompressobj(wbits=31), False
    for raw in raws:
        rest = raw
        while rest:
            is_open = True
            try:
                piece = unpacker.decompress(rest, _PIECE)
                while piece:
                    yield piece
                    piece = unpacker.decompress(unpacker.unconsumed_tail, _PIECE)
            except zlib.error as error:
                raise Trouble(f"its packing is damaged ({error})", tries=None) from error
            rest = b""
            if unpacker.eof:
                rest, unpacker, is_open = unpacker.unused_data, zlib.decompressobj(wbits=31), False
                if not b"\x1f\x8b".startswith(rest[:2]):  # padding after the last member
                    rest = b""
    if is_open:
        raise Trouble("its packing breaks off", tries=None)
