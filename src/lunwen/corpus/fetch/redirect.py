"""Where a redirect may lead: within the site."""

from __future__ import annotations

import httpx

from lunwen.corpus.fetch.address import Address, Mirror, read_address
from lunwen.corpus.fetch.trouble import Trouble
from lunwen.errors import FetchError

STATUSES = {301, 302, 303, 307, 308}
SITES = (  # names that are one site, with all names under them
    {"nips.cc", "neurips.cc"},
    {"iclr.cc"},
    {"icml.cc"},
    {"mlsys.org"},
    {"thecvf.com"},
    {"ecva.net"},
    {"mlr.press"},
    {"openreview.net"},
    {"arxiv.org"},
    {"aclanthology.org", "aclweb.org"},
    {"dblp.org", "dblp.uni-trier.de"},
    {"crossref.org"},
    {"openalex.org"},
    {"github.com", "githubusercontent.com"},
)
_TODO = "Look at the address; if the site has moved, a newer lunwen may know where"


def follow(address: Address, location: str, mirror: Mirror) -> Address:
    """Return where the answer at ``address`` sends; secrets stay behind where that is another host.

    Raises:
        Trouble: it leads away from the site, or out of https.
    """
    try:
        target = address.url.join(mirror.meant(location))
        if not location.strip():
            raise Trouble("the site redirects to nowhere", _TODO)
        if target.scheme != "https":
            raise Trouble(f"the site redirects to {target.scheme}, not https", _TODO)
        found = read_address(str(target))
    except (httpx.InvalidURL, ValueError, FetchError) as error:
        raise Trouble("the site redirects to what is no URL", _TODO) from error
    if found.host == address.host:
        return found
    if not _is_one_site(address.host, found.host):
        raise Trouble(f"the site redirects to another, {found.host}", _TODO)
    return found.without_secrets()


def _is_one_site(one: str, other: str) -> bool:
    if _is_under(one, other) or _is_under(other, one):
        return True
    return any(_is_of(one, names) and _is_of(other, names) for names in SITES)


def _is_of(host: str, names: set[str]) -> bool:
    return any(_is_under(host, name) for name in names)


def _is_under(host: str, name: str) -> bool:
    return host == name or ("." in name and host.endswith("." + name))
