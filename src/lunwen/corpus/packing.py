"""Compressed files and archives → the streams inside them, recognised by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, cast

from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from _typeshed import WriteableBuffer

LIMIT = 8 * 1024**3  # bytes that may come out of one compressed file or one archive

_CHUNK = 1024 * 1024
_COMPRESSED: dict[bytes, Callable[[BinaryIO], object]] = {
    b"\x1f\x8b\x08": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}
_REFUSED = {b"\x28\xb5\x2f\xfd": "Zstandard", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!": "RAR"}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second: an empty one
_DAMAGED = (
    EOFError,
    OSError,
    NotImplementedError,  # zip: an unknown compression
    RuntimeError,  # zip: a password is needed
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)


def find_unpacker(name: str, head: bytes) -> Callable[[BinaryIO], BinaryIO] | None:
    """Return what decompresses a file that begins with ``head``, ``None`` where it is not compressed.

    Raises:
        UnreadableFile: compressed in a way that is not read here.
    """
    for magic, form in _REFUSED.items():
        if head.startswith(magic):
            raise UnreadableFile(
                f"{name} is a {form} file. lunwen unpacks gzip, bzip2, xz, zip and tar. Unpack it first."
            )
    for magic, unpack in _COMPRESSED.items():
        if head.startswith(magic):
            return cast("Callable[[BinaryIO], BinaryIO]", unpack)
    return None


def guard(name: str, stream: BinaryIO, *below: BinaryIO, limit: int | None = None) -> BinaryIO:
    """Return ``stream`` with damage and excess refused in one line; closing it closes ``below`` too."""
    return io.BufferedReader(_Guarded(name, (stream, *below), limit), _CHUNK)


def is_archive(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a zip or tar archive."""
    return head.startswith(_ZIP) or head[257:262] == b"ustar"


def open_archive(name: str, path: Path, head: bytes) -> Iterator[tuple[str, Callable[[], BinaryIO]]]:
    """Yield name and opener of every file in an archive that is not hidden.

    Raises:
        UnreadableFile: damaged, without files, or holding more than the limit.
    """
    members = _zip_members if head.startswith(_ZIP) else _tar_members
    try:
        found = [member for member in members(name, path) if not is_hidden(member[0])]
    except _DAMAGED as error:
        raise UnreadableFile(f"{name} is a damaged archive: {error}. Fetch it again.") from error
    if not found:
        raise UnreadableFile(f"{name} holds no files. Give an archive that holds papers.")
    if sum(size for _, size, _ in found) > LIMIT:
        raise UnreadableFile(_too_large(name))
    for member, _, opener in found:
        yield f"{name}/{PurePosixPath(member)}", opener


def is_hidden(member: str) -> bool:
    """Whether a path inside an archive or folder is hidden, as ``.git`` and macOS's resource forks are."""
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(member).parts)


_Member = tuple[str, int, "Callable[[], BinaryIO]"]


def _zip_members(name: str, path: Path) -> list[_Member]:
    archive = zipfile.ZipFile(path)  # stays open as long as a member's opener is kept
    return [
        (info.filename, info.file_size, partial(_open_zip_member, f"{name}/{info.filename}", archive, info))
        for info in archive.infolist()
        if not info.is_dir()
    ]


def _open_zip_member(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> BinaryIO:
    try:
        return guard(name, cast("BinaryIO", archive.open(info)))
    except _DAMAGED as error:
        raise UnreadableFile(_damaged(name, error)) from error


def _tar_members(name: str, path: Path) -> list[_Member]:
    with tarfile.open(path, "r:") as archive:
        return [
            (
                info.name,
                info.size,
                partial(_open_slice, f"{name}/{info.name}", path, info.offset_data, info.size),
            )
            for info in archive
            if info.isreg() and info.sparse is None
        ]


def _open_slice(name: str, path: Path, start: int, size: int) -> BinaryIO:
    stream = path.open("rb")
    stream.seek(start)
    return io.BufferedReader(_Guarded(name, (stream,), size, is_slice=True), _CHUNK)


class _Guarded(io.RawIOBase):
    """The bytes of ``streams[0]``, up to a limit; all streams are closed together."""

    def __init__(
        self, name: str, streams: tuple[BinaryIO, ...], limit: int | None, *, is_slice: bool = False
    ) -> None:
        self._name = name
        self._streams = streams
        self._left = limit
        self._is_slice = is_slice  # ends at the limit instead of refusing

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        wanted = len(view)
        if self._is_slice and self._left is not None:
            wanted = min(wanted, self._left)
        try:
            data = self._streams[0].read(wanted)
        except _DAMAGED as error:
            raise UnreadableFile(_damaged(self._name, error)) from error
        if self._left is not None:
            self._left -= len(data)
            if self._left < 0:
                raise UnreadableFile(_too_large(self._name))
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        for stream in self._streams:
            stream.close()
        super().close()


def _damaged(name: str, error: BaseException) -> str:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{name} is damaged: {reason or type(error).__name__}. Fetch it again."


def _too_large(name: str) -> str:
    return f"{name} holds more than {LIMIT // 1024**3} GiB decompressed, the most that is read. Split it."
