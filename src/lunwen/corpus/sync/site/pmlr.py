"""PMLR: a volume's papers in one file, those that are not in it from their own pages."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lunwen.corpus.sync.arrival import refuse
from lunwen.corpus.sync.listed import get_page, walk_papers
from lunwen.errors import NotPublished, NotThere, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.sync.listed import Arrived
    from lunwen.corpus.sync.page import Edition, Page

_SITE = "https://proceedings.mlr.press"
_FILES = (  # where a volume may have its papers, what reads them, and how they call a paper
    ("assets/bib/citeproc.yaml", "pmlr", re.compile(rb"^(?:- |  )id: *[\"']?([\w-]+)", re.MULTILINE)),
    ("assets/bib/bibliography.bib", "bibtex", re.compile(rb"@\w+\s*\{\s*(?:pmlr-v\d+-)?([\w-]+)\s*,")),
    ("bibliography.bib", "bibtex", re.compile(rb"@\w+\s*\{\s*(?:pmlr-v\d+-)?([\w-]+)\s*,")),
)
_PAPER = re.compile(rb"""href=["']?([^"'\s>]*/?[vr]\d+/[a-z][\w-]*\.html)["'\s>]""")
_FEW = 0.1  # of a volume's papers that may be missing from its file


class Pmlr:
    """The address is the volume: "v235"."""

    name = "pmlr"
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
        """Give the file of the volume's papers, then the own pages of those that are not in it.

        Without such a file it is all papers' own pages.

        Raises:
            NotPublished: there is no such volume yet.
            Expired: the walk can no longer go on where it stopped.
            FetchError: a page could not be had.
            UnreadableFile: something else came, or not all of it.
        """
        volume = f"{_SITE}/{edition.address}"
        try:
            listed = get_page(f"{volume}/", fetcher)
        except NotThere as error:
            raise NotPublished(
                f"The proceedings of {edition.venue} {edition.year} are not at {volume}/ yet. "
                "Sync again later."
            ) from error
        papers = [link for link in listed.links(_PAPER) if f"/{edition.address}/" in link]
        if not papers:
            raise refuse(listed.file, "a volume of PMLR")
        found = _get_file(volume, fetcher)
        if found is None:
            return walk_papers(edition, [], papers, fetcher, after=after)
        arrived, source, form = found
        named = {one.decode() for one in form.findall(arrived.data)}
        missing = [paper for paper in papers if paper.rpartition("/")[2].removesuffix(".html") not in named]
        if len(missing) > max(1, _FEW * len(papers)):
            raise UnreadableFile(
                f"{arrived.reply.url} lacks {len(missing):,} of the volume's {len(papers):,} papers, as if "
                "it were cut short. Nothing of it was taken. Try again later."
            )
        page = replace(arrived.head, name="file", source=source, total=len(papers) - len(missing))
        return walk_papers(edition, [page], missing, fetcher, after=after)


def _get_file(volume: str, fetcher: Fetcher) -> tuple[Arrived, str, re.Pattern[bytes]] | None:
    for path, source, form in _FILES:
        try:
            arrived = get_page(f"{volume}/{path}", fetcher, accept="*/*")
        except NotThere:
            continue
        if not form.search(arrived.data):
            raise refuse(arrived.file, "the papers of a volume")
        return arrived, source, form
    return None
