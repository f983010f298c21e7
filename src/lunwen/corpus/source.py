"""What a source is: something that recognises a file and reads the records in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lunwen.corpus.paper import BadRecord, Record

HEAD_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One decompressed stream to read: a file, a member of an archive, or standard input."""

    name: str  # as the user knows it: "icml-2026.json.gz", "dump.zip/a.bib", "standard input"
    head: bytes  # its first HEAD_BYTES bytes, without a byte order mark
    open: Callable[[], BinaryIO]  # a fresh stream from the start, without a byte order mark


class Source(Protocol):
    """A site's format. Sources are stateless; ``corpus.sources.SOURCES`` lists them in sniffing order."""

    name: str  # "program", "openreview" …: the word of --as, of provenance and of the facet
    says: str  # one line for the help

    def sniff(self, file: SourceFile) -> bool:
        """Whether ``file`` is of this format, from its content (``head``), never from its name alone."""

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the records in file order.

        Raises:
            UnreadableFile: the file as a whole is not of this format.
        """
