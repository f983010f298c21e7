"""Moments as they are kept."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """Return the time: ISO 8601, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
