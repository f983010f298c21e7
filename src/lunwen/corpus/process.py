"""Another process that answers one question after the other, for work that one core is not enough for.

Not ``multiprocessing``, which would run the user's own script again in each process.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

#: How a process that is dead, or never was, shows.
GONE = (OSError, EOFError, ValueError, pickle.UnpicklingError)


class Process:
    """Runs a line of Python that calls ``serve``; it ends where this process ends."""

    def __init__(self, code: str) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if not sys.executable:
            return
        # its own session, so that Ctrl-C is for the process that writes; without processes it is None
        with suppress(OSError):
            self._process = subprocess.Popen(  # noqa: S603 - our own code
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def ask(self, question: object) -> Any:
        """Return the answer to a question; raises one of ``GONE`` where the process is not there."""
        if self._process is None or self._process.stdin is None or self._process.stdout is None:
            raise EOFError
        pickle.dump(question, self._process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)  # noqa: S301 - from our own process

    def kill(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Let go of its pipes."""
        if self._process is not None:
            self._process.wait()
            for pipe in (self._process.stdout, self._process.stdin):
                if pipe is not None:
                    with suppress(OSError):  # what was not yet sent has nowhere to go
                        pipe.close()


def serve(answer: Callable[[Any], object]) -> None:
    """Answer questions from standard input on standard output until there are no more."""
    while True:
        try:
            question = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this one
        except EOFError:
            return
        pickle.dump(answer(question), sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)
        sys.stdout.buffer.flush()
