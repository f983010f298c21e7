from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.paper import Paper
from lunwen.corpus.store import Store
from lunwen.errors import NotFound, UnreadableFile
from lunwen.library import Library
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.server import Server

    from lunwen.corpus.fetch.client import HttpFetcher

ARXIV, PATH = "arxiv.org", "/pdf/2601.00001"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(Store.open(tmp_path / "library", write=True)) as library:
        with library._store.transaction():
            for name, identifiers in (
                ("owl", {"arxiv": "2601.00001"}),
                ("tern", {"acl": "T99-1"}),
                ("kite", {}),
            ):
                library._store.put(Paper(paper_id=name, title=f"On the {name}", identifiers=identifiers))
        library.catch_up()
        yield library


def find(library: Library, query: str) -> list[tuple[str, int | None]]:
    items = library.search(SearchRequest(query=query)).items
    return [(item.paper.paper_id, item.passage.page if item.passage else None) for item in items]


def test_a_pdf_is_fetched_once_and_its_text_is_found(
    library: Library, server: Server, fetcher: HttpFetcher, make_pdf: Callable[..., bytes]
) -> None:
    server.put(ARXIV, PATH, make_pdf("Owls hunt.", "They swoop on voles."), media_type="application/pdf")
    (one,) = library.fetch_pdfs(["owl"], fetcher)
    assert (one.paper_id, one.outcome) == ("owl", "fetched")
    assert one.pdf is not None
    assert (one.pdf.origin, one.pdf.pages) == ("https://arxiv.org/pdf/2601.00001", 2)
    assert find(library, "text:swooping") == [("owl", 2)]
    assert find(library, "swoop") == [], "a search of papers knows nothing of their text"
    (again,) = library.fetch_pdfs(["owl"], fetcher)
    assert again.outcome == "unchanged"
    assert server.asked == ["arxiv.org/pdf/2601.00001"]


def test_it_is_fetched_afresh_when_asked_and_a_newer_one_takes_its_place(
    library: Library, server: Server, fetcher: HttpFetcher, make_pdf: Callable[..., bytes]
) -> None:
    server.put(ARXIV, PATH, make_pdf("Owls hunt."))
    library.fetch_pdfs(["owl"], fetcher)
    server.put(ARXIV, PATH, make_pdf("Owls sleep."))
    (one,) = library.fetch_pdfs(["owl"], fetcher, fresh=True)
    assert one.outcome == "fetched"
    assert (find(library, "text:sleep"), find(library, "text:hunt")) == ([("owl", 1)], [])


def test_what_fails_is_told_the_others_are_fetched_and_what_was_here_stays(
    library: Library, server: Server, fetcher: HttpFetcher, make_pdf: Callable[..., bytes]
) -> None:
    server.put(ARXIV, PATH, make_pdf("Owls hunt."))
    library.fetch_pdfs(["owl"], fetcher)
    server.put(ARXIV, PATH, "<!doctype html>Are you a robot?", media_type="text/html")
    server.put("aclanthology.org", "/T99-1.pdf", make_pdf("Terns dive."))
    progress: list[tuple[int, int | None, str]] = []
    owl, tern, kite = library.fetch_pdfs(
        ["owl", "tern", "kite"], fetcher, fresh=True, progress=lambda *told: progress.append(told)
    )
    assert (owl.outcome, tern.outcome, kite.outcome) == ("failed", "fetched", "failed")
    assert owl.reason == (
        '"https://arxiv.org/pdf/2601.00001" is a web page and no PDF. '
        "Give a PDF that opens elsewhere: lunwen fetch ID --file PATH.pdf"
    )
    assert kite.reason.startswith('no PDF of "kite" is known. ')
    assert find(library, "text:hunt") == [("owl", 1)]
    assert find(library, "text:dive") == [("tern", 1)]
    assert [told for told in progress if told[2] == "fetching"] == [
        (done, 3, "fetching") for done in range(4)
    ]


def test_where_the_venue_refuses_the_preprint_is_taken(
    library: Library, server: Server, fetcher: HttpFetcher, make_pdf: Callable[..., bytes]
) -> None:
    with library._store.transaction():
        identifiers = {"openreview": "oWl", "arxiv": "2601.00001"}
        library._store.put(Paper(paper_id="owl", title="On the owl", identifiers=identifiers))
    server.put("openreview.net", "/pdf", "no", status=403)
    server.put(ARXIV, PATH, make_pdf("Owls hunt."))
    (one,) = library.fetch_pdfs(["owl"], fetcher)
    assert one.pdf is not None
    assert one.pdf.origin == "https://arxiv.org/pdf/2601.00001"
    assert server.asked == ["openreview.net/pdf?id=oWl", "arxiv.org/pdf/2601.00001"]


def test_nothing_is_fetched_where_one_is_no_paper(
    library: Library, server: Server, fetcher: HttpFetcher
) -> None:
    with pytest.raises(NotFound, match=r'^no paper "crow"\. '):
        library.fetch_pdfs(["owl", "crow"], fetcher)
    assert server.asked == []


