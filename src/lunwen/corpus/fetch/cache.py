"""Bodies on disk, with what the site said of them; whole at any moment, whoever is killed or writes too.

A body is a file that never changes; its entry, put in place by one rename, names it. What no entry names is
of a process at work, or of one that was killed; nobody uses it, so it is among the first to go.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from lunwen.errors import FetchError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_OURS = re.compile(r"[0-9a-f]{40}(\.[0-9a-f]{16}|\.json)|.*\.part")
_FRESH = 600  # seconds for which nothing goes that was used: somebody may be about to read it
_PASSING = 8  # bodies that nobody keeps, before the first of them goes


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is known of a body."""

    url: str = ""
    final_url: str = ""
    etag: str = ""
    last_modified: str = ""
    fetched: str = ""
    digest: str = ""
    size: int = 0


class Cache:
    """The bodies in a folder; nothing is written before the first is.

    Args:
        folder: its own.
        bound: how many bytes stay in it, about; what was used least lately goes first.
    """

    def __init__(self, folder: Path, bound: int) -> None:
        self.folder, self._bound = folder, bound
        self._size: int | None = None
        self._passing: deque[Path] = deque()

    def find(self, key: str) -> Entry | None:
        """Return the entry of ``key``, if its body is there too."""
        path = self._entry(key)
        try:
            entry = Entry(**orjson.loads(path.read_bytes()))
            if self.body(key, entry).stat().st_size != entry.size:
                return None
        except (OSError, ValueError, TypeError):
            return None
        with suppress(OSError):  # a cache that is only read
            os.utime(path)
            os.utime(self.body(key, entry))
        return entry

    def body(self, key: str, entry: Entry) -> Path:
        """Return the file of the entry's body."""
        return self._entry(key).with_name(f"{key}.{entry.digest[:16]}")

    def store(self, key: str, entry: Entry, pieces: Iterable[bytes]) -> Entry:
        """Keep a body that comes in pieces; nothing is changed where they end in an error.

        Raises:
            FetchError: the folder cannot be written.
        """
        with self._writing(), self._part(pieces) as (part, digest, size):
            kept = Entry(**{**asdict(entry), "digest": digest, "size": size})
            self._entry(key).parent.mkdir(exist_ok=True)
            part.replace(self.body(key, kept))
            with self._part([orjson.dumps(asdict(kept))]) as (said, *_):
                said.replace(self._entry(key))
            self._prune(size)
        return kept

    def forget(self, path: Path) -> None:
        """Drop the body in ``path``; its entry goes first, so that nothing names what is not there."""
        if path.parent != self.folder:
            path.with_suffix(".json").unlink(missing_ok=True)
        path.unlink(missing_ok=True)

    def hold(self, pieces: Iterable[bytes]) -> tuple[Path, int]:
        """Return the file and size of a body that nobody asks for again; it stays until eight more came.

        Raises:
            FetchError: the folder cannot be written.
        """
        with self._writing(), self._part(pieces) as (part, _, size):
            held = part.with_name(f"held-{part.name}")
            part.replace(held)
        self._passing.append(held)
        while len(self._passing) > _PASSING:
            self._passing.popleft().unlink(missing_ok=True)
        return held, size

    def drop_held(self) -> None:
        """Remove the bodies that nobody keeps."""
        while self._passing:
            self._passing.pop().unlink(missing_ok=True)

    def unwritable(self, error: OSError) -> FetchError:
        """Return what to raise where a file of the cache cannot be written."""
        return FetchError(
            f"the cache in {self.folder} cannot be written ({error.strerror or error}). "
            "Make room, or set LUNWEN_CACHE to a folder of your own"
        )

    def _entry(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    @contextmanager
    def _part(self, pieces: Iterable[bytes]) -> Iterator[tuple[Path, str, int]]:
        """Write pieces to a file that is gone afterwards, if it was not put elsewhere."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".part", dir=self.folder)
        part, digest, size = Path(name), hashlib.sha256(), 0
        try:
            with os.fdopen(handle, "wb") as file:
                for piece in pieces:
                    file.write(piece)
                    digest.update(piece)
                    size += len(piece)
            yield part, digest.hexdigest(), size
        finally:
            part.unlink(missing_ok=True)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self.unwritable(error) from error

    def _files(self) -> list[tuple[float, Path, int]]:
        """When every file of ours was last used, and its size."""
        found = []
        for path in (*self.folder.glob("*.part"), *self.folder.glob("[0-9a-f][0-9a-f]/*")):
            if _OURS.fullmatch(path.name):
                with suppress(OSError):
                    at = path.stat()
                    found.append((at.st_mtime, path, at.st_size))
        return found

    def _prune(self, more: int) -> None:
        """Remove what was used least lately, once there is more than the bound."""
        if self._size is not None:
            self._size += more
            if self._size <= self._bound:
                return
        files = self._files()
        self._size = sum(size for *_, size in files)
        if self._size <= self._bound:
            return
        for used, path, size in sorted(files):
            if self._size <= self._bound * 0.9 or used > time.time() - _FRESH:
                break
            path.unlink(missing_ok=True)
            self._size -= size
