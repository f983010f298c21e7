"""How a library is served, as one value that reaches every process."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from secrets import token_urlsafe
from typing import Self

from lunwen.errors import UsageError

_HERE = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"[a-z0-9._-]{1,253}|\[[0-9a-f:.]+\]")
_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What may be chosen besides the address.

    Raises:
        UsageError: an origin or a host that is none.
    """

    origins: tuple[str, ...] = ()  # other sites whose scripts may read the API; * for any
    hosts: tuple[str, ...] = ()  # names under which the page may be asked for; none: under any
    read_only: bool | None = None  # whether nobody writes; None: on this machine alone readers may
    pdfs: bool | None = None  # whether readers have the PDFs that are here; None: on this machine alone
    alone: bool = True  # whether it is listened on for this machine alone
    token: str = field(default_factory=lambda: token_urlsafe(24), repr=False, compare=False)
    """What every form must bring: only a page of this server knows it. It is one for all, since whoever may
    read a page may write there too."""

    def __post_init__(self) -> None:
        for origin in self.origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise UsageError(
                    f'no origin "{origin[:80]}". Allowed: a site without a path, in small letters, or * for '
                    "any. Write it so: https://example.org"
                )
        for host in self.hosts:
            if not _HOST.fullmatch(host):
                raise UsageError(
                    f'no host "{host[:80]}". Allowed: a name or an address without scheme, port and path, in '
                    "small letters. Write it so: papers.example.org"
                )

    @property
    def page_writes(self) -> bool:
        """Whether readers may write from the page."""
        return self.alone if self.read_only is None else not self.read_only

    @property
    def page_pdfs(self) -> bool:
        """Whether readers may have the PDFs that are here; under another name others may be readers too."""
        if self.pdfs is not None:
            return self.pdfs
        return self.alone and {*self.hosts} <= {*_HERE}

    @property
    def api_writes(self) -> bool:
        """Whether who knows the token of the API may write; it is a right of its own, for any machine."""
        return not self.read_only

    def at(self, address: str) -> Self:
        """These options where an ``address`` is listened on: on this machine alone, or for other machines.

        On this machine alone only its own names are answered, so that no site can give the page its own name
        and read it (DNS rebinding); for other machines the page reads only, unless it is told otherwise.
        """
        alone = ip_address(address.partition("%")[0]).is_loopback
        hosts = (*_HERE, *self.hosts) if alone or self.hosts else ()
        return replace(self, hosts=hosts, alone=alone)
