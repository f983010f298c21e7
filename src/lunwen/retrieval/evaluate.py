"""How well the search finds what people judged relevant: nDCG, MRR and recall over a BEIR-style folder."""

from __future__ import annotations

import csv
import gzip
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import orjson

from lunwen.corpus.markup import clean
from lunwen.corpus.paper import Markup, Paper
from lunwen.errors import CouldNot, UnreadableFile
from lunwen.retrieval.embedded.hybrid import HybridEngine
from lunwen.retrieval.embedded.lexical import LexicalEngine
from lunwen.retrieval.encoder.choice import load_encoder, wants_meaning
from lunwen.retrieval.engine import Change, Filters, Page
from lunwen.retrieval.query import parse
from lunwen.retrieval.request import Mode, Sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Progress = Callable[[int, int | None, str], None]

DEPTH = 100
MEASURES = {"nDCG@10": "nDCG@10", "MRR@10": "RR@10", "recall@20": "R@20", "recall@100": "R@100"}
FIRST = 10  # results of each query that are kept


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was measured: over all queries, and of each."""

    summary: dict[str, object]
    queries: list[dict[str, object]]  # query, the measures, its first results


def evaluate(
    folder: str | Path,
    *,
    mode: Mode = Mode.HYBRID,
    drop_self: bool = False,
    depth: int = DEPTH,
    progress: Progress | None = None,
) -> Evaluation:
    """Index a folder's corpus in a temporary place, ask its queries, and measure against its judgements.

    Args:
        folder: holds ``corpus.jsonl[.gz]`` (``_id, title, text``), ``queries.jsonl`` (``_id, text``) and
            ``qrels.tsv`` (a header, then query, document, grade).
        mode: what finds papers: words, meaning or both (words alone where no encoder is wanted).
        drop_self: leave the query's own paper out of its results (the query is a paper of the corpus; its id
            is the paper's, or begins with it before an underscore).
        depth: how many results of each query are judged.
        progress: called with what is done.

    Raises:
        UnreadableFile: a file is missing or not of that form.
        CouldNot: the measures' library is not installed, or the encoder that the mode needs cannot be had.
    """
    try:
        import ir_measures  # noqa: PLC0415  an extra, only needed here
    except ImportError as error:
        raise CouldNot("evaluation needs ir-measures. Install it with: pip install ir-measures") from error
    if mode is Mode.HYBRID and not wants_meaning():
        mode = Mode.LEXICAL
    place = Path(folder)
    judged = _read_judgements(place / "qrels.tsv")
    queries = [query for query in _read_lines(_find(place, "queries.jsonl")) if query["_id"] in judged]
    with tempfile.TemporaryDirectory(prefix="lunwen-eval-") as temporary:
        engine = _engine(Path(temporary), mode)
        start = perf_counter()
        names = _index(engine, _find(place, "corpus.jsonl"), progress)
        indexed = perf_counter()
        answers: dict[str, list[str]] = {}
        for done, query in enumerate(queries):
            if progress:
                progress(done, len(queries), "asking")
            answers[query["_id"]] = _ask(engine, names, query, depth, mode=mode, drop_self=drop_self)
        asked = perf_counter()
        engine.close()
    grades = [
        ir_measures.Qrel(query_id, paper_id, grade)
        for query_id, graded in judged.items()
        for paper_id, grade in graded.items()
    ]
    run = [
        ir_measures.ScoredDoc(query_id, paper_id, float(depth - rank))
        for query_id, answer in answers.items()
        for rank, paper_id in enumerate(answer)
    ]
    measures = [ir_measures.parse_measure(name) for name in MEASURES.values()]
    each: dict[str, dict[str, float]] = {}
    for one in ir_measures.iter_calc(measures, grades, run):
        each.setdefault(one.query_id, {})[str(one.measure)] = one.value
    values = {name: sum(of[name] for of in each.values()) / len(each) for name in MEASURES.values()}
    summary: dict[str, object] = {
        **{ours: round(values[theirs], 4) for ours, theirs in MEASURES.items()},
        "mode": str(mode),
        "queries": len(queries),
        "papers": len(names),
        "index_s": round(indexed - start, 2),
        "ms_per_query": round((asked - indexed) * 1e3 / max(1, len(queries)), 2),
    }
    rows: list[dict[str, object]] = [
        {"query": query_id}
        | {ours: round(each[query_id][theirs], 6) for ours, theirs in MEASURES.items()}
        | {"first": answer[:FIRST]}
        for query_id, answer in answers.items()
    ]
    return Evaluation(summary, rows)


def _engine(folder: Path, mode: Mode) -> LexicalEngine:
    return LexicalEngine(folder) if mode is Mode.LEXICAL else HybridEngine(folder, load_encoder)


def _ask(
    engine: LexicalEngine, names: list[str], query: dict[str, Any], depth: int, *, mode: Mode, drop_self: bool
) -> list[str]:
    found = engine.search(
        parse(query["text"]), Filters(), Page(sort=Sort.RELEVANCE, mode=mode, limit=depth + int(drop_self))
    )
    ids = [names[row] for row in found.rows]
    if drop_self:
        own = {query["_id"], query["_id"].rpartition("_")[0]}
        ids = [paper_id for paper_id in ids if paper_id not in own]
    return ids[:depth]


def _index(engine: LexicalEngine, file: Path, progress: Progress | None) -> list[str]:
    names: list[str] = []

    def changes(_after: int) -> Iterator[Change]:
        names.clear()
        for row, line in enumerate(_read_lines(file)):
            names.append(str(line["_id"]))
            text = clean(line.get("text") or "", Markup.PLAIN) or None
            title = clean(line.get("title") or "", Markup.PLAIN)
            if progress and row % 1_000 == 0:
                progress(row, None, "indexing")
            yield Change(row, Paper(paper_id=names[-1], title=title, abstract=text))

    engine.rebuild(changes, 1)
    return names


def _find(folder: Path, name: str) -> Path:
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    raise UnreadableFile(
        f'no {name} in "{folder}". A folder to evaluate holds corpus.jsonl[.gz], queries.jsonl and qrels.tsv'
    )


def _read_lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = orjson.loads(line)
                record["_id"] = str(record["_id"])
            except (ValueError, KeyError, TypeError) as error:
                raise UnreadableFile(
                    f'"{file}" line {number}: not an object with _id ({error}). Mend the line and try again'
                ) from error
            yield record


def _read_judgements(file: Path) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    try:
        with _find(file.parent, file.name).open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines, delimiter="\t")
            next(rows, None)
            for number, row in enumerate(rows, start=2):
                try:
                    query_id, paper_id, grade = row[:3]
                    judged.setdefault(query_id, {})[paper_id] = int(grade)
                except ValueError as error:
                    raise UnreadableFile(
                        f'"{file}" line {number}: a query, a document and a whole grade, tabs between'
                    ) from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f'"{file}" is not UTF-8 ({error.reason})') from error
    return judged
