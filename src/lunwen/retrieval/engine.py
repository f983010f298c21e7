"""What a search engine does for a library; outside ``embedded/`` nobody may assume files on a disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from lunwen.corpus.paper import Paper, Status
    from lunwen.retrieval.node import Query, Years
    from lunwen.retrieval.request import FacetValue, Mode, Sort

FACETS = ("venue", "year", "topic", "status", "source", "has")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What results must have: values of one kind mean any of them, different kinds must all hold.

    ``hidden`` statuses are left out unless ``statuses`` names some. Rows above ``after_row`` hold what
    entered the library after that row's paper.
    """

    venues: tuple[str, ...] = ()
    years: tuple[Years, ...] = ()
    topics: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = ()
    hidden: tuple[Status, ...] = ()
    sources: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    after_row: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which of the results, in which order, found how.

    With ``latest``, where the order is not relevance, they come as they entered the library, the last first.
    """

    sort: Sort
    mode: Mode
    limit: int
    offset: int = 0
    latest: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One page of rows in order, and what is true of all that matches."""

    rows: Sequence[int]
    scores: Sequence[float | None]
    total: int
    facets: Mapping[str, tuple[FacetValue, ...]]
    reading: str = ""  # how many of the words a paper must hold, where that is not all
    why: Sequence[Why] = ()  # one for each row, where rankings were joined
    warning: str = ""  # what could not be done, and was answered without


@dataclass(frozen=True, slots=True)
class Change:
    """A paper to index with the pages of its PDF, or, where it is None, a row to forget."""

    row: int
    paper: Paper | None
    passages: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Spelling:
    """A word of the library close to one that was typed."""

    word: str
    papers: int


#: What is completed by looking at papers.
NameField: TypeAlias = Literal["title", "author"]

#: All changes after a number, in order; may be asked for more than once.
Changes: TypeAlias = "Callable[[int], Iterable[Change]]"


@dataclass(frozen=True, slots=True)
class Why:
    """Why a result is where it is; None where that ranking does not have it."""

    lexical_rank: int | None  # from 1
    semantic_rank: int | None  # from 1
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Begun:
    """Words as somebody has typed them so far."""

    words: tuple[str, ...]  # at least one; lower case, as the index cuts them
    is_unfinished: bool  # whether the last may still become a longer one


class Engine(Protocol):
    """Finds, counts and ranks rows of a library."""

    @property
    def version(self) -> str:
        """Name what the answers come from: schema, analyser and state."""

    @property
    def seq(self) -> int:
        """The last change of the library that the index holds."""

    def update(self, changes: Changes, seq: int) -> None:
        """Take in all changes up to ``seq``; either all of them become visible or none.

        Raises:
            LibraryBusy: another process is writing.
        """

    def rebuild(self, changes: Changes, seq: int) -> None:
        """Build the index anew beside the one in use, then put it in its place in one step.

        Raises:
            LibraryBusy: another process is writing.
        """

    def search(self, query: Query, filters: Filters, page: Page) -> Found:
        """Return one page, the total and the facets."""

    def count(self, query: Query, filters: Filters) -> int:
        """Return how many papers have the words of a query."""

    def rows(self, query: Query, filters: Filters, page: Page) -> Iterable[int]:
        """Yield every row that matches, in order, whatever the page's limit and offset."""

    def similar(self, row: int, limit: int) -> Sequence[tuple[int, float]]:
        """Return the rows nearest in meaning to a paper with their cosines; empty without vectors."""

    @property
    def why_none_similar(self) -> str:
        """Why a paper that has no similar ones has none, in a sentence."""

    def begun(self, field: NameField, begun: Begun, hidden: Sequence[Status], limit: int) -> Sequence[int]:
        """Return rows with these words in their title or their authors' names, the best first."""

    def by_person(self, keys: Sequence[str], limit: int | None = None) -> Sequence[int]:
        """Return the rows of papers with an author of any of these keys (``corpus.author``)."""

    def person_keys(self, beginning: str) -> Sequence[tuple[str, int]]:
        """Return the keys of authors that begin so, each with how many papers it has."""

    def spellings(self, word: str) -> tuple[Spelling, ...]:
        """Return known words close to one that no paper holds, the best first; empty for a known word."""

    def stem(self, token: str) -> str:
        """Return what the index compares of a lower-case token."""

    def values(self, facet: str) -> tuple[FacetValue, ...]:
        """Return all values of a facet in the library, hidden statuses included."""

    def venue_years(self) -> list[tuple[str, int, int]]:
        """Return (venue, year, papers) of the whole library."""

    def close(self) -> None:
        """Let go of what the engine holds open."""
