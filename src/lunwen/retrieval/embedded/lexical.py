"""The default engine: words by tantivy, in a folder of the library."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import tantivy
from tantivy import Occur, Order

from lunwen.corpus.paper import ACCEPTED, Status
from lunwen.corpus.running import RUNNING
from lunwen.errors import LibraryBusy, LibraryError
from lunwen.retrieval.embedded import generation
from lunwen.retrieval.embedded.begun import begun_query
from lunwen.retrieval.embedded.compile import Compiler
from lunwen.retrieval.embedded.schema import ID_PARTS, SCHEMA, SCHEMA_VERSION, build_analyzers, document
from lunwen.retrieval.embedded.spelling import Speller
from lunwen.retrieval.embedded.term import Terms
from lunwen.retrieval.embedded.term import total as count_found
from lunwen.retrieval.engine import FACETS, Found
from lunwen.retrieval.request import FacetValue, Sort

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from tantivy import DocAddress, Query, Searcher

    from lunwen.retrieval.engine import Begun, Change, Changes, Filters, NameField, Page, Spelling
    from lunwen.retrieval.node import Query as ReadQuery

KIND = f"lexical{SCHEMA_VERSION}.{len(RUNNING)}"  # more methods run: more papers have one

_HEAP_BUILD = 500_000_000  # bytes; a hundred thousand papers in one segment, twice as fast as two
_HEAP_UPDATE = 50_000_000
_VALUES = 65_000  # more values than any facet has

_UNWRITABLE = "the index cannot be written ({}). Free some space and run: lunwen reindex"
_AGGREGATION = {name: {"terms": {"field": name, "size": _VALUES}} for name in FACETS}
_TOTAL = {"value_count": {"field": "row"}}
_SORT_FIELD = {Sort.NEWEST: "newest", Sort.CITATIONS: "cited"}


class State:
    """One opened state of the index: never changes, shared by threads."""

    def __init__(self, path: Path, seq: int, stamp: object) -> None:
        self.stamp = stamp
        self.version = f"{path.name}.{seq}"
        with generation.readable(path) as place:
            self.index = _open(place)
            self.searcher: Searcher = self.index.searcher()
        analyzers = build_analyzers()
        values = _facets(self.searcher.aggregate(tantivy.Query.all_query(), _AGGREGATION))
        self.values = values
        venues = [value.value for value in values["venue"]]
        self.terms = Terms(self.index.schema, self.searcher, analyzers["stemmed"])
        compiler = Compiler(self.terms, venues)
        self.speller = Speller(self.terms)
        self._hidden: dict[tuple[Status, ...], NDArray[np.int64]] = {}
        self.stem = lru_cache(maxsize=65_536)(lambda token: " ".join(analyzers["stemmed"].analyze(token)))
        self.compile = compiler.compile

    def facets(self, matching: Query, filters: Filters) -> tuple[int, dict[str, tuple[FacetValue, ...]]]:
        """Return how many papers match, and the counts of their values."""
        found = self.searcher.aggregate(matching, {**_AGGREGATION, "total": _TOTAL})
        whole = not filters.statuses or ACCEPTED.issubset(filters.statuses)
        return int(found["total"]["value"]), _facets(found, join_accepted=whole)

    def rows(self, query: Query, limit: int | None = None) -> NDArray[np.int64]:
        """Return all rows that a query finds."""
        import numpy as np  # noqa: PLC0415  long to load, and words alone need none

        most = limit or max(self.searcher.num_docs, 1)
        found = self.searcher.search(query, most, count=False).hits
        rows = self.searcher.fast_field_values("row", [address for _, address in found])
        return np.array([row or 0 for row in rows], np.int64)

    def hidden(self, statuses: tuple[Status, ...]) -> NDArray[np.int64]:
        """Return the rows of papers with these statuses; kept, since most searches ask for the same."""
        if statuses not in self._hidden:
            self._hidden[statuses] = self.rows(self.terms.one_of("status", [str(one) for one in statuses]))
        return self._hidden[statuses]


class LexicalEngine:
    """Finds papers by their words; an ``Engine``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._state: State | None = None

    @property
    def version(self) -> str:
        """The generation and the last change in it."""
        state = self.open_state()
        return state.version if state else ""

    @property
    def seq(self) -> int:
        """The last change of the library that the index holds."""
        path = self._current()
        return generation.read_seq(path) if path else 0

    def update(self, changes: Changes, seq: int) -> None:
        """Take in all changes up to ``seq`` in one commit."""
        path = self._current()
        if path is None:
            self._build(changes, seq)
            return
        _write(_open(path), changes(generation.read_seq(path)), heap=_HEAP_UPDATE, fresh=False)
        generation.write_seq(path, seq)

    def rebuild(self, changes: Changes, seq: int) -> None:
        """Build a new generation beside the one in use, then swap."""
        self._build(changes, seq)

    def _build(self, changes: Changes, seq: int) -> None:
        with generation.building(self._folder, KIND) as path:
            _write(_make(path), changes(0), heap=_HEAP_BUILD, fresh=True)
            generation.write_seq(path, seq)
            generation.swap(self._folder, path, KIND)

    def search(self, query: ReadQuery, filters: Filters, page: Page) -> Found:
        """Return one page, the total and the facets."""
        state = self.open_state()
        if state is None:
            return Found((), (), 0, dict.fromkeys(FACETS, ()))
        compiled = state.compile(query, filters)
        if compiled.is_ranked and page.sort is Sort.RELEVANCE:
            rows, scores, total, _ = rank(state.searcher, compiled.rank, page.limit, page.offset)
        else:
            rows, total = order(state.searcher, compiled.match(), page)
            scores = []
        facets = state.facets(compiled.match(), filters)[1] if total else dict.fromkeys(FACETS, ())
        return Found(rows, scores or [None] * len(rows), total, facets, compiled.reading)

    def count(self, query: ReadQuery, filters: Filters) -> int:
        """Return how many papers have the words of a query."""
        state = self.open_state()
        return count_found(state.searcher.search(state.compile(query, filters).match(), 1)) if state else 0

    def rows(self, query: ReadQuery, filters: Filters, page: Page) -> Iterator[int]:
        """Yield every row that matches, in order."""
        total = self.search(query, filters, replace(page, limit=1, offset=0)).total
        yield from self.search(query, filters, replace(page, limit=max(total, 1), offset=0)).rows

    def similar(self, _row: int, _limit: int) -> Sequence[tuple[int, float]]:
        """Return nothing: words alone know no nearness."""
        return ()

    @property
    def why_none_similar(self) -> str:
        """Why a paper that has no similar ones has none."""
        return "search by meaning is switched off. Switch it on by another LUNWEN_ENCODER"

    def begun(self, field: NameField, begun: Begun, hidden: Sequence[Status], limit: int) -> Sequence[int]:
        """Return rows with these words in their title or their authors' names, the best first."""
        state = self.open_state()
        if state is None:
            return ()
        query = begun_query(state.terms, field, begun, limit)
        unseen = state.terms.one_of("status", [str(status) for status in hidden])
        shown = tantivy.Query.boolean_query([(Occur.Must, query), (Occur.MustNot, unseen)])
        hits = state.searcher.search(shown, limit, count=False).hits
        rows = state.searcher.fast_field_values("row", [address for _, address in hits])
        return [int(row or 0) for row in rows]

    def by_person(self, keys: Sequence[str], limit: int | None = None) -> list[int]:
        """Return the rows of papers with an author of any of these keys."""
        state = self.open_state()
        return state.rows(state.terms.one_of("person", keys), limit).tolist() if state else []

    def person_keys(self, beginning: str) -> list[tuple[str, int]]:
        """Return the keys of authors that begin so, each with how many papers it has."""
        state = self.open_state()
        return state.searcher.terms_with_prefix("person", beginning) if state else []

    def spellings(self, word: str) -> tuple[Spelling, ...]:
        """Return known words close to one that no paper holds."""
        state = self.held_state()
        return state.speller.closest(word) if state else ()

    def stem(self, token: str) -> str:
        """Return what the index compares of a lower-case token."""
        state = self.held_state()
        return state.stem(token) if state else token

    def values(self, facet: str) -> tuple[FacetValue, ...]:
        """Return all values of a facet in the library."""
        state = self.open_state()
        return state.values[facet] if state else ()

    def venue_years(self) -> list[tuple[str, int, int]]:
        """Return (venue, year, papers) of the whole library."""
        state = self.open_state()
        if state is None:
            return []
        years = {"terms": {"field": "year", "size": _VALUES, "missing": 0}}
        venues = {"venue": {"terms": {"field": "venue", "size": _VALUES}, "aggs": {"year": years}}}
        found = state.searcher.aggregate(tantivy.Query.all_query(), venues)["venue"]["buckets"]
        return [
            (venue["key"], int(year["key"]), year["doc_count"])
            for venue in found
            for year in venue["year"]["buckets"]
        ]

    def close(self) -> None:
        """Let go of the opened state."""
        self._state = None

    def held_state(self) -> State | None:
        """Return the state of the last search, without a look at the disk."""
        return self._state or self.open_state()

    def _current(self) -> Path | None:
        path = generation.current(self._folder, KIND)
        return path if path and (path / "meta.json").is_file() else None

    def open_state(self) -> State | None:
        """Return the newest state, opened again when another process has written."""
        path = self._current()
        if path is None:
            return None
        try:
            seq = generation.read_seq(path)  # written last; what is opened below holds that much at least
            stamp = (path, seq, (path / "meta.json").stat().st_mtime_ns)
        except FileNotFoundError:  # swapped away between the two looks
            return self.open_state()
        state = self._state
        if state is None or state.stamp != stamp:
            state = self._state = State(path, seq, stamp)
        return state


