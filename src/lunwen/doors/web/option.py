"""How a library is served, as one value that reaches every process."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lunwen.errors import UsageError

_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What may be chosen besides the address.

    Raises:
        UsageError: an origin that is none.
    """

    origins: tuple[str, ...] = ()  # other sites whose scripts may read the API; * for any

    def __post_init__(self) -> None:
        for origin in self.origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise UsageError(
                    f'no origin "{origin[:80]}". Allowed: a site without a path, in small letters, or * for '
                    "any. Write it so: https://example.org"
                )
