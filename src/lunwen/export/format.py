"""The formats in which papers leave, each with what a door needs to offer it: the only list there is."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from lunwen.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lunwen.corpus.paper import Paper


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What can be chosen besides the format; a format leaves alone what it has no use for."""

    key: str = field(
        default="scholar",
        metadata={
            "help": "Citation keys: vaswani2017attention or vaswani-etal-2017-attention.",
            "choices": ("scholar", "acl"),
        },
    )
    style: str = field(
        default="apa",
        metadata={
            "help": "The style of formatted references.",
            "choices": ("apa", "ieee", "acl", "chicago", "nature", "gb7714"),
        },
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            _allow(
                f"{one.name} style" if one.name == "key" else one.name,
                getattr(self, one.name),
                one.metadata["choices"],
            )


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what it is called, how it travels, and what writes it."""

    name: str
    label: str
    media_type: str
    extension: str
    help: str
    write: Callable[[Iterable[Paper], ExportOptions], Iterator[str]]


def _bibtex(papers: Iterable[Paper], options: ExportOptions) -> Iterator[str]:
    from lunwen.export.bibtex import bibtex  # noqa: PLC0415 - each format loads what it needs, and no other

    return bibtex(papers, options.key)


def _ris(papers: Iterable[Paper], _: ExportOptions) -> Iterator[str]:
    from lunwen.export.ris import ris  # noqa: PLC0415 - same

    return ris(papers)


def _csl_json(papers: Iterable[Paper], options: ExportOptions) -> Iterator[str]:
    from lunwen.export.csl import csl_json  # noqa: PLC0415 - same

    return csl_json(papers, options.key)


def _csv(papers: Iterable[Paper], _: ExportOptions) -> Iterator[str]:
    from lunwen.export.tables import csv_rows  # noqa: PLC0415 - same

    return csv_rows(papers)


def _jsonl(papers: Iterable[Paper], _: ExportOptions) -> Iterator[str]:
    from lunwen.export.tables import jsonl  # noqa: PLC0415 - same

    return jsonl(papers)


def _markdown(papers: Iterable[Paper], _: ExportOptions) -> Iterator[str]:
    from lunwen.export.markdown import markdown  # noqa: PLC0415 - same

    return markdown(papers)


def _reference(papers: Iterable[Paper], options: ExportOptions) -> Iterator[str]:
    from lunwen.export.reference import references  # noqa: PLC0415 - same

    return references(papers, options.style)


FORMATS = {
    one.name: one
    for one in (
        Format("bibtex", "BibTeX", "application/x-bibtex", "bib", "BibTeX, for LaTeX.", _bibtex),
        Format(
            "ris", "RIS", "application/x-research-info-systems", "ris", "RIS, for reference managers.", _ris
        ),
        Format(
            "csl-json",
            "CSL-JSON",
            "application/vnd.citationstyles.csl+json",
            "json",
            "CSL-JSON, for pandoc.",
            _csl_json,
        ),
        Format("csv", "CSV", "text/csv", "csv", "CSV, for spreadsheets.", _csv),
        Format("jsonl", "JSON Lines", "application/x-ndjson", "jsonl", "JSON Lines, without loss.", _jsonl),
        Format("markdown", "Markdown", "text/markdown", "md", "Markdown, a reading list.", _markdown),
        Format("reference", "References", "text/plain", "txt", "References in a citation style.", _reference),
    )
}


class Selected:
    """Papers that can be gone through again without being held: ``begin`` is asked each time."""

    def __init__(self, begin: Callable[[], Iterable[Paper]]) -> None:
        self._begin = begin

    def __iter__(self) -> Iterator[Paper]:
        return iter(self._begin())


def export_papers(papers: Iterable[Paper], name: str, options: ExportOptions | None = None) -> Iterator[str]:
    """Write papers in the format called ``name``, piece by piece.

    Args:
        papers: what to write. BibTeX and CSL-JSON go through it twice, since keys must not depend on the
            order; a bare iterator is held in memory for that, so give a ``Selected`` where there are many.
        name: one of ``FORMATS``.
        options: what else was chosen.

    Raises:
        UnknownName: no such format.
    """
    return find_format(name).write(papers, options or ExportOptions())


def find_format(name: str) -> Format:
    """Return a format by its name.

    Raises:
        UnknownName: no such format.
    """
    found = name.strip().lower()
    _allow("format", found, FORMATS)
    return FORMATS[found]


def _allow(what: str, given: str, allowed: Iterable[str]) -> None:
    if given in allowed:
        return
    from difflib import get_close_matches  # noqa: PLC0415 - only needed after a mistake

    names = list(allowed)
    near = get_close_matches(given.lower(), names, n=2, cutoff=0.5)
    closest = f". Closest: {' or '.join(near)}" if near else ""
    raise UnknownName(f'no {what} "{given[:40]}"{closest}. Allowed: {", ".join(names)}')
