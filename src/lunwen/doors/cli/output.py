"""A file to write to that is never half written."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from lunwen.errors import CouldNot

if TYPE_CHECKING:
    from collections.abc import Iterator


def require_place(path: Path, *, make: bool = False) -> None:
    """Make sure, before long work, that ``path`` can be written; ``make`` makes its folder.

    Raises:
        CouldNot: it cannot.
    """
    try:
        if make:
            path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise CouldNot(f'cannot write "{path}": {error.strerror}. Give another place') from error


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Write beside ``path`` and put it in place at the end: never half a file.

    Raises:
        CouldNot: the file cannot be written.
    """
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise CouldNot(f'cannot write "{path}": {error.strerror}. Give another place') from error
    try:
        with open(handle, "w", encoding="utf-8", newline="") as stream:  # noqa: PTH123 - a file descriptor
            yield stream
        umask = os.umask(0)
        os.umask(umask)
        Path(beside).chmod(0o666 & ~umask)
        Path(beside).replace(path)
    except OSError as error:
        raise CouldNot(f'cannot write "{path}": {error.strerror}. Give another place') from error
    finally:
        Path(beside).unlink(missing_ok=True)
