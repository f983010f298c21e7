"""The one path that every door uses: a SearchRequest → a SearchResponse."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from lunwen.corpus.identifier import identifiers_in
from lunwen.errors import LimitError
from lunwen.retrieval.engine import FACETS, Found, Page
from lunwen.retrieval.explain import explain, look_in_text, respell
from lunwen.retrieval.filter import read_filters
from lunwen.retrieval.highlight import Highlighter
from lunwen.retrieval.passage import PassageFinder, asks_text
from lunwen.retrieval.query import parse
from lunwen.retrieval.request import MAX_LIMIT, MAX_OFFSET, Item, SearchResponse, Sort, Suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lunwen.corpus.paper import Paper
    from lunwen.retrieval.engine import Engine, Filters, Why
    from lunwen.retrieval.node import Query
    from lunwen.retrieval.request import SearchRequest


class Papers(Protocol):
    """Where the records of found rows are."""

    def row(self, paper_id: str) -> int | None:
        """Return the row of a paper that is there."""

    def papers(self, rows: Sequence[int]) -> list[Paper]:
        """Return the papers of these rows in this order; rows that are gone are left out."""

    def paper(self, paper_id: str) -> Paper | None:
        """Return one paper."""

    def passages(self, paper_id: str) -> Sequence[tuple[int, str]]:
        """Return the (page, text) of a paper's PDF, where it is here."""

    def resolve(self, text: str) -> str | None:
        """Return the paper_id of any name of a paper."""


@dataclass(frozen=True, slots=True)
class Read:
    """A request as the engine takes it."""

    query: Query
    filters: Filters
    page: Page


def read_request(request: SearchRequest, engine: Engine) -> Read:
    """Check a request and read its query and filters.

    Raises:
        LimitError: limit or offset is out of range.
        UnknownName: a filter names what the library does not know.
    """
    if not 1 <= request.limit <= MAX_LIMIT:
        raise LimitError(
            f"limit {request.limit}: a page has 1 to {MAX_LIMIT} papers. "
            "Ask for fewer; all at once: lunwen export"
        )
    if not 0 <= request.offset <= MAX_OFFSET:
        raise LimitError(f"offset {request.offset}: 0 to {MAX_OFFSET} is allowed. All at once: lunwen export")
    query = parse(request.query)
    sort = request.sort or (Sort.RELEVANCE if _has_words(query) else Sort.NEWEST)
    page = Page(sort=sort, mode=request.mode, limit=request.limit, offset=request.offset)
    return Read(query, read_filters(request, engine), page)


def search(
    request: SearchRequest,
    engine: Engine,
    papers: Papers,
    resolve: Callable[[str], str | None],
    *,
    after_row: int | None = None,
) -> SearchResponse:
    """Answer a request; one that is an identifier or URL of a known paper finds that paper alone.

    With ``after_row``, of what it finds only the papers in later rows are left.

    Raises:
        LimitError: limit or offset is out of range.
        UnknownName: a filter names what the library does not know.
    """
    start = perf_counter()
    read = read_request(request, engine)
    request = replace(request, query=read.query.text)
    named = _named(read.query, papers, resolve)
    seen = named is not None and after_row is not None and (papers.row(named.paper_id) or 0) <= after_row
    if named is not None and not seen:
        return SearchResponse(
            total=1,
            total_is_exact=True,
            offset=request.offset,
            next_offset=None,
            items=() if request.offset else (Item(paper=named, score=None),),
            facets=dict.fromkeys(FACETS, ()),
            query_reading="a name of this paper",
            index_version=engine.version,
            redirect=named.paper_id,
            took_ms=round((perf_counter() - start) * 1e3, 2),
        )
    unknown = "" if seen else _unknown(read.query)
    nothing = Found((), (), 0, dict.fromkeys(FACETS, ()))
    filters = replace(read.filters, after_row=after_row)
    found = nothing if unknown or seen else engine.search(read.query, filters, read.page)
    shown = papers.papers(found.rows)
    whole = len(shown) == len(found.rows)  # else a paper was removed since
    scores: Sequence[float | None] = found.scores if whole else [None] * len(shown)
    why: Sequence[Why | None] = found.why if whole and found.why else [None] * len(shown)
    marker = Highlighter(read.query, engine.stem)
    items = [
        _item(paper, score, reason, marker) for paper, score, reason in zip(shown, scores, why, strict=True)
    ]
    if asks_text(read.query):
        finder = PassageFinder(read.query, engine.stem)
        items = [replace(one, passage=finder.find(papers.passages(one.paper.paper_id))) for one in items]
    end = request.offset + len(found.rows)
    explanation = unknown
    suggestions: tuple[Suggestion, ...] = ()
    helps = not unknown and after_row is None
    if helps and not found.total:
        explanation, suggestions = explain(request, read.query, engine)
    if helps:
        suggestions = suggestions or respell(request, read.query, engine)
        suggestions += look_in_text(request, read.query, engine)
    reading = "; ".join(part for part in (read.query.reading, found.reading) if part)
    return SearchResponse(
        total=found.total,
        total_is_exact=True,
        offset=request.offset,
        next_offset=end if found.rows and end < found.total else None,
        items=tuple(items),
        facets=found.facets,
        query_reading=reading,
        explanation=explanation,
        suggestions=suggestions,
        index_version=engine.version,
        warnings=(*read.query.notes, *([found.warning] if found.warning else [])),
        took_ms=round((perf_counter() - start) * 1e3, 2),
    )


def latest(request: SearchRequest, engine: Engine, papers: Papers) -> list[Paper]:
    """Return the page of papers that a request finds, in the order in which they came in, the last first.

    Raises:
        LimitError: limit or offset is out of range.
        UnknownName: a filter names what the library does not know.
    """
    read = read_request(replace(request, sort=Sort.NEWEST), engine)
    return papers.papers(engine.search(read.query, read.filters, replace(read.page, latest=True)).rows)


def select(request: SearchRequest, engine: Engine, papers: Papers) -> Iterator[Paper]:
    """Yield every paper that a request finds, in order, whatever its limit and offset.

    Raises:
        UnknownName: a filter names what the library does not know.
    """
    read = read_request(replace(request, limit=1, offset=0), engine)
    named = _named(read.query, papers, papers.resolve)
    if named is not None:
        yield named
        return
    page: list[int] = []
    for row in engine.rows(read.query, read.filters, read.page):
        page.append(row)
        if len(page) == MAX_LIMIT:
            yield from papers.papers(page)
            page.clear()
    yield from papers.papers(page)


def _named(query: Query, papers: Papers, resolve: Callable[[str], str | None]) -> Paper | None:
    paper_id = resolve(query.candidate_id) if query.candidate_id else None
    return papers.paper(paper_id) if paper_id else None


def _unknown(query: Query) -> str:
    """Return what to say where a query is an identifier of no paper here; its parts are no words."""
    known = identifiers_in(query.candidate_id) if query.candidate_id else None
    if known is None:
        return ""
    return f"no paper with the {known.scheme} id {known.value} is here. Import it, or search for its title"


def _item(paper: Paper, score: float | None, why: Why | None, marker: Highlighter) -> Item:
    return Item(
        paper=paper,
        score=score,
        why=why,
        title_spans=marker.spans(paper.title),
        abstract_spans=marker.spans(paper.abstract) if paper.abstract else (),
    )


def _has_words(query: Query) -> bool:
    return any(clause.occur != "not" for clause in query.clauses)
