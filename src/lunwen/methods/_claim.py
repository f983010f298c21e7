"""A claim: what a paper says, as a function that measures it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lunwen.methods._evidence import Evidence

    Measure = Callable[["Trials"], Evidence]

Size = TypeVar("Size")


class Kind(StrEnum):
    """What sort of statement a claim is."""

    IDENTITY = "identity"  # exact algebra
    BOUND = "bound"  # holds with a stated probability
    ORDER = "order"  # one beats another
    NUMBER = "number"  # a quantity, a rate, an exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimText:
    """A claim as it is written: its name, what it says, where the paper says so, its kind."""

    name: str
    says: str
    where: str
    kind: str


class Report(Protocol):
    """Told how far long work is: done, total where it is known, what is being done."""

    def __call__(self, done: int, total: int | None, what: str, /) -> None:
        """Take notice."""


class Trials:
    """The seeds a claim runs over, and how large it runs.

    Iterating yields the seeds and reports progress. ``full`` is False for the fast setting of the tests.
    """

    def __init__(self, seeds: range, *, full: bool, report: Report | None = None, what: str = "") -> None:
        self.seeds = seeds
        self.full = full
        self._report = report
        self._what = what

    def __iter__(self) -> Iterator[int]:
        for done, seed in enumerate(self.seeds):
            if self._report:
                self._report(done, len(self.seeds), self._what)
            yield seed
        if self._report:  # what is done with all seeds at once takes a time that nobody knows
            self._report(len(self.seeds), None, self._what)

    def pick(self, *, fast: Size, full: Size) -> Size:
        """Return the size that belongs to the setting."""
        return full if self.full else fast


def claim(*, says: str, where: str, kind: str) -> Callable[[Measure], Measure]:  # noqa: ARG001 - read by ast
    """Mark a function as a claim; what is said here is read from the file, never from the running module.

    Raises:
        ValueError: ``kind`` is none of the kinds.
    """
    Kind(kind)
    return lambda measure: measure
