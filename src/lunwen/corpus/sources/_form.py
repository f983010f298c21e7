"""A file is of a form when it holds at least one record of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from lunwen.corpus.paper import BadRecord
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lunwen.corpus.source import SourceFile

T = TypeVar("T")


def require_record(
    file: SourceFile,
    what: str,
    records: Iterable[T | BadRecord],
    *,
    hint: str = "Leave --as out, or name another format.",
) -> Iterator[T | BadRecord]:
    """Yield ``records``; bad ones wait for the first good one.

    Raises:
        UnreadableFile: none is good, so the file holds no ``what``.
    """
    bad: list[BadRecord] = []
    good = False
    for record in records:
        if good:
            yield record
        elif isinstance(record, BadRecord):
            bad.append(record)
        else:
            good = True
            yield from bad
            yield record
    if not good:
        first = f" ({bad[0].place}: {bad[0].reason})" if bad else ""
        raise UnreadableFile(f"{file.name} holds no {what}{first}. {hint}")
