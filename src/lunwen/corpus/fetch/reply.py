"""What fetching a URL gave: a file in the cache, and whether it is what was fetched before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

from lunwen.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A body, decompressed, in a file of the cache."""

    url: str  # as asked for, without parameters that may be secret (api_key, token, mailto)
    final_url: str  # after redirects
    path: Path
    size: int  # bytes, decompressed
    fetched: str  # ISO date and time, UTC, of the body; older than now where it is unchanged or offline
    unchanged: bool  # it is what the cache had: the site says so, or sent it again, or nobody was asked
    received: int  # bytes of body that came over the network for this reply

    def open(self) -> BinaryIO:
        """Read the body.

        Raises:
            FetchError: somebody removed it from the cache.
        """
        try:
            return self.path.open("rb")
        except OSError as error:
            raise FetchError(
                f'"{self.url}" was fetched to {self.path}, which cannot be read ({error.strerror or error}). '
                "Leave the cache alone for a while, then try again"
            ) from error


class Fetcher(Protocol):
    """Gets URLs; the client is one, and tests may have another that speaks to loopback."""

    offline: bool

    def get(
        self,
        url: str,
        *,
        accept: str = "*/*",
        headers: Mapping[str, str] | None = None,
        max_bytes: int | None = None,
        keep: bool = True,
        once: bool = False,
    ) -> Reply:
        """Fetch ``url``, or say that it is unchanged.

        ``headers`` may hold secrets and are never shown or stored; ``max_bytes`` bounds the decompressed
        body. Without ``keep`` the body is dropped after eight more such (a page whose URL never comes again).
        With ``once`` a body in the cache is right for good (one paper's page, of thousands): nobody is asked,
        the reply is ``unchanged``; unless everything is to be fetched again.

        Raises:
            NotThere: the site says 404 or 410.
            Refused: the site says 401 or 403.
            FetchError: it could not be had; the message says what, from where, and what to do.
        """
        ...

    def forget(self) -> None:
        """Drop the body that was given last from the cache: who read it says that it is nonsense."""
        ...

    def post(self, url: str, form: Mapping[str, str]) -> bytes:
        """Send ``form`` as JSON, a login, and return the answer; neither is kept, shown or sent elsewhere.

        It is sent once, and follows no redirect. Offline nobody is asked: a FetchError.

        Raises:
            Refused: the site says 401 or 403.
            FetchError: it could not be had.
        """
        ...
