"""What somebody who is still typing may mean: venues, topics, authors and titles of the library."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from lunwen.corpus.maths import plain
from lunwen.corpus.venue import names
from lunwen.errors import LimitError
from lunwen.retrieval.analysis import name_words, terms
from lunwen.retrieval.engine import Begun, Filters
from lunwen.retrieval.filter import HIDDEN
from lunwen.retrieval.query import parse
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.paper import Paper
    from lunwen.retrieval.engine import Engine

MAX_COMPLETIONS = 50
MAX_TYPED = 200  # characters; what is longer is a text, and nobody is choosing

SAMPLE = 60  # papers whose authors are looked at
MOST = 3  # of one kind besides titles, which fill the rest


class Kind(StrEnum):
    """What a completion is."""

    VENUE = "venue"
    TOPIC = "topic"
    AUTHOR = "author"
    TITLE = "title"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One thing of the library that begins as typed, and the request that finds it."""

    kind: Kind
    text: str
    papers: int
    request: SearchRequest
    paper_id: str | None = None  # of the one paper, where it is a title


class Papers(Protocol):
    """Where the records of found rows are."""

    def papers(self, rows: Sequence[int]) -> list[Paper]:
        """Return the papers of these rows in this order; rows that are gone are left out."""


def complete(typed: str, engine: Engine, papers: Papers, limit: int) -> tuple[Completion, ...]:
    """Return what begins as typed: a few venues, topics and authors, then titles.

    Raises:
        LimitError: limit is out of range.
    """
    if not 1 <= limit <= MAX_COMPLETIONS:
        raise LimitError(f"limit {limit}: 1 to {MAX_COMPLETIONS} completions can be asked for. Ask for fewer")
    typed = typed[:MAX_TYPED]
    words = [part.lower() for term in terms(typed) for part in term.parts]
    if not words:
        return ()
    begun = Begun(tuple(words), is_unfinished=not typed[-1].isspace())
    most = min(MOST, max(limit // 3, 1))
    found = [*_named(Kind.VENUE, begun, engine, most), *_named(Kind.TOPIC, begun, engine, most)]
    if len(words) == 1 and len(words[0]) == 1 and words[0].isascii():
        return tuple(found[:limit])  # every title and name would do
    found += _authors(begun, engine, papers)[:most]
    found = found[: max(limit - 1, 1)]  # a title always has its place
    rows = engine.begun("title", begun, HIDDEN, limit - len(found)) if len(found) < limit else ()
    titles = papers.papers(rows)
    return (*found, *(_title(paper) for paper in titles))


def _named(kind: Kind, begun: Begun, engine: Engine, most: int) -> Iterator[Completion]:
    """Yield the most common values of a facet that have the words."""
    for value in engine.values(kind):
        if most and _has(_words(kind, value.value), begun):
            request = SearchRequest(**{kind: (value.value,)})  # type: ignore[arg-type]
            filters = Filters(hidden=HIDDEN, **{f"{kind}s": (value.value,)})  # type: ignore[arg-type]
            if count := engine.count(parse(""), filters):
                yield Completion(kind=kind, text=value.value, papers=count, request=request)
                most -= 1


def _words(kind: Kind, value: str) -> list[str]:
    """Return the words by which a value is looked for; of a topic's path those of its last level."""
    texts = names(value) if kind is Kind.VENUE else (value.rpartition("/")[2],)
    return [part.lower() for text in texts for term in terms(text) for part in term.parts]


def _authors(begun: Begun, engine: Engine, papers: Papers) -> list[Completion]:
    """Return the authors of a sample of papers whose names hold the words, the most frequent first."""
    counted = Counter(
        author.name
        for paper in papers.papers(engine.begun("author", begun, HIDDEN, SAMPLE))
        for author in paper.authors
        if _has(name_words(author.name), begun)
    )
    ranked = sorted(counted, key=lambda name: (-counted[name], name))[:MOST]
    count = {name: engine.count(parse(""), Filters(hidden=HIDDEN, authors=(name,))) for name in ranked}
    return [
        Completion(kind=Kind.AUTHOR, text=name, papers=count[name], request=SearchRequest(author=(name,)))
        for name in sorted(ranked, key=lambda name: (-count[name], name))
    ]


def _has(held: Sequence[str], begun: Begun) -> bool:
    """Whether a name's words are all of those typed, in any order, the last perhaps as a beginning."""
    *words, last = begun.words
    left = list(held)
    for word in words:
        if word not in left:
            return False
        left.remove(word)
    return any(part.startswith(last) if begun.is_unfinished else part == last for part in left)


def _title(paper: Paper) -> Completion:
    title = plain(paper.title)
    request = SearchRequest(query=title)
    return Completion(kind=Kind.TITLE, text=title, papers=1, request=request, paper_id=paper.paper_id)
