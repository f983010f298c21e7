from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.ingest import ingest_records
from lunwen.corpus.paper import Author, Paper, Record
from lunwen.corpus.pdf.cabinet import Cabinet, file_name
from lunwen.corpus.pdf.text import PdfText
from lunwen.corpus.store import Store
from lunwen.errors import LibraryError, NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXT = PdfText(("Owls hunt.", "", "Owls sleep."), 3)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "library", write=True) as store:
        with store.transaction():
            for name in ("owl", "tern"):
                store.put(Paper(paper_id=name, title=name))
        yield store


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "given.pdf"
    path.write_bytes(b"%PDF-1.7 owls")
    return path


def test_a_pdf_is_kept_with_its_pages_and_where_it_came_from(store: Store, file: Path) -> None:
    cabinet = Cabinet(store)
    before = store.last_seq()
    cabinet.keep("owl", file, TEXT, origin="https://birds.example/owl")
    pdf = cabinet.pdf("owl")
    assert pdf is not None
    assert pdf.path == store.folder / "pdf" / "owl.pdf"
    assert pdf.path.read_bytes() == file.read_bytes()
    assert (pdf.origin, pdf.size, pdf.pages, pdf.passages) == ("https://birds.example/owl", 13, 3, 2)
    assert store.passages("owl") == [(1, "Owls hunt."), (3, "Owls sleep.")]
    assert store.rows_with_text() == {store.row("owl")}
    assert store.last_seq() == before + 1, "the index hears of it"
    assert cabinet.pdf("tern") is None


def test_another_takes_its_place_and_one_without_text_has_none(store: Store, file: Path) -> None:
    cabinet = Cabinet(store)
    cabinet.keep("owl", file, TEXT, origin="a")
    file.write_bytes(b"%PDF-1.7")
    cabinet.keep("owl", file, PdfText((), 0, "it needs a password"), origin="b")
    pdf = cabinet.pdf("owl")
    assert pdf is not None
    assert (pdf.origin, pdf.size, pdf.passages, pdf.remark) == ("b", 8, 0, "it needs a password")
    assert (store.passages("owl"), store.rows_with_text()) == ([], set())
    assert [path.name for path in pdf.path.parent.iterdir()] == ["owl.pdf"]


def test_what_is_dropped_is_gone_and_said_to_be_missing(store: Store, file: Path) -> None:
    cabinet = Cabinet(store)
    cabinet.keep("owl", file, TEXT, origin="a")
    cabinet.drop("owl")
    assert (cabinet.pdf("owl"), store.passages("owl"), list((store.folder / "pdf").iterdir())) == (
        None,
        [],
        [],
    )
    with pytest.raises(NotFound) as refused:
        cabinet.drop("owl")
    assert str(refused.value) == '"owl" has no PDF here. Fetch it with: lunwen fetch "owl"'


def test_a_folder_that_cannot_be_written_leaves_what_was_there(store: Store, file: Path) -> None:
    cabinet = Cabinet(store)
    cabinet.keep("owl", file, TEXT, origin="a")
    with pytest.raises(
        LibraryError, match=r"cannot be written \(No such file or directory\); what was there"
    ):
        cabinet.keep("owl", file.with_name("none.pdf"), PdfText((), 0), origin="b")
    pdf = cabinet.pdf("owl")
    assert pdf is not None
    assert (pdf.origin, len(store.passages("owl"))) == ("a", 2)


def test_a_paper_that_goes_into_another_brings_its_pdf(tmp_path: Path, file: Path) -> None:
    def record(key: str, **more: object) -> Record:
        authors = (Author(name="Ada Owl"), Author(name="Bo Tern"))
        return Record(key=key, title="How owls hunt", authors=authors, year=2024, **more)  # type: ignore[arg-type]

    with Store.open(tmp_path / "library", write=True) as store:
        alone = Record(
            key="b", title="Owls", authors=(Author(name="Ada Owl"),), identifiers={"doi": "10.1/b"}
        )
        ingest_records(store, "jsonl", iter([record("a"), alone]))
        first, second = (paper.paper_id for paper in store.all_papers())
        cabinet = Cabinet(store)
        cabinet.keep(second, file, TEXT, origin="a")
        ingest_records(store, "csl", iter([record("c", identifiers={"doi": "10.1/b"})]))
        assert [paper.paper_id for paper in store.all_papers()] == [first]
        pdf = cabinet.pdf(first)
        assert pdf is not None
        assert pdf.path.is_file()
        assert store.passages(first) == [(1, "Owls hunt."), (3, "Owls sleep.")]
        assert store.rows_with_text() == {store.row(first)}
        cabinet.keep(first, file, PdfText(("Terns dive.",), 1), origin="b")
        assert [path.name for path in pdf.path.parent.iterdir()] == [file_name(first)], "one PDF a paper"
        cabinet.drop(first)
        assert (cabinet.pdf(first), list(pdf.path.parent.iterdir())) == (None, [])


def test_files_of_no_paper_and_papers_without_their_file_are_found(store: Store, file: Path) -> None:
    cabinet = Cabinet(store)
    assert (cabinet.strays(), cabinet.lost()) == ([], [])
    for name in ("owl", "tern"):
        cabinet.keep(name, file, TEXT, origin="a")
    (store.folder / "pdf" / "owl.pdf").rename(store.folder / "pdf" / "stray.pdf")
    assert [path.name for path in cabinet.strays()] == ["stray.pdf"]
    assert cabinet.lost() == ["owl"]


def test_a_readable_id_names_its_file_and_others_are_told_apart() -> None:
    assert file_name("icml2024-owl.7") == "icml2024-owl.7.pdf"
    assert file_name("nul") != "nul.pdf"
    assert re.fullmatch(r"10\.1_owl_tern-[0-9a-f]{12}\.pdf", file_name("10.1/OWL tern"))


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300))
def test_any_id_has_a_name_of_its_own_that_every_file_system_takes(one: str, other: str) -> None:
    name = file_name(one)
    assert re.fullmatch(r"[a-z0-9_-][a-z0-9._-]{0,93}\.pdf", name)
    assert (file_name(other).lower() == name.lower()) == (one == other)