def _make(path: Path) -> tantivy.Index:
    try:
        index = tantivy.Index(SCHEMA, path=str(path), reuse=False)
    except (ValueError, OSError) as error:
        raise LibraryError(_UNWRITABLE.format(error)) from error
    _register(index)
    return index


def _open(path: Path) -> tantivy.Index:
    try:
        index = tantivy.Index.open(str(path))
    except (ValueError, OSError) as error:
        raise LibraryError(
            f'index "{path}" cannot be read ({error}). The papers are safe. Build it anew: lunwen reindex'
        ) from error
    _register(index)
    return index


def _register(index: tantivy.Index) -> None:
    for name, analyzer in build_analyzers().items():
        index.register_tokenizer(name, analyzer)


def _write(index: tantivy.Index, changes: Iterable[Change], *, heap: int, fresh: bool) -> None:
    try:
        writer = index.writer(heap, 1)
    except ValueError as error:
        if "lock" in str(error).lower():
            raise LibraryBusy(
                "another lunwen is writing the index. One can write at a time. Wait for it and try again"
            ) from error
        raise LibraryError(_UNWRITABLE.format(error)) from error
    schema = index.schema
    try:
        for change in changes:
            if not fresh:
                # by term would look for a signed number, which an unsigned field never holds
                writer.delete_documents_by_query(tantivy.Query.term_query(schema, "row", change.row))
            if change.paper is not None:
                writer.add_document(document(change.row, change.paper, schema, change.passages))
        writer.commit()
    except ValueError as error:
        raise LibraryError(_UNWRITABLE.format(error)) from error
    writer.wait_merging_threads()


