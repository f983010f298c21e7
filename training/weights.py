"""The file of weights that ``lunwen.retrieval.encoder.static`` reads."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What has a row, in the order of rows: nothing, stems, pieces of words, pairs of stems."""

    words: dict[str, int]  # every form of a stem → the stem's row
    pieces: list[str]
    pairs: NDArray[np.uint32]  # left row << 16 | right row, ascending


def save(file: Path, vocabulary: Vocabulary, vectors: NDArray[np.float32]) -> str:
    """Write vectors as eight-bit rows with a scale each, and return the revision, a hash of all."""
    scales = np.abs(vectors).max(axis=1) / 127
    scales[scales == 0] = 1
    words = sorted(vocabulary.words)
    held = {
        "vectors": np.rint(vectors / scales[:, None]).astype(np.int8),
        "scales": scales.astype(np.float32),
        "words": _bytes(words),
        "word_rows": np.array([vocabulary.words[word] for word in words], np.uint16),
        "pieces": _bytes(vocabulary.pieces),
        "pairs": vocabulary.pairs,
    }
    digest = hashlib.sha256()
    for name in sorted(held):
        digest.update(held[name].tobytes())
    revision = digest.hexdigest()[:12]
    np.savez(file, **held, revision=np.array(revision))
    return revision


def load(file: Path) -> tuple[Vocabulary, NDArray[np.float32]]:
    """Read a file of weights."""
    with np.load(file, allow_pickle=False) as held:
        words = held["words"].tobytes().decode().split("\n")
        rows = dict(zip(words, held["word_rows"].tolist(), strict=True))
        pieces = held["pieces"].tobytes().decode().split("\n")
        vectors = held["vectors"] * held["scales"][:, None]
        return Vocabulary(rows, pieces, held["pairs"]), vectors


def _bytes(lines: list[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)
