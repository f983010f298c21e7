"""An edition in several parts, walked one after another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lunwen.errors import Expired, LunwenError, NotPublished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lunwen.corpus.sync.page import Edition, Page


def walk_parts(
    edition: Edition,
    parts: Sequence[str],
    get: Callable[[str, str | None], Page | None],
    *,
    after: str | None,
) -> Iterator[Page]:
    """Yield the pages of each part; a part where there is nothing is passed over.

    ``get`` returns a part's first page, or the one that the page before it called ``next``; None where there
    is none. A page is given once the one after it came, since only then it is known which is the last.

    Raises:
        NotPublished: no part has a page.
        Expired: there is no page from where the walk was to go on.
    """
    begin, _, inner = (after or parts[0]).partition(" ")
    left = parts[parts.index(begin) :] if begin in parts else ()
    held: Page | None = None
    for part in left:
        at = inner or None if part == begin else None
        while True:
            here = f"{part} {at}" if at else part
            try:
                page = get(part, at)
            except LunwenError:
                if held:
                    yield replace(held, next=here)
                raise
            if page is None:
                break
            if held:
                yield replace(held, next=here)
            held, at = page, page.next
            if at is None:
                break
    if held:
        yield held
    elif after:
        raise Expired(f'{edition.name} no longer goes on at "{after}". The walk begins again.')
    else:
        what = " ".join(filter(None, (edition.venue, str(edition.year or ""))))
        raise NotPublished(f"{what} has no papers at {edition.site} yet. Sync again later.")
