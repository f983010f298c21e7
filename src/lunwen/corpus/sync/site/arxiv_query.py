"""What a query of arXiv's API finds, and papers by their arXiv ids."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from lunwen.corpus.identifier import identifiers_in
from lunwen.corpus.sync.arrival import open_reply, read_count, refuse
from lunwen.corpus.sync.page import Page
from lunwen.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.fetch.reply import Fetcher, Reply
    from lunwen.corpus.source import SourceFile
    from lunwen.corpus.sync.page import Edition

_API = "https://export.arxiv.org/api/query"
_LARGEST = 64 * 1024**2
MOST = 30_000  # papers that arXiv gives of one query
SIZE = 500  # of a page; larger ones often come empty
IDS = 100  # on a page
TRIES = 3  # of a page that comes empty, as some do


class ArxivQuery:
    """Asks arXiv's API: the address is a query ("cat:cs.LG AND ti:odd"), or ids ("1301.3780 2101.00001")."""

    name = "arxiv-query"
    is_whole = False  # what a query no longer finds is still there
    can_reject = False

    def pages(
        self,
        edition: Edition,
        fetcher: Fetcher,
        *,
        after: str | None = None,
        with_rejected: bool = False,  # noqa: ARG002 - arXiv rejects nothing
    ) -> Iterator[Page]:
        """Walk what is found, the oldest first, so that a new paper moves none.

        Raises:
            FetchError: arXiv refuses, finds too many, or lacks an id; the ids that it has are on the pages.
            UnreadableFile: the answer is no Atom.
        """
        start = int(after) if after else 0
        if (ids := read_ids(edition.address)) is not None:
            yield from _by_id(fetcher, ids, start)
        else:
            yield from _by_query(edition, fetcher, start)


def read_ids(address: str) -> list[str] | None:
    """Return the arXiv ids that ``address`` consists of, None where it is something else."""
    named = [identifiers_in(word) for word in re.split(r"[\s,]+", address.strip())]
    ids = [one.value for one in named if one is not None and one.scheme == "arxiv"]
    return list(dict.fromkeys(ids)) if ids and len(ids) == len(named) else None


def _by_id(fetcher: Fetcher, ids: Sequence[str], start: int) -> Iterator[Page]:
    missing: list[str] = []
    for place in range(start, len(ids), IDS):
        some = ids[place : place + IDS]
        url = f"{_API}?id_list={quote(','.join(some), safe=',')}&max_results={len(some)}"
        reply = fetcher.get(url, accept="application/atom+xml", max_bytes=_LARGEST)
        file = open_reply(reply)
        _, found = _read(file)
        missing += [one for one in some if one not in found]
        after = place + IDS if place + IDS < len(ids) else None
        yield _page(reply, file, f"ids from {place + 1}", after=after, total=len(ids))
    if missing:
        raise FetchError(f"arXiv has no {', '.join(missing[:10])}. Look for a digit too few or too many")


def _by_query(edition: Edition, fetcher: Fetcher, start: int) -> Iterator[Page]:
    while True:
        # a blank is %20: arXiv reads + in [A TO B] as itself
        url = (
            f"{_API}?search_query={quote(edition.address, safe=':')}&start={start}&max_results={SIZE}"
            "&sortBy=submittedDate&sortOrder=ascending"
        )
        for _ in range(TRIES):
            reply = fetcher.get(url, accept="application/atom+xml", max_bytes=_LARGEST)
            file = open_reply(reply)
            total, found = _read(file)
            if found or start >= total:
                break
        else:
            raise FetchError(
                f"{edition.name}: arXiv finds {total:,} papers and gives none from number {start + 1:,} on. "
                "It does so at times; the next sync goes on there"
            )
        if total > MOST:
            raise FetchError(
                f"{edition.name}: {total:,} papers, of which arXiv gives {MOST:,}. Ask for fewer with "
                "submittedDate:[202601010000 TO 202612312359], or follow a category: lunwen sync arxiv cs.LG"
            )
        name = f"from {start + 1}"
        start += len(found)
        more = bool(found) and start < total
        yield _page(reply, file, name, after=start if more else None, total=total)
        if not more:
            return


def _read(file: SourceFile) -> tuple[int, list[str]]:
    """How many papers are found in all, and the ids of those on this page.

    Raises:
        FetchError: arXiv says that the question is wrong.
        UnreadableFile: it is no answer of the API.
    """
    from lunwen.corpus.xml import iter_xml  # noqa: PLC0415 - slow to load

    if b"<feed" not in file.head:
        raise refuse(file, "an Atom feed of arXiv")
    total, found = 0, []
    with file.open() as stream:
        for element in iter_xml(stream, ("totalResults", "entry"), name=file.name):
            if element.tag.endswith("}totalResults"):
                total = read_count(element.text or "") or 0
                continue
            link = element.findtext("{*}id", "")
            if "/api/errors" in link:
                raise FetchError(f"arXiv refuses: {element.findtext('{*}summary', '').strip()}")
            if named := identifiers_in(link):
                found.append(named.value)
    return total, found


def _page(reply: Reply, file: SourceFile, name: str, *, after: int | None, total: int) -> Page:
    return Page(
        name=name,
        url=reply.url,
        source="arxiv",
        file=file,
        next=None if after is None else str(after),
        total=total,
    )
