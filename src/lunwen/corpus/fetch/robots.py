"""What sites ask programs not to fetch, and how slowly they want to be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.corpus.fetch.trouble import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from protego import Protego

    from lunwen.corpus.fetch.address import Address

PATH = "/robots.txt"
APIS = (  # made for programs, which have other rules than crawlers of pages: PACES keeps them
    "api.crossref.org/",
    "api.openalex.org/",
    "api.openreview.net/",
    "api2.openreview.net/",
    "dblp.org/search/",
    "export.arxiv.org/api/",
    "export.arxiv.org/oai2",
    "oaipmh.arxiv.org/oai",
    "raw.githubusercontent.com/",
)
_SLOWEST = 30.0  # seconds between two requests that a site may ask for


class Robots:
    """The rules of every host that is asked.

    Args:
        read: gives the robots.txt of a host and port, nothing where there is none or it cannot be had.
        agent: what this program is called there.
    """

    def __init__(self, read: Callable[[str], bytes], agent: str = "lunwen") -> None:
        self._read, self._agent = read, agent
        self._rules: dict[str, Protego | None] = {}

    def pace(self, address: Address) -> float:
        """Let ``address`` be asked, and return the seconds that the site wants between two requests.

        Raises:
            Trouble: the site does not want it.
        """
        if address.place.startswith(APIS) or address.url.path == PATH:
            return 0.0
        rules = self._of(address.url.netloc.decode())
        if rules is None:
            return 0.0
        if not rules.can_fetch(str(address.url), self._agent):
            raise Trouble(
                "the site asks programs not to (robots.txt)", "Download it in a browser and import the file"
            )
        return min(float(rules.crawl_delay(self._agent) or 0), _SLOWEST)

    def _of(self, host: str) -> Protego | None:
        if host not in self._rules:
            said = self._read(host)
            self._rules[host] = _parse(said) if said.strip() else None
        return self._rules[host]


def _parse(said: bytes) -> Protego:
    from protego import Protego  # noqa: PLC0415  most sites have no rules

    return Protego.parse(said.decode("utf-8", "replace"))
