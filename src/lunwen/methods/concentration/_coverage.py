"""Evidence of the claims that bounds miss no more often than they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.methods._evidence import Evidence, Finding, numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def coverage(
    misses: Mapping[str, Sequence[int]], control: str, plain: Sequence[int], *, paths: int, level: float
) -> Evidence:
    """Return the evidence of how many of ``paths`` were missed per seed, and of the ``control``'s misses."""
    each = (paths,) * len(plain)
    findings = [
        Finding(what=what, values=numbers(counts), trials=each, limit=level, side="<=", spread="rate")
        for what, counts in (*misses.items(), (control, plain))
    ]
    return Evidence(findings=tuple(findings[:-1]), control=findings[-1])
