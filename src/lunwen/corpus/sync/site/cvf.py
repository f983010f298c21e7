"""CVF Open Access: a conference's papers on one page, or on one for each of its days."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lunwen.corpus.sync.arrival import refuse
from lunwen.corpus.sync.listed import get_page, walk_papers
from lunwen.errors import NotPublished, NotThere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.sync.listed import Arrived
    from lunwen.corpus.sync.page import Edition, Page

_SITE = "https://openaccess.thecvf.com/"
#: What links to papers look like in a list, at ECVA too.
PAPER = re.compile(rb"""<dt class=["']?ptitle["']?>\s*(?:<br\s*/?>)?\s*<a href=["']?([^"'\s>]+)""")
_DAY = re.compile(rb"""<a href=["']?([^"'\s>]*\?day=\d{4}-\d\d-\d\d)["'\s>]""")


class Cvf:
    """The address is the conference as the site calls it: "CVPR2024"."""

    name = "cvf"
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
            NotPublished: no paper is there yet.
            Expired: the walk can no longer go on where it stopped.
            FetchError: a page could not be had.
            UnreadableFile: something else came, or not all of it.
        """
        lists: list[Page] = []
        papers: list[str] = []
        for arrived in _get_lists(edition, fetcher):
            links = arrived.links(PAPER)
            day = arrived.reply.url.rpartition("=")[2]
            name = f"list of {day}" if day[:1].isdecimal() else "list"
            lists.append(replace(arrived.head, name=name, source=self.name, total=len(links)))
            papers += links
        return walk_papers(edition, lists, list(dict.fromkeys(papers)), fetcher, after=after)


def _get_lists(edition: Edition, fetcher: Fetcher) -> list[Arrived]:
    """Return the page of all papers, or before 2021 the page of each day.

    Raises:
        NotPublished: no paper is there yet.
    """
    missing = NotPublished(
        f"The papers of {edition.venue} {edition.year} are not at {_SITE}{edition.address} yet. "
        "Sync again later."
    )
    arrived = None
    for query in ("?day=all", ""):
        try:
            arrived = get_page(f"{_SITE}{edition.address}{query}", fetcher)
        except NotThere as error:
            raise missing from error
        if arrived.links(PAPER):
            return [arrived]
        if days := arrived.links(_DAY):
            return [get_page(day, fetcher) for day in days]
        if b"Open Access Repository" not in arrived.data:
            raise refuse(arrived.file, "CVF's list of papers")
    raise missing
