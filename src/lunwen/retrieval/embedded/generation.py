"""Index generations on disk: built beside the one in use, put in its place by one rename.

``index/CURRENT`` holds the name of the generation in use, a directory beside it; there is one such file for
each kind of index. A generation's name says what made it (schema and analyser, or encoder) and which build it
was; its ``state.json`` says the last change of the library that it holds. A crash at any moment leaves either
the old state or the new one.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lunwen.errors import LibraryError

if TYPE_CHECKING:
    from collections.abc import Iterator


def current(folder: Path, kind: str) -> Path | None:
    """Return the directory of the generation in use; None where there is none of this very kind.

    Raises:
        LibraryError: the folder may not be read.
    """
    path = newest(folder, kind)
    return path if path and path.name.rpartition("-")[0] == kind else None


def newest(folder: Path, kind: str) -> Path | None:
    """Return the directory in use of the family of a kind, whichever kind it is of.

    Raises:
        LibraryError: the folder may not be read.
    """
    try:
        name = _pointer(folder, kind).read_bytes().decode("utf-8", "replace").strip()
        whole = name.rpartition("-")[2].isdecimal() and "/" not in name and (folder / name).is_dir()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise LibraryError(
            f'index folder "{folder}" cannot be read ({error.strerror}). It needs to be readable. '
            "Mend its rights, or name another library with --library DIR"
        ) from error
    return folder / name if whole else None


@contextmanager
def building(folder: Path, kind: str) -> Iterator[Path]:
    """Lend the directory of the next generation, emptied of what a crash left there; removed after an error.

    Raises:
        LibraryError: it cannot be made.
    """
    now = current(folder, kind)
    number = int(now.name.rpartition("-")[2]) + 1 if now else 1
    path = folder / f"{kind}-{number}"
    with _writing(folder):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    try:
        yield path
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)  # above all where the disk is full
        raise


def swap(folder: Path, path: Path, kind: str) -> None:
    """Put a finished generation in use and remove the others of its family.

    Raises:
        LibraryError: it cannot be written; the old generation stays in use.
    """
    pointer = _pointer(folder, kind)
    new = pointer.with_suffix(".new")
    with _writing(folder):
        new.write_text(path.name, encoding="utf-8")
        if pointer.is_dir():  # nothing that lunwen made
            shutil.rmtree(pointer)
        os.replace(new, pointer)  # noqa: PTH105  the one step that is atomic
    for other in folder.iterdir():
        if other.is_dir() and other != path and _family(other.name) == _family(kind):
            shutil.rmtree(other, ignore_errors=True)


@contextmanager
def readable(path: Path) -> Iterator[Path]:
    """Lend a directory in which the files of a generation can be opened.

    Tantivy makes a lock file even to read; where none can be made it is given links to the files instead,
    which it needs no longer once they are open.
    """
    if os.access(path, os.W_OK):
        yield path
        return
    # Tantivy may still let go of its lock file while the links are removed
    with TemporaryDirectory(prefix="lunwen-", ignore_cleanup_errors=True) as mirror:
        for file in path.iterdir():
            if file.suffix != ".lock":
                (Path(mirror) / file.name).symlink_to(file.resolve())
        yield Path(mirror)


def read_seq(path: Path) -> int:
    """Return the last change that a generation holds; 0 where it does not say."""
    try:
        return int(json.loads((path / "state.json").read_bytes())["seq"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def write_seq(path: Path, seq: int) -> None:
    """Note the last change that a generation holds.

    Raises:
        LibraryError: it cannot be written.
    """
    new = path / "state.json.new"
    with _writing(path.parent):
        new.write_text(json.dumps({"seq": seq}), encoding="utf-8")
        os.replace(new, path / "state.json")  # noqa: PTH105  atomic


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LibraryError(
            f'index folder "{folder}" cannot be written ({error.strerror}). It needs a folder of yours with '
            "room in it. Free some space, or choose another place with --library DIR"
        ) from error


def _family(kind: str) -> str:
    """Return "lexical" or "dense": kinds of one family replace each other."""
    return kind.partition(".")[0].partition("-")[0].rstrip("0123456789")


def _pointer(folder: Path, kind: str) -> Path:
    return folder / f"CURRENT.{_family(kind)}"
