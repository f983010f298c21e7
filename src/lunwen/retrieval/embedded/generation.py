"""Index generations on disk: built beside the one in use, put in its place by one rename.

``index/CURRENT`` holds the name of the generation in use, a directory beside it. A generation's name says
what made it (schema, analyser) and which build it was; its ``state.json`` says the last change of the library
that it holds. A crash at any moment leaves either the old state or the new one.
"""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

from lunwen.errors import LibraryError
from lunwen.retrieval.embedded.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from pathlib import Path

KIND = f"lexical{SCHEMA_VERSION}"


def current(folder: Path) -> Path | None:
    """Return the directory of the generation in use; None where there is none that this lunwen can read."""
    try:
        name = (folder / "CURRENT").read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    path = folder / name
    return path if name.partition("-")[0] == KIND and path.is_dir() else None


def next_path(folder: Path) -> Path:
    """Return the directory in which the next generation is built, emptied of what a crash left there."""
    now = current(folder)
    number = int(now.name.partition("-")[2]) + 1 if now else 1
    path = folder / f"{KIND}-{number}"
    try:
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    except OSError as error:
        raise LibraryError(
            f'index folder "{folder}" cannot be written ({error.strerror}). It needs a folder of yours with '
            "room in it. Free some space, or choose another place with --library DIR"
        ) from error
    return path


def swap(folder: Path, path: Path) -> None:
    """Put a finished generation in use and remove the others."""
    new = folder / "CURRENT.new"
    new.write_text(path.name, encoding="utf-8")
    os.replace(new, folder / "CURRENT")  # noqa: PTH105  the one step that is atomic
    for other in folder.iterdir():
        if other.is_dir() and other != path:
            shutil.rmtree(other, ignore_errors=True)


def read_seq(path: Path) -> int:
    """Return the last change that a generation holds; 0 where it does not say."""
    try:
        return int(json.loads((path / "state.json").read_bytes())["seq"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return 0


def write_seq(path: Path, seq: int) -> None:
    """Note the last change that a generation holds."""
    new = path / "state.json.new"
    new.write_text(json.dumps({"seq": seq}), encoding="utf-8")
    os.replace(new, path / "state.json")  # noqa: PTH105  atomic
