from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.fusion import LEXICAL_WEIGHT, SEMANTIC_WEIGHT, fuse

SCORES = st.lists(st.tuples(st.floats(0, 50, width=32), st.floats(-1, 1, width=32)), min_size=1, max_size=30)


def arrays(pairs: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    lexical, cosines = zip(*pairs, strict=True)
    return np.array(lexical, np.float32), np.array(cosines, np.float32)


def test_by_hand() -> None:
    fused = fuse(np.array([10, 5, 0], np.float32), np.array([0.2, 0.6, 0.4], np.float32))
    by_hand = [LEXICAL_WEIGHT, LEXICAL_WEIGHT / 2 + SEMANTIC_WEIGHT, SEMANTIC_WEIGHT / 2]
    assert fused == pytest.approx(by_hand, abs=1e-6)


@given(SCORES)
def test_better_in_both_is_never_worse(pairs: list[tuple[float, float]]) -> None:
    fused = fuse(*arrays(pairs))
    for (words, meaning), score in zip(pairs, fused, strict=True):
        for (other_words, other_meaning), other in zip(pairs, fused, strict=True):
            if words >= other_words and meaning >= other_meaning:
                assert score >= other - 1e-5


@given(SCORES)
def test_scores_lie_between_nothing_and_one(pairs: list[tuple[float, float]]) -> None:
    fused = fuse(*arrays(pairs))
    assert fused.shape == (len(pairs),)
    assert ((fused >= 0) & (fused <= 1 + 1e-5)).all()


def test_without_candidates_there_is_nothing() -> None:
    assert fuse(np.empty(0, np.float32), np.empty(0, np.float32)).shape == (0,)


def test_one_ranking_alone_decides_where_the_other_is_silent() -> None:
    same = np.full(3, 0.5, np.float32)
    assert np.argmax(fuse(np.array([1, 3, 2], np.float32), same)) == 1
    assert np.argmax(fuse(np.zeros(3, np.float32), np.array([0.1, 0.2, 0.9], np.float32))) == 2
