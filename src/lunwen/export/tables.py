"""Papers as lines of JSON and as CSV."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

import orjson

from lunwen.export.shape import paper_dict, paper_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lunwen.corpus.paper import Paper

_IDENTIFIERS = ("doi", "arxiv", "openreview", "acl", "dblp", "pmlr", "cvf", "neurips", "s2", "event", "uid")
_LINKS = (
    "pdf",
    "code",
    "project",
    "video",
    "poster",
    "slides",
    "supplementary",
    "software",
    "dataset",
    "page",
)
COLUMNS = (
    *("paper_id", "title", "authors", "abstract", "venue", "year", "topic", "status", "track", "award"),
    *("booktitle", "publisher", "volume", "pages", "date"),
    *_IDENTIFIERS,
    *("url", *_LINKS),
    *("keywords", "tldr", "citations", "sources"),
)
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def jsonl(papers: Iterable[Paper]) -> Iterator[str]:
    """Write each paper whole as one line of JSON; importing the lines gives the same papers."""
    for paper in papers:
        yield orjson.dumps(paper_record(paper)).decode() + "\n"


def json_array(papers: Iterable[Paper]) -> Iterator[str]:
    """Write the papers as one JSON array, a line for each."""
    before = "[\n"
    for line in jsonl(papers):
        yield before + line.rstrip("\n")
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def csv_rows(papers: Iterable[Paper]) -> Iterator[str]:
    r"""Write a header and a row for each paper (RFC 4180, UTF-8).

    Several values in one cell stand between ``; ``, the parts of a topic between ``/``, where a slash within
    a part is ``\/``. A cell that a
    spreadsheet would run as a formula (it begins with ``=``, ``+``, ``-``, ``@``, tab or return) gets an
    apostrophe in front, as spreadsheets themselves write such text.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)

    def flush() -> str:
        text = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return text

    writer.writerow(COLUMNS)
    yield flush()
    for paper in papers:
        writer.writerow([_cell(value) for value in _row(paper)])
        yield flush()


def _row(paper: Paper) -> list[object]:
    shape = paper_dict(paper)
    shape |= {
        "authors": "; ".join(author.name for author in paper.authors),
        "topic": "/".join(re.sub(r"[\\/]", r"\\\g<0>", part) for part in paper.topic),
        "url": paper.urls.get("paper"),
        **{name: paper.urls.get(name) for name in _LINKS},
        "keywords": "; ".join(paper.keywords),
        "sources": "; ".join(paper.sources),
        **{scheme: paper.identifiers.get(scheme) for scheme in _IDENTIFIERS},
    }
    return [shape.get(name) for name in COLUMNS]


def _cell(value: object) -> str:
    text = "" if value is None else str(value).replace("\x00", "")
    return f"'{text}" if _FORMULA.match(text) else text
