"""Tools that list what is there: venues, topics, collections."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lunwen.doors.mcp.text import brief, paper_text, papers_text
from lunwen.doors.mcp.tool import Answer, fitting, more, page, tool
from lunwen.doors.parameter import WORDS, Parameter, limit_of
from lunwen.doors.selection import OFFSET
from lunwen.doors.shape import watch_dict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lunwen.doors.mcp.tool import Report
    from lunwen.library import Library

LIMIT = limit_of("How many", 100)
DEPTH = Parameter(name="depth", help="Levels of the tree to show.", type=int, least=1, default=9)


@tool("List venues", WORDS, LIMIT, OFFSET)
def list_venues(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """List the venues with their papers by year, the largest first; what the filter venue takes."""
    rows = [row for row in library.venues() if _has(str(row["venue"]), given["words"])]
    data = _page(rows, given)
    lines = [f"{row['venue']}: {papers_text(row['papers'])}, {_span(row['years'])}" for row in data["items"]]
    return Answer("\n".join([f"Venues {more(data)}", *lines]), data)


def _span(years: Any) -> str:
    known = sorted(years)
    if not known:
        return "years unknown"
    return f"{known[0]}–{known[-1]}" if len(known) > 1 else str(known[0])


@tool("List topics", WORDS, DEPTH, LIMIT, OFFSET)
def list_topics(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """List the topics as paths with their counts, the largest first; what the filter topic takes."""
    depth = DEPTH.check(given["depth"])
    rows = [
        asdict(one)
        for one in library.topics()
        if _has(one.value, given["words"]) and one.value.count("/") < depth
    ]
    data = _page(rows, given)
    lines = [f"{row['value']}: {row['count']:,}" for row in data["items"]]
    return Answer("\n".join([f"Topics {more(data)}", *lines]), data)


@tool("List sources", WORDS, LIMIT, OFFSET)
def list_sources(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """List the venues and sites that can be followed, and how each edition that is followed stands."""
    data = _page([one.as_dict() for one in library.sources(given["words"])], given)
    lines = [line for row in data["items"] for line in _source_lines(row)]
    return Answer("\n".join([f"Sources {more(data)}", *lines]), data)


def _source_lines(row: Mapping[str, Any]) -> Iterator[str]:
    years = f", {_span(row['years'])}" if row["years"] else ""
    yield f"{row['venue']} at {row['site']}{years} ({row['licence']})"
    for one in row["editions"]:
        stands = f"{papers_text(one['papers'])}, {one['outcome']} {one['synced']} {one['reason']}"
        yield f"  {one['edition']}: {stands.rstrip()}"


def _has(name: str, words: str) -> bool:
    return all(word in name.lower() for word in words.lower().split())


@tool(
    "List collections",
    Parameter(name="name", help="A collection whose papers to list; without it, all collections."),
    LIMIT,
    OFFSET,
)
def list_collections(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """List the named lists of papers that the reader keeps, or the papers of one; one is called "starred"."""
    if given["name"] is None:
        rows = [asdict(one) for one in library.collections()]
        lines = [f"{row['name']}: {papers_text(row['papers'])}" for row in rows]
    else:
        rows = [brief(paper) | {"added": added} for paper, added in library.collection(given["name"])]
        lines = []
    data = _page(rows, given)
    lines = lines[data["offset"] :][: len(data["items"])] or [f"\n{paper_text(row)}" for row in data["items"]]
    return Answer("\n".join([f"{given['name'] or 'Collections'} {more(data)}", *lines]), data)


@tool(
    "List saved searches",
    Parameter(name="name", help="A saved search whose new papers to list; without it, all saved searches."),
    LIMIT,
    OFFSET,
)
def list_watches(library: Library, given: Mapping[str, Any], _: Report) -> Answer:
    """List the searches that the reader saved, with how many papers are new to each, or what is new to one.

    What is listed stays new: only the reader's own visit counts.
    """
    if given["name"] is None:
        watches = library.watches()
        data = _page([watch_dict(one) for one in watches], given)
        lines = [
            f"{row['watch']}: {papers_text(row['new'])} new"
            if row["problem"] is None
            else f"{row['watch']}: {row['problem']}"
            for row in data["items"]
        ]
        return Answer("\n".join([f"Saved searches {more(data)}", *lines]), data)
    news = library.watch(given["name"], limit=given["limit"], offset=given["offset"])
    response = news.response
    items = [brief(item.paper) for item in response.items]
    shown = items[: fitting(items)]
    following = response.offset + len(shown) if len(shown) < len(items) else response.next_offset
    data = watch_dict(news.watch) | {
        "total": response.total,
        "offset": response.offset,
        "next_offset": following,
        "items": shown,
    }
    return Answer("\n\n".join([f"New to {news.watch.name}: {more(data)}", *map(paper_text, shown)]), data)


def _page(rows: list[dict[str, Any]], given: Mapping[str, Any]) -> dict[str, Any]:
    return page(rows, LIMIT.check(given["limit"]), OFFSET.check(given["offset"]))


TOOLS = (list_venues, list_topics, list_sources, list_collections, list_watches)
