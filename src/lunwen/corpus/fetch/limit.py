"""What a request may cost, on either side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PACES = {  # seconds between two requests, at a name and all names under it
    "arxiv.org": 3.0,
    "dblp.org": 1.0,
    "openreview.net": 0.25,
    "": 0.1,  # everywhere else
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds in seconds, bytes and times."""

    connect: float = 15  # until there is a connection
    read: float = 120  # without a byte; arXiv thinks for 90 s
    whole: float = 1800  # for one body
    window: float = 30  # in which at least ``rate`` bytes a second come
    rate: float = 500
    size: int = 1 << 30  # of one body, decompressed
    ratio: int = 100  # to which a packed body of more than ``ratio_from`` bytes may grow
    ratio_from: int = 64 << 20
    redirects: int = 5
    tries: int = 5
    longest_wait: float = 300  # that a site may ask for
    kept: int = 2_000_000_000  # in the cache
    paces: Mapping[str, float] = field(default_factory=lambda: PACES)
