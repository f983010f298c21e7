"""``lunwen serve``: the page."""

from __future__ import annotations

import click

from lunwen.doors.cli.screen import give_json, say
from lunwen.doors.cli.session import Session, command


@command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 lets other machines in.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8000, show_default=True, help="Where to listen."
)
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def serve(session: Session, *, host: str, port: int, open_page: bool) -> None:
    """Show the library as a page, until Ctrl-C."""
    from lunwen.doors.web.app import serve as run  # noqa: PLC0415 - the web door takes long to import

    url = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{port}/"  # noqa: S104 - only compared
    if session.as_json:
        give_json({"url": url})
    with session.open_library() as library:
        if open_page:
            click.launch(url)
        say(f"lunwen: {library.folder} at {url} (Ctrl-C stops it)")
        run(library, host=host, port=port)
