"""A place in a list of results, good as long as the list is the same: ``40.3f9a1c72``."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple, Self

from lunwen.errors import Changed, UsageError

_WRITTEN = re.compile(r"([0-9]{1,7})\.([0-9a-f]{8})")


class Cursor(NamedTuple):
    """How many results are left out, and of which state of the library."""

    offset: int
    state: str

    @classmethod
    def at(cls, offset: int, index_version: str) -> Self:
        """Return the cursor of a place in the results of a state of the index."""
        return cls(offset, blake2b(index_version.encode(), digest_size=4).hexdigest())

    @classmethod
    def read(cls, text: str) -> Self:
        """Read a cursor as ``str`` writes it.

        Raises:
            UsageError: it is none.
        """
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise UsageError(
                f'no cursor "{text[:40]}". Allowed: one that the Link header of a page before gave. '
                "Leave it out"
            )
        return cls(int(found[1]), found[2])

    def check(self, index_version: str) -> None:
        """Make sure that the list is still the one in which this is a place.

        Raises:
            Changed: the library has changed since, so papers could come twice or be missed.
        """
        if self != self.at(self.offset, index_version):
            raise Changed(
                f"cursor {self}: the library has changed since that page, so papers could come twice or be "
                f"missed. Begin again without cursor, or go on all the same with offset={self.offset}"
            )

    def __str__(self) -> str:
        return f"{self.offset}.{self.state}"
