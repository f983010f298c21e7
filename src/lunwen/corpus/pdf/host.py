"""From where a paper's PDF may be fetched: sites that offer it to everybody; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from lunwen.corpus.link import pdf_of
from lunwen.errors import CouldNot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.paper import Paper

#: Sites that offer the papers they publish to everybody, and what their paths to PDFs begin with.
HOSTS = {
    "aclanthology.org": "/",
    "arxiv.org": "/pdf/",
    "openaccess.thecvf.com": "/",
    "openreview.net": "/",
    "papers.nips.cc": "/",
    "proceedings.iclr.cc": "/",
    "proceedings.mlr.press": "/",
    "proceedings.mlsys.org": "/",
    "proceedings.neurips.cc": "/",
    "raw.githubusercontent.com": "/mlresearch/",  # where PMLR keeps its PDFs
    "www.ecva.net": "/",
    "www.jmlr.org": "/",
    "www.roboticsproceedings.org": "/",
}

_UP = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)  # leads out of what a path begins with


def pdf_urls(paper: Paper) -> list[str]:
    """Return the addresses from which the paper's PDF may be fetched, the best first; at least one.

    Raises:
        CouldNot: there is none, or only where lunwen may not fetch it; with the link to open.
    """
    known = list(dict.fromkeys(_addresses(paper)))
    if permitted := [url for url in known if _permits(url)]:
        return permitted
    given = f'PATH.pdf, as in: lunwen fetch "{paper.paper_id}" --file PATH.pdf'
    if known:
        host = known[0].split("/", 3)[2]
        raise CouldNot(
            f'the PDF of "{paper.paper_id}" is at {host}, from which lunwen does not fetch. '
            f"Open {known[0]} and give the file that you saved as {given}"
        )
    raise CouldNot(
        f'no PDF of "{paper.paper_id}" is known. Look for it with: lunwen open "{paper.paper_id}"; '
        f"give it as {given}"
    )


def _addresses(paper: Paper) -> Iterator[str]:
    """Yield where the PDF is: as a source says, else where an identifier leads; its own venue first."""
    given = paper.urls.get("pdf") or ""
    if given.lower().startswith(("https://", "http://")):
        yield given.replace("http://", "https://", 1)
    if led := pdf_of(paper.identifiers):
        yield led
    if arxiv := paper.identifiers.get("arxiv"):
        yield f"https://arxiv.org/pdf/{quote(arxiv)}"


def _permits(url: str) -> bool:
    try:
        parts = urlsplit(url)
        plain = parts.scheme == "https" and parts.port is None and "@" not in parts.netloc
    except ValueError:
        return False
    beginning = HOSTS.get((parts.hostname or "").lower())
    return plain and beginning is not None and parts.path.startswith(beginning) and not _UP.search(parts.path)
