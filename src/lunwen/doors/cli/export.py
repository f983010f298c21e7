"""``lunwen export``: every paper of a search, as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.asking import takes_request
from lunwen.doors.cli.output import replacing
from lunwen.doors.cli.screen import give_json, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import OneOf
from lunwen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lunwen.corpus.paper import Paper
    from lunwen.retrieval.request import SearchRequest

FORMATS = ("bibtex", "jsonl", "csv")

EXAMPLES = """\b
Examples:
  lunwen export bilevel --venue ICML --format bibtex -o bilevel.bib
  lunwen export --format csv > all.csv
  lunwen export --ids ID,ID --format bibtex
"""


@command("export", epilog=EXAMPLES)
@takes_request(without=("limit", "offset"))
@click.option("--format", "form", type=OneOf("format", FORMATS), help="The format; default: jsonl.")
@click.option("--key", type=OneOf("key style", ("scholar", "acl")), default="scholar", help="BibTeX keys.")
@click.option("--ids", metavar="ID,ID", help="These papers instead of a search.")
@click.option(
    "-o", "--output", metavar="FILE", help="Write to FILE, which is replaced only when all is written."
)
def export(
    session: Session,
    request: SearchRequest,
    *,
    form: str | None,
    key: str,
    ids: str | None,
    output: str | None,
) -> None:
    """Export the papers of a search.

    All it finds, or without words and filters all there are, to standard output or a file.
    """
    to_file = output not in (None, "-")
    if session.as_json and form not in (None, "jsonl") and not to_file:
        raise UsageError(
            f"--json and --format {form} both want standard output. Leave one out, or add -o FILE"
        )
    with session.open_library() as library:

        def select() -> Iterable[Paper]:
            if ids is None:
                return library.select(request)
            return (library.paper(one.strip()) for one in ids.split(",") if one.strip())

        pieces = _pieces(select, "json" if session.as_json and not to_file else form or "jsonl", key)
        if not to_file:
            sys.stdout.writelines(pieces)
            return
        assert output is not None  # noqa: S101 - to_file says so
        with replacing(Path(output)) as stream:
            stream.writelines(pieces)
    if session.as_json:
        give_json({"file": output, "format": form or "jsonl", "bytes": Path(output).stat().st_size})
    else:
        say(f"lunwen: wrote {output}")


def _pieces(select: Callable[[], Iterable[Paper]], form: str, key: str) -> Iterator[str]:
    if form == "bibtex":
        from lunwen.export.bibtex import entries  # noqa: PLC0415 - each format imports what it needs
        from lunwen.export.cite_key import cite_keys  # noqa: PLC0415

        keys = cite_keys(select(), key)  # a first pass, so that keys do not depend on the order of results
        for entry in entries(select(), key, keys=keys):
            yield f"{entry}\n\n"
        return
    from lunwen.export import tables  # noqa: PLC0415

    yield from {"jsonl": tables.jsonl, "json": tables.json_array, "csv": tables.csv_rows}[form](select())
