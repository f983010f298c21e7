"""What a form sends: checked to come from a page of this server, and read."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from hmac import compare_digest
from secrets import token_bytes
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

from lunwen.errors import LimitError, UsageError

if TYPE_CHECKING:
    from starlette.requests import Request

_PAD = 32  # bytes
MAX_FORM = 1 << 16  # bytes
MAX_FIELDS = 50


async def read_form(request: Request, token: str) -> dict[str, str]:
    """Return the fields of a form that one of this server's own pages sent.

    Raises:
        LimitError: it is larger than any form of the page can be.
        UsageError: it cannot be read.
        HTTPException: 403, it does not come from a page of this server.
    """
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM:
            raise LimitError(f"a form of more than {MAX_FORM:,} bytes. Allowed: fewer. Send less at once")
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict", separator="&"
        )
    except ValueError as error:
        raise UsageError(
            f"a form that cannot be read. Allowed: up to {MAX_FIELDS} fields in UTF-8, as a page sends them"
        ) from error
    given = dict(pairs)
    if not compare_digest(_unmask(given.pop("token", "")), _digest(token)):
        raise HTTPException(403)
    return given


def mask(token: str) -> str:
    """Return a token as one page carries it: other letters each time.

    Pages are sent packed, and show what was asked for: were the token the same in all of them, how much they
    weigh would give it away letter by letter to whoever can make a browser ask and count bytes (BREACH).
    """
    pad = token_bytes(_PAD)
    return urlsafe_b64encode(pad + _xor(pad, _digest(token))).decode()


def _unmask(masked: str) -> bytes:
    try:
        raw = urlsafe_b64decode(masked.encode())
    except ValueError:
        return b""
    return _xor(raw[:_PAD], raw[_PAD:]) if len(raw) == 2 * _PAD else b""


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def safe_return(url: str) -> str:
    """``url`` where it leads to a page of this server, else the start page."""
    here = url.startswith("/") and not url.startswith(("//", "/\\")) and url.isprintable()
    return url if here and len(url) < 4_000 else "/"
