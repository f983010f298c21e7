from __future__ import annotations

import numpy as np
from tests.retrieval.embedded.conftest import PlainEncoder

from lunwen.retrieval.encoder.beside import Beside
from lunwen.retrieval.encoder.static import StaticEncoder

TEXTS = [f"A study of kernel number {n}\nBandits and graphs." for n in range(40)]


def encode(encoder: StaticEncoder | PlainEncoder, alone: int) -> np.ndarray:
    with Beside(encoder, alone=alone) as beside:
        for start in range(0, len(TEXTS), 7):
            beside.add(TEXTS[start : start + 7])
        return beside.result()


def test_another_process_gives_the_same_vectors_in_the_same_order() -> None:
    encoder = StaticEncoder()
    here, there = encode(encoder, alone=1_000), encode(encoder, alone=10)
    assert here.shape == (40, encoder.dimensions)
    assert np.array_equal(here, there)


def test_a_process_with_another_encoder_is_not_asked() -> None:
    plain = PlainEncoder()
    assert np.array_equal(encode(plain, alone=0), encode(plain, alone=1_000))


def test_nothing_to_encode() -> None:
    with Beside(PlainEncoder()) as beside:
        beside.add([])
        assert beside.result().shape == (0, PlainEncoder.dimensions)
