"""The default engine: words and meaning together, in a folder of the library.

What matches: the papers that hold the words (``bag.py``), and the few that are nearest in meaning: at most a
hundred, and only those that stand out from the library as a whole. Which papers are near is decided by the
query alone; filters narrow afterwards, so that a filter never adds a paper and each facet's count is what
clicking gives. Where nothing is left, the nearest that pass the filters are shown instead of nothing.

How it is ranked: the best two hundred by words and the near ones by ``fusion.fuse``, then the rest by words.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import tantivy
from tantivy import Occur

from lunwen.errors import CouldNot
from lunwen.retrieval.embedded.compile import PINNED
from lunwen.retrieval.embedded.dense import Dense, newest
from lunwen.retrieval.embedded.generation import read_seq
from lunwen.retrieval.embedded.lexical import LexicalEngine, Ranked, order, rank, sort_ties
from lunwen.retrieval.embedded.schema import SCHEMA
from lunwen.retrieval.embedded.term import any_of
from lunwen.retrieval.engine import FACETS, Filters, Found, Why
from lunwen.retrieval.filter import HIDDEN
from lunwen.retrieval.fusion import fuse
from lunwen.retrieval.node import meaning
from lunwen.retrieval.request import MAX_LIMIT, Mode, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from lunwen.retrieval.embedded.compile import Compiled
    from lunwen.retrieval.embedded.dense import Vectors
    from lunwen.retrieval.embedded.lexical import State
    from lunwen.retrieval.encoder import Encoder
    from lunwen.retrieval.engine import Changes, Page
    from lunwen.retrieval.node import Query as ReadQuery

BLOCK = 200  # the best by words that are ranked by both
NEAR = 100  # papers that match by meaning alone, at most …
STANDS_OUT = 2.5  # … and so many standard deviations nearer than the library's mean
STILL_NEAR = 1.5  # the same, within filters that leave nothing else
FEWEST = 20  # papers below which there is no telling what stands out
NEAREST = 1_000  # results of a search by meaning alone
INSTEAD = 20  # nearest papers shown where nothing matches within the filters

NOTHING = Ranked([], [], 0, {})
NOT_READY = "search by meaning is not ready, these are found by words. Make it ready with: lunwen reindex"
UNKNOWN = "the encoder knows none of these words, the search was by words instead"
INSTEAD_READING = "no paper has the words within these filters; these are the nearest in meaning"


class HybridEngine(LexicalEngine):
    """Finds papers by words and meaning; an ``Engine``."""

    def __init__(self, folder: Path, load_encoder: Callable[[], Encoder]) -> None:
        super().__init__(folder)
        self._encoder = lru_cache(maxsize=1)(load_encoder)
        self._asked = lru_cache(maxsize=256)(lambda text: self._encoder().encode([text], kind="query")[0])
        self._dense = Dense(folder, self._encoder)

    @property
    def version(self) -> str:
        """The generations and the last changes in them; empty without an index of words."""
        words, path = super().version, newest(self._folder)
        return words and f"{words}+{path.name if path else 'no vectors'}"

    @property
    def seq(self) -> int:
        """The last change of the library that both indexes hold."""
        path = newest(self._folder)
        return min(super().seq, read_seq(path) if path else 0)

    def update(self, changes: Changes, seq: int) -> None:
        """Take in all changes up to ``seq``; words whatever becomes of the encoder."""
        try:
            self._update_both(changes, seq)
        except CouldNot:
            if super().seq != seq:
                super().update(changes, seq)
            raise

    def _update_both(self, changes: Changes, seq: int) -> None:
        """Take them in, words first, which can be searched while meaning is read."""
        dense = self._dense
        if super().seq == dense.seq:  # both read the same changes
            with dense.building(anew=False) as vectors:
                super().update(lambda after: vectors.follow(changes(after)), seq)
                vectors.finish(seq)
            return
        if super().seq != seq:
            super().update(changes, seq)
        dense.update(changes, seq)

    def rebuild(self, changes: Changes, seq: int) -> None:
        """Build both indexes anew."""
        with self._dense.building(anew=True) as vectors:
            super().rebuild(lambda after: vectors.follow(changes(after)), seq)
            vectors.finish(seq)

    def search(self, query: ReadQuery, filters: Filters, page: Page) -> Found:
        """Return one page, the total and the facets."""
        text = meaning(query)
        state = self.open_state()
        if state is None or page.mode is Mode.LEXICAL or not text:
            return super().search(query, filters, page)
        try:
            vectors = self._dense.vectors
            if vectors is None or not len(vectors.rows):
                return replace(super().search(query, filters, page), warning=NOT_READY)
            if not self._encoder().knows(text):
                found = super().search(query, filters, page)
                return replace(found, warning=UNKNOWN) if page.mode is Mode.SEMANTIC else found
            asked = self._asked(text)
        except CouldNot as error:
            return replace(super().search(query, filters, page), warning=str(error))
        searching = _Search(state, vectors, state.compile(query, filters), asked, page, filters)
        found = searching.find(searching.near)
        only_new = filters.after_row is not None  # what does not match is no news
        if found.total or only_new or filters == Filters(hidden=filters.hidden):
            return found
        one = replace(page, limit=1, offset=0)
        most = min(self.search(query, wider, one).total for wider in _wider(filters))
        instead = searching.nearest(min(most, INSTEAD))
        return replace(searching.find(instead), reading=INSTEAD_READING) if len(instead) else found

    def similar(self, row: int, limit: int) -> list[tuple[int, float]]:
        """Return the rows nearest in meaning to a paper, with their cosines; no encoder is needed."""
        state = self.open_state()
        vectors = self._dense.any_vectors if state else None
        own = vectors.vector(row) if vectors else None
        if state is None or vectors is None or own is None:
            return []
        mask = ~np.isin(vectors.rows, state.hidden(HIDDEN))
        mask[vectors.places(np.array([row], np.int64))[0]] = False
        rows = _best(vectors, own, mask, MAX_LIMIT)  # whatever the limit, which then moves no paper
        cosines = vectors.cosines(own, rows)
        nearest = np.lexsort((rows, -cosines))[:limit]
        return [(int(rows[place]), float(cosines[place])) for place in nearest]

    @property
    def why_none_similar(self) -> str:
        """Why a paper that has no similar ones has none."""
        if self._dense.any_vectors is None:
            return "search by meaning is not ready. Make it ready with: lunwen reindex"
        return "no other paper is near it: not one of its words may be known to the encoder"


class _Search:
    """One query against one state of both indexes."""

    def __init__(
        self,
        state: State,
        vectors: Vectors,
        compiled: Compiled,
        asked: NDArray[np.float32],
        page: Page,
        filters: Filters,
    ) -> None:
        self._state = state
        self._vectors = vectors
        self._compiled = compiled
        self._asked = asked
        self._page = page
        self._filters = filters

    @property
    def near(self) -> NDArray[np.int64]:
        """The rows that match by meaning, within the filters."""
        mask = self._required() & self._shown
        if self._page.mode is Mode.SEMANTIC:
            rows = _best(self._vectors, self._asked, mask, NEAREST)
        else:
            rows = _best(self._vectors, self._asked, mask, NEAR, self._floor(STANDS_OUT))
        if not self._compiled.narrow or not len(rows):
            return rows
        narrowed = [(Occur.Must, self._compiled.match(words=False)), (Occur.Must, _any_row(rows))]
        passing = self._state.rows(tantivy.Query.boolean_query(narrowed))
        return rows[np.isin(rows, passing)]

    def nearest(self, limit: int) -> NDArray[np.int64]:
        """The rows nearest in meaning that pass the filters, as far as they are near at all."""
        passing = np.isin(self._vectors.rows, self._state.rows(self._compiled.match(words=False)))
        return _best(self._vectors, self._asked, passing, limit, self._floor(STILL_NEAR))

    def find(self, near: NDArray[np.int64]) -> Found:
        """Return the page of the papers that match by words or are among ``near``."""
        compiled, searcher, page = self._compiled, self._state.searcher, self._page
        or_rows = _any_row(near) if len(near) else None
        only_meaning = page.mode is Mode.SEMANTIC
        reading = "" if only_meaning else compiled.reading  # how many have which words
        matching = compiled.match(words=not only_meaning, or_rows=or_rows)
        if only_meaning and or_rows is None:
            matching = tantivy.Query.empty_query()
        total, facets = self._state.facets(matching, self._filters)
        if not total:
            return Found((), (), 0, dict.fromkeys(FACETS, ()), reading)
        if page.sort is not Sort.RELEVANCE:
            rows, _ = order(searcher, matching, page)
            return Found(rows, [None] * len(rows), total, facets, reading)
        end = page.offset + page.limit
        words = NOTHING if only_meaning else self._rank_words(max(BLOCK, end + len(near)))
        fused = self._fuse(words, near)
        known = {row for _, row in fused}
        rest = [(0.0, row) for row in words.rows[BLOCK:] if row not in known]
        shown = [*fused, *rest][page.offset : end]
        rows = [row for _, row in shown]
        why = self._explain(rows, words.rows, near)
        return Found(rows, [score for score, _ in shown], total, facets, reading, why)

    def _rank_words(self, limit: int) -> Ranked:
        if not self._compiled.is_ranked:
            return NOTHING
        return rank(self._state.searcher, self._compiled.rank, limit, 0)

    def _fuse(self, words: Ranked, near: NDArray[np.int64]) -> list[tuple[float, int]]:
        """Return (score, row) of the candidates, the best first; exact titles above all."""
        best = list(zip(words.scores[:BLOCK], words.rows[:BLOCK], strict=True))
        pinned = [(score, row) for score, row in best if score >= PINNED]
        lexical = {row: score for score, row in best[len(pinned) :]}
        seen = {*lexical, *(row for _, row in pinned)}
        rows = np.array([*lexical, *(row for row in near.tolist() if row not in seen)], np.int64)
        own = np.array([lexical.get(int(row), 0.0) for row in rows], np.float32)
        fused = fuse(own, self._vectors.cosines(self._asked, rows))
        pairs = sorted(zip(fused.tolist(), rows.tolist(), strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [*pinned, *sort_ties(self._state.searcher, pairs, words.places)]

    def _explain(self, rows: Sequence[int], words: Sequence[int], near: NDArray[np.int64]) -> list[Why]:
        by_words = {row: place for place, row in enumerate(words, start=1)}
        by_meaning = {int(row): place for place, row in enumerate(near, start=1)}
        cosines = self._vectors.cosines(self._asked, np.array(rows, np.int64))
        return [
            Why(by_words.get(row), by_meaning.get(row), round(float(cosine), 3))
            for row, cosine in zip(rows, cosines, strict=True)
        ]

    @cached_property
    def _shown(self) -> NDArray[np.bool_]:
        """Which vectors belong to papers that are neither hidden nor excluded."""
        shown = np.ones(len(self._vectors.rows), bool)
        if self._compiled.hide:
            places, known = self._vectors.places(self._state.hidden(self._filters.hidden))
            shown[places[known]] = False
        if self._compiled.without:
            places, known = self._vectors.places(self._state.rows(any_of(self._compiled.without)))
            shown[places[known]] = False
        return shown

    def _required(self) -> NDArray[np.bool_]:
        """Return which vectors belong to papers that have what the query requires."""
        if not self._compiled.required:
            return np.ones(len(self._vectors.rows), bool)
        passing = self._state.rows(self._compiled.match(words=False, filters=False))
        return np.isin(self._vectors.rows, passing)

    def _floor(self, deviations: float) -> float:
        """Return the cosine from which a paper stands out from the library."""
        sample = self._vectors.sample
        pool = self._vectors.similarities(self._asked, sample[self._shown[sample]])
        return float(pool.mean() + deviations * pool.std()) if len(pool) >= FEWEST else float("inf")


def _any_row(rows: NDArray[np.int64]) -> tantivy.Query:
    return any_of([tantivy.Query.term_query(SCHEMA, "row", int(row)) for row in rows])


def _best(
    vectors: Vectors,
    asked: NDArray[np.float32],
    mask: NDArray[np.bool_],
    limit: int,
    floor: float = -1.0,
) -> NDArray[np.int64]:
    """Return the rows nearest to a vector under a mask and not below a floor, ties by row."""
    places = vectors.likely(asked, mask)
    similarities = vectors.similarities(asked, places)
    places, similarities = places[similarities >= floor], similarities[similarities >= floor]
    if limit < len(places):
        top = np.argpartition(-similarities, limit - 1)[:limit] if limit else np.empty(0, np.intp)
        places, similarities = places[top], similarities[top]
    ordered = np.lexsort((vectors.rows[places], -similarities))
    return np.asarray(vectors.rows[places[ordered]], np.int64)


def _wider(filters: Filters) -> Iterator[Filters]:
    """Yield the filters with one of them left out."""
    for name in ("venues", "years", "topics", "statuses", "sources", "authors", "has"):
        if getattr(filters, name):
            emptied: dict[str, Any] = {name: ()}
            yield replace(filters, **emptied)
