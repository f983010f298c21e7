from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.encoder.unit import unit_rows


def _count(texts: list[str]) -> np.ndarray:
    return np.array([[len(text), text.count("a")] for text in texts], np.float32)


def test_rows_are_of_length_one_and_in_order() -> None:
    assert unit_rows(["aaax", "", "bbbb"], 2, _count).tolist() == [
        pytest.approx([0.8, 0.6]),
        [0, 0],
        [1, 0],
    ]


def test_where_nothing_is_said_nothing_is_encoded() -> None:
    def fail(_: list[str]) -> np.ndarray:
        raise AssertionError

    assert unit_rows(["", " \n\u3000"], 3, fail).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert unit_rows([], 3, fail).shape == (0, 3)


@given(st.lists(st.text(st.characters(exclude_categories=()))))
def test_every_text_has_a_row_and_every_encoder_can_read_it(texts: list[str]) -> None:
    def encode(said: list[str]) -> np.ndarray:
        assert all(text.encode() for text in said)
        return np.ones((len(said), 4), np.float32)

    lengths = np.linalg.norm(unit_rows(texts, 4, encode), axis=1)
    assert lengths == pytest.approx([1.0 if text.strip() else 0.0 for text in texts])
