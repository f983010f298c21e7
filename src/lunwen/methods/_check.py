"""Running the claims of a method."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.errors import CouldNot
from lunwen.methods._claim import Trials

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.methods._card import Method
    from lunwen.methods._claim import ClaimText, Report
    from lunwen.methods._evidence import Evidence

FAST_SEEDS = 5
FULL_SEEDS = 10


@dataclass(frozen=True, slots=True)
class Measured:
    """One claim, what it measured, and how long that took."""

    claim: ClaimText
    evidence: Evidence
    seconds: float


@dataclass(frozen=True, slots=True)
class Checked:
    """All claims of a method, measured in one sitting."""

    method: Method
    hashes: dict[str, str]  # of the files as they were when the claims began
    full: bool
    seeds: int
    claims: tuple[Measured, ...]


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra use one thread: sums come in one order, and small problems are quicker.

    Raises:
        CouldNot: nothing that the methods need is installed.
    """
    try:
        from threadpoolctl import threadpool_limits  # noqa: PLC0415 - comes with the methods' libraries
    except ImportError as error:
        raise CouldNot(
            "claims need what the methods need. Install it with: pip install 'lunwen[methods]'"
        ) from error
    with threadpool_limits(1):
        yield


def check(
    method: Method, *, full: bool = False, seeds: int | None = None, report: Report | None = None
) -> Checked:
    """Measure every claim of ``method``.

    Raises:
        CouldNot: a library that it needs is not installed.
    """
    hashes = method.hashes()
    module = method.load()
    count = seeds or (FULL_SEEDS if full else FAST_SEEDS)
    measured = []
    with one_thread():
        for at, claim in enumerate(method.claims, 1):
            started = time.perf_counter()
            what = f"{method.method_id} {claim.name} ({at}/{len(method.claims)})"
            evidence = getattr(module, claim.name)(Trials(range(count), full=full, report=report, what=what))
            measured.append(Measured(claim, evidence, time.perf_counter() - started))
    return Checked(method, hashes, full, count, tuple(measured))
