"""Papers as lines of JSON and as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import orjson

from lunwen.export.shape import paper_dict, paper_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lunwen.corpus.paper import Paper

COLUMNS = (
    "paper_id",
    "title",
    "authors",
    "abstract",
    "venue",
    "year",
    "topic",
    "status",
    "doi",
    "arxiv",
    "openreview",
    "acl",
    "url",
    "pdf",
    "code",
    "keywords",
    "citations",
    "date",
    "sources",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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
    """Write a header and a row for each paper (RFC 4180, UTF-8).

    Several values in one cell stand between ``; ``, the parts of a topic between ``/``. A cell that a
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
        "topic": "/".join(paper.topic),
        "url": paper.urls.get("paper"),
        "pdf": paper.urls.get("pdf"),
        "code": paper.urls.get("code"),
        "keywords": "; ".join(paper.keywords),
        "sources": "; ".join(paper.sources),
        **{scheme: paper.identifiers.get(scheme) for scheme in ("doi", "arxiv", "openreview", "acl")},
    }
    return [shape.get(name) for name in COLUMNS]


def _cell(value: object) -> str:
    text = "" if value is None else str(value).replace("\x00", "")
    return f"'{text}" if text.startswith(_FORMULA) else text
