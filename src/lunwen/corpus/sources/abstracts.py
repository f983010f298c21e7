"""The abstracts file beside a conference program: ``{"<event id>": "<abstract>"}``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import orjson

from lunwen.corpus.paper import BadRecord, Markup, Record
from lunwen.corpus.sources._conference import read_file_name
from lunwen.corpus.sources._json import read_whole
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_FIRST = re.compile(rb'\{\s*"\d+"\s*:\s*(?:"|null\s*[,}])')
_PAIR = re.compile(r'[{,]\s*"(\d+)"\s*:\s*(?=["n])')
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_BROKEN = object()
_NO_CONFERENCE = "the file does not say which conference it belongs to"


class Abstracts:
    """Abstracts by the number of an event; titles and authors come from the program."""

    name = "abstracts"
    says = "the abstracts JSON beside a conference program, named like icml-2026-abstracts.json"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first key is a number and its value a text."""
        return bool(_FIRST.match(file.head.lstrip()))

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield a record without a title for each abstract.

        Raises:
            UnreadableFile: not an object of texts by number.
        """
        conference = read_file_name(file.name)
        for place, number, abstract in _read_pairs(file):
            if not number.isdecimal() or not isinstance(abstract, str | None):
                yield BadRecord(place, f'no abstract that can be read at "{number}"')
            elif abstract and abstract.strip():
                event = f"{conference.slug}-{number}" if conference else number
                yield Record(
                    key=event,
                    abstract=abstract.strip(),
                    venue=conference.venue if conference else None,
                    year=conference.year if conference else None,
                    identifiers={"event": event},
                    notes=() if conference else (_NO_CONFERENCE,),
                    markup=Markup.HTML,
                    place=place,
                )


def _read_pairs(file: SourceFile) -> Iterator[tuple[str, str, object]]:
    """Yield place, number and abstract; in a damaged file of each pair that can be read."""
    data = read_whole(file)
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError:
        yield from _mend(file, data.decode("utf-8", "surrogateescape"))
        return
    if not isinstance(document, dict) or not any(key.isdecimal() for key in document):
        raise UnreadableFile(_refusal(file))
    for item, (number, abstract) in enumerate(document.items(), start=1):
        yield f"item {item}", number, abstract


def _mend(file: SourceFile, text: str) -> Iterator[tuple[str, str, object]]:
    if not _FIRST.match(file.head.lstrip()):
        raise UnreadableFile(_refusal(file))
    decoder = json.JSONDecoder()
    at, line, counted = 0, 1, 0
    while pair := _PAIR.search(text, at):
        line += text.count("\n", counted, pair.start(1))
        counted = pair.start(1)
        try:
            abstract, at = decoder.raw_decode(text, pair.end())
        except ValueError:
            abstract, at = _BROKEN, pair.end()
        if isinstance(abstract, str) and _NOT_UTF8.search(abstract):
            abstract = _BROKEN
        yield f"line {line}", pair[1], abstract


def _refusal(file: SourceFile) -> str:
    return (
        f'{file.name} holds no abstracts file ({{"<event id>": "<abstract>"}}). '
        "Leave --as out, or name another format."
    )


SOURCE = Abstracts()
