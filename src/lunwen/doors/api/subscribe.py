"""What other programs follow or search by: feeds, the OpenSearch description and its suggestions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from lunwen.doors.api.answer import Answer, json_answer
from lunwen.doors.api.find import REQUEST
from lunwen.doors.api.operation import operation
from lunwen.doors.feed import ATOM, JSON_FEED, About, about_search, json_feed, make_feed, page_of
from lunwen.doors.parameter import Parameter, limit_of, request_in, request_pairs
from lunwen.doors.xml import OPENSEARCH, SUGGESTIONS, atom
from lunwen.doors.xml import opensearch as describe
from lunwen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.corpus.paper import Paper
    from lunwen.doors.api.operation import Asked
    from lunwen.doors.feed import Feed
    from lunwen.library import Library

_LIMIT = limit_of("Papers in the feed", default=50)
_INSTEAD = (
    Parameter(name="author_id", help="The papers of this author instead of a search."),
    Parameter(
        name="collection", help="The papers of this collection instead of a search, the last added first."
    ),
)
FEED = (*(one for one in REQUEST if one.name not in ("limit", "offset")), _LIMIT, *_INSTEAD)


@operation("/feed.atom", parameters=FEED, media_types=(ATOM,), is_of_index=False)
def feed_atom(library: Library, asked: Asked) -> Answer:
    """Follow a search, a topic, a venue, an author or a collection: its newest papers as Atom."""
    return Answer(atom(_feed(library, asked)), ATOM)


@operation("/feed.json", parameters=FEED, media_types=(JSON_FEED,), is_of_index=False)
def feed_json(library: Library, asked: Asked) -> Answer:
    """Follow a search, a topic, a venue, an author or a collection: its newest papers as JSON Feed."""
    return Answer(json_feed(_feed(library, asked)), JSON_FEED)


def _feed(library: Library, asked: Asked) -> Feed:
    papers, about = _papers(library, asked)
    return make_feed(library, papers, about=about, base=asked.base, url=asked.url)


def _papers(library: Library, asked: Asked) -> tuple[Sequence[Paper], About]:
    """Return the papers of a feed and what it is of.

    Raises:
        UsageError: it asks for two things at once.
    """
    given = asked.given
    limit = _LIMIT.check(given["limit"])
    said = [one.name for one in FEED if one.name != "limit" and given[one.name] not in (one.default, ())]
    alone = [one.name for one in _INSTEAD if one.name in said]
    if alone and len(said) > 1:
        raise UsageError(f"{alone[0]} stands alone in a feed: it is no filter. Leave the rest out")
    if given["author_id"] is not None:
        person = library.author(given["author_id"])
        about = About(person.name, (("author_id", person.author_id),), "authors/" + quote(person.author_id))
        seen = library.first_seen([paper.paper_id for paper in person.papers])
        papers = [paper for paper in person.papers if paper.paper_id in seen]  # newest first by date
        papers.sort(key=lambda paper: seen[paper.paper_id], reverse=True)
        return papers[:limit], about
    if given["collection"] is not None:
        name = given["collection"]
        papers = [paper for paper, _ in reversed(library.collection(name))]
        return papers[:limit], About(name, (("collection", name),), "collections/" + quote(name, safe=""))
    request = request_in(given)
    if request.sort is None:
        return library.news(request), about_search(request)
    return [item.paper for item in library.search(request).items], about_search(request)


@operation("/opensearch.xml", media_types=(OPENSEARCH,), is_of_index=False)
def opensearch(_: Library, asked: Asked) -> Answer:
    """Describe to a browser how to search here (OpenSearch 1.1)."""
    return Answer(describe(asked.base), OPENSEARCH)


@operation(
    "/opensearch.json",
    parameters=(Parameter(name="query", help="What is typed so far.", default=""),),
    media_types=(SUGGESTIONS,),
)
def opensearch_suggest(library: Library, asked: Asked) -> Answer:
    """Suggest searches to a browser's search box (OpenSearch suggestions 1.1)."""
    found = library.complete(asked.given["query"])
    texts = [one.text for one in found]
    papers = [f"{one.papers:,} papers" if one.papers != 1 else "1 paper" for one in found]
    urls = [asked.base + page_of(request_pairs(one.request)) for one in found]
    return replace(json_answer([asked.given["query"], texts, papers, urls]), media_type=SUGGESTIONS)


OPERATIONS = (feed_atom, feed_json, opensearch, opensearch_suggest)
