"""A file at a URL, in any format that is imported, packed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.corpus.sync.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.sync.page import Edition


class File:
    """The address is the URL."""

    name = "file"
    is_whole = True
    can_reject = False

    def pages(
        self,
        edition: Edition,
        fetcher: Fetcher,
        *,
        after: str | None = None,
        with_rejected: bool = False,  # noqa: ARG002 - a file has what it has
    ) -> Iterator[Page]:
        """Give the file, or every file in it where it is an archive.

        Raises:
            FetchError: it could not be had.
        """
        from lunwen.corpus.files import open_file  # noqa: PLC0415 - slow to load

        reply = fetcher.get(edition.address)
        files = list(open_file(edition.address, reply.path))
        for number, file in enumerate(files):
            if number < int(after or 0):
                continue
            yield Page(
                name=file.name,
                url=edition.address,
                file=file,
                next=str(number + 1) if number + 1 < len(files) else None,
            )
