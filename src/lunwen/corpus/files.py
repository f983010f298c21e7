"""What the user names → streams to read: files, folders, archives, compressed files and standard input.

How a file is packed is seen from its first bytes, never from its name. Everything is streamed; only what
cannot be read twice (standard input, an archive inside another file) is first copied to a temporary file.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import weakref
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lunwen.corpus.packing import LIMIT, find_unpacker, guard, is_archive, is_hidden, open_archive
from lunwen.corpus.source import HEAD_BYTES, SourceFile
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Opener = Callable[[], BinaryIO]

STANDARD_INPUT = "standard input"

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DEEPEST = 4  # a compressed tar in a zip is 3; more is an attack


@dataclass(frozen=True, slots=True, weakref_slot=True)
class _OnDisk:
    """A file on disk, with the name the user knows it by."""

    name: str
    path: Path

    def open(self) -> BinaryIO:
        try:
            return guard(self.name, self.path.open("rb"))
        except OSError as error:
            raise UnreadableFile(_unreadable(self.name, error)) from error


def open_paths(paths: Sequence[str]) -> Iterator[SourceFile]:
    """Yield every file that ``paths`` lead to, each once: files, folders, archives, ``-`` for standard input.

    What turns out to be damaged only while it is unpacked is still yielded, so that the other files are read:
    sniffing or opening it raises and says what is wrong.

    Raises:
        UnreadableFile: a path that is not there, may not be read, is empty, or is a folder without files.
    """
    found = [(path, list(_look(path))) for path in dict.fromkeys(paths)]  # all, before anything is read
    seen: set[tuple[int, int]] = set()
    for path, files in found:
        if path == "-":
            yield from _open(_spool(STANDARD_INPUT, sys.stdin.buffer, may_be_empty=False))
        for file in files:
            status = file.path.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            if stat.S_ISREG(status.st_mode):
                yield from _open(file)
            else:  # a pipe: <(curl …)
                with file.open() as stream:
                    spooled = _spool(file.name, stream, may_be_empty=False)
                yield from _open(spooled)


def open_file(name: str, path: Path) -> Iterator[SourceFile]:
    """Yield a file that is called by another name than its own, or what is in it where it is an archive."""
    yield from _open(_OnDisk(name, path))


def _look(path: str) -> Iterator[_OnDisk]:
    """Find the files a path names, and refuse what is not there before any of them is read."""
    if path == "-":
        return
    place = Path(path)
    if not path:  # an unset variable of a shell, which Path takes for the folder one is in
        raise UnreadableFile(_missing(path, place))
    try:
        mode = place.stat().st_mode
        if stat.S_ISDIR(mode):
            yield from _walk(path, place)
            return
        if stat.S_ISREG(mode):
            with place.open("rb") as stream:
                if not stream.read(1):
                    raise UnreadableFile(f'"{path}" is empty. Give a file that holds papers.')
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise UnreadableFile(_missing(path, place)) from error
    except OSError as error:
        raise UnreadableFile(_unreadable(f'"{path}"', error)) from error
    yield _OnDisk(_show(place.name), place)


def _walk(path: str, folder: Path) -> Iterator[_OnDisk]:
    found = False
    visited: set[str] = set()

    def refuse(error: OSError) -> None:
        raise error

    for here, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        real = os.path.realpath(here)
        if real in visited:  # a link that leads back up
            folders.clear()
            continue
        visited.add(real)
        folders[:] = sorted(name for name in folders if not is_hidden(name))
        for name in sorted(files):
            file = Path(here, name)
            if not is_hidden(name) and file.is_file():
                found = True
                yield _OnDisk(_show(str(Path(folder.name) / file.relative_to(folder))), file)
    if not found:
        raise UnreadableFile(
            f'The folder "{path}" holds no files. Give a folder or a file that holds papers.'
        )


def _show(name: str) -> str:
    """Return a file's name as text; a name may hold bytes that are not."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _open(file: _OnDisk) -> Iterator[SourceFile]:
    return _unpack(file.name, file.open, on_disk=file)


