"""The built-in catalogue: the papers whose methods run, summarised in English and in Chinese."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import orjson

from lunwen.corpus.merge import Sighting, merge
from lunwen.corpus.paper import Author, Markup, Record, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.paper import Paper


def records() -> Iterator[Record]:
    """Yield the catalogue's papers in order of their keys."""
    with files(__name__).joinpath("papers.jsonl").open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            yield _read(orjson.loads(line), place=f"line {number}")


def _read(paper: dict[str, Any], place: str) -> Record:
    return Record(
        key=paper["paper_id"],
        title=paper["title"],
        authors=tuple(Author(name=name) for name in paper["authors"]),
        venue=paper["venue"],
        year=paper["year"],
        topic=tuple(paper["topic"]),
        status=Status(paper["status"]),
        identifiers=paper["identifiers"],
        urls=paper["urls"],
        keywords=tuple(paper["keywords"]),
        summary=paper["summary"],
        pages=paper.get("pages"),
        volume=paper.get("volume"),
        notes=tuple(paper["notes"]),
        markup=Markup.CLEAN,
        place=place,
    )


def find(paper_id: str) -> Paper | None:
    """Return one of the catalogue's papers, whatever library is open."""
    for record in records():
        if record.key == paper_id:
            return merge([Sighting(record, "catalogue", "catalogue", "")], paper_id)
    return None
