"""A client of the server that waits as long as it takes, unless the server is about to take too long."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lunwen.corpus.fetch.client import HttpFetcher

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.server import Server

    from lunwen.corpus.fetch.limit import Limits


class Client(HttpFetcher):
    """Asks ``server`` in place of every site, and pauses for no time between tries.

    A good answer may take as long as a busy machine takes: only a try for which a slow fault is due is short.
    """

    def __init__(self, folder: Path, server: Server, limits: Limits) -> None:
        super().__init__(folder, mirror=server.url, limits=limits, wait=lambda _: None)
        self._server = server

    def _fetch(self, ask: Any, known: Any, limits: Limits) -> Any:
        soon: dict[str, Any] = dict(self._server.soon(ask.address.host, ask.address.url.path))
        return super()._fetch(ask, known, replace(limits, **soon))
