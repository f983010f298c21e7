"""Papers' vectors on disk, memory-mapped: signs, int8 codes, float16 numbers.

The nearest are found without an approximate index: the signs of 110,000 vectors (32 bytes each) are compared
in a fraction of a millisecond, the 4,000 papers with the most equal signs again by their codes, and the
hundred that count exactly. A filter is a mask applied before the cut, and a new paper costs nothing to link
in. (A graph index over them answers in half a millisecond, takes two minutes to build, and loses papers under
narrow filters.)
"""

from __future__ import annotations

import hashlib
import mmap
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import simsimd
from numpy.lib import format as npy

from lunwen.corpus.maths import plain
from lunwen.errors import LibraryError
from lunwen.retrieval.embedded import generation
from lunwen.retrieval.encoder.beside import Beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from lunwen.corpus.paper import Paper
    from lunwen.retrieval.encoder import Encoder
    from lunwen.retrieval.engine import Change, Changes

_BATCH = 1024  # texts encoded at once
_BLOCK = 8192  # vectors written at once
_ARRAYS = ("rows", "hashes", "signs", "codes", "scales", "exact")
LIKELY = 4_000  # papers that are looked at by their codes
SAMPLE = 4_000  # papers by which what is usual is known


@dataclass(frozen=True)
class Vectors:
    """The vectors of one state of the library, in the order of rows."""

    rows: NDArray[np.int64]  # (n,), ascending
    hashes: NDArray[np.uint64]  # (n,), of the encoded text
    signs: NDArray[np.uint8]  # (n, d / 8), one bit for each number: whether it is above 0
    codes: NDArray[np.int8]  # (n, d)
    scales: NDArray[np.float32]  # (n,), code × scale ≈ number
    exact: NDArray[np.float16]  # (n, d)

    def similarities(self, query: NDArray[np.float32], places: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the cosine of a unit vector and the papers at these places, to about two decimals."""
        if not len(places):
            return np.empty(0, np.float32)
        scale = float(np.abs(query).max()) / 127 or 1.0
        code = np.round(query / scale).astype(np.int8)
        dots = np.asarray(simsimd.cdist(code[None, :], self.codes[places], metric="dot"))[0]
        return np.asarray(dots, np.float32) * self.scales[places] * np.float32(scale)

    def likely(self, query: NDArray[np.float32], mask: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return the places under a mask where the nearest are: all, or those with the most equal signs."""
        if np.count_nonzero(mask) <= 2 * LIKELY:
            return np.flatnonzero(mask)
        signs = np.packbits(query > 0)[None, :]
        compared = simsimd.cdist(signs, self.signs, metric="hamming", dtype="bin8")
        unequal = np.asarray(compared)[0].astype(np.int16)
        furthest = int(np.searchsorted(np.cumsum(np.bincount(unequal[mask])), LIKELY))
        return np.flatnonzero((unequal <= furthest) & mask)

    @cached_property
    def sample(self) -> NDArray[np.intp]:
        """Places spread over the library, by which what is usual is known."""
        return np.unique(np.linspace(0, max(len(self.rows) - 1, 0), SAMPLE).astype(np.intp))

    def cosines(self, query: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the exact cosine of a unit vector and these rows; 0 for a row without a vector."""
        places, known = self.places(rows)
        found = self.exact[places].astype(np.float32) @ query
        return np.asarray(np.where(known, found, 0), np.float32)

    def places(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Return where rows are, and which are there at all (the place of another is 0)."""
        places = np.searchsorted(self.rows, rows)
        places[places == len(self.rows)] = 0
        known = self.rows[places] == rows if len(self.rows) else np.zeros(len(rows), bool)
        return np.where(known, places, 0), known

    def vector(self, row: int) -> NDArray[np.float32] | None:
        """Return a paper's own vector."""
        places, known = self.places(np.array([row], np.int64))
        return self.exact[places[0]].astype(np.float32) if known[0] else None


def newest(folder: Path) -> Path | None:
    """Return the directory of the vectors in use, of whatever encoder they are."""
    return generation.newest(folder, "dense")


class Dense:
    """Keeps the vectors of a library for one encoder, which is loaded when it is first needed."""

    def __init__(self, folder: Path, load_encoder: Callable[[], Encoder]) -> None:
        self._folder = folder
        self._load_encoder = load_encoder
        self._opened: tuple[Path, Vectors] | None = None

    @cached_property
    def _kind(self) -> str:
        return f"dense2.{hashlib.sha256(self._load_encoder().contract.encode()).hexdigest()[:12]}"

    @property
    def seq(self) -> int:
        """The last change of the library that the vectors hold; 0 without any of this encoder."""
        path = self._current()
        return generation.read_seq(path) if path else 0

    @property
    def vectors(self) -> Vectors | None:
        """The newest vectors; None where there are none of this encoder."""
        return self._open(self._current())

    @property
    def any_vectors(self) -> Vectors | None:
        """The newest vectors of whatever encoder, enough to compare papers with each other."""
        return self._open(_whole(newest(self._folder)))

    def update(self, changes: Changes, seq: int) -> None:
        """Encode what changed since the last time; the new state takes the place of the old in one step."""
        self._build(changes(self.seq), seq, anew=False)

    def rebuild(self, changes: Changes, seq: int) -> None:
        """Encode everything anew."""
        self._build(changes(0), seq, anew=True)

    @contextmanager
    def building(self, *, anew: bool) -> Iterator[Build]:
        """Lend what follows changes and builds the next state of them."""
        with Beside(self._load_encoder()) as beside:
            yield Build(self._folder, self._kind, None if anew else self.vectors, beside)
        self._opened = None  # or what was read of the old would stay in memory

    def _build(self, changes: Iterable[Change], seq: int, *, anew: bool) -> None:
        with self.building(anew=anew) as build:
            for _ in build.follow(changes):
                pass
            build.finish(seq)

    def _current(self) -> Path | None:
        return _whole(generation.current(self._folder, self._kind))

    def _open(self, path: Path | None) -> Vectors | None:
        if path is None:
            return None
        if self._opened is None or self._opened[0] != path:
            self._opened = path, _open(path)
        return self._opened[1]


class Build:
    """Follows changes on their way to another index, encodes what is new, and builds the next state."""

    def __init__(self, folder: Path, kind: str, old: Vectors | None, beside: Beside) -> None:
        self._folder = folder
        self._kind = kind
        self._old = old
        self._beside = beside
        self._gone: set[int] = set()
        self._rows: list[int] = []
        self._hashes: list[int] = []
        self._texts: list[str] = []

    def follow(self, changes: Iterable[Change]) -> Iterator[Change]:
        """Yield the changes as they come."""
        for change in changes:
            self._note(change)
            yield change

    def finish(self, seq: int) -> None:
        """Put the next state in the place of the old."""
        self._beside.add(self._texts)
        exact = self._beside.result()
        codes, scales = quantise(exact)
        rows, hashes = np.array(self._rows, np.int64), np.array(self._hashes, np.uint64)
        new = Vectors(rows, hashes, np.packbits(exact > 0, axis=1), codes, scales, exact)
        gone = np.array(sorted(self._gone), np.int64)
        with generation.building(self._folder, self._kind) as path:
            _write(path, _Joined(self._old, new, gone))
            generation.write_seq(path, seq)
            generation.swap(self._folder, path, self._kind)

    def _note(self, change: Change) -> None:
        """Have a change encoded unless its text is what it was."""
        if change.paper is None:
            self._gone.add(change.row)
            return
        text = _text(change.paper)
        digest = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
        if self._old is not None:
            places, known = self._old.places(np.array([change.row], np.int64))
            if known[0] and int(self._old.hashes[places[0]]) == digest:
                return
            self._gone.add(change.row)
        self._rows.append(change.row)
        self._hashes.append(digest)
        self._texts.append(text)
        if len(self._texts) == _BATCH:
            self._beside.add(self._texts)
            self._texts = []


def _text(paper: Paper) -> str:
    """Return what of a paper is encoded: its title in the first line, which an encoder may weigh."""
    body = paper.abstract or paper.tldr or paper.summary.get("en") or ""
    return f"{plain(paper.title)}\n{plain(body)}"


def quantise(exact: NDArray[np.float16]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return vectors as codes from -127 to 127, and each row's scale: code × scale ≈ number."""
    largest = np.abs(exact).max(axis=1, initial=0).astype(np.float32)
    scales = np.where(largest > 0, largest, 1).astype(np.float32) / np.float32(127)
    return np.round(exact / scales[:, None]).astype(np.int8), scales


class _Joined:
    """What is kept of an old state and the new, in the order of rows; never all of it in memory."""

    def __init__(self, old: Vectors | None, new: Vectors, gone: NDArray[np.int64]) -> None:
        self._old = old or new
        self._new = new
        empty = np.empty(0, np.intp)
        self._kept = np.flatnonzero(~np.isin(old.rows, gone)) if old else empty  # places in the old
        rows = np.concatenate([self._old.rows[self._kept], new.rows])
        self._order = np.argsort(rows, kind="stable")

    def __len__(self) -> int:
        return len(self._order)

    def blocks(self, name: str) -> Iterator[NDArray[np.generic]]:
        """Yield one array in parts."""
        old, new = getattr(self._old, name), getattr(self._new, name)
        for start in range(0, max(len(self), 1), _BLOCK):
            places = self._order[start : start + _BLOCK]
            is_old = places < len(self._kept)
            block = np.empty((len(places), *new.shape[1:]), new.dtype)
            block[is_old] = old[self._kept[places[is_old]]]
            block[~is_old] = new[places[~is_old] - len(self._kept)]
            _let_go(old)
            yield block


def _whole(path: Path | None) -> Path | None:
    return path if path and all((path / f"{name}.npy").is_file() for name in _ARRAYS) else None


def _let_go(array: NDArray[np.generic]) -> None:
    """Keep none of a mapped file's pages, which are not read again soon."""
    mapped = getattr(array, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _write(path: Path, state: _Joined) -> None:
    try:
        for name in _ARRAYS:
            with (path / f"{name}.npy").open("wb") as file:
                for number, block in enumerate(state.blocks(name)):
                    if not number:
                        described = npy.dtype_to_descr(block.dtype)
                        whole = {"shape": (len(state), *block.shape[1:]), "fortran_order": False}
                        npy.write_array_header_1_0(file, {"descr": described, **whole})
                    file.write(block.tobytes())
    except OSError as error:
        raise LibraryError(
            f'vectors "{path}" cannot be written ({error.strerror}). Free some space and run: lunwen reindex'
        ) from error


def _open(path: Path) -> Vectors:
    try:
        arrays = {name: np.load(path / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
        return Vectors(**arrays)
    except (OSError, ValueError) as error:
        raise LibraryError(
            f'vectors "{path}" cannot be read ({error}). The papers are safe. Build them anew: lunwen reindex'
        ) from error
