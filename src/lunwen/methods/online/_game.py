"""A game of experts, played through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lunwen.errors import CouldNot, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Game:
    """How a game went.

    Attributes:
        regret: the learner's cost less that of the best expert that never violated.
        ccv: the learner's cumulative violation.
    """

    regret: float
    ccv: float


def array(values: ArrayLike, name: str) -> Floats:
    """Return numbers as an array.

    Raises:
        UsageError: they are no numbers.
    """
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError):
        raise UsageError(f"{name} holds values that are no numbers. Give finite numbers") from None


def number(value: Any) -> float:
    """Return a setting as a number; NaN, which is in no range, where it is none."""
    return float(value) if isinstance(value, int | float | np.number) else float("nan")


def run_game(learner: Any, adversary: Callable[[int, Floats], tuple[Floats, Floats]]) -> Game:
    """Play ``learner.horizon`` rounds; the adversary sees round and weights, and answers cost and violation.

    Raises:
        CouldNot: every expert violated at some time, so there is nothing to compare with.
    """
    paid, ccv = 0.0, 0.0
    total = np.zeros(len(learner.act()))
    violated = np.zeros(len(total))
    for t in range(learner.horizon):
        p = learner.act()
        cost, violation = adversary(t, p)
        f, g = np.asarray(cost, float), np.asarray(violation, float)
        learner.observe(f, g)
        paid += float(p @ f)
        excess = np.maximum(g, 0)
        ccv += float(p @ excess)
        total += f
        violated += excess
    safe = violated == 0
    if not safe.any():
        raise CouldNot(
            "every expert violated in some round; regret compares with one that never does. Add one"
        )
    return Game(paid - float(total[safe].min()), ccv)
