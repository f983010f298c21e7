"""The formats that are read, in the order in which a file is tried on them."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from lunwen.errors import UnknownName, UnreadableFile

if TYPE_CHECKING:
    from lunwen.corpus.source import Source, SourceFile

_NAMES = "program abstracts openreview paperlists airas acl dblp arxiv crossref pmlr csl jsonl bibtex ris listing table"
SOURCES: tuple[Source, ...] = tuple(
    import_module(f"{__name__}.{name}").SOURCE for name in _NAMES.split() if find_spec(f"{__name__}.{name}")
)


def find_source(name: str) -> Source:
    """Return the source that ``--as`` names.

    Raises:
        UnknownName: no such source.
    """
    for source in SOURCES:
        if source.name == name.strip().lower():
            return source
    names = [source.name for source in SOURCES]
    near = get_close_matches(name.lower(), names, n=2)
    closest = f" Closest: {', '.join(near)}." if near else ""
    raise UnknownName(f'No format "{name}".{closest} Formats: {", ".join(names)}.')


def sniff(file: SourceFile) -> Source:
    """Return the source that recognises ``file`` from what is in it.

    Raises:
        UnreadableFile: none does, or the file is damaged.
    """
    if not file.head:
        file.open().close()  # says what is wrong
    for source in SOURCES:
        if source.sniff(file):
            return source
    names = ", ".join(source.name for source in SOURCES)
    raise UnreadableFile(f"{file.name} is in no format that is read here. Name one with --as: {names}.")
