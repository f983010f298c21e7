from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.paper import BadRecord, Record
from lunwen.corpus.source import HEAD_BYTES, SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.corpus.source import Source

DATA = Path(__file__).parents[2] / "data"


def as_file(what: bytes | Path | str) -> SourceFile:
    """Bytes, a path (unpacked where it ends in .gz), or the name of a file in tests/data."""
    if isinstance(what, bytes):
        return SourceFile("sample", what[:HEAD_BYTES], lambda: io.BytesIO(what))
    path = DATA / what
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return SourceFile(path.name, data[:HEAD_BYTES], lambda: io.BytesIO(data))


@pytest.fixture
def file() -> Callable[[bytes | Path | str], SourceFile]:
    return as_file


@pytest.fixture
def read() -> Callable[[Source, bytes | Path | str], tuple[list[Record], list[BadRecord]]]:
    def _read(source: Source, what: bytes | Path | str) -> tuple[list[Record], list[BadRecord]]:
        items = list(source.read(as_file(what)))
        return (
            [item for item in items if isinstance(item, Record)],
            [item for item in items if isinstance(item, BadRecord)],
        )

    return _read
