"""Where a paper can be read, as an address that only opens a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lunwen.corpus.paper import Paper


def web(url: str | None) -> str:
    """``url`` where it is a web address, else nothing: a source may have ``javascript:`` there."""
    return url if url and url.lower().startswith(("https://", "http://")) else ""


def paper_link(paper: Paper) -> str:
    """The address of the paper's own page, else of its text, its DOI or its preprint."""
    doi, arxiv = paper.identifiers.get("doi"), arxiv_link(paper)
    page = web(paper.urls.get("paper")) or web(paper.urls.get("pdf"))
    return page or (f"https://doi.org/{doi}" if doi else arxiv)


def arxiv_link(paper: Paper) -> str:
    """The address of the paper's preprint, where it has one."""
    arxiv = paper.identifiers.get("arxiv")
    return f"https://arxiv.org/abs/{arxiv}" if arxiv else ""
