"""One writer at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.errors import LibraryBusy, LibraryError

if TYPE_CHECKING:
    from pathlib import Path

    from filelock import FileLock

_PATIENCE = 0.2  # seconds: enough for another process that is just ending


def lock(folder: Path) -> FileLock:
    """Make the folder and hold the right to write in it until released; a killed process loses it at once.

    Raises:
        LibraryBusy: another process holds it.
        LibraryError: the folder cannot be made or written.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  long to load, and only writing needs it

    held = FileLock(folder / ".lock", timeout=_PATIENCE, thread_local=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held.acquire()
    except Timeout as error:
        raise LibraryBusy(
            f"the library in {folder} is being written by another process. Wait for it to end, then try again"
        ) from error
    except OSError as error:
        raise LibraryError(
            f"the library in {folder} cannot be written ({error.strerror or error}). "
            "Name a folder of your own with --library DIR or LUNWEN_LIBRARY"
        ) from error
    return held
