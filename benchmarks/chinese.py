"""How well Chinese queries find English papers: the raw query, its reading, and an expert's English.

Run: ``python benchmarks/chinese.py``. The judged folder is ``ir/icml2026-zh`` in ``LUNWEN_SHARED``, by
default ``../shared``. Prints nDCG@10, recall@20 and recall@100 of each form, and the time that it takes.
"""

# ruff: noqa: SLF001  looks inside the engine to ask one index in several forms

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import ir_measures
from ir_measures import R, nDCG
from tantivy import Occur, Query

from lunwen.retrieval import evaluate
from lunwen.retrieval.chinese.reading import read
from lunwen.retrieval.embedded import lexical
from lunwen.retrieval.embedded.bag import Bag
from lunwen.retrieval.embedded.sense import sense_word
from lunwen.retrieval.embedded.term import any_of, silent
from lunwen.retrieval.engine import Filters
from lunwen.retrieval.node import Words
from lunwen.retrieval.query import parse
from lunwen.retrieval.request import Sort

if TYPE_CHECKING:
    from collections.abc import Callable

DEPTH = 100
SHARED = Path(os.environ.get("LUNWEN_SHARED", Path(__file__).parent.parent.parent / "shared"))
FOLDER = SHARED / "ir/icml2026-zh"
MEASURES = (nDCG @ 10, R @ 20, R @ 100)


class Asker:
    """The forms of a query, asked of one index."""

    def __init__(self, engine: lexical.LexicalEngine) -> None:
        self._engine = engine
        state = engine._open_state()
        assert state is not None
        self._searcher = state.searcher
        self._terms = state.compiler._terms

    def text(self, text: str) -> list[int]:
        """A text as the engine reads it today."""
        found = self._engine.search(parse(text), Filters(), sort=Sort.RELEVANCE, limit=DEPTH, offset=0)
        return list(found.rows)

    def english(self, text: str) -> list[int]:
        """The likeliest English of each term."""
        return self.text(read(text).english())

    def reading(self, text: str) -> list[int]:
        """All alternatives, weighted; as many terms asked for as the bag asks."""
        return self._rank(text, is_bag=True)

    def any_term(self, text: str) -> list[int]:
        """All alternatives, weighted; one term is enough."""
        return self._rank(text, is_bag=False)

    def _rank(self, text: str, *, is_bag: bool) -> list[int]:
        pieces = [piece for piece in read(text).pieces if not piece.is_dropped]
        plain = [Words(piece.zh) for piece in pieces if piece.source == "text"]
        senses = [
            (piece, sense_word(self._terms, piece.zh, piece.alternatives))
            for piece in pieces
            if piece.source != "text"
        ]
        wanted = [word for piece, word in senses if word.frequency and not piece.is_general]
        bag = Bag(self._terms, plain, " ".join(node.text for node in plain), wanted)
        scores = bag.scores + [q for _, word in senses if word not in wanted for q in word.scores]
        matching = bag.require([], [])[0] if is_bag and bag.words else [any_of(scores)]
        parts = [(Occur.Must, silent(query)) for query in matching]
        query = Query.boolean_query(parts + [(Occur.Should, score) for score in scores])
        return lexical._rank(self._searcher, query, DEPTH, 0)[0]


def main() -> None:
    judged = evaluate._read_judgements(FOLDER / "qrels.tsv")
    lines = evaluate._read_lines(evaluate._find(FOLDER, "queries.jsonl"))
    queries = [query for query in lines if query["_id"] in judged]
    grades = [
        ir_measures.Qrel(query, paper, grade) for query, g in judged.items() for paper, grade in g.items()
    ]
    with tempfile.TemporaryDirectory(prefix="lunwen-chinese-") as folder:
        engine = lexical.LexicalEngine(Path(folder))
        names = evaluate._index(engine, evaluate._find(FOLDER, "corpus.jsonl"), None)
        asker = Asker(engine)
        start = perf_counter()
        read(queries[0]["text"])
        cold = perf_counter() - start
        start = perf_counter()
        for query in queries:
            read(query["text"])
        warm = (perf_counter() - start) / len(queries)
        forms: tuple[tuple[str, Callable[[str], list[int]], str], ...] = (
            ("Chinese as it is", asker.text, "text"),
            ("reading, best English", asker.english, "text"),
            ("reading, any term", asker.any_term, "text"),
            ("reading, bag", asker.reading, "text"),
            ("an expert's English", asker.text, "text_en"),
        )
        print(f"{'form':24} {'nDCG@10':>8} {'R@20':>6} {'R@100':>6} {'ms':>6}")
        for name, ask, field in forms:
            start = perf_counter()
            rows = {query["_id"]: ask(query[field]) for query in queries}
            spent = (perf_counter() - start) * 1e3 / len(queries)
            run = [
                ir_measures.ScoredDoc(query, names[row], float(DEPTH - rank))
                for query, found in rows.items()
                for rank, row in enumerate(found)
            ]
            measured = ir_measures.calc_aggregate(MEASURES, grades, run)
            figures = (measured[measure] for measure in MEASURES)
            print(f"{name:24} {'  '.join(f'{figure:6.3f}' for figure in figures)} {spent:6.2f}")
        print(f"reading: first query {cold * 1e3:.1f} ms, then {warm * 1e3:.3f} ms a query")


if __name__ == "__main__":
    main()
