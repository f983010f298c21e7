"""Where something is: its URL at the site, as it may be shown, and where it is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address

import httpx

from lunwen.errors import FetchError, UsageError

#: Parameters that are neither stored nor shown.
SECRET = {"api_key", "apikey", "access_token", "token", "mailto"}
_FORM = "Only https://HOST/PATH is fetched"
_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?")  # of a machine


@dataclass(frozen=True, slots=True)
class Address:
    """A URL at a site."""

    url: httpx.URL

    @property
    def host(self) -> str:
        """The name of the machine."""
        return self.url.host

    @property
    def place(self) -> str:
        """Host and path: what is shown."""
        return (self.url.netloc.decode() + self.url.path)[:200]

    @property
    def public(self) -> str:
        """The URL without what may be secret."""
        return str(self.without_secrets().url)

    def without_secrets(self) -> Address:
        """Leave the secret parameters out."""
        found = SECRET & set(self.url.params)
        if not found:
            return self
        shown = [pair for pair in self.url.params.multi_items() if pair[0] not in SECRET]
        return Address(self.url.copy_with(params=shown or None))


def read_address(url: str) -> Address:
    """Read a URL; http becomes https, and what stands after "#" goes.

    Raises:
        FetchError: it is none that is fetched.
    """
    try:
        read = httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise FetchError(f'"{_short(url)}" is no URL ({error}). {_FORM}') from error
    if read.userinfo:
        raise FetchError(f'a URL at "{read.host}" has a password in it. {_FORM}')
    host = read.raw_host.decode()
    if read.scheme not in {"http", "https"} or not (_NAME.fullmatch(host) or _is_ip(host)):
        raise FetchError(f'"{_short(url)}" is not on the web. {_FORM}')
    return Address(read.copy_with(scheme="https", fragment=None))


@dataclass(frozen=True, slots=True)
class Mirror:
    """Where sites are asked: themselves, or under ``base`` as ``{base}/{host}/{path}``."""

    base: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, where no proxy stands between."""
        return self.base is not None and _is_local(httpx.URL(self.base).host)

    def asked(self, address: Address) -> httpx.URL:
        """Return where ``address`` is asked for."""
        if self.base is None:
            return address.url
        return httpx.URL(f"{self.base}/{address.url.netloc.decode()}{address.url.raw_path.decode()}")

    def meant(self, location: str) -> str:
        """Return which URL a redirect to ``location`` means: a mirror may say its own."""
        if self.base is not None and location.startswith(self.base + "/"):
            return "https://" + location.removeprefix(self.base + "/")
        return location


def read_mirror(base: str | None) -> Mirror:
    """Read the URL of a mirror.

    Raises:
        UsageError: it is none.
    """
    if not base:
        return Mirror()
    form = "Set it to https://HOST/PATH; http is for this machine alone"
    try:
        url = httpx.URL(base)
    except (httpx.InvalidURL, ValueError) as error:
        raise UsageError(f"LUNWEN_MIRROR is no URL ({error}). {form}") from error
    if url.userinfo:
        raise UsageError(f"LUNWEN_MIRROR has a password in it. {form}")
    if not url.host or url.query or url.fragment or url.scheme not in {"http", "https"}:
        raise UsageError(f'LUNWEN_MIRROR is "{_short(base)}". {form}')
    if url.scheme == "http" and not _is_local(url.host):
        raise UsageError(f'LUNWEN_MIRROR is "{_short(base)}", which anybody between could change. {form}')
    return Mirror(base.rstrip("/"))


def _is_local(host: str) -> bool:
    return host == "localhost" or (_is_ip(host) and ip_address(host).is_loopback)


def _is_ip(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def _short(url: str) -> str:
    """Return a URL without query, as far as it fits into a line."""
    return url.split("?", 1)[0].strip()[:200]
