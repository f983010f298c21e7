"""The proceedings of NeurIPS, ICLR and MLSys, by years."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lunwen.corpus.sync.arrival import refuse
from lunwen.corpus.sync.listed import get_page, walk_papers
from lunwen.errors import NotPublished, NotThere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.sync.page import Edition, Page

_PAPER = re.compile(rb"""href=["']?([^"'\s>]*/paper/\d{4}/hash/[0-9a-f]{32}-Abstract[\w-]*\.html)""")
_LIST = re.compile(rb"paper-list|book-title")


class Proceedings:
    """The address is where a year is listed, "papers.nips.cc/paper_files/paper/2024"; or several places."""

    name = "proceedings"
    is_whole = True
    can_reject = False

    def pages(
        self,
        edition: Edition,
        fetcher: Fetcher,
        *,
        after: str | None = None,
        with_rejected: bool = False,  # noqa: ARG002 - proceedings have what was accepted
    ) -> Iterator[Page]:
        """Walk the lists, then the papers' own pages, which have the abstracts.

        Raises:
            NotPublished: there is no such book yet.
            Expired: the walk can no longer go on where it stopped.
            FetchError: a page could not be had.
            UnreadableFile: something else came, or not all of it.
        """
        lists: list[Page] = []
        papers: list[str] = []
        for address in edition.address.split():
            url = f"https://{address}"
            missing = NotPublished(
                f"The proceedings of {edition.venue} {edition.year} are not at {url} yet. Sync again later."
            )
            try:
                arrived = get_page(url, fetcher)
            except NotThere as error:
                raise missing from error
            links = arrived.links(_PAPER)
            if not links and _LIST.search(arrived.data):
                raise missing
            if not links:
                raise refuse(arrived.file, "a list of papers")
            name = f"list at {urlsplit(url).hostname}"
            lists.append(replace(arrived.head, name=name, source=self.name, total=len(links)))
            papers += links
        return walk_papers(edition, lists, papers, fetcher, after=after)
