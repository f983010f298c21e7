"""The default encoder: a vector for each word, word pair and piece of a word, summed; NumPy only.

A word that the model knows has a row, shared by the forms of its stem. Two known words side by side may have
a row of their own, which is added. A word that it does not know is the sum of its pieces, the longest first.
How much a word says is the length of its row, so there are no weights beside the vectors.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from lunwen.errors import CouldNot
from lunwen.retrieval.analysis import index_text
from lunwen.retrieval.wording import strip_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lunwen.retrieval.encoder import Kind

_WORD = re.compile(r"[a-z0-9]+")
_NOTHING = 0  # the row of no word: keeps pairs from reaching across a gap
_CHUNK = 256  # texts whose rows are unpacked at once: what fits the cache
_PROMPTS = "query:strip-request/document:title-twice"
_AGAIN = 0.75  # a word said n times counts n to the power of this
_LONGEST = 64  # letters of a word that are read; what is longer is an address


class StaticEncoder:
    """Encodes English text by table; an ``Encoder``.

    Args:
        file: the weights that ``training/train.py`` writes; the packaged ones if not given.

    Raises:
        CouldNot: the file is missing or of another form.
    """

    def __init__(self, file: Path | None = None) -> None:
        place = file or Path(str(files(__package__) / "static.npz"))
        try:
            with place.open("rb") as opened, np.load(opened, allow_pickle=False) as held:
                self._vectors: NDArray[np.int8] = held["vectors"]
                self._scales: NDArray[np.float32] = held["scales"]
                self._pairs: NDArray[np.uint32] = held["pairs"]
                words, pieces = (_lines(held[name]) for name in ("words", "pieces"))
                word_rows = held["word_rows"].tolist()
                revision = str(held["revision"])
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise CouldNot(
                f'no encoder in "{place}" ({error}). Semantic search needs its weights. Install lunwen again'
            ) from error
        self._words: dict[str, int] = dict(zip(words, word_rows, strict=True))
        self._first_pair = len(self._vectors) - len(self._pairs)
        first_piece = self._first_pair - len(pieces)
        self._pieces = {piece: first_piece + place for place, piece in enumerate(pieces)}
        self._longest_piece = max(map(len, pieces), default=0)
        self.spell = lru_cache(maxsize=16_384)(self._spell_out)
        self.dimensions = int(self._vectors.shape[1])
        self.contract = f"static-{revision}/{self.dimensions}/{_PROMPTS}/fold-lower-tf{_AGAIN}-l2"

    def encode(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """Return one row per text, of length one; a text without a letter or digit is a row of zeros.

        A query is read without the wording of a request; a document's first line is its title and counts
        twice.
        """
        encoded = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _CHUNK):
            chunk = texts[start : start + _CHUNK]
            self._sum_rows([self.rows(text, kind) for text in chunk], encoded[start : start + _CHUNK])
        lengths = np.sqrt(np.einsum("ij,ij->i", encoded, encoded))
        encoded /= np.maximum(lengths, np.finfo(np.float32).tiny)[:, None]
        return encoded

    def knows(self, text: str) -> bool:
        """Whether a text has a word with a row of its own."""
        return any(word in self._words for word in _WORD.findall(index_text(text).lower()))

    def rows(self, text: str, kind: Kind) -> NDArray[np.intp]:
        """Return the numbers of the rows that a text is the sum of: words, pairs, pieces of unknown words."""
        if kind == "query":
            text = strip_request(text)
        elif "\n" in text:
            text = text[: text.index("\n") + 1] + text
        words = _WORD.findall(index_text(text).lower())
        known = self._words
        rows = [known.get(word, _NOTHING) for word in words]
        pieces: list[int] = []
        if _NOTHING in rows:
            for word, row in zip(words, rows, strict=True):
                if row == _NOTHING:
                    pieces += self.spell(word[:_LONGEST])
        single = np.array(rows, np.uint32)
        return np.concatenate([single, self._find_pairs(single), np.array(pieces, np.intp)]).astype(np.intp)

    def _find_pairs(self, rows: NDArray[np.uint32]) -> NDArray[np.intp]:
        keys = (rows[:-1] << np.uint32(16)) | rows[1:]
        places = np.searchsorted(self._pairs, keys)
        places[places == len(self._pairs)] = 0
        found: NDArray[np.intp] = places[self._pairs[places] == keys] + self._first_pair
        return found

    def _sum_rows(self, texts: Sequence[NDArray[np.intp]], sums: NDArray[np.float32]) -> None:
        """Add up the vectors of each text's rows; each row of the chunk is unpacked once."""
        used = np.zeros(len(self._vectors), bool)
        for rows in texts:
            used[rows] = True
        needed = np.flatnonzero(used)
        unpacked = self._vectors[needed] * self._scales[needed, None]
        place = np.zeros(len(self._vectors), np.intp)
        place[needed] = np.arange(len(needed))
        for number, rows in enumerate(texts):
            distinct, counts = np.unique(rows, return_counts=True)
            sums[number] = counts.astype(np.float32) ** _AGAIN @ unpacked[place[distinct]]

    def _spell_out(self, word: str) -> tuple[int, ...]:
        """Return the rows of an unknown word's pieces; the first piece is one that begins words."""
        spelt: list[int] = []
        rest = f"▁{word}"
        while rest:
            for end in range(min(len(rest), self._longest_piece), 0, -1):
                if (row := self._pieces.get(rest[:end])) is not None:
                    spelt.append(row)
                    break
            else:
                end = 1
            rest = rest[end:]
        return tuple(spelt)


def _lines(held: NDArray[np.uint8]) -> list[str]:
    return held.tobytes().decode().split("\n")
