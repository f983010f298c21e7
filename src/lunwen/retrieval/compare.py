"""Whether one ranking is better than another: a paired bootstrap over the queries that both answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import orjson

from lunwen.errors import UnreadableFile, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MEASURE = "nDCG@10"
SAMPLES = 10_000
_AT_ONCE = 500  # samples drawn at a time, so that a thousand queries take a few megabytes


def read_scores(file: str | Path) -> dict[str, float]:
    """Return the nDCG@10 of each query in a file that ``lunwen eval --per-query`` wrote.

    Raises:
        UnreadableFile: it is missing or not of that form.
    """
    try:
        lines = Path(file).read_bytes().splitlines()
    except OSError as error:
        raise UnreadableFile(
            f'"{file}" cannot be read ({error.strerror}). Write one with: lunwen eval FOLDER --per-query FILE'
        ) from error
    scores: dict[str, float] = {}
    for number, line in enumerate(lines, start=1):
        try:
            record = orjson.loads(line)
            scores[str(record["query"])] = float(record[MEASURE])
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableFile(
                f'"{file}" line {number}: not an object with query and {MEASURE}. '
                "Write one with: lunwen eval FOLDER --per-query FILE"
            ) from error
    return scores


def compare(ours: Mapping[str, float], theirs: Mapping[str, float], *, seed: int = 0) -> dict[str, object]:
    """Return the mean difference of paired scores, ours less theirs, its 95 % interval and p.

    ``p`` is two-sided: twice the share of resampled means on the rarer side of zero.

    Raises:
        UsageError: no query is in both.
    """
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        raise UsageError(
            "the two runs have no query in common. Compare runs of the same folder: lunwen eval --per-query"
        )
    mine, other = (np.array([scores[query] for query in shared]) for scores in (ours, theirs))
    differences = mine - other
    means = _resample(differences, seed)
    low, high = np.quantile(means, (0.025, 0.975))
    rarer = min(int((means <= 0).sum()), int((means >= 0).sum()))
    return {
        "measure": MEASURE,
        "queries": len(shared),
        "mean": round(float(mine.mean()), 4),
        "mean_against": round(float(other.mean()), 4),
        "difference": round(float(differences.mean()), 4),
        "interval_95": [round(float(end), 4) + 0.0 for end in (low, high)],  # never -0.0
        "p": round(min(1.0, 2 * (rarer + 1) / (SAMPLES + 1)), 4),
        "better": int((differences > 0).sum()),
        "worse": int((differences < 0).sum()),
        "left_out": len(ours.keys() ^ theirs.keys()),
        "seed": seed,
    }


def _resample(differences: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return the means of samples of the queries, drawn with replacement."""
    draw = np.random.default_rng(seed)
    size = len(differences)
    means = [
        differences[draw.integers(size, size=(_AT_ONCE, size))].mean(axis=1)
        for _ in range(SAMPLES // _AT_ONCE)
    ]
    return np.concatenate(means)