class Ranked(NamedTuple):
    """A page of rows by score."""

    rows: list[int]
    scores: list[float]
    total: int
    places: dict[int, DocAddress]  # where in the index the rows lie, those of the page among others


def rank(searcher: Searcher, query: Query, limit: int, offset: int) -> Ranked:
    """Return one page of rows by score.

    The engine breaks ties by where a paper lies in the index, so the run of equal scores that crosses the
    page's end is read to its end and sorted by paper id.
    """
    need = max(offset + limit, 1)
    ask = need + 16
    while True:
        result = searcher.search(query, ask)
        hits = result.hits
        if len(hits) < ask or hits[-1][0] < hits[need - 1][0]:
            break
        ask *= 2
    rows = searcher.fast_field_values("row", [address for _, address in hits])
    places = {int(row or 0): address for (_, address), row in zip(hits, rows, strict=True)}
    found = sort_ties(searcher, [(hit[0], row) for hit, row in zip(hits, places, strict=True)], places)
    page = found[offset:need]
    return Ranked([row for _, row in page], [score for score, _ in page], count_found(result), places)


def sort_ties(
    searcher: Searcher, found: Sequence[tuple[float, int]], places: Mapping[int, DocAddress]
) -> list[tuple[float, int]]:
    """Return (score, row) pairs that come by score with each run of equal scores by paper id."""
    ordered: list[tuple[float, int]] = []
    for score, run in groupby(found, key=itemgetter(0)):
        rows = [row for _, row in run]
        if len(rows) > 1:
            rows = _sort_by_id(searcher, rows, places)
        ordered += [(score, row) for row in rows]
    return ordered


def _sort_by_id(searcher: Searcher, rows: list[int], places: Mapping[int, DocAddress]) -> list[int]:
    if all(row in places for row in rows):
        addresses = [places[row] for row in rows]
        parts = [searcher.fast_field_values(name, addresses) for name in ID_PARTS]
        keys = dict(zip(zip(*parts, strict=True), rows, strict=True))
        if len(keys) == len(rows):
            return [keys[key] for key in sorted(keys)]
    same = tantivy.Query.term_set_query(SCHEMA, "row", rows)
    hits = searcher.search(same, len(rows), order_by_field="paper_id", order=Order.Asc).hits
    return [int(row or 0) for row in searcher.fast_field_values("row", [hit for _, hit in hits])]


def order(searcher: Searcher, query: Query, page: Page) -> tuple[list[int], int]:
    """Return one page by a sort key, which ends in the paper id, or by rows, the last first."""
    name, way = (_SORT_FIELD.get(page.sort, "newest"), Order.Asc) if not page.latest else ("row", Order.Desc)
    result = searcher.search(query, page.limit, order_by_field=name, offset=page.offset, order=way)
    rows = searcher.fast_field_values("row", [address for _, address in result.hits])
    return [int(row or 0) for row in rows], count_found(result)


def _facets(
    found: Mapping[str, Mapping[str, list[dict[str, object]]]], *, join_accepted: bool = True
) -> dict[str, tuple[FacetValue, ...]]:
    """Return the counts of an aggregation, the largest first, ties by value."""
    facets: dict[str, tuple[FacetValue, ...]] = {}
    for name in FACETS:
        buckets = found.get(name, {}).get("buckets", [])
        counts = {_value(bucket["key"]): int(str(bucket["doc_count"])) for bucket in buckets}
        if name == "status" and join_accepted:
            _add_accepted(counts)
        facets[name] = tuple(
            FacetValue(value, count)
            for value, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        )
    return facets


def _add_accepted(counts: dict[str, int]) -> None:
    """Count as "accepted" all that this filter finds: orals, spotlights and posters too."""
    if accepted := sum(papers for status, papers in counts.items() if status in ACCEPTED):
        counts[Status.ACCEPTED] = accepted


def _value(key: object) -> str:
    return str(int(key)) if isinstance(key, float) else str(key)
