"""An encoder whose meanings are plain to see: each word is a direction, and some words share one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SAME = {"automobile": "car", "vehicle": "car", "feline": "cat", "kitten": "cat"}


class PlainEncoder:
    """Counts words; words that mean the same count as one."""

    dimensions = 512

    def __init__(self, contract: str = "plain-1") -> None:
        self.contract = contract
        self.encoded: list[str] = []
        self._places: dict[str, int] = {}

    def encode(self, texts: Sequence[str], *, kind: str) -> NDArray[np.float32]:
        assert kind in ("query", "document")
        if kind == "document":
            self.encoded += texts
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                place = self._places.setdefault(SAME.get(word, word), len(self._places))
                row[place % self.dimensions] += 1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(lengths > 0, lengths, 1)

    def knows(self, text: str) -> bool:
        return any(SAME.get(word, word) in self._places for word in text.lower().split())


@pytest.fixture
def plain_encoder() -> PlainEncoder:
    return PlainEncoder()
