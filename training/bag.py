"""Papers as rows of the vocabulary, and the pairs of texts that are drawn from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lesson import Lesson
    from numpy.typing import NDArray

    from lunwen.retrieval.encoder.static import StaticEncoder

    Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bag:
    """Some texts: for each occurrence of a row, which text it is in."""

    text: Rows
    row: Rows
    count: int  # of texts


class Shelf:
    """Texts in parts, each occurrence of a row with the number of its part; a paper's part 0 is its title."""

    def __init__(self, texts: Iterable[Sequence[str]], encoder: StaticEncoder) -> None:
        rows: list[NDArray[np.uint16]] = []
        parts: list[NDArray[np.uint8]] = []
        ends = [0]
        self.parts_of: Rows = np.zeros(0, np.int64)
        counts = []
        for text in texts:
            ends.append(ends[-1])
            counts.append(len(text))
            for number, part in enumerate(text):
                found = encoder.rows(part, "document")
                found = found[found > 0].astype(np.uint16)
                rows.append(found)
                parts.append(np.full(len(found), number, np.uint8))
                ends[-1] += len(found)
        self._rows = np.concatenate(rows)
        self._parts = np.concatenate(parts)
        self._ends = np.array(ends)
        self.parts_of = np.array(counts)

    def take(self, texts: Rows) -> tuple[Bag, Rows]:
        """Return some texts and the part of each occurrence."""
        sizes = self._ends[texts + 1] - self._ends[texts]
        places = spread(self._ends[texts], sizes)
        text = np.repeat(np.arange(len(texts)), sizes)
        part = self._parts[places].astype(np.int64)
        return Bag(text, self._rows[places].astype(np.int64), len(texts)), part


def spread(starts: Rows, sizes: Rows) -> Rows:
    """Return start, start + 1 … of each run, one run after the other."""
    before = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) - np.repeat(before - starts, sizes)


class Pieces:
    """The pieces of each stem's shortest form, to train the pieces with."""

    def __init__(self, words: dict[str, int], encoder: StaticEncoder, stems: int) -> None:
        shortest: dict[int, str] = {}
        for word, row in words.items():
            if row not in shortest or (len(word), word) < (len(shortest[row]), shortest[row]):
                shortest[row] = word
        spelt = [encoder.spell(shortest[row]) if row in shortest else () for row in range(stems)]
        self._sizes = np.array([len(rows) for rows in spelt])
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._rows = np.array([row for rows in spelt for row in rows], np.int64)
        self._stems = stems

    def mix_in(self, bag: Bag, share: float, chance: np.random.Generator) -> Bag:
        """Return a bag in which a share of the stems is replaced by their pieces."""
        spell = np.zeros(1 << 16, bool)
        spell[1 : self._stems] = chance.random(self._stems - 1) < share
        replaced = spell[bag.row]
        stems = bag.row[replaced]
        sizes = self._sizes[stems]
        rows = self._rows[spread(self._starts[stems], sizes)]
        text = np.concatenate([bag.text[~replaced], np.repeat(bag.text[replaced], sizes)])
        return Bag(text, np.concatenate([bag.row[~replaced], rows]), bag.count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """How pairs are drawn."""

    title: float = 0.35  # title ↔ abstract
    sentence: float = (
        0.35  # one sentence ↔ title and the others; what is left: half the sentences ↔ the others
    )
    dropped: float = 0.15  # of a title's or a sentence's words


def draw_pairs(shelf: Shelf, papers: Rows, mix: Mix, chance: np.random.Generator) -> tuple[Bag, Bag]:
    """Return for each paper a text that asks and a text that answers; a title that answers counts twice."""
    bag, part = shelf.take(papers)
    share = chance.random(len(papers))
    kind = np.where(share < mix.title, 0, np.where(share < mix.title + mix.sentence, 1, 2))[bag.text]
    sentence = (chance.random(len(papers)) * (shelf.parts_of[papers] - 1)).astype(np.int64) + 1
    half = chance.random((len(papers), 256)) < 0.5
    halved = half[bag.text, part]
    asks = np.where(kind == 0, part == 0, np.where(kind == 1, part == sentence[bag.text], halved))
    answers = ~asks
    kept = asks & ((kind == 2) | (chance.random(len(part)) >= mix.dropped))
    twice = answers & (part == 0)
    answer = Bag(
        np.concatenate([bag.text[answers], bag.text[twice]]),
        np.concatenate([bag.row[answers], bag.row[twice]]),
        bag.count,
    )
    return Bag(bag.text[kept], bag.row[kept], bag.count), answer


def shelve(lessons: Iterable[Lesson], encoder: StaticEncoder) -> Shelf:
    """Return papers as a shelf: the title, then the sentences."""
    return Shelf(((lesson.title, *lesson.sentences) for lesson in lessons), encoder)
