from __future__ import annotations

import pytest

from lunwen.corpus.paper import Author, Markup, Status
from lunwen.corpus.sources.pmlr import SOURCE
from lunwen.errors import UnreadableFile


def test_a_volume(read):
    records, bad = read(SOURCE, "pmlr.yaml")
    paper, typed, last = records
    assert paper.key == "v97/diaz19a"
    assert paper.identifiers == {"pmlr": "v97/diaz19a"}
    assert paper.title == "Odd Records: A $\\mathcal{O}(1)$ View"
    assert paper.abstract == "It's odd, and 100% so: {\\em very}."
    assert paper.authors == (
        Author(name="Ana Díaz", given="Ana", family="Díaz"),
        Author(name="Mausam", family="Mausam"),
        Author(name="Ludwig van Beethoven", given="Ludwig", family="van Beethoven"),
    )
    assert paper.venue == "Proceedings of the 36th International Conference on Odd Records"
    assert (paper.year, paper.date, paper.pages, paper.volume) == (2019, "2019-05-24", "1-10", "97")
    assert paper.status is Status.ACCEPTED
    assert paper.markup is Markup.LATEX
    assert paper.urls["pdf"] == "http://proceedings.mlr.press/v97/diaz19a/diaz19a.pdf"
    assert (typed.title, typed.abstract) == ("1984", "No")  # not a number, not a truth value
    assert typed.identifiers == {"pmlr": "r5/li19b", "openreview": "abCD-1"}
    assert (typed.track, typed.pages, typed.year) == ("Position Papers", "11-20", 2019)
    assert typed.urls == {"code": "https://github.com/odd/1984"}
    assert last.authors == ()
    assert [(item.place, item.reason) for item in bad] == [
        ("entry 3, line 44", "broken YAML: found unexpected end of stream"),
        ("entry 4, line 47", '"untitled19a" has no title'),
    ]


def test_a_truncated_file_keeps_what_came_before(read, file):
    whole = file("pmlr.yaml").open().read()
    records, bad = read(SOURCE, whole[: whole.index(b"title: 1984") + 8])
    assert [record.key for record in records] == ["v97/diaz19a"]
    assert len(bad) == 1


def test_aliases_do_not_grow(read):
    bomb = b"- title: &a [x, x]\n  issued: &b [*a, *a, *a]\n  author: [*b, *b, *b]\n  id: z\n"
    records, bad = read(SOURCE, bomb)
    assert (records, [item.reason for item in bad]) == ([], ['"z" has no title'])


def test_a_file_without_items_is_refused(read):
    with pytest.raises(UnreadableFile) as error:
        read(SOURCE, b"---\nnothing: here\n")
    assert str(error.value) == 'sample has no citeproc item · each starts with a line "- title: …"'


def test_a_page_of_a_volume(read):
    (paper, other), bad = read(SOURCE, "pmlr.html")
    assert bad == []
    assert paper.key == "list/v97/diaz19a"
    assert paper.title == "Odd Records: A $\\mathcal{O}(1)$ View"
    assert paper.authors == (
        Author(name="Ana Díaz"),
        Author(name="Mausam"),
        Author(name="Ludwig van Beethoven"),
    )
    assert paper.identifiers == {"pmlr": "v97/diaz19a", "openreview": "abCD-1"}
    assert paper.urls == {
        "paper": "https://proceedings.mlr.press/v97/diaz19a.html",
        "pdf": "http://proceedings.mlr.press/v97/diaz19a/diaz19a.pdf",
        "supplementary": "http://proceedings.mlr.press/v97/diaz19a/diaz19a-supp.pdf",
    }
    assert paper.booktitle == "Proceedings of the 36th International Conference on Odd Records"
    assert (paper.year, paper.volume, paper.pages) == (2019, "97", "1-10")
    assert (other.key, other.abstract) == ("list/v97/li19a", None)


def test_a_papers_own_page(read):
    (paper,), bad = read(SOURCE, "pmlr_paper.html")
    assert bad == []
    assert (paper.key, paper.title) == ("v97/li19a", "Not in the YAML")
    assert paper.authors == (Author(name="Lei Li"),)
    assert (paper.year, paper.date, paper.pages, paper.volume) == (2019, "2019-05-24", "11-20", "97")
    assert paper.abstract == "It is missing, and so we say that $a&lt;b$."
    assert paper.urls["paper"] == "https://proceedings.mlr.press/v97/li19a.html"


def test_a_page_without_papers_is_refused(read):
    page = b'<meta name="citation_title" content=""><a href="https://proceedings.mlr.press/">Home</a>'
    with pytest.raises(UnreadableFile) as error:
        read(SOURCE, page)
    assert str(error.value) == (
        "sample holds no paper of PMLR (page 1: no paper: no title). Leave --as out, or name another format."
    )
