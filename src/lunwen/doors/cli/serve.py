"""``lunwen serve``: the page and the API."""

from __future__ import annotations

import os
from typing import Any

import click

from lunwen.doors.cli.screen import give_json, say
from lunwen.doors.cli.session import Session, command


@command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets other machines in.")
@click.option("--port", type=int, default=8000, show_default=True, metavar="N", help="0 takes a free one.")
@click.option(
    "--workers",
    type=int,
    default=min(4, os.cpu_count() or 1),
    show_default="one per core, at most 4",
    metavar="N",
    help="How many processes answer.",
)
@click.option(
    "--cors",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="A site whose scripts may read the API, https://example.org; may be repeated; default: none.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Another name under which the page is asked for, as behind a proxy; may be repeated.",
)
@click.option(
    "--read-only/--writable",
    default=None,
    help="Whether readers may star papers and save searches; default: on this machine alone they may.",
)
@click.option(
    "--pdfs/--no-pdfs",
    default=None,
    help="Whether readers have the PDFs that are here; default: on this machine alone they have.",
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def serve(session: Session, *, host: str, port: int, workers: int, open_page: bool, **allowed: Any) -> None:
    """Show the library as a page, with its HTTP API and feeds, until Ctrl-C."""
    from lunwen.doors.web.option import Options  # noqa: PLC0415 - the web door takes long to import
    from lunwen.doors.web.server import serve as run  # noqa: PLC0415 - same

    options = Options(**allowed)
    with session.open_library() as library:

        def ready(url: str) -> None:
            if session.as_json:
                give_json({"url": url})
            else:
                say(f"lunwen: {library.folder} is shown at {url} (Ctrl-C stops it)")
            if open_page:
                click.launch(url)

        run(library, host=host, port=port, workers=workers, options=options, ready=ready)
