"""The client: one place through which every request goes."""

from __future__ import annotations

import hashlib
import logging
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from http.cookiejar import DefaultCookiePolicy
from importlib.metadata import version
from typing import TYPE_CHECKING, NamedTuple, Self

import httpx

from lunwen import settings
from lunwen.corpus.fetch import robots
from lunwen.corpus.fetch.address import Address, read_address, read_mirror
from lunwen.corpus.fetch.body import Body
from lunwen.corpus.fetch.cache import Cache, Entry
from lunwen.corpus.fetch.limit import Limits
from lunwen.corpus.fetch.pace import Pace
from lunwen.corpus.fetch.redirect import STATUSES, follow
from lunwen.corpus.fetch.reply import Reply
from lunwen.corpus.fetch.retry import patiently
from lunwen.corpus.fetch.trouble import BROWSER, Trouble, check_status, in_words
from lunwen.corpus.moment import now
from lunwen.errors import FetchError, NotThere, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_DAY = 86_400.0
_LONGEST_ROBOTS = 500_000  # bytes that are read of a robots.txt
_LONGEST_LOGIN = 1 << 20


class _Ask(NamedTuple):
    """One thing to fetch."""

    address: Address
    headers: Mapping[str, str]
    max_bytes: int
    keep: bool
    key: str  # in the cache


