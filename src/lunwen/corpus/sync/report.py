"""What came of a sync, edition by edition."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lunwen.corpus.ingest import Failure


class Ending(StrEnum):
    """How the walk over one edition ended."""

    DONE = "done"
    NOT_PUBLISHED = "not published yet"
    FAILED = "failed"  # the reason says why; what was stored before is as it was
    INTERRUPTED = "interrupted"  # by the user; the next sync goes on from there


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionReport:
    """What came of one edition, counted in papers; every paper met is new, changed, back or unchanged.

    ``gone`` are papers that the site listed before and no longer does, ``back`` those that were gone;
    ``failed`` are records that could not be read.
    """

    edition: str
    venue: str
    year: int | None
    site: str
    outcome: Ending
    reason: str = ""  # why it failed
    new: int = 0
    changed: int = 0
    gone: int = 0
    back: int = 0
    unchanged: int = 0
    failed: int = 0
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncReport:
    """What came of a sync."""

    editions: tuple[EditionReport, ...] = ()
    offline: bool = False  # nobody was asked: all of it is what was fetched before
    seconds: float = 0.0

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped it."""
        return any(one.outcome is Ending.INTERRUPTED for one in self.editions)

    @property
    def went_wrong(self) -> bool:
        """Whether an edition failed, or a record in one."""
        return any(one.outcome is Ending.FAILED or one.failed for one in self.editions)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return asdict(self)
