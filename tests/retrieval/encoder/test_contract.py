"""Vectors of different encoders are never compared: a change of encoder is a change of generation."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from lunwen.corpus.paper import Paper
from lunwen.retrieval.embedded.dense import Dense
from lunwen.retrieval.encoder.prompt import Prompts
from lunwen.retrieval.encoder.revision import fingerprint
from lunwen.retrieval.engine import Change

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lunwen.retrieval.encoder import Kind


class _Pointing:
    """Encodes every text as the same direction, and counts what it is given."""

    def __init__(self, contract: str, direction: Sequence[float]) -> None:
        self.contract = contract
        self.dimensions = len(direction)
        self.encoded = 0
        self._direction = np.array(direction, np.float32)

    def encode(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        assert kind == "document"
        self.encoded += len(texts)
        return np.tile(self._direction, (len(texts), 1))

    def knows(self, text: str) -> bool:
        return bool(text)


def _changes(_after: int) -> Iterator[Change]:
    for row in range(1, 4):
        yield Change(row, Paper(paper_id=f"p{row}", title=f"Paper {row}"))


def test_vectors_of_another_contract_are_left_alone_then_replaced(tmp_path: Path) -> None:
    east, north = _Pointing("one/2", [1, 0]), _Pointing("two/2", [0, 1])
    Dense(tmp_path, lambda: east).rebuild(_changes, 5)
    other = Dense(tmp_path, lambda: north)
    assert (other.vectors, other.seq) == (None, 0)
    assert Dense(tmp_path, lambda: east).seq == 5

    other.update(_changes, 5)  # nothing is new, but nothing can be kept
    assert (north.encoded, other.seq) == (3, 5)
    assert other.vectors is not None
    assert other.vectors.exact.tolist() == [[0, 1]] * 3
    assert Dense(tmp_path, lambda: east).vectors is None
    assert len(list(tmp_path.glob("dense*"))) == 1

    other.update(_changes, 6)
    assert north.encoded == 3  # of the same contract all are kept


@pytest.mark.parametrize("other", ["one/3", "ONE/2", "one/2 "])
def test_any_difference_of_contract_is_another_generation(tmp_path: Path, other: str) -> None:
    Dense(tmp_path, lambda: _Pointing("one/2", [1, 0])).rebuild(_changes, 1)
    assert Dense(tmp_path, lambda: _Pointing(other, [1, 0])).vectors is None


def test_a_fingerprint_is_of_what_files_hold_not_of_where_they_lie(tmp_path: Path) -> None:
    for name, held in {"a": b"model", "b": b"model", "c": b"mode", "d": b"lmodel"}.items():
        (tmp_path / name).write_bytes(held)
    a, b, c, d = (tmp_path / name for name in "abcd")
    assert fingerprint([a]) == fingerprint([b])
    assert len({fingerprint(files) for files in ([a], [c], [a, b], [c, d], [d, c], [])}) == 6


def test_prompts_differ_in_the_contract_wherever_they_differ() -> None:
    texts = ("", "query: ", "passage: ", "',document:'")
    assert len({str(Prompts(*pair)) for pair in itertools.product(texts, repeat=2)}) == len(texts) ** 2
