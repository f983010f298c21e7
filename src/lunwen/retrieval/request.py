"""SearchRequest and SearchResponse: names, types, limits and help; the only definition, all doors derive."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from lunwen.corpus.paper import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lunwen.corpus.paper import Paper
    from lunwen.retrieval.engine import Why

MAX_LIMIT = 1_000  # one page; exports stream instead
MAX_OFFSET = 1_000_000
MAX_QUERY = 5_000  # characters read of a query; the rest is left out, and the reading says so


class Sort(StrEnum):
    """The order of results."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    CITATIONS = "citations"


class Mode(StrEnum):
    """What finds papers: their words, their meaning, or both."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One question to the library.

    Several values of one filter mean any of them; different filters must all hold.
    """

    query: str = field(
        default="",
        metadata={"help": 'Words, "a phrase", -without, OR, ( ), author: title: text: venue: year: topic: …'},
    )
    venue: tuple[str, ...] = field(
        default=(), metadata={"help": 'A venue, any case and known aliases: "neurips", "NIPS".'}
    )
    year: tuple[str, ...] = field(
        default=(), metadata={"help": 'A year or years: "2024", "2022..2024", ">=2023".'}
    )
    topic: tuple[str, ...] = field(
        default=(),
        metadata={"help": 'A path or its beginning: "Deep Learning" or "Deep Learning/Robustness".'},
    )
    status: tuple[str, ...] = field(
        default=(),
        metadata={"help": f"{', '.join(Status)}, or all; without it: all but rejected, withdrawn."},
    )
    source: tuple[str, ...] = field(default=(), metadata={"help": "A source that describes the paper."})
    author: tuple[str, ...] = field(default=(), metadata={"help": "All parts of one author's name."})
    has: tuple[str, ...] = field(
        default=(), metadata={"help": "What the paper must have: abstract, code, method (runs here), text."}
    )
    sort: Sort | None = field(
        default=None, metadata={"help": "The order; without it: relevance with a query, newest without."}
    )
    mode: Mode = field(
        default=Mode.HYBRID, metadata={"help": "What finds papers: their words, their meaning, or both."}
    )
    limit: int = field(
        default=20,
        metadata={"help": f"Results on one page, 1 to {MAX_LIMIT}.", "least": 1, "most": MAX_LIMIT},
    )
    offset: int = field(
        default=0,
        metadata={"help": "Results to leave out before the page.", "least": 0, "most": MAX_OFFSET},
    )


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet and how many of the results have it."""

    value: str  # what the filter takes; a topic's whole path with "/" between its parts
    count: int


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a query's words are in a paper's text."""

    page: int  # of the PDF, from 1
    text: str  # a part of that page
    spans: tuple[tuple[int, int], ...] = ()  # matched words, [start, end) in text


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One result."""

    paper: Paper
    score: float | None  # None where results are not ranked by relevance
    title_spans: tuple[tuple[int, int], ...] = ()  # matched words, [start, end) in paper.title
    abstract_spans: tuple[tuple[int, int], ...] = ()  # the same in paper.abstract
    why: Why | None = None  # its ranks by words and by meaning
    passage: Passage | None = None  # where a query that looks in the text found it


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A nearby query that has results."""

    query: str
    total: int
    why: str  # English; key of the interface's translations: "without venue:…", "spelling"
    request: SearchRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResponse:
    """What was found.

    ``facets`` has the keys venue, year, topic, status, source, has. Topic values are paths at every level,
    so the tree is in the values. Counts are exact within the results.
    """

    total: int
    total_is_exact: bool
    offset: int
    next_offset: int | None
    took_ms: float
    items: tuple[Item, ...]
    facets: Mapping[str, tuple[FacetValue, ...]]
    query_reading: str  # one sentence: how the query was read
    explanation: str = ""  # where nothing was found: which word or filter ended it
    suggestions: tuple[Suggestion, ...] = ()  # did you mean; or, after nothing found, what has results
    index_version: str = ""
    redirect: str | None = None  # the paper_id, where the query is an identifier or a paper's URL
    warnings: tuple[str, ...] = field(default=())
