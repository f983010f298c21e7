"""DBLP: the table of contents of a volume, by its search."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from lunwen.corpus.sync.arrival import load_json, open_reply, read_count, refuse
from lunwen.corpus.sync.page import Page
from lunwen.corpus.sync.part import walk_parts
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.sync.page import Edition

_SEARCH = "https://dblp.org/search/publ/api"
_SIZE = 1000  # the most hits that it gives at once
_LARGEST = 64 * 1024**2


class Dblp:
    """The address is a table of contents: "conf/icml/icml2024"."""

    name = "dblp"
    is_whole = True
    can_reject = False

    def pages(
        self,
        edition: Edition,
        fetcher: Fetcher,
        *,
        after: str | None = None,
        with_rejected: bool = False,  # noqa: ARG002 - DBLP has what was published
    ) -> Iterator[Page]:
        """Walk the table of contents, a thousand papers a page.

        Raises:
            NotPublished: DBLP does not have the volume yet.
            Expired: the table is shorter than where the walk was to go on.
            FetchError: a page could not be had.
            UnreadableFile: something else came, or not all of it.
        """
        return walk_parts(
            edition, [edition.address], lambda part, at: _get(part, int(at or 0), fetcher), after=after
        )


def _get(contents: str, first: int, fetcher: Fetcher) -> Page | None:
    """Return the hits from ``first`` on; None where there are none."""
    query = {"q": f"toc:db/{contents}.bht:", "format": "json", "h": str(_SIZE), "f": str(first)}
    url = f"{_SEARCH}?{urlencode(query, safe='/:')}"
    reply = fetcher.get(url, accept="application/json", max_bytes=_LARGEST)
    file = open_reply(reply)
    answer = load_json(file)
    try:
        hits = answer["result"]["hits"]
        total, sent = read_count(hits["@total"]), read_count(hits["@sent"])
    except (KeyError, TypeError) as error:
        raise refuse(file, "hits of DBLP") from error
    if total is None or sent is None:
        raise refuse(file, "hits of DBLP")
    found = hits.get("hit") or []
    if len(found if isinstance(found, list) else [found]) != sent or (first < total and not sent):
        raise UnreadableFile(
            f"{url} gave {sent:,} hits from {first:,} on, of {total:,} that there are, or fewer. Nothing of "
            "it was taken. Try again later."
        )
    if not sent:
        return None
    end = first + sent
    return Page(
        name=f"{contents} {first}",
        url=url,
        source="dblp",
        file=file,
        next=str(end) if end < total else None,
        total=total,
    )