def test_what_was_fetched_before_an_interruption_is_kept_and_found(
    library: Library, server: Server, fetcher: HttpFetcher, make_pdf: Callable[..., bytes]
) -> None:
    server.put(ARXIV, PATH, make_pdf("Owls hunt."))

    def stop(done: int, _total: int | None, what: str) -> None:
        if what == "fetching" and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.fetch_pdfs(["owl", "tern"], fetcher, progress=stop)
    assert find(library, "text:hunt") == [("owl", 1)]


def test_a_pdf_that_the_reader_has_is_copied(
    library: Library, tmp_path: Path, make_pdf: Callable[..., bytes]
) -> None:
    path = tmp_path / "mine.pdf"
    path.write_bytes(make_pdf("Kites glide."))
    pdf = library.take_pdf("kite", path)
    path.write_text("no longer")
    assert (pdf.origin, find(library, "text:glide")) == (str(path), [("kite", 1)])
    with pytest.raises(UnreadableFile):
        library.take_pdf("kite", path)
    assert find(library, "text:glide has:text") == [("kite", 1)], "bad input loses nothing"
    assert library.stats()["has"] == {"text": 1}


def test_pdfs_are_dropped_all_or_none(
    library: Library, tmp_path: Path, make_pdf: Callable[..., bytes]
) -> None:
    path = tmp_path / "mine.pdf"
    path.write_bytes(make_pdf("Kites glide."))
    library.take_pdf("kite", path)
    with pytest.raises(NotFound, match=r'^"owl" has no PDF here\. '):
        library.drop_pdfs(["kite", "owl"])
    assert find(library, "text:glide") == [("kite", 1)]
    library.drop_pdfs(["kite", "kite"])
    assert (find(library, "text:glide"), library.pdf("kite")) == ([], None)
    response = library.search(SearchRequest(query="text:glide"))
    assert response.explanation == "no paper's text is here. Bring one in with: lunwen fetch ID"


def test_a_doctor_finds_and_mends_what_is_wrong_with_the_folder(
    library: Library, tmp_path: Path, make_pdf: Callable[..., bytes]
) -> None:
    path = tmp_path / "mine.pdf"
    path.write_bytes(make_pdf("Kites glide."))
    library.take_pdf("kite", path)
    assert library.doctor() == []
    pdf = library.pdf("kite")
    assert pdf is not None
    pdf.path.rename(pdf.path.with_name("stray.pdf"))
    said = [(one.what, one.count, one.repaired) for one in library.doctor()]
    assert said == [
        ("files among the PDFs that belong to no paper", 1, False),
        ("papers whose PDF is no longer there", 1, False),
    ]
    assert [one.repaired for one in library.doctor(repair=True)] == [True, True]
    assert (library.doctor(), find(library, "text:glide"), list(pdf.path.parent.iterdir())) == ([], [], [])


def test_the_pdf_of_a_paper_that_is_gone_goes_with_it(
    library: Library, tmp_path: Path, make_pdf: Callable[..., bytes]
) -> None:
    path = tmp_path / "mine.pdf"
    path.write_bytes(make_pdf("Kites glide."))
    library.take_pdf("kite", path)
    with library._store.transaction() as db:
        db.execute("DELETE FROM papers WHERE paper_id = 'kite'")
    library.doctor(repair=True)
    assert library._store.passages("kite") == []
    assert list((library.folder / "pdf").iterdir()) == []
    assert library.doctor() == []


def test_the_text_is_still_found_after_the_index_was_built_anew(
    library: Library, tmp_path: Path, make_pdf: Callable[..., bytes]
) -> None:
    path = tmp_path / "mine.pdf"
    path.write_bytes(make_pdf("Kites glide."))
    library.take_pdf("kite", path)
    library.reindex()
    assert find(library, "text:glide") == [("kite", 1)]


def test_a_pdf_is_kept_while_another_process_writes_and_indexed_by_it(
    library: Library, tmp_path: Path, server: Server, fetcher: HttpFetcher, make_pdf: Callable[..., bytes]
) -> None:
    server.put(ARXIV, PATH, make_pdf("Owls hunt."))
    path = tmp_path / "mine.pdf"
    path.write_bytes(make_pdf("Kites glide."))
    with Library(Store.open(library.folder)) as reader:
        reader.take_pdf("kite", path)
        assert [one.outcome for one in reader.fetch_pdfs(["owl"], fetcher)] == ["fetched"]
        assert (reader.behind, find(reader, "text:glide")) == (True, [])
        library.catch_up()
        assert (reader.behind, find(reader, "text:glide")) == (False, [("kite", 1)])
        library.close()
        reader.drop_pdfs(["kite", "owl"])
        assert (reader.behind, find(reader, "text:glide")) == (False, [])
