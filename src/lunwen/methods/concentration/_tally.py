"""How often bounds missed and how wide they were, as evidence."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from lunwen.methods._evidence import Evidence, Finding, numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Tally:
    """Misses per place and seed, each against the level that was promised there."""

    def __init__(self) -> None:
        self._missed: dict[str, list[NDArray[np.bool_]]] = defaultdict(list)
        self._levels: dict[str, float] = {}

    def add(self, what: str, missed: ArrayLike, level: float) -> None:
        """Take in which bounds of one seed missed."""
        self._missed[what].append(np.asarray(missed))
        self._levels[what] = level

    def evidence(self, control: str, notes: tuple[str, ...] = ()) -> Evidence:
        """Return all rates as findings, with the one that is the ``control``."""
        findings = {
            what: Finding(
                what=what,
                values=numbers(map(np.sum, missed)),
                trials=tuple(one.size for one in missed),
                limit=self._levels[what],
                side="<=",
                spread="rate",
            )
            for what, missed in self._missed.items()
        }
        plain = findings.pop(control)
        return Evidence(findings=tuple(findings.values()), control=plain, notes=notes)


class Widths:
    """Mean widths per place and seed, each with a usual one that it is to stay below."""

    def __init__(self) -> None:
        self._pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)

    def add(self, what: str, ours: float, usual: float) -> None:
        """Take in the widths of one seed."""
        self._pairs[what].append((ours, usual))

    def evidence(self, control: str, **told: Any) -> Evidence:
        """Return the ratios as findings, with the one that is the ``control``."""
        findings = {
            what: Finding(
                what=what,
                values=tuple(ours for ours, _ in pairs),
                baseline=tuple(usual for _, usual in pairs),
                limit=1.0,
                side="<=",
            )
            for what, pairs in self._pairs.items()
        }
        plain = findings.pop(control)
        return Evidence(findings=tuple(findings.values()), control=plain, **told)


def near(what: str, ratios: ArrayLike, share: float) -> list[Finding]:
    """Return that ``ratios``, one a seed, are 1 but for a ``share`` of it: at most, and at least."""
    values = numbers(np.asarray(ratios))
    return [
        Finding(what=f"{what}, at most", values=values, limit=1 + share, side="<="),
        Finding(what=f"{what}, at least", values=values, limit=1 - share, side=">="),
    ]


def exactly(what: str, value: float, limit: float) -> Finding:
    """Return a finding that was computed, so that no seed changes it."""
    return Finding(what=what, values=numbers([value]), limit=limit, side="<=", spread="every")
