"""``lunwen export``: every paper of a search, as a file."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lunwen.doors.cli.asking import takes_request
from lunwen.doors.cli.output import replacing
from lunwen.doors.cli.screen import give_json, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import Number, OneOf
from lunwen.doors.selection import COLLECTION, LIMIT, OFFSET, read_ids, select_papers
from lunwen.errors import UsageError
from lunwen.export.format import FORMATS, ExportOptions, export_papers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lunwen.export.format import Selected
    from lunwen.retrieval.request import SearchRequest

EXAMPLES = """\b
Examples:
  lunwen export bilevel --venue ICML --format bibtex -o bilevel.bib
  lunwen export --format csv > all.csv
  lunwen export --ids ID,ID --format reference --style ieee
  lunwen export bilevel -n 20 --format markdown
  lunwen export --collection starred --format bibtex
"""
FORMATS_SAID = "\b\nFormats:\n" + "\n".join(f"  {one.name:11}{one.help}" for one in FORMATS.values())


def _takes_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of an export; its function gets them by name."""
    for one in reversed(fields(ExportOptions)):
        choices = OneOf(f"{one.name} style" if one.name == "key" else one.name, one.metadata["choices"])
        decorate = click.option(
            f"--{one.name}", type=choices, default=one.default, show_default=True, help=one.metadata["help"]
        )
        function = decorate(function)
    return function


@command("export", epilog=f"{FORMATS_SAID}\n\n{EXAMPLES}")
@takes_request(without=("limit", "offset"))
@click.option("-n", "--limit", type=Number(LIMIT), metavar="N", help=LIMIT.help)
@click.option("--offset", type=Number(OFFSET), metavar="N", default=0, help=OFFSET.help)
@click.option("--format", "form", type=OneOf("format", FORMATS), help="The format; default: jsonl.")
@_takes_options
@click.option(
    "--ids", metavar="ID,ID", multiple=True, help="These papers instead of a search; may be repeated."
)
@click.option("--collection", metavar="NAME", help=COLLECTION.help)
@click.option(
    "-o", "--output", metavar="FILE", help="Write to FILE, which is replaced only when all is written."
)
def export(session: Session, request: SearchRequest, **given: Any) -> None:
    """Export the papers of a search.

    All it finds, or without words and filters all there are, to standard output or a file. Rejected and
    withdrawn ones only if --status asks for them.
    """
    form, ids, output = given["form"], given["ids"], given["output"]
    options = ExportOptions(**{one.name: given[one.name] for one in fields(ExportOptions)})
    to_file = output not in (None, "-")
    if session.as_json and form not in (None, "jsonl") and not to_file:
        raise UsageError(
            f"--json and --format {form} both want standard output. Leave one out, or add -o FILE"
        )
    with session.open_library() as library:
        page = {name: given[name] for name in ("collection", "limit", "offset")}
        papers = select_papers(library, request, ids=read_ids(ids or None), **page)
        if not to_file:
            sys.stdout.writelines(
                _json(papers) if session.as_json else export_papers(papers, form or "jsonl", options)
            )
            return
        with replacing(Path(output)) as stream:
            stream.writelines(export_papers(papers, form or "jsonl", options))
    if session.as_json:
        give_json({"file": output, "format": form or "jsonl", "bytes": Path(output).stat().st_size})
    else:
        say(f"lunwen: wrote {output}")


def _json(papers: Selected) -> Iterator[str]:
    from lunwen.export.tables import json_array  # noqa: PLC0415 - each format loads what it needs

    return json_array(papers)
