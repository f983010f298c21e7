"""The formats that are read, in the order in which a file is tried on them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from lunwen.corpus.sources import (
    abstracts,
    acl,
    airas,
    arxiv,
    bibtex,
    crossref,
    csl,
    cvf,
    dblp,
    ecva,
    jsonl,
    listing,
    openalex,
    openreview,
    paperlists,
    pmlr,
    proceedings,
    program,
    ris,
    table,
)
from lunwen.errors import UnknownName, UnreadableFile

if TYPE_CHECKING:
    from lunwen.corpus.source import Source, SourceFile

#: In sniffing order: a form with marks of its own before one that is known by a few usual names.
SOURCES: tuple[Source, ...] = (
    program.SOURCE, abstracts.SOURCE, openreview.SOURCE, paperlists.SOURCE, airas.SOURCE, acl.SOURCE,
    dblp.SOURCE, arxiv.SOURCE, openalex.SOURCE, crossref.SOURCE, pmlr.SOURCE, cvf.SOURCE, ecva.SOURCE,
    proceedings.SOURCE, csl.SOURCE, jsonl.SOURCE, bibtex.SOURCE, ris.SOURCE, listing.SOURCE, table.SOURCE,
)  # fmt: skip


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
    lacks = jsonl.say_what_lacks(file)
    raise UnreadableFile(
        f"{file.name} is in no format that is read here. {lacks and lacks + ' '}Name one with --as: {names}."
    )
