"""Where a paper can be read, as an address that only opens a page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from lunwen.corpus.paper import Paper

_RESOLVERS = {
    "openreview": "https://openreview.net/forum?id=",
    "acl": "https://aclanthology.org/",
    "arxiv": "https://arxiv.org/abs/",
    "doi": "https://doi.org/",
    "dblp": "https://dblp.org/rec/",
    "s2": "https://api.semanticscholar.org/CorpusID:",
}


def web(url: str | None) -> str:
    """``url`` where it is a web address, else nothing: a source may have ``javascript:`` there."""
    return url if url and url.lower().startswith(("https://", "http://")) else ""


def identifier_link(scheme: str, value: str | None) -> str:
    """The page that an identifier stands for, where there is one and its scheme has pages."""
    if not value or scheme not in _RESOLVERS:
        return ""
    return _RESOLVERS[scheme] + quote(value.strip(), safe="/:;()._-")


def page_link(paper: Paper) -> str:
    """The address of the paper's own page, else of its text."""
    ids = paper.identifiers
    own = (identifier_link(scheme, ids.get(scheme)) for scheme in ("openreview", "acl"))
    return web(paper.urls.get("paper")) or next(filter(None, own), "") or web(paper.urls.get("pdf"))


def paper_link(paper: Paper) -> str:
    """The address of the paper's own page, else of its text, its DOI or its preprint."""
    return page_link(paper) or identifier_link("doi", paper.identifiers.get("doi")) or arxiv_link(paper)


def arxiv_link(paper: Paper) -> str:
    """The address of the paper's preprint, where it has one."""
    return identifier_link("arxiv", paper.identifiers.get("arxiv"))
