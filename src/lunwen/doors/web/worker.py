"""Serving by several processes, which take their requests from one listening socket."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

import uvicorn

from lunwen.doors.web.app import create_app
from lunwen.errors import CouldNot, LunwenError
from lunwen.library import open_library

if TYPE_CHECKING:
    import socket
    from multiprocessing.context import SpawnProcess
    from types import FrameType

    from starlette.applications import Starlette

_SPAWN = multiprocessing.get_context("spawn")  # a fork would take half of another thread's work with it


def make_server(app: Starlette) -> uvicorn.Server:
    """A server of one process; it runs until SIGINT or SIGTERM."""
    return uvicorn.Server(
        uvicorn.Config(
            app, http="httptools", ws="none", lifespan="off", log_level="warning", access_log=False
        )
    )


def serve_together(folder: str, listener: socket.socket, *, workers: int) -> None:
    """Serve a folder's library from several processes until interrupted; one that is killed is replaced.

    Raises:
        CouldNot: a worker ended with an error, which would only come again.
    """
    running: list[SpawnProcess] = []
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        running += [_start(folder, listener) for _ in range(workers)]
        while True:
            wait([worker.sentinel for worker in running])
            for place, worker in enumerate(running):
                if worker.exitcode is None:
                    continue
                if worker.exitcode > 0:
                    raise CouldNot("a process of the page ended with an error. Try one only: --workers 1")
                running[place] = _start(folder, listener)
    finally:
        for worker in running:
            worker.terminate()
        for worker in running:
            worker.join()
        signal.signal(signal.SIGTERM, before)


def _start(folder: str, listener: socket.socket) -> SpawnProcess:
    """Start a worker that leaves Ctrl-C, which reaches all processes of a terminal, to this one."""
    worker = _SPAWN.Process(target=_work, args=(folder, listener), daemon=True)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        worker.start()
    finally:
        signal.signal(signal.SIGINT, before)
    return worker


def _work(folder: str, listener: socket.socket) -> None:
    try:
        library = open_library(folder)
    except LunwenError as error:
        sys.exit(f"lunwen: {error}")
    with library:
        server = make_server(create_app(library))
        threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
        server.run(sockets=[listener])


def _end_with_parent(server: uvicorn.Server) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        server.should_exit = True


def _leave(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
