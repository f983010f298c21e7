"""Serving the page: loopback unless told otherwise, from one process or several."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

from lunwen.doors.web.app import create_app
from lunwen.doors.web.option import Options
from lunwen.doors.web.worker import POSSIBLE, make_server, serve_together
from lunwen.errors import CouldNot, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.library import Library

HOST = "127.0.0.1"
PORT = 8642
MAX_WORKERS = 64


def serve(
    library: Library,
    *,
    host: str = HOST,
    port: int = PORT,
    workers: int = 1,
    options: Options | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve the page until interrupted; ``ready`` is called with its URL once it listens.

    One worker is this process; several are processes of their own, which open the library again.

    Raises:
        LimitError: ``port`` or ``workers`` is outside its range.
        CouldNot: the address cannot be listened on.
    """
    if not 1 <= workers <= MAX_WORKERS:
        raise LimitError(
            f"{workers} workers are not possible. Allowed: 1 to {MAX_WORKERS}. Usual: one per core"
        )
    with listen(host, port) as listener:
        options = (options or Options()).at(listener.getsockname()[0])
        if ready is not None:
            ready(_address(listener))
        if workers == 1 or not POSSIBLE:
            make_server(create_app(library, options)).run(sockets=[listener])
        else:
            serve_together(str(library.folder), listener, workers=workers, options=options)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        LimitError: ``port`` is outside its range.
        CouldNot: the address is taken, not allowed, or not of this machine.
    """
    if not 0 <= port <= 65_535:
        raise LimitError(f"no port {port}. Allowed: 1 to 65,535, or 0 for a free one. Usual: {PORT}")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise CouldNot(
            f'no host "{host}" here. Use {HOST} for this machine, 0.0.0.0 for all networks'
        ) from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(512)
    except OSError as error:
        listener.close()
        raise CouldNot(_refusal(error, host, port)) from error
    return listener


def _refusal(error: OSError, host: str, port: int) -> str:
    another = f"Choose another with --port {port + 1 if port < 65_535 else PORT}, or 0 for a free one"
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use. {another}"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used by this user. Ports from 1024 on may. {another}"
    return f"cannot listen on {host}, port {port}: {error.strerror}. Use {HOST} for this machine"


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not listened on
        host = "localhost"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
