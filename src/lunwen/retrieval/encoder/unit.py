"""Rows of length one: what every encoder of whole texts returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


def unit_rows(
    texts: Sequence[str], dimensions: int, encode: Callable[[list[str]], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Return one row of length one per text; a text that says nothing is not encoded, but a row of zeros."""
    rows = np.zeros((len(texts), dimensions), np.float32)
    said = [place for place, text in enumerate(texts) if says_something(text)]
    if said:
        # half a character pair cannot be written as UTF-8, which all models read
        rows[said] = encode([texts[place].encode("utf-8", "replace").decode() for place in said])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, np.finfo(np.float32).tiny), np.float32)


def says_something(text: str) -> bool:
    """Whether there is anything to encode."""
    return bool(text.strip())
