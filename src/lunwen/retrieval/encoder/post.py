"""One JSON request over HTTP: no redirects, no more than a few tries, and errors that say what to do."""

from __future__ import annotations

import http.client
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import sleep
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from lunwen.errors import CouldNot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LARGEST = 64 << 20  # bytes of an answer that are read
LONGEST_WAIT = 60.0  # seconds that the other side may ask us to wait
_BUSY = {429, 502, 503, 504}  # the same request may work later
_LOOK = "Look whether it runs, or set LUNWEN_ENCODER=static"


class _Stay(HTTPRedirectHandler):
    """Follows no redirect: it would carry the key to another host."""

    def redirect_request(self, *_: object) -> None:
        """Return no request to follow."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an answer may take."""

    tries: int
    timeout: float  # seconds of each
    wait: Callable[[float], None] = sleep  # between them


@dataclass(frozen=True, slots=True)
class Post:
    """Where to send, and the key; ``shown`` is the address without what may be secret."""

    url: str
    shown: str
    key: str | None = field(repr=False)
    is_local: bool

    def send(self, payload: Mapping[str, object], patience: Patience) -> bytes:
        """Return the body of the answer.

        Raises:
            CouldNot: there is none, or it is an error.
        """
        for attempt in range(1, patience.tries + 1):
            try:
                return self._send_once(payload, patience.timeout)
            except HTTPError as error:
                with error:
                    pause, refused = _pause(error.headers.get("Retry-After"), attempt), self._explain(error)
                if error.code not in _BUSY or attempt == patience.tries or pause > LONGEST_WAIT:
                    raise refused from error
            except (OSError, http.client.HTTPException) as error:
                reason = error.reason if isinstance(error, URLError) else error
                broken = isinstance(reason, (TimeoutError, ConnectionResetError, http.client.IncompleteRead))
                if not broken or attempt == patience.tries:
                    raise self.fail(f"does not answer ({_line(reason) or type(reason).__name__})") from error
                pause = _pause(None, attempt)
            patience.wait(pause)
        raise AssertionError  # the last try returns or raises

    def fail(self, what: str, todo: str = _LOOK) -> CouldNot:
        """Return an error about the other side."""
        hidden = what.replace(self.key, "…") if self.key else what
        return CouldNot(f'the encoder at "{self.shown}" {hidden}. {todo}')

    def _send_once(self, payload: Mapping[str, object], timeout: float) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "lunwen"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = Request(self.url, json.dumps(payload).encode(), headers)  # noqa: S310  the scheme is checked
        handlers = [_Stay(), *([ProxyHandler({})] if self.is_local else [])]
        with build_opener(*handlers).open(request, timeout=timeout) as answer:
            body: bytes = answer.read(LARGEST + 1)
        if len(body) > LARGEST:
            raise self.fail(f"answers with more than {LARGEST >> 20} MB")
        return body

    def _explain(self, error: HTTPError) -> CouldNot:
        if error.code in {401, 403}:
            given = "refuses the key in" if self.key else "asks for a key; there is none in"
            return self.fail(f"{given} LUNWEN_ENCODER_KEY (HTTP {error.code})", "Set the right one")
        if error.code in {301, 302, 303, 307, 308}:
            return self.fail(f"has moved (HTTP {error.code})", "Set its new address in LUNWEN_ENCODER")
        said = _said(error)
        return self.fail(f"refuses (HTTP {error.code}{f': {said}' if said else ''})")


def _said(error: HTTPError) -> str:
    """Return the message of an error in the OpenAI form, as far as there is one."""
    try:
        said = json.loads(error.read(65_536))["error"]
        return _line(said["message"] if isinstance(said, dict) else said)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return ""


def _line(text: object) -> str:
    """Return foreign text as one short line without control characters."""
    return re.sub(r"[^\x21-\x7e\u00a1-\uffff]+", " ", str(text)).strip()[:200]


def _pause(retry_after: str | None, attempt: int) -> float:
    """Return the seconds to wait: as the other side says, in seconds or as a date, or ever longer."""
    if retry_after and retry_after.strip().isdecimal():
        return float(retry_after)
    try:
        at = parsedate_to_datetime(retry_after or "")
        return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    except ValueError:
        return float(2 ** (attempt - 1))
