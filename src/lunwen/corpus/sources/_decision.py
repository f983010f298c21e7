"""What sites write of a decision, read as a status."""

from __future__ import annotations

from lunwen.corpus.paper import Status

_WORDS = (  # the first that occurs decides
    ("withdr", Status.WITHDRAWN),
    ("retract", Status.WITHDRAWN),
    ("desk", Status.WITHDRAWN),
    ("reject", Status.REJECTED),
    ("oral", Status.ORAL),
    ("top-5%", Status.ORAL),
    ("top 5%", Status.ORAL),
    ("spotlight", Status.SPOTLIGHT),
    ("highlight", Status.SPOTLIGHT),
    ("top-25%", Status.SPOTLIGHT),
    ("top 25%", Status.SPOTLIGHT),
    ("poster", Status.POSTER),
    ("accept", Status.ACCEPTED),
)


def read_decision(*texts: str | None) -> Status | None:
    """Return the best news in ``texts``; a rejection or withdrawal in any of them stands."""
    found = [status for text in texts if text for status in _read(text)]
    refused = [status for status in found if not status.shown]
    return max(refused or found, key=lambda status: status.rank, default=None)


def _read(text: str) -> list[Status]:
    text = text.lower()
    return [status for word, status in _WORDS if word in text][:1]
