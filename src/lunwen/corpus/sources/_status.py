"""Words for how a paper was accepted, and for its topic, as lists of papers use them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lunwen.corpus.paper import Status

_STATUSES = {status.value: status for status in Status} | {
    "active": Status.PREPRINT,  # OpenReview's word for submitted and not decided
    "under review": Status.PREPRINT,
    "reject": Status.REJECTED,
    "withdraw": Status.WITHDRAWN,
    "desk reject": Status.REJECTED,
    "accept": Status.ACCEPTED,
}
_NO_TOPIC = frozenset({"", "main"})  # sentinels of lists without topics


@lru_cache(maxsize=1024)
def read_status(words: str | None) -> tuple[Status | None, str | None]:
    """Return the status and the track in a text: "Oral Workshop" is an oral in the track Workshop."""
    text = " ".join((words or "").split())
    if not text:
        return None, None
    if status := _STATUSES.get(text.lower()):
        return status, None
    rest: list[str] = []
    found: list[Status] = []
    for word in text.split(" "):
        if status := _STATUSES.get(word.lower().strip("()")):
            found.append(status)
        else:
            rest.append(word)
    best = max(found, key=lambda status: status.rank, default=Status.ACCEPTED)
    return best, " ".join(rest) or None


def read_topic(value: object) -> tuple[str, ...]:
    """Return the path in a list, in "Deep Learning->Robustness" or in "Deep Learning/Robustness"."""
    if isinstance(value, str):
        return _cut_topic(value)
    if isinstance(value, Sequence):
        return tuple(str(step).strip() for step in value if step)
    return ()


@lru_cache(maxsize=4096)
def _cut_topic(text: str) -> tuple[str, ...]:
    if text.strip().lower() in _NO_TOPIC:
        return ()
    separator = "->" if "->" in text else "/"
    return tuple(step.strip() for step in text.split(separator) if step.strip())
