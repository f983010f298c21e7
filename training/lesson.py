"""Papers to learn from: JSON lines with a title and an abstract, cleaned as lunwen cleans them."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from lunwen.corpus.identity import title_key
from lunwen.corpus.markup import clean, plain
from lunwen.corpus.paper import Markup

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_MOST_SENTENCES = 250  # the number of a sentence fits a byte


@dataclass(frozen=True, slots=True)
class Lesson:
    """A paper to learn from."""

    title: str
    sentences: tuple[str, ...]


def read_lessons(files: Sequence[Path]) -> Iterator[Lesson]:
    """Yield the papers of some files (``.jsonl`` or ``.jsonl.gz``) in order, each title once."""
    seen: set[str] = set()
    for file in files:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as lines:
            for line in lines:
                record = orjson.loads(line)
                title = _clean(record.get("title"))
                key = title_key(title)
                if not title or key in seen:
                    continue
                seen.add(key)
                sentences = [part for part in _SENTENCE_END.split(_clean(record.get("abstract"))) if part]
                yield Lesson(title, tuple(sentences[:_MOST_SENTENCES]))


def _clean(text: str | None) -> str:
    return plain(clean(text or "", Markup.PLAIN))
