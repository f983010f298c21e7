"""Which encoder is in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lunwen.retrieval.encoder import Encoder


def load_encoder() -> Encoder:
    """Return the encoder in use.

    Raises:
        CouldNot: it is not there.
    """
    from lunwen.retrieval.encoder.static import StaticEncoder  # noqa: PLC0415  its weights take long to load

    return StaticEncoder()
