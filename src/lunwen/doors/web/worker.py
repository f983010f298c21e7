"""Serving by several processes: this one accepts connections and hands them out in turn.

Were the listening socket itself shared, whichever process wakes first would take most of the clients.
"""

from __future__ import annotations

import multiprocessing
import signal
import socket
import sys
import threading
from contextlib import suppress
from itertools import cycle
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

import uvicorn

from lunwen.doors.connection import Bounded
from lunwen.doors.web.app import create_app
from lunwen.errors import CouldNot, LunwenError
from lunwen.library import open_library
from lunwen.retrieval.query import parse

if TYPE_CHECKING:
    from types import FrameType

    from starlette.applications import Starlette

    from lunwen.doors.web.option import Options

POSSIBLE = hasattr(socket, "send_fds")  # where connections can be handed to another process

_SPAWN = multiprocessing.get_context("spawn")  # a fork would take half of another thread's work with it


def make_server(app: Starlette) -> uvicorn.Server:
    """A server of one process; it runs until SIGINT or SIGTERM, and loads the Chinese word lists beside."""
    threading.Thread(target=parse, args=("模型",), daemon=True).start()  # else the first to ask waits for it
    return uvicorn.Server(
        uvicorn.Config(app, http=Bounded, ws="none", lifespan="off", log_level="warning", access_log=False)
    )


def serve_together(
    folder: str, listener: socket.socket, *, workers: int, options: Options | None = None
) -> None:
    """Serve a folder's library from several processes until interrupted; one that is killed is replaced.

    Raises:
        CouldNot: a worker ended with an error, which would only come again.
    """
    listener.setblocking(False)
    running: list[_Worker] = []
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        running += [_Worker(folder, options) for _ in range(workers)]
        places = cycle(range(workers))
        while True:
            wait([listener, *(worker.process.sentinel for worker in running)])
            for place, worker in enumerate(running):
                if worker.process.exitcode is None:
                    continue
                worker.outlet.close()
                if worker.process.exitcode > 0:
                    raise CouldNot("a process of the page ended with an error. Try one only: --workers 1")
                running[place] = _Worker(folder, options)
            with suppress(BlockingIOError, ConnectionAbortedError), listener.accept()[0] as connection:
                any(running[next(places)].take(connection) for _ in running)
    finally:
        for worker in running:
            worker.process.terminate()
        for worker in running:
            worker.process.join()
        signal.signal(signal.SIGTERM, before)


class _Worker:
    """A process that serves the connections handed to it."""

    def __init__(self, folder: str, options: Options | None) -> None:
        self.outlet, inlet = socket.socketpair()
        self.outlet.setblocking(False)
        self.process = _SPAWN.Process(target=_work, args=(folder, inlet, options), daemon=True)
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all of a terminal's processes:
        try:
            self.process.start()  # that one leaves it to this one
        finally:
            signal.signal(signal.SIGINT, before)
            inlet.close()

    def take(self, connection: socket.socket) -> bool:
        """Hand a connection over; False where the worker cannot take it."""
        try:
            return bool(socket.send_fds(self.outlet, [b"."], [connection.fileno()]))
        except OSError:  # it has just died, or has hundreds waiting
            return False


class _Inlet(socket.socket):
    """To a server a listening socket: it accepts the connections that are handed over."""

    def listen(self, backlog: int = 0, /) -> None:
        """Nothing to do: another process listens."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Take the next connection.

        Raises:
            BlockingIOError: there is none now.
            ConnectionAbortedError: there will be none.
        """
        _, handles, _, _ = socket.recv_fds(self, 1, 1)
        if not handles:
            raise ConnectionAbortedError
        connection = socket.socket(fileno=handles[0])
        return connection, None


def _work(folder: str, inlet: socket.socket, options: Options | None) -> None:
    try:
        library = open_library(folder)
    except LunwenError as error:
        sys.exit(f"lunwen: {error}")
    with library, _Inlet(fileno=inlet.detach()) as handed:
        server = make_server(create_app(library, options))
        threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
        server.run(sockets=[handed])


def _end_with_parent(server: uvicorn.Server) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        server.should_exit = True


def _leave(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
