"""A game of experts or of points: what it cost, and playing it through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lunwen.errors import CouldNot, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Ledger:
    """What has been paid and violated so far, and what each expert would have paid.

    Args:
        shape: (n,), or (..., n) where several games are played at once.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.paid = self.ccv = np.zeros(shape[:-1])
        self.costs = np.zeros(shape)
        self.safe = np.ones(shape, bool)  # which experts have not violated so far

    def enter(self, p: Floats, cost: Floats, violation: Floats) -> None:
        """Add a round that was played with weights ``p``."""
        self.paid = self.paid + (p * cost).sum(axis=-1)
        self.ccv = self.ccv + (p * violation).sum(axis=-1)
        self.costs += cost
        self.safe &= violation == 0

    @property
    def best(self) -> Floats:
        """The least cost of an expert that has never violated.

        Raises:
            CouldNot: there is none.
        """
        if not self.safe.any(axis=-1).all():
            raise CouldNot(
                "every expert has violated; regret compares with one that never does. Add one that is safe"
            )
        found: Floats = np.where(self.safe, self.costs, np.inf).min(axis=-1)
        return found


@dataclass(frozen=True, slots=True)
class Game:
    """How a game went; of several played at once, arrays.

    Attributes:
        regret: the learner's cost less that of the best expert, or point of the net, that never violated.
        ccv: the learner's cumulative violation.
    """

    regret: Floats
    ccv: Floats


def run_game(learner: Any, adversary: Callable[[int, Floats], tuple[Any, Any]]) -> Game:
    """Play all rounds of a ``ConstrainedExpert`` or a ``CoveringCOCO``.

    The adversary sees the round and what is played, and answers what the learner's ``observe`` takes.

    Raises:
        UsageError: another learner, or one that has played, no function, or an answer that is refused.
        CouldNot: every expert violated at some time, so there is nothing to compare with.
    """
    if isinstance(learner, type) or not hasattr(learner, "regret"):
        raise UsageError(
            f"learner is a {type(learner).__name__}, of which no regret is known. "
            "Give a ConstrainedExpert or a CoveringCOCO"
        )
    if learner.round:
        raise UsageError(f"the learner has played {learner.round} rounds. Give a new one")
    if not callable(adversary):
        raise UsageError(f"adversary is {adversary!r}. Give a function of the round and of what is played")
    for t in range(learner.horizon):
        answer = adversary(t, learner.act())
        if not isinstance(answer, tuple | list | np.ndarray) or len(answer) != 2:
            raise UsageError(f"the adversary answered {answer!r}. Return two, cost and violation")
        learner.observe(*answer)
    return Game(learner.regret, learner.ccv)