def _unpack(name: str, opener: Opener, *, on_disk: _OnDisk | None, depth: int = 0) -> Iterator[SourceFile]:
    """Yield what is in a stream: itself, or what is in it where it is compressed or an archive."""
    members: list[tuple[str, Opener]] = []
    try:
        with opener() as stream:
            head = stream.read(HEAD_BYTES + len(_BOM))
        _check(name, head, depth)
        unpack = find_unpacker(name, head)
        if unpack is None and is_archive(head):
            if on_disk is None:
                with opener() as stream:
                    on_disk = _spool(name, stream)
            members = [
                (member, partial(_hold, on_disk, open_))
                for member, open_ in open_archive(name, on_disk.path, head)
            ]
    except UnreadableFile as error:
        yield SourceFile(name, b"", partial(_refuse, str(error)))
        return
    if unpack is not None:
        yield from _unpack(
            name, partial(_open_compressed, name, opener, unpack), on_disk=None, depth=depth + 1
        )
    elif members:
        for member, open_member in members:
            yield from _unpack(member, open_member, on_disk=None, depth=depth + 1)
    elif head.startswith(_BOM):
        yield SourceFile(name, head[len(_BOM) :], partial(_open_after_bom, opener))
    else:
        yield SourceFile(name, head[:HEAD_BYTES], opener)


def _check(name: str, head: bytes, depth: int) -> None:
    if not head:
        raise UnreadableFile(f"{name} is empty. Give a file that holds papers.")
    if depth > _DEEPEST:
        raise UnreadableFile(f"{name} is packed more than {_DEEPEST} times over. Unpack it first.")
    if head.startswith(_UTF16) and b"<\0?\0x\0m\0l" not in head[:16] and b"\0<\0?\0x\0m\0l" not in head[:16]:
        raise UnreadableFile(f"{name} is UTF-16 text. Papers are read as UTF-8. Save it as UTF-8.")


def _open_compressed(name: str, opener: Opener, unpack: Callable[[BinaryIO], BinaryIO]) -> BinaryIO:
    below = opener()
    return guard(name, unpack(below), below, limit=LIMIT)


def _open_after_bom(opener: Opener) -> BinaryIO:
    stream = opener()
    stream.read(len(_BOM))
    return stream


def _hold(_file: _OnDisk, opener: Opener) -> BinaryIO:
    """Open a member of an archive; holding ``_file`` keeps a temporary archive alive."""
    return opener()


def _refuse(message: str) -> BinaryIO:
    raise UnreadableFile(message)


def _spool(name: str, stream: BinaryIO, *, may_be_empty: bool = True) -> _OnDisk:
    """Copy a stream to a temporary file that lasts as long as what is returned."""
    handle, path = tempfile.mkstemp(prefix="lunwen-")
    file = _OnDisk(name, Path(path))
    weakref.finalize(file, Path.unlink, file.path, missing_ok=True)
    try:
        with os.fdopen(handle, "wb") as copy:
            shutil.copyfileobj(stream, copy, 1024 * 1024)
            size = copy.tell()
    except OSError as error:
        raise UnreadableFile(
            f"{name} could not be copied to {path}: {error.strerror}. Make room there."
        ) from error
    if not size and not may_be_empty:
        raise UnreadableFile(f"{name} is empty. Give it the text of a file that holds papers.")
    return file


def _missing(path: str, place: Path) -> str:
    try:
        near = get_close_matches(place.name, os.listdir(place.parent), n=1)  # noqa: PTH208 - names are what is compared
    except (OSError, ValueError):
        near = []
    closest = f' Closest: "{place.parent / near[0]}".' if near else ""
    return f'No file "{path}".{closest} Give a file, a folder, an archive, or - for standard input.'


def _unreadable(name: str, error: OSError) -> str:
    return f"{name} cannot be read: {error.strerror}. Give a file that you may read."
