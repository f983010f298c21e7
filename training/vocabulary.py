"""Step 1: papers → the vocabulary, with vectors of WordLlama to start from.

    python training/vocabulary.py PAPERS... --out start.npz

Rows: stems that four papers hold; every lower-case piece of WordLlama's vocabulary, for all other words; the
pairs of stems that say most. A stem begins as the mean of its forms, weighted by how many papers hold them,
each the sum of its pieces; a pair begins at zero. So before training the model is WordLlama.
"""

from __future__ import annotations

import argparse
import logging
import math
import re
from collections import Counter
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import snowballstemmer
from lesson import read_lessons
from safetensors.numpy import load_file
from tokenizers import Tokenizer
from weights import Vocabulary, save

from lunwen.retrieval.analysis import index_text
from lunwen.retrieval.wording import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lesson import Lesson
    from numpy.typing import NDArray

ROWS = 58_500  # of 256 bytes: with the words, under 16 MB
FEWEST_PAPERS = 4  # that hold a stem
FEWEST_PAIRS = 15
_WORD = re.compile(r"[a-z0-9]+")
_PIECE = re.compile(r"▁?[a-z0-9]+")
_ODD = frozenset(
    ["cid", "http", "https", "github", "com", "www", "org", "html", "io"]
)  # of addresses, of PDFs


def main() -> None:
    """Write the starting weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("papers", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=ROWS)
    asked = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    vocabulary, vectors = build(read_lessons(asked.papers), asked.rows)
    revision = save(asked.out, vocabulary, vectors)
    logging.info("%s: %d rows, %d words", revision, len(vectors), len(vocabulary.words))


def build(lessons: Iterable[Lesson], rows: int) -> tuple[Vocabulary, NDArray[np.float32]]:
    """Return a vocabulary and its starting vectors."""
    forms, stems, pairs, stem = _count(lessons)
    kept = sorted((s for s, papers in stems.items() if papers >= FEWEST_PAPERS), key=lambda s: (-stems[s], s))
    row = {s: place for place, s in enumerate(kept, start=1)}
    words = {form: row[stem[form]] for form, papers in forms.items() if papers > 1 and stem[form] in row}

    tables = files("wordllama")
    table = next(iter(load_file(str(tables / "weights" / "l2_supercat_256.safetensors")).values()))
    table = table.astype(np.float32)
    tokenizer = Tokenizer.from_file(str(tables / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    pieces = {piece: number for piece, number in tokenizer.get_vocab().items() if _PIECE.fullmatch(piece)}
    ordered = sorted(pieces)

    room = rows - 1 - len(kept) - len(ordered)
    keys = np.sort(np.array(_choose_pairs(pairs, stems, row, room), np.uint32))
    vectors = np.zeros((1 + len(kept) + len(ordered) + len(keys), table.shape[1]), np.float32)
    weight = np.zeros(len(kept) + 1, np.float32)
    for form, place in words.items():
        vectors[place] += forms[form] * table[tokenizer.encode(form, add_special_tokens=False).ids].sum(
            axis=0
        )
        weight[place] += forms[form]
    vectors[1 : len(kept) + 1] /= np.maximum(weight[1:, None], 1)
    vectors[len(kept) + 1 : len(kept) + 1 + len(ordered)] = table[[pieces[piece] for piece in ordered]]
    return Vocabulary(words, ordered, keys), vectors


def _count(
    lessons: Iterable[Lesson],
) -> tuple[Counter[str], Counter[str], Counter[tuple[str, str]], dict[str, str]]:
    """Return how many papers hold each form, stem and pair of stems, and the stem of each form."""
    stemmer = snowballstemmer.stemmer("english")
    stem: dict[str, str] = {}
    forms, stems, pairs = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for lesson in lessons:
        words = _WORD.findall(index_text(" . ".join((lesson.title, *lesson.sentences))).lower())
        for word in words:
            if word not in stem:
                stem[word] = stemmer.stemWord(word)
        forms.update(set(words))
        stemmed = [stem[word] for word in words]
        stems.update(set(stemmed))
        pairs.update(set(pairwise(stemmed)))
    return forms, stems, pairs, stem


def _choose_pairs(
    pairs: Counter[tuple[str, str]], stems: Counter[str], row: dict[str, int], room: int
) -> list[int]:
    """Return the keys of the pairs that come together more than their words would by chance."""
    stemmer = snowballstemmer.stemmer("english")
    idle = {stemmer.stemWord(word) for word in STOP_WORDS} | _ODD
    papers = max(stems.values())
    ranked = sorted(
        (-math.sqrt(count) * math.log(count * papers / (stems[left] * stems[right])), left, right)
        for (left, right), count in pairs.items()
        if count >= FEWEST_PAIRS and left in row and right in row
        if not {left, right} & idle and len(left) > 1 and len(right) > 1
    )
    return [row[left] << 16 | row[right] for _, left, right in ranked[:room]]


if __name__ == "__main__":
    main()
