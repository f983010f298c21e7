"""Feeds: what is new of a search, of an author or of a collection, for readers of Atom and JSON Feed.

A paper's ``updated`` is when it first came into this library, since nothing else of it is news to a reader;
its ``published`` is its own date, and only where that is known to the day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode
from uuid import NAMESPACE_URL, uuid5

import orjson

from lunwen.corpus.maths import plain
from lunwen.doors.parameter import request_pairs
from lunwen.export.link import paper_link

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lunwen.corpus.paper import Paper
    from lunwen.library import Library
    from lunwen.retrieval.request import SearchRequest

ATOM = "application/atom+xml"
JSON_FEED = "application/feed+json"
NEVER = "1970-01-01T00:00:00Z"  # of a library into which nothing has come yet
_SITE = "lunwen 论文"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One paper in a feed."""

    paper: Paper
    entry_id: str
    url: str
    updated: str  # ISO date and time, UTC
    found_by: tuple[str, ...] = ()  # the saved searches to which it is new

    @property
    def published(self) -> str | None:
        """The paper's own date, where it is known to the day."""
        date = self.paper.date or ""
        return f"{date}T00:00:00Z" if len(date) == len("2026-07-06") else None

    @property
    def tags(self) -> list[str]:
        """What a reader may sort by: saved searches, the venue, then the topic from broad to narrow."""
        return [one for one in (*self.found_by, self.paper.venue, *self.paper.topic) if one]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What a feed says of itself, and its papers; a file has no address and no page."""

    title: str
    feed_id: str  # the same wherever the library is served
    home: str  # the page that shows the same papers
    url: str
    updated: str
    entries: tuple[Entry, ...]
    subtitle: str = ""


def make_feed(
    library: Library, papers: Sequence[Paper], *, about: About, base: str = "", url: str = ""
) -> Feed:
    """Put papers into a feed.

    Args:
        library: where they are.
        papers: the newest first.
        about: what the feed is of.
        base: the address of the site; without one, entries lead to the papers' own pages.
        url: the address of the feed.
    """
    seen = library.first_seen([paper.paper_id for paper in papers])
    entries = tuple(
        Entry(
            paper=paper,
            entry_id=_urn("paper", paper.paper_id),
            url=base + "papers/" + quote(paper.paper_id, safe="/:") if base else paper_link(paper),
            updated=seen[paper.paper_id],
        )
        for paper in papers
        if paper.paper_id in seen
    )
    return Feed(
        title=f"{about.title} · {_SITE}" if about.title else _SITE,
        feed_id=_urn("feed", urlencode(about.pairs)),
        home=base and base + about.home,
        url=url,
        updated=max((entry.updated for entry in entries), default=NEVER),
        entries=entries,
    )


@dataclass(frozen=True, slots=True)
class About:
    """What a feed is of."""

    title: str
    pairs: tuple[tuple[str, str], ...]  # as asked; its identity
    home: str  # the page of the same papers, from the site's address on


def about_search(request: SearchRequest) -> About:
    """Describe the feed of a search; the size of the feed is no part of what it is."""
    pairs = [(name, value) for name, value in request_pairs(request) if name not in ("limit", "offset")]
    said = [value if name == "query" else f"{name} {value}" for name, value in pairs]
    return About(", ".join(said), tuple(pairs), page_of(pairs))


def page_of(pairs: Iterable[tuple[str, str]]) -> str:
    """Return where the page shows a search, from the site's address on."""
    asked = [("q" if name == "query" else name, value) for name, value in pairs]
    return f"?{urlencode(asked)}" if asked else ""


def json_feed(feed: Feed) -> bytes:
    """Write a feed as JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/)."""
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.home,
        "feed_url": feed.url,
        "items": [_item(entry) for entry in feed.entries],
    }
    return orjson.dumps(document)


def _item(entry: Entry) -> dict[str, Any]:
    paper = entry.paper
    item = {
        "id": entry.entry_id,
        "url": entry.url,
        "external_url": paper_link(paper),
        "title": plain(paper.title),
        "content_text": plain(paper.abstract) if paper.abstract else plain(paper.title),
        "date_published": entry.published,
        "date_modified": entry.updated,
        "authors": [{"name": author.name} for author in paper.authors],
        "tags": entry.tags,
    }
    return {name: value for name, value in item.items() if value}


def _urn(kind: str, name: str) -> str:
    return uuid5(NAMESPACE_URL, f"lunwen:{kind}:{name}").urn
