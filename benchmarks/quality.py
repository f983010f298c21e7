"""How well papers are found: the judged sets, by ``lunwen eval``, beside the figures of BM25."""

from __future__ import annotations

from benchmarks._report import SHARED, need_shared, table, write
from lunwen.retrieval.evaluate import evaluate

#: Set → whether the query is a paper of the corpus, and BM25's nDCG@10 and recall@20 (k1 1.5, b 0.75).
SETS = {
    "scifact": (False, 0.686, 0.857),
    "csfcube": (True, 0.489, 0.310),
    "cranfield": (False, 0.365, 0.495),
    "scitldr-pr": (False, 0.764, 0.901),
    "litsearch": (False, 0.473, 0.648),
}


def main() -> None:
    need_shared()
    rows = []
    for name, (drop_self, ndcg, recall) in SETS.items():
        found = evaluate(SHARED / "ir" / name, drop_self=drop_self)
        measures = [f"{found[measure]:.3f}" for measure in ("nDCG@10", "MRR@10", "recall@20", "recall@100")]
        rows.append((name, found["queries"], *measures, ndcg, recall, found["ms_per_query"]))
    head = (
        "set",
        "queries",
        "nDCG@10",
        "MRR@10",
        "recall@20",
        "recall@100",
        "BM25 nDCG@10",
        "BM25 recall@20",
        "ms",
    )
    write("quality", "How well papers are found", table(head, rows))


if __name__ == "__main__":
    main()
