"""Texts → vectors whose nearness is nearness of meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["query", "document"]


class Encoder(Protocol):
    """Turns texts into unit vectors; vectors of different contracts are never compared."""

    @property
    def contract(self) -> str:
        """Name all that a vector depends on: model, revision, dimensions, prompts, normaliser."""

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""

    def encode(self, texts: Sequence[str], *, kind: Kind) -> NDArray[np.float32]:
        """Return one row per text, of length one; a text that says nothing is a row of zeros.

        A document is written as its title on the first line and its abstract after it.
        """

    def knows(self, text: str) -> bool:
        """Whether a text has a word that the encoder was trained on."""
