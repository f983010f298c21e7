"""Only under its own names does the page answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send


class HostGuard:
    """Refuses requests for names that are not the page's.

    A site may point a name of its own at this machine once its script runs in a browser here; the script
    could then read the page as if it were its site's (DNS rebinding). Its requests still carry that name.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on where it names a host of the page."""
        if scope["type"] == "http" and self._hosts:
            given = Headers(scope=scope).get("host", "")
            if _name(given) not in self._hosts:
                answer = PlainTextResponse(
                    f"no host {given[:80]!a} here. Allowed: {', '.join(sorted(self._hosts))}. "
                    "Allow more with: lunwen serve --allow-host NAME\n",
                    status_code=421,
                )
                await answer(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _name(host: str) -> str:
    """A Host header without its port."""
    name = host.lower()
    end = name.rfind(":")
    if end > name.rfind("]"):
        name = name[:end]
    return name.rstrip(".")
