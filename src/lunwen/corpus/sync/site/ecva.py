"""ECVA: all papers of ECCV since 2018 on one page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lunwen.corpus.sync.arrival import refuse
from lunwen.corpus.sync.listed import get_page, walk_papers
from lunwen.corpus.sync.site.cvf import PAPER
from lunwen.errors import NotPublished

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.sync.page import Edition, Page

_LIST = "https://www.ecva.net/papers.php"


class Ecva:
    """The address is what the papers' pages have in theirs: "eccv_2024"."""

    name = "ecva"
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
        """Take the year's papers from the list, then their own pages, which have the abstracts.

        Raises:
            NotPublished: no paper of that year is there yet.
            Expired: the walk can no longer go on where it stopped.
            FetchError: a page could not be had.
            UnreadableFile: something else came, or not all of it.
        """
        arrived = get_page(_LIST, fetcher)
        links = arrived.links(PAPER)
        if not links:
            raise refuse(arrived.file, "ECVA's list of papers")
        papers = [link for link in links if f"/{edition.address}/" in link]
        if not papers:
            raise NotPublished(
                f"The papers of {edition.venue} {edition.year} are not at {_LIST} yet. Sync again later."
            )
        year = edition.year
        listed = replace(
            arrived.head,
            name="list",
            source=self.name,
            total=len(papers),
            keep=lambda record: record.year == year,
        )
        return walk_papers(edition, [listed], papers, fetcher, after=after)
