"""How well papers are found: the judged sets in every mode, as ``lunwen eval`` measures, beside BM25."""

from __future__ import annotations

import matplotlib as mpl

from benchmarks._report import REPOSITORY, SHARED, need_shared, table, write
from lunwen.retrieval.evaluate import evaluate
from lunwen.retrieval.request import Mode

mpl.use("svg")
from matplotlib import pyplot as plt

#: Set → whether the query is a paper of the corpus; BM25's nDCG@10 and recall@20 (k1 1.5, b 0.75); BM25
#: joined with all-MiniLM-L6-v2 by reciprocal ranks, nDCG@10; what the default mode has to reach.
SETS = {
    "litsearch": (False, ".473 / .648", "–", ".50 / .70"),
    "scitldr-pr": (False, ".764 / .901", ".797", ".80"),
    "csfcube": (True, ".489 / .310", ".555", ".55"),
    "scifact": (False, ".686 / .857", ".717", ".69"),
    "cranfield": (False, ".365 / .495", ".406", ".37"),
    "icml2026-zh": (False, ".142", "–", ".62"),
}
MEASURES = ("nDCG@10", "MRR@10", "recall@20", "recall@100")


def main() -> None:
    need_shared()
    rows = []
    shown: dict[Mode, list[float]] = {mode: [] for mode in Mode}
    for name, (drop_self, bm25, minilm, target) in SETS.items():
        for mode in Mode:
            found = evaluate(SHARED / "ir" / name, mode=mode, drop_self=drop_self).summary
            measures = [f"{found[measure]:.3f}" for measure in MEASURES]
            shown[mode].append(float(str(found["nDCG@10"])))
            ours = (bm25, minilm, target) if mode is Mode.HYBRID else ("", "", "")
            rows.append((name, mode, found["queries"], *measures, *ours, found["ms_per_query"]))
    head = ("set", "mode", "queries", *MEASURES, "BM25", "BM25 + MiniLM", "to reach", "ms a query")
    note = (
        "BM25 and BM25 + MiniLM by another program, on all 467 litsearch questions where ours are 229. The "
        "queries of icml2026-zh are Chinese, its papers English."
    )
    write("quality", "How well papers are found", table(head, rows), note)
    draw(shown)


def draw(shown: dict[Mode, list[float]]) -> None:
    """Draw nDCG@10 of every set and mode."""
    figure, axes = plt.subplots(figsize=(8, 3.6))
    for place, (mode, values) in enumerate(shown.items()):
        places = [at + (place - 1) * 0.27 for at in range(len(values))]
        axes.bar(places, values, 0.25, label=mode.value, color=("#1f5f8b", "#8fb8d6", "#d9a441")[place])
    axes.set_xticks(range(len(SETS)), list(SETS))
    axes.set_ylabel("nDCG@10")
    axes.set_ylim(0, 1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=3, loc="upper left")
    figure.tight_layout()
    figure.savefig(REPOSITORY / "docs" / "quality.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
