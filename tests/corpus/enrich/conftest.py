"""A library of a few papers, and services that know some of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from lunwen.corpus.ingest import ingest_records
from lunwen.corpus.paper import Author, Record
from lunwen.corpus.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.server import Request, Server

OPENALEX, CROSSREF = "api.openalex.org", "api.crossref.org"
ANA, LEI = Author(name="Ana Díaz"), Author(name="Lei Li")
RECORDS = (
    Record(
        key="1",
        title="Odd wheels turn",
        authors=(ANA, LEI),
        abstract="Wheels with an odd number of teeth. Code: https://github.com/odd/wheels.",
        venue="ICML",
        year=2030,
        identifiers={"doi": "10.1234/odd.1", "openreview": "aBc_1"},
        citations=3,
    ),
    Record(key="2", title="Even wheels stop", authors=(LEI,), year=2031, identifiers={"arxiv": "3101.00002"}),
    Record(
        key="3",
        title="Wheels without any id",
        authors=(ANA, LEI),
        abstract="See https://odd.github.io.",
        year=2029,
    ),
    Record(key="4", title="Withdrawn", abstract="Code: https://gitlab.com/odd/none."),
)


def work(number: int, title: str, year: int, authors: tuple[Author, ...], **more: Any) -> dict[str, Any]:
    """A work as OpenAlex has it."""
    return {
        "id": f"https://openalex.org/W{number}",
        "title": title,
        "publication_year": year,
        "authorships": [{"author": {"display_name": one.name, "orcid": one.orcid}} for one in authors],
        **more,
    }


@dataclass
class Services:
    """OpenAlex and Crossref."""

    openalex: dict[str, dict[str, Any]] = field(default_factory=dict)  # by DOI
    titled: list[dict[str, Any]] = field(default_factory=list)
    crossref: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    def answer_openalex(self, request: Request) -> bytes:
        kind, _, value = request.query["filter"].partition(":")
        self.asked[kind] += 1
        found = (
            self.titled
            if kind == "title.search"
            else [self.openalex[doi] for doi in value.split("|") if doi in self.openalex]
        )
        return orjson.dumps({"meta": {"count": len(found)}, "results": found})

    def answer_crossref(self, request: Request) -> bytes:
        self.asked["crossref"] += 1
        dois = [one.removeprefix("doi:") for one in request.query["filter"].split(",")]
        found = [{"DOI": doi, **self.crossref[doi]} for doi in dois if doi in self.crossref]
        return orjson.dumps({"status": "ok", "message-type": "work-list", "message": {"items": found}})


@pytest.fixture
def services(server: Server) -> Services:
    made = Services()
    server.route(OPENALEX, "/works", made.answer_openalex)
    server.route(CROSSREF, "/works", made.answer_crossref)
    return made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "library", write=True) as opened:
        ingest_records(opened, "program", RECORDS)
        yield opened
