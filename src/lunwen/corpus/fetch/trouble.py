"""Why a request failed, in words, and whether another try may help."""

from __future__ import annotations

import re
import ssl
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import httpx

from lunwen.errors import FetchError, NotThere, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.limit import Limits

LATER = "Try again later"
_LOOK = "Look at the network, or use --offline for what is in the cache"
BROWSER = "Open it in a browser to see what it asks for"
_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_PASSING = {202, 408, 425, 429}  # and all from 500 on


class Trouble(Exception):
    """One try failed.

    Args:
        reason: what happened, to stand after the place and a colon.
        todo: what to do next.
        tries: how many there may be in all; 1 where another would not help, None for as many as usual.
        after: the seconds that the site asks to wait before the next.
        kind: the error that comes of it in the end.
    """

    def __init__(
        self,
        reason: str,
        todo: str = LATER,
        *,
        tries: int | None = 1,
        after: float | None = None,
        kind: type[FetchError] = FetchError,
    ) -> None:
        super().__init__(reason)
        self.reason, self.todo, self.tries, self.after, self.kind = reason, todo, tries, after, kind

    def error(self, place: str, tried: int = 1) -> FetchError:
        """Return what to raise about ``place``."""
        often = f", {tried} times" if tried > 1 else ""
        return self.kind(f'"{place}" could not be fetched: {self.reason}{often}. {self.todo}')


def check_status(response: httpx.Response, limits: Limits) -> None:
    """Let an answer with a body pass.

    Raises:
        Trouble: it is none.
    """
    status = response.status_code
    if status in {200, 203}:
        return
    if status in {404, 410}:
        raise Trouble(f"the site has nothing there (HTTP {status})", "Look at the address", kind=NotThere)
    if status in {401, 403} or (status, response.request.method) == (400, "POST"):  # a wrong password
        raise Trouble(f"the site refuses (HTTP {status})", BROWSER, kind=Refused)
    if status == 407:
        raise Trouble("the proxy asks for a password (HTTP 407)", "Set HTTPS_PROXY with it")
    if 300 <= status < 400:
        raise Trouble(
            f"the site redirects where it must not (HTTP {status})", "A newer lunwen may know better"
        )
    if status not in _PASSING and status < 500:
        raise Trouble(f"the site answers with HTTP {status}", BROWSER)
    after = _after(response)
    if after is not None and after > limits.longest_wait:
        raise Trouble(f"the site asks to wait {_long(after)} (HTTP {status})", "Try again then")
    busy = "is busy" if status in {429, 503} else "fails"
    raise Trouble(f"the site {busy} (HTTP {status})", tries=None, after=after)


@contextmanager
def in_words(limits: Limits) -> Iterator[None]:
    """Turn what goes wrong on the network into Trouble."""
    try:
        yield
    except httpx.TimeoutException as error:
        connecting = isinstance(error, httpx.ConnectTimeout)
        seconds = limits.connect if connecting else limits.read
        raise Trouble(f"no answer within {seconds:g} s", tries=2 if connecting else None) from error
    except httpx.ConnectError as error:
        untrusted = _find(error, ssl.SSLCertVerificationError)
        if untrusted:
            reason = getattr(untrusted, "verify_message", "") or "not valid"
            raise Trouble(
                f"its certificate is not trusted ({reason})",
                "Look at the clock of this machine, and who answers in place of the site",
            ) from error
        raise Trouble(f"no connection ({_said(error)})", _LOOK, tries=2) from error
    except httpx.ProxyError as error:
        raise Trouble(f"the proxy refuses ({_said(error)})", "Look at HTTPS_PROXY") from error
    except httpx.RemoteProtocolError as error:
        raise Trouble("the answer breaks off or is not HTTP", tries=None) from error
    except httpx.NetworkError as error:
        raise Trouble("the connection broke", tries=None) from error
    except (httpx.LocalProtocolError, UnicodeEncodeError):
        # nor is it said what led to it: it may be secret
        raise Trouble(
            "a header has what none can hold", "Look at the keys and logins in the settings"
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Trouble(_said(error), "Look at the address") from error


def _after(response: httpx.Response) -> float | None:
    """Return the seconds that the site asks to wait; a date is reckoned by the site's own clock."""
    said = response.headers.get("retry-after", "").strip()
    if said.isascii() and said.isdecimal():
        return float(said)
    try:
        until = _date(said)
    except ValueError:
        return None
    try:
        now = _date(response.headers.get("date", ""))
    except ValueError:
        now = datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _date(said: str) -> datetime:
    date = parsedate_to_datetime(said)
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _long(seconds: float) -> str:
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _find(error: BaseException, kind: type[BaseException]) -> BaseException | None:
    """Return the first error of ``kind`` among those that led to ``error``."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, kind):
        seen = seen.__cause__ or seen.__context__
    return seen


def _said(error: Exception) -> str:
    return _NUMBER.sub("", str(error) or type(error).__name__).rstrip(".")[:200]
