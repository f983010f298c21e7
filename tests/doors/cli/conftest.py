"""A library small enough to know by heart, and a way to run the program on it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from lunwen.corpus.paper import Author, Paper, Provenance, Status
from lunwen.doors.cli import main
from lunwen.doors.cli.session import Session
from lunwen.errors import NotFound
from lunwen.retrieval.engine import Why
from lunwen.retrieval.request import FacetValue, Item, SearchRequest, SearchResponse, Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.checkup import Finding

PAPERS = (
    Paper(
        paper_id="lw1",
        title="Bilevel Owls",
        authors=tuple(Author(name=f"Owl Number{number}") for number in range(1, 13)),
        abstract="Owls of the first order. " * 30,
        venue="ICML",
        year=2026,
        topic=("Birds", "Owls"),
        status=Status.ORAL,
        identifiers={"arxiv": "2601.00001"},
        urls={"paper": "https://example.org/owls"},
        summary={"en": "Owls, in short.", "zh": "猫头鹰。"},
        sources=("program",),
    ),
    Paper(
        paper_id="lw2",
        title="=SUM(A1) & Other Titles",
        authors=(Author(name="Lei Li", affiliation="Nowhere"),),
        year=2025,
    ),
)
SPANS = (((0, 4), (12, 17), (25, 29)), ())  # "Owls", "first", "Owls" of the abstract
WHY = (Why(2, 1, 0.6123), None)


@dataclass
class FakeLibrary:
    """Finds all its papers for any query but "nothing"; remembers what it was asked."""

    folder: Path = Path("/nowhere")
    asked: list[SearchRequest] = field(default_factory=list)
    report: Any = None
    findings: list[Finding] = field(default_factory=list)
    reindexed: bool = False
    closed: bool = False
    has_vectors: bool = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True

    def search(self, request: SearchRequest) -> SearchResponse:
        self.asked.append(request)
        papers = () if "nothing" in request.query else PAPERS
        return SearchResponse(
            total=len(papers),
            total_is_exact=True,
            offset=request.offset,
            next_offset=None,
            took_ms=1.23456,
            items=tuple(
                Item(paper=paper, score=2.0, title_spans=((0, 7),), abstract_spans=spans, why=why)
                for paper, spans, why in zip(papers, SPANS, WHY, strict=False)
            ),
            facets={"venue": (FacetValue("ICML", 1),)},
            query_reading="read as words",
            explanation="" if papers else 'no paper has "nothing"',
            suggestions=()
            if papers
            else (
                Suggestion(
                    query="-owls",
                    total=2,
                    why="without venue: ICML",
                    request=replace(request, query="-owls", venue=()),
                ),
            ),
            index_version="v1",
            warnings=("a warning",) if "warn" in request.query else (),
        )

    def select(self, request: SearchRequest) -> Iterator[Paper]:
        self.asked.append(request)
        return iter(PAPERS)

    def paper(self, text: str) -> Paper:
        for paper in PAPERS:
            if text in (paper.paper_id, *paper.identifiers.values()):
                return paper
        raise NotFound(f'no paper "{text}". Find its id with: lunwen search')

    def provenance(self, paper_id: str) -> list[Provenance]:
        return [
            Provenance(
                field="title",
                value="Bilevel Owls",
                source="program",
                file=f"{paper_id}.json",
                imported="2026-01-02T03:04:05Z",
                chosen=True,
            )
        ]

    def pdf(self, _paper: str) -> None:
        return None

    def maybe_same(self, paper_id: str) -> list[tuple[Paper, str]]:
        return [(PAPERS[1], "same authors")] if paper_id == "lw1" else []

    def collections_of(self, paper_ids: Sequence[str]) -> dict[str, list[str]]:
        return {"lw1": ["starred", "to read"]} if "lw1" in paper_ids else {}

    def notes(self, paper_ids: Sequence[str]) -> dict[str, str]:
        return {"lw1": "ask Ana"} if "lw1" in paper_ids else {}

    def similar(self, text: str, limit: int = 20) -> list[tuple[Paper, float]]:
        own = self.paper(text)
        return [(one, 0.54321) for one in PAPERS if one != own][:limit] if self.has_vectors else []

    why_none_similar = "search by meaning is not ready. Make it ready with: lunwen reindex"

    def stats(self) -> dict[str, Any]:
        return {"papers": 2, "with_abstract": 1, "sources": {"program": 1}}

    def venues(self) -> list[dict[str, Any]]:
        return [
            {"venue": "ICML", "years": {2020: 1000, 2021: 200, 2026: 34}, "papers": 1234},
            {"venue": "NeurIPS", "years": {2018: 5}, "papers": 5},
        ]

    def topics(self) -> list[FacetValue]:
        return [
            FacetValue("Birds", 9),
            FacetValue("Birds/Owls", 4),
            FacetValue("Trees", 20),
            FacetValue("Birds/Terns", 5),
        ]

    def doctor(self, repair: bool = False) -> list[Finding]:
        self.findings = [replace(one, repaired=repair) for one in self.findings]
        return self.findings

    def reindex(self, **_: object) -> None:
        self.reindexed = True

    def import_files(self, paths: Sequence[str], **_: object) -> Any:
        self.imported = list(paths)
        return self.report

    def import_catalogue(self) -> Any:
        self.imported = ["the catalogue"]
        return self.report


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> FakeLibrary:
    fake = FakeLibrary()
    monkeypatch.setattr(Session, "open_library", lambda _self, *, write=False: fake)  # noqa: ARG005
    for name in ("NO_COLOR", "LC_ALL", "LC_MESSAGES", "LANG", "LUNWEN_LIBRARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    return fake


@dataclass
class Ran:
    """What one run of the program left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*args: str) -> Ran:
        code = main(args)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run
