"""paperlists: one JSON file for each venue and year."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from lunwen.corpus.sync.arrival import load_json, open_reply, refuse
from lunwen.corpus.sync.page import Page, is_wanted
from lunwen.errors import NotPublished, NotThere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.source import SourceFile
    from lunwen.corpus.sync.page import Edition

_FILES = "https://raw.githubusercontent.com/Papercopilot/paperlists/main"
_EMPTY = re.compile(rb"\s*\[\s*\]\s*")
_LARGEST = 512 * 1024**2  # a list with every submission of a year has 100 MB


class Paperlists:
    """The address is a path there: "icml/icml2019.json"."""

    name = "paperlists"
    is_whole = True
    can_reject = True

    def pages(
        self,
        edition: Edition,
        fetcher: Fetcher,
        *,
        after: str | None = None,  # noqa: ARG002 - there is one page
        with_rejected: bool = False,
    ) -> Iterator[Page]:
        """Give the file.

        Raises:
            NotPublished: there is no such list yet, or nothing in it.
            FetchError: it could not be had.
            UnreadableFile: something else came, or not all of it.
        """
        url = f"{_FILES}/{edition.address}"
        missing = NotPublished(
            f"There is no list of {edition.venue} {edition.year} at {url} yet. Sync again later."
        )
        try:
            reply = fetcher.get(url, accept="application/json", max_bytes=_LARGEST)
        except NotThere as error:
            raise missing from error
        file = open_reply(reply)
        if _EMPTY.fullmatch(file.head):
            raise missing
        yield Page(
            name="list with rejected" if with_rejected else "list",  # another page: more of it is read
            url=url,
            source="paperlists",
            file=file,
            check=partial(_check, file),
            keep=None if with_rejected else is_wanted,
        )


def _check(file: SourceFile) -> None:
    if not isinstance(load_json(file), list):
        raise refuse(file, "a list of papers")
