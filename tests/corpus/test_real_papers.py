"""Real files from the folder that LUNWEN_SHARED names; they are not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lunwen.corpus.catalogue import records
from lunwen.corpus.ingest import ingest, ingest_records
from lunwen.corpus.paper import Status
from lunwen.corpus.store import Store

SHARED = Path(os.environ.get("LUNWEN_SHARED") or Path(__file__).parents[3] / "shared") / "corpora"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="no real papers here: LUNWEN_SHARED names none")


def test_a_program_its_abstracts_and_a_page_of_results_become_one_list(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        page = ingest(store, [str(SHARED / "listing" / "000_17a640d4802a6fae.txt")])
        assert (page.added, page.waiting) == (0, 20)
        report = ingest(store, [str(SHARED / "icml-2026")])
        assert report.added == store.count() == 6_628  # 6,796 events, 168 of them an oral's second one
        assert report.waiting == report.failed == report.skipped == 0
        known = list(store.all_papers())
        assert sum(paper.status is Status.ORAL for paper in known) == 168
        assert sum(paper.abstract is not None for paper in known) == 5_867  # 69 came twice, 4 in the listing
        assert sum("listing" in paper.sources for paper in known) == 20
        assert store.resolve("https://icml.cc/virtual/2026/poster/64393") == "icml2026-O4PweOea13"


def test_pages_of_results_get_their_titles_from_the_catalogue(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        ingest(store, [str(SHARED / "listing")])
        report = ingest_records(store, "catalogue", records())
        assert (report.added, report.waiting) == (80, 0)
        papers = list(store.all_papers())
        assert len(papers) == 80
        # one author alone, and no topic, is too little to go by
        assert [paper.paper_id for paper in papers if not paper.abstract] == ["003-10"]


def test_the_unmerged_pair_of_icml_2019_may_be_one_paper(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        ingest(store, [str(SHARED / "paperlists" / "icml2019.json.gz")])
        found = {paper.title: paper.paper_id for paper in store.all_papers()}
        program = found["Data Poisoning Attacks in Multi-Party Learning"]
        proceedings = found["Universal Multi-Party Poisoning Attacks"]
        assert store.maybe_same(program) == [(proceedings, "the same authors and a similar title")]


def test_two_sources_of_one_conference_overlap(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True) as store:
        ingest(store, [str(SHARED / "paperlists" / "acl2022.json.gz")])
        before = store.count()
        report = ingest(store, [str(SHARED / "acl-xml" / "2022.acl.xml.gz")])
        assert (before, report.added, report.updated) == (1_031, 74, 700)
        shared = [paper for paper in store.all_papers() if set(paper.sources) == {"acl", "paperlists"}]
        assert len(shared) == 700
        assert store.check() == []
