"""HTTP headers every answer carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    [
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",  # the copy button fetches the BibTeX
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)


class SafeHeaders:
    """Adds what keeps a page from being more than it is, and how long it may be kept."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers to its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        fixed = scope["path"].startswith("/static/") and scope["query_string"].startswith(b"v=")

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("content-security-policy", POLICY)
                headers["x-content-type-options"] = "nosniff"
                headers["referrer-policy"] = "same-origin"
                headers["cross-origin-opener-policy"] = "same-origin"
                headers["cache-control"] = "public, max-age=31536000, immutable" if fixed else "no-cache"
                headers.add_vary_header("Accept, Accept-Language, Cookie")
            await send(message)

        await self._app(scope, receive, send_with_headers)
