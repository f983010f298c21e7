"""``lunwen mcp``: the library as tools for an agent."""

from __future__ import annotations

import os
import socket
from importlib.util import find_spec

import click

from lunwen.doors.cli.screen import say
from lunwen.doors.cli.session import Session, command
from lunwen.errors import CouldNot

EXAMPLES = """\b
Examples:
  lunwen mcp                  # what an agent starts itself, by its settings:
                              #   {"mcpServers": {"lunwen": {"command": "lunwen", "args": ["mcp"]}}}
  lunwen mcp --http           # what several agents on this machine reach by URL
"""


@command("mcp", epilog=EXAMPLES)
@click.option("--http", is_flag=True, help="Serve over HTTP on this machine instead of standard input.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8001, show_default=True, metavar="N", help="0: any free."
)
def mcp(session: Session, *, http: bool, port: int) -> None:
    """Serve the library to agents, by the Model Context Protocol.

    The tools search, show, compare, cite and list papers and measure their claims; none changes anything.
    """
    if find_spec("mcp") is None:
        raise CouldNot(
            "lunwen mcp needs the library mcp, not installed here. Install it with: pip install 'lunwen[mcp]'"
        )
    from lunwen.doors.mcp.server import serve_http, serve_stdio  # noqa: PLC0415 - takes long to import

    with session.open_library() as library:
        if not http:
            serve_stdio(library)
            return
        with _listen(port) as listening:
            url = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
            serve_http(
                library, listening, lambda: say(f"lunwen: tools for agents at {url} (Ctrl-C stops them)")
            )


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        why = os.strerror(error.errno or 0)  # its own words name the address again
        raise CouldNot(
            f"port {port} cannot be used ({why}). Take another with --port N, or any with --port 0"
        ) from error
