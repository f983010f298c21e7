"""How well an encoder finds alone and beside words, and how fast it is.

    python benchmarks/encoder.py FOLDER... [--weights FILE]

Each folder is a judged set as ``lunwen eval`` reads it (corpus, queries, qrels). Prints nDCG@10, recall@20
and recall@100 of the words, of the vectors, and of both together by several rules, over the union of the best
200 of each; equal scores by paper id. In a set named csfcube a query is a paper of the corpus
and does not find itself.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from lunwen.retrieval.embedded.lexical import LexicalEngine
from lunwen.retrieval.encoder.static import StaticEncoder
from lunwen.retrieval.engine import Filters, Page
from lunwen.retrieval.evaluate import _find, _index, _read_judgements, _read_lines
from lunwen.retrieval.query import parse
from lunwen.retrieval.request import Mode, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Scores = NDArray[np.float64]
    Rule = Callable[[Scores, Scores, int], Scores]

DEPTH = 200
OWN = "csfcube"


@dataclass(frozen=True)
class Pool:
    """What one query is ranked over."""

    papers: list[str]  # in the order of ids, which breaks ties
    lexical: Scores  # 0 for what the words did not find
    cosine: Scores
    words: int  # of the query
    grades: dict[str, int]


def _norm(lexical: Scores) -> Scores:
    return lexical / max(lexical.max(initial=0), 1e-9)


def _spread(cosine: Scores) -> Scores:
    return (cosine - cosine.min()) / max(cosine.max() - cosine.min(), 1e-9)


def _ranks(scores: Scores) -> Scores:
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks


def _mix(share: float) -> Rule:
    return lambda lexical, cosine, _: (1 - share) * _norm(lexical) + share * _spread(cosine)


def _add(weight: float) -> Rule:
    return lambda lexical, cosine, _: _norm(lexical) + weight * cosine


def _by_length(short: float, long: float, words: int) -> Rule:
    return lambda lexical, cosine, length: _add(long if length > words else short)(lexical, cosine, length)


def _by_rank(lexical: Scores, cosine: Scores, _: int) -> Scores:
    found = np.where(lexical > 0, 1 / (60 + _ranks(lexical)), 0)
    return found + np.where(_ranks(cosine) <= DEPTH, 1 / (60 + _ranks(cosine)), 0)


RULES: dict[str, Rule] = {
    "words": lambda lexical, cosine, _: lexical,  # noqa: ARG005
    "vectors": lambda lexical, cosine, _: cosine,  # noqa: ARG005
    ".7 words/max + .3 min-max cosine": _mix(0.3),
    ".5 words/max + .5 min-max cosine": _mix(0.5),
    "words/max + .5 cosine": _add(0.5),
    "words/max + .7 cosine": _add(0.7),
    "words/max + 1 cosine": _add(1.0),
    "words/max + 1 cosine, 2.5 for > 40 words": _by_length(1.0, 2.5, 40),
    "reciprocal ranks, k 60": _by_rank,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--weights", type=Path)
    asked = parser.parse_args()
    start = perf_counter()
    encoder = StaticEncoder(asked.weights)
    print(f"{encoder.contract}: loaded in {1e3 * (perf_counter() - start):.0f} ms")
    print("| set | rule | nDCG@10 | recall@20 | recall@100 |\n|---|---|---|---|---|")
    for folder in asked.folders:
        pools = list(_pool(folder, encoder))
        for name, rule in RULES.items():
            measured = np.mean([_measure(pool, rule) for pool in pools], axis=0)
            print(f"| {folder.name} | {name} | " + " | ".join(f"{value:.3f}" for value in measured) + " |")


def _pool(folder: Path, encoder: StaticEncoder) -> Iterator[Pool]:
    judged = _read_judgements(folder / "qrels.tsv")
    corpus = list(_read_lines(_find(folder, "corpus.jsonl")))
    texts = [f"{paper.get('title') or ''}\n{paper.get('text') or ''}" for paper in corpus]
    start = perf_counter()
    vectors = encoder.encode(texts, kind="document")
    speed = len(texts) / (perf_counter() - start)
    size = sum(map(len, texts)) / len(texts)
    print(f"<!-- {folder.name}: {len(texts)} papers of {size:.0f} characters, {speed:.0f} a second -->")
    with tempfile.TemporaryDirectory() as temporary:
        engine = LexicalEngine(Path(temporary))
        names = _index(engine, _find(folder, "corpus.jsonl"), None)
        place = {name: number for number, name in enumerate(names)}
        for query in _read_lines(_find(folder, "queries.jsonl")):
            if query["_id"] not in judged:
                continue
            own = {query["_id"], query["_id"].rpartition("_")[0]} if folder.name.startswith(OWN) else set()
            page = Page(sort=Sort.RELEVANCE, mode=Mode.LEXICAL, limit=DEPTH + 1)
            found = engine.search(parse(query["text"]), Filters(), page)
            lexical = {
                names[row]: score or 0.0
                for row, score in zip(found.rows, found.scores, strict=True)
                if names[row] not in own
            }
            lexical = dict(list(lexical.items())[:DEPTH])
            cosine = vectors @ encoder.encode([query["text"]], kind="query")[0]
            order = np.argsort(-cosine, kind="stable")[: DEPTH + 1]
            near = [names[row] for row in order if names[row] not in own][:DEPTH]
            papers = sorted({*lexical, *near})
            yield Pool(
                papers,
                np.array([lexical.get(paper, 0.0) for paper in papers]),
                cosine[[place[paper] for paper in papers]].astype(np.float64),
                len(query["text"].split()),
                judged[query["_id"]],
            )
        engine.close()


def _measure(pool: Pool, rule: Rule) -> tuple[float, float, float]:
    """Return nDCG@10, recall@20, recall@100 of a query."""
    good = {paper: grade for paper, grade in pool.grades.items() if grade > 0}
    if not good:
        return 0.0, 0.0, 0.0
    order = np.argsort(-rule(pool.lexical, pool.cosine, pool.words), kind="stable")[:100]
    ranked = [pool.papers[row] for row in order]
    gain = sum(good.get(paper, 0) / np.log2(place + 2) for place, paper in enumerate(ranked[:10]))
    best = sum(
        grade / np.log2(place + 2) for place, grade in enumerate(sorted(good.values(), reverse=True)[:10])
    )
    recall = (sum(paper in good for paper in ranked[:cut]) / len(good) for cut in (20, 100))
    return gain / best, *recall


if __name__ == "__main__":
    main()
