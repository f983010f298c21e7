from __future__ import annotations

import pytest

from lunwen.corpus.paper import Author, Status
from lunwen.corpus.prepare import clean_record
from lunwen.corpus.sources.proceedings import SOURCE
from lunwen.errors import UnreadableFile

HASH = "0" * 31 + "1"
BOOK = "Advances in Neural Information Processing Systems"


def test_a_year(read):
    (paper, benchmark, older), bad = read(SOURCE, "proceedings.html")
    assert paper.key == paper.identifiers["neurips"] == f"2031/{HASH}"
    assert paper.title == "Odd Networks with $\\ell_2$ &amp; more"
    assert [author.name for author in paper.authors] == ["Ana Díaz", "Sammy Davis, Jr.", "Luc Van Odd"]
    assert paper.urls == {
        "paper": f"https://papers.nips.cc/paper_files/paper/2031/hash/{HASH}-Abstract-Conference.html"
    }
    assert (paper.venue, paper.year, paper.booktitle, paper.volume) == ("neurips", 2031, BOOK, "44")
    assert (paper.status, paper.track) == (Status.ACCEPTED, None)
    assert benchmark.track == "Datasets and Benchmarks Track"
    assert (older.title, older.track) == ("In the Older Layout", None)
    assert older.authors == (Author(name="Wei Wang"), Author(name="Lei Li"))
    assert [(item.place, item.reason) for item in bad] == [("line 29", "no title")]


def test_a_papers_own_page(read):
    (paper,), bad = read(SOURCE, "proceedings_paper.html")
    assert bad == []
    assert paper.key == f"2031/{HASH}-Abstract"
    assert paper.authors == (
        Author(name="Ana Díaz", given="Ana", family="Díaz"),
        Author(name="Luc Van Odd", given="Luc", family="Van Odd"),
        Author(name="Mausam"),
    )
    assert (paper.pages, paper.date, paper.volume, paper.booktitle) == ("101-112", "2031-12-08", "44", BOOK)
    site = "https://proceedings.neurips.cc/paper_files/paper/2031"
    assert paper.urls == {
        "paper": f"{site}/hash/{HASH}-Abstract-Conference.html",
        "pdf": f"{site}/file/{HASH}-Paper-Conference.pdf",
        "supplementary": f"{site}/file/{HASH}-Supplemental-Conference.zip",
    }
    clean = clean_record(paper)
    assert clean.title == "Odd Networks with $\\ell_2$ & more, a<b"
    assert clean.abstract == "We train odd networks where $x<y$ and the loss is odd.\n\nThey stay so."


def test_the_abstract_in_the_layout_of_2025(read, file):
    page = file("proceedings_paper.html").open().read()
    old = b"<h4>Abstract</h4>\n<p>\n"
    assert old in page
    new = page.replace(old, b'<h2 class="section-label">Abstract</h2>\n<p class="paper-abstract">\n')
    assert read(SOURCE, new)[0][0].abstract == read(SOURCE, page)[0][0].abstract


@pytest.mark.parametrize(
    ("book", "venue", "neurips", "volume"),
    [
        ("International Conference on Representation Learning 2031 (ICLR 2031)", "iclr.cc", "iclr-", None),
        ("Proceedings of Machine Learning and Systems 13 (MLSys 2031)", "mlsys.org", "mlsys-", "13"),
    ],
)
def test_its_sisters_are_told_by_the_book(read, file, book, venue, neurips, volume):
    page = file("proceedings.html").open().read()
    papers, _ = read(SOURCE, page.replace(f"{BOOK} 44 (NeurIPS 2031)".encode(), book.encode()))
    first = papers[0]
    assert first.urls["paper"].startswith(f"https://proceedings.{venue}/paper_files/paper/2031/hash/")
    assert first.identifiers == {"neurips": f"{neurips}2031/{HASH}"}  # each counts its papers from one
    assert clean_record(first).venue == {"iclr.cc": "ICLR", "mlsys.org": "MLSys"}[venue]
    assert first.volume == volume


def test_a_page_without_papers_is_refused(read):
    with pytest.raises(UnreadableFile) as error:
        read(SOURCE, b"<html><title>NeurIPS 2032</title><ul class='paper-list'></ul></html>")
    assert str(error.value) == (
        'sample holds no paper of these proceedings (page 1: no paper: "NeurIPS 2032"). '
        "Leave --as out, or name another format."
    )