class HttpFetcher:
    """Fetches over HTTP as ``Fetcher`` says; a context manager.

    Args:
        folder: of the cache, and of the turns that processes take.
        contact: a mail address for the user agent.
        offline: ask nobody, and give what is in the cache.
        fresh: ask for everything as if the cache were empty.
        mirror: a URL under which sites are found.
        limits: what a request may cost.
        wait: waits some seconds.

    Raises:
        UsageError: the contact or the mirror is none.
    """

    def __init__(
        self,
        folder: Path,
        *,
        contact: str | None = None,
        offline: bool = False,
        fresh: bool = False,
        mirror: str | None = None,
        limits: Limits | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.offline = offline
        self.limits = limits or Limits()
        self.cache = Cache(folder / "fetched", self.limits.kept)
        self._fresh, self._wait = fresh, wait
        self._agent = _agent(contact)
        self._mirror = read_mirror(mirror)
        self._pace = Pace(folder / "turns", self.limits.paces, wait=wait)
        self._last: Path | None = None
        self._robots = robots.Robots(self._read_robots)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connections, and drop what nobody keeps."""
        if "_client" in vars(self):
            self._client.close()
            del self._client
        self.cache.drop_held()

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
        """Fetch ``url``, or say that it is unchanged; see ``Fetcher``.

        Raises:
            NotThere: the site says 404 or 410.
            Refused: the site says 401 or 403.
            FetchError: it could not be had.
        """
        address = read_address(url)
        sent = {"Accept": accept, **(headers or {})}
        ask = _Ask(address, sent, max_bytes or self.limits.size, keep, _key(address, sent))
        kept = self.cache.find(ask.key)
        if kept and (self.offline or (once and not self._fresh)):
            return self._reply(ask, kept, unchanged=True)
        if self.offline:
            raise FetchError(
                f'"{address.place}" is not in the cache, and offline nobody is asked. '
                "Fetch it once without --offline or LUNWEN_OFFLINE"
            )
        known = None if self._fresh else kept
        return patiently(lambda: self._fetch(ask, known, self.limits), address.place, self.limits, self._wait)

    def post(self, url: str, form: Mapping[str, str]) -> bytes:
        """Send ``form`` as JSON once, and return the answer; see ``Fetcher``.

        Raises:
            Refused: the site says 400, 401 or 403.
            FetchError: it could not be had.
        """
        address = read_address(url)
        if self.offline:
            raise FetchError(f'"{address.place}" takes a login, and offline nobody is asked. Go online')
        try:
            with self._asking(address, "POST", {}, dict(form)) as response:
                check_status(response, self.limits)
                return b"".join(Body(response, self.limits, _LONGEST_LOGIN).pieces())
        except Trouble as trouble:
            raise trouble.error(address.place) from trouble

    def forget(self) -> None:
        """Drop the body that was given last; see ``Fetcher``."""
        if self._last is not None:
            self.cache.forget(self._last)
            self._last = None

    def _fetch(self, ask: _Ask, known: Entry | None, limits: Limits) -> Reply:
        """Ask once, through all redirects.

        Raises:
            Trouble: it came to nothing.
        """
        address, headers = ask.address, ask.headers
        for _ in range(limits.redirects + 1):
            is_known = known is not None and known.final_url == address.public
            conditions = _conditions(known) if known and is_known else {}
            with self._asking(address, "GET", {**headers, **conditions}, limits=limits) as response:
                if response.status_code in STATUSES:
                    target = follow(address, response.headers.get("location", ""), self._mirror)
                    if target.host != address.host:
                        headers = {"Accept": headers["Accept"]}
                    address = target
                    continue
                if response.status_code == 304:
                    if not (known and conditions):
                        raise Trouble(
                            "the site says that what nobody has is unchanged (HTTP 304)", tries=None
                        )
                    return self._reply(ask, known, unchanged=True)
                check_status(response, limits)
                return self._take(ask, known, address, Body(response, limits, ask.max_bytes))
        raise Trouble(f"the site redirects more than {limits.redirects} times", BROWSER)

    @contextmanager
    def _asking(
        self,
        address: Address,
        method: str,
        headers: Mapping[str, str],
        form: dict[str, str] | None = None,
        *,
        limits: Limits | None = None,
    ) -> Iterator[httpx.Response]:
        """Wait for our turn and send one request."""
        limits = limits or self.limits
        pace = self._robots.pace(address)
        try:
            self._pace.take_turn(address.host, pace)
        except OSError as error:
            raise self.cache.unwritable(error) from error
        timeout = httpx.Timeout(limits.read, connect=limits.connect)
        with (
            in_words(limits),
            self._client.stream(
                method, self._mirror.asked(address), headers=headers, json=form, timeout=timeout
            ) as response,
        ):
            yield response

    def _take(self, ask: _Ask, known: Entry | None, address: Address, body: Body) -> Reply:
        said = body.headers
        entry = Entry(
            url=ask.address.public,
            final_url=address.public,
            etag=said.get("etag", ""),
            last_modified=said.get("last-modified", ""),
            fetched=now(),
        )
        if not ask.keep:
            path, size = self.cache.hold(body.pieces())
            held = replace(entry, size=size)
            return self._reply(ask, held, path=path, received=body.received)
        kept = self.cache.store(ask.key, entry, body.pieces())
        same = known is not None and known.digest == kept.digest
        return self._reply(ask, kept, unchanged=same, received=body.received)

    def _reply(
        self, ask: _Ask, entry: Entry, *, path: Path | None = None, unchanged: bool = False, received: int = 0
    ) -> Reply:
        self._last = path or self.cache.body(ask.key, entry)
        return Reply(
            url=ask.address.public,
            final_url=entry.final_url,
            path=self._last,
            size=entry.size,
            fetched=entry.fetched,
            unchanged=unchanged,
            received=received,
        )

    def _read_robots(self, host: str) -> bytes:
        """Return the robots.txt of ``host``, of today or now; nothing where it cannot be had."""
        address = read_address(f"https://{host}{robots.PATH}")
        ask = _Ask(address, {"Accept": "text/plain, */*"}, _LONGEST_ROBOTS, True, _key(address, {}))
        kept = self.cache.find(ask.key)
        if not kept or _age(kept) > _DAY:
            brief = replace(self.limits, read=min(self.limits.read, 15.0))
            try:
                self._fetch(ask, None, brief)
            except Trouble as trouble:
                if trouble.kind is not NotThere:
                    return b""
                self.cache.store(ask.key, Entry(url=address.public, fetched=now()), [])
            kept = self.cache.find(ask.key)
        return self.cache.body(ask.key, kept).read_bytes() if kept else b""

    @cached_property
    def _client(self) -> httpx.Client:
        logging.getLogger("httpx").setLevel(logging.WARNING)  # it would log URLs with what is secret in them
        client = httpx.Client(
            headers={"User-Agent": self._agent, "Accept-Encoding": "gzip"},
            trust_env=not self._mirror.is_local,
        )
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        return client


def open_fetcher(*, offline: bool = False, fresh: bool = False) -> HttpFetcher:
    """Return a fetcher as the settings say.

    Raises:
        UsageError: a setting is wrong.
    """
    return HttpFetcher(
        settings.cache_folder(),
        contact=settings.contact(),
        offline=offline or settings.is_offline(),
        fresh=fresh,
        mirror=settings.mirror(),
        limits=Limits(kept=settings.cache_bound()),
    )


def _agent(contact: str | None) -> str:
    """Return what sites are told of who asks.

    Raises:
        UsageError: a contact that no header can hold.
    """
    name = f"lunwen/{version('lunwen')}"
    if not contact:
        return name
    if not (contact.isascii() and contact.isprintable()) or set(contact) & set('()<>" '):
        raise UsageError("LUNWEN_CONTACT is no mail address. Set it to one, such as name@example.org")
    return f"{name} (+{contact})"


def _key(address: Address, headers: Mapping[str, str]) -> str:
    """Name what an answer depends on; of headers, which may be secret, only that they are there."""
    parts = (address.public, headers.get("Accept", ""), *sorted(name.lower() for name in headers))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:40]


def _conditions(known: Entry) -> dict[str, str]:
    said = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in said.items() if value}


def _age(entry: Entry) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(entry.fetched)).total_seconds()
