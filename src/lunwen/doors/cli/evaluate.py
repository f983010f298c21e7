"""``lunwen eval``: how well the search ranks, on judged queries."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.output import replacing
from lunwen.doors.cli.progress import progress
from lunwen.doors.cli.screen import give_json
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import OneOf
from lunwen.retrieval.request import Mode

if TYPE_CHECKING:
    from lunwen.retrieval.evaluate import Evaluation

EXAMPLES = """\b
Examples:
  lunwen eval scifact --mode lexical --per-query words.jsonl
  lunwen eval scifact --against words.jsonl
"""


@command("eval", epilog=EXAMPLES)
@click.argument("folder")
@click.option(
    "--mode", type=OneOf("mode", Mode), default=str(Mode.HYBRID), show_default=True, help="How to search."
)
@click.option("--drop-self", is_flag=True, help="Leave a query's own paper out of its results.")
@click.option("--depth", type=click.IntRange(1, 1000), default=100, show_default=True, help="Results judged.")
@click.option("--per-query", metavar="FILE", help="Write the measures of each query to FILE, as JSON Lines.")
@click.option("--against", metavar="FILE", help="Compare with an earlier run's --per-query file.")
def evaluate(
    _session: Session,
    *,
    folder: str,
    mode: str,
    drop_self: bool,
    depth: int,
    per_query: str | None,
    against: str | None,
) -> None:
    """Measure the ranking on judged queries.

    Prints nDCG@10, MRR@10, recall@20 and recall@100, always as JSON. FOLDER holds corpus.jsonl
    or corpus.jsonl.gz, queries.jsonl and qrels.tsv, as BEIR has them. --against adds a paired bootstrap:
    by how much nDCG@10 differs from the earlier run, the 95 % interval of that, and p.
    """
    from lunwen.retrieval.compare import compare, read_scores  # noqa: PLC0415 - numpy takes long to import
    from lunwen.retrieval.evaluate import evaluate as measure  # noqa: PLC0415 - the measures do too

    earlier = read_scores(against) if against else None
    with replacing(Path(per_query)) if per_query else nullcontext() as stream:
        with progress() as report:
            measured = measure(folder, mode=Mode(mode), drop_self=drop_self, depth=depth, progress=report)
        if stream is not None:
            stream.writelines(_lines(measured))
    summary = measured.summary
    if earlier is not None:
        scores = {str(row["query"]): float(str(row["nDCG@10"])) for row in measured.queries}
        summary = summary | {"against": {"file": against} | compare(scores, earlier)}
    give_json(summary)


def _lines(measured: Evaluation) -> list[str]:
    import orjson  # noqa: PLC0415 - only for this

    return [orjson.dumps(row).decode() + "\n" for row in measured.queries]
