"""``lunwen eval``: how well the search ranks, on judged queries."""

from __future__ import annotations

import click

from lunwen.doors.cli.progress import progress
from lunwen.doors.cli.screen import give_json
from lunwen.doors.cli.session import Session, command


@command("eval")
@click.argument("folder")
@click.option("--drop-self", is_flag=True, help="Leave a query's own paper out of its results.")
@click.option("--depth", type=click.IntRange(1, 1000), default=100, show_default=True, help="Results judged.")
def evaluate(_session: Session, *, folder: str, drop_self: bool, depth: int) -> None:
    """Measure the ranking on judged queries.

    Prints nDCG@10, MRR@10, recall@20 and recall@100, always as JSON. FOLDER holds corpus.jsonl
    or corpus.jsonl.gz, queries.jsonl and qrels.tsv, as BEIR has them.
    """
    from lunwen.retrieval.evaluate import evaluate as measure  # noqa: PLC0415 - the measures take long to import

    with progress() as report:
        measured = measure(folder, drop_self=drop_self, depth=depth, progress=report)
    give_json(measured)
