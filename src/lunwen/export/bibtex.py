"""Papers as BibTeX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lunwen.export.cite_key import cite_key, keyed
from lunwen.export.link import page_link
from lunwen.export.person import read_person
from lunwen.export.publication import Kind, publication
from lunwen.export.tex import balanced, escape, latex, latex_braced, latex_title, verbatim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lunwen.corpus.paper import Author, Paper

_ENTRIES = {
    Kind.CONFERENCE: ("inproceedings", "booktitle"),
    Kind.JOURNAL: ("article", "journal"),
    Kind.PREPRINT: ("misc", "howpublished"),
    Kind.MANUSCRIPT: ("misc", "howpublished"),
}
_CHINESE = re.compile(r"[\u3400-\u9fff\uac00-\ud7af]")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def bibtex(papers: Iterable[Paper], style: str = "scholar") -> Iterator[str]:
    """Write each paper as one entry, every key once."""
    for paper, key in keyed(papers, style):
        yield f"{entry(paper, key)}\n\n"


def entry(paper: Paper, key: str | None = None) -> str:
    """Write one paper as a BibTeX entry."""
    kind, place = _kind(paper)
    fields = {
        "title": _title(paper),
        "author": " and ".join(_author(author) for author in paper.authors),
        **place,
        "year": str(paper.year or ""),
        "volume": escape(paper.volume or ""),
        "pages": escape(paper.pages or "").replace("--", "-").replace("-", "--"),
        "publisher": escape(paper.publisher or ""),
        "doi": verbatim(paper.identifiers.get("doi", "")),
        "url": verbatim(page_link(paper)),
        "abstract": latex(" ".join((paper.abstract or "").split())),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    month = _month(paper.date)
    lines += [f"  month = {month},"] if month else []
    return "\n".join([f"@{kind}{{{key or cite_key(paper)},", *lines, "}"])


def _kind(paper: Paper) -> tuple[str, dict[str, str]]:
    """Say which sort of entry a paper is and where it appeared."""
    arxiv = paper.identifiers.get("arxiv")
    eprint = {"eprint": verbatim(arxiv), "archiveprefix": "arXiv"} if arxiv else {}
    kind, name = publication(paper)
    entry_type, field = _ENTRIES[kind]
    return entry_type, {field: escape(name), **eprint}


def _title(paper: Paper) -> str:
    if paper.title_bibtex and balanced(paper.title_bibtex):
        return latex_braced(paper.title_bibtex)
    return latex_title(paper.title)


def _author(author: Author) -> str:
    person = read_person(author)
    family = escape(person.family)
    if person.group or (not person.given and " " in family):
        return f"{{{family}}}"
    if _CHINESE.search(person.family):  # written whole, since styles would turn it round and make initials
        return f"{{{escape(author.name)}}}"
    if not person.given:
        return family
    # Several words without particles are one family name only inside a comma form, which this is.
    parts = [family, escape(person.suffix), escape(person.given)]
    return ", ".join(part for part in parts if part)


def _month(date: str | None) -> str | None:
    parts = (date or "").split("-")
    if len(parts) < 2 or not parts[1].isdigit() or not 1 <= int(parts[1]) <= 12:
        return None
    return _MONTHS[int(parts[1]) - 1]
