"""Two rankings → one; pure.

The rule is a weighted sum of scores, not of ranks: a weak partner's first place says little, its score says
how little (measured: benchmarks/results/encoder.md). A paper without a word of the query has the lexical
score 0, which is what BM25 gives it; the cosine is known for every paper, so nothing is invented.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEXICAL_WEIGHT = 0.7
SEMANTIC_WEIGHT = 0.3


def fuse(lexical: NDArray[np.float32], cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return one score per candidate, from 0 to 1.

    Args:
        lexical: BM25 scores, 0 where a candidate has none; shape (n,).
        cosines: of the query and each candidate; shape (n,).
    """
    if not len(lexical):
        return lexical
    top = lexical.max()
    words = lexical / top if top > 0 else lexical
    low, high = cosines.min(), cosines.max()
    meaning = (cosines - low) / (high - low) if high > low else np.zeros_like(cosines)
    return np.asarray(LEXICAL_WEIGHT * words + SEMANTIC_WEIGHT * meaning, np.float32)
