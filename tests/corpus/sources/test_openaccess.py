from __future__ import annotations

import pytest

from lunwen.corpus.paper import Author, Markup, Status
from lunwen.corpus.prepare import clean_record
from lunwen.corpus.sources import cvf, ecva
from lunwen.errors import UnreadableFile

CVF = "https://openaccess.thecvf.com/content/CVPR2031"
OWN = "Diaz_Odd_Pictures_A__B_and_Back_CVPR_2031_paper"
ECVA = "https://www.ecva.net/papers/eccv_2032/papers_ECCV"


def test_a_listing(read):
    (paper, workshop), bad = read(cvf.SOURCE, "cvf.html")
    assert paper.key == OWN
    assert paper.title == "Odd Pictures: $A&lt;B$ &amp; Back, On H<sub>2</sub>O"
    assert [author.name for author in paper.authors] == ["Ana Díaz", "Sammy Davis, Jr.", "Luc Van Odd"]
    assert paper.identifiers == {"cvf": OWN, "arxiv": "3101.00007"}
    assert paper.urls == {
        "paper": f"{CVF}/html/{OWN}.html",
        "pdf": f"{CVF}/papers/{OWN}.pdf",
        "supplementary": f"{CVF}/supplemental/Diaz_Odd_Pictures_A_CVPR_2031_supplemental.pdf",
    }
    assert paper.booktitle == (
        "Proceedings of the IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)"
    )
    assert (paper.year, paper.date, paper.pages, paper.abstract) == (2031, "2031-06", "1-10", None)
    assert (paper.status, paper.markup) == (Status.ACCEPTED, Markup.HTML)
    assert clean_record(paper).title == "Odd Pictures: $A<B$ & Back, On H₂O"
    assert clean_record(paper).venue == "CVPR"
    assert workshop.authors == (Author(name="Lei Li"), Author(name="Wei Wang"))
    assert workshop.venue is None  # a workshop is not the conference
    assert workshop.urls["paper"].startswith(
        "https://openaccess.thecvf.com/content_CVPR_2031_workshops/w5/html/"
    )
    assert [(item.place, item.reason) for item in bad] == [("line 52", "no link to its page")]


def test_a_papers_own_page_adds_the_abstract(read):
    (listed, _), _ = read(cvf.SOURCE, "cvf.html")
    (paper,), bad = read(cvf.SOURCE, "cvf_paper.html")
    assert bad == []
    assert paper.key == f"{OWN}.html"
    same = ("title", "authors", "identifiers", "urls", "venue", "year", "date", "pages")
    assert [getattr(paper, name) for name in same] == [getattr(listed, name) for name in same]
    assert clean_record(paper).abstract == (  # "<" that opens no tag
        "We look at odd pictures where $x<y$ and $i<n$ and a<b holds, and look away again. "
        "Code is at https://github.com/odd/pictures."
    )


def test_a_page_without_the_foundations_own_blocks(read, file):
    page = file("cvf_paper.html").open().read()
    bare = page.partition(b"<body>")[0] + b"<body></body></html>"
    (paper,), _ = read(cvf.SOURCE, bare)
    assert [author.name for author in clean_record(paper).authors] == [
        "Ana Diaz",
        "Sammy Davis",
        "Luc Van Odd",
    ]
    assert clean_record(paper).title == "Odd Pictures: $A<B$ & Back, On H2O"
    assert (paper.venue, paper.year) == ("cvpr", 2031)
    assert paper.urls["paper"] == f"{CVF}/html/{OWN}.html"


def test_ecva_marks_equal_contributions_and_quotes_abstracts(read):
    papers, bad = read(ecva.SOURCE, "ecva.html")
    assert bad == []
    assert [(paper.key, paper.year) for paper in papers] == [
        ("4_ECCV_2032_paper", 2032),
        ("17_ECCV_2032_paper", 2032),
        ("267_ECCV_2030_paper", 2030),
    ]
    first = papers[0]
    assert first.title == "Is All You Need Odd?"
    assert first.authors == (Author(name="Ana Díaz"), Author(name="Luc Van Odd"), Author(name="Wei Wang"))
    assert first.identifiers == {"cvf": "4_ECCV_2032_paper", "doi": "10.1007/978-3-031-99999-4_1"}
    assert first.urls == {
        "paper": f"{ECVA}/html/4_ECCV_2032_paper.php",
        "pdf": f"{ECVA}/papers/00004.pdf",
        "supplementary": f"{ECVA}/papers/00004-supp.pdf",
    }
    assert clean_record(first).venue == "ECCV"
    (own,), _ = read(ecva.SOURCE, "ecva_paper.html")
    assert own.abstract == "We ask what is needed, and find that half of it is odd."
    assert (own.authors, own.identifiers, own.urls) == (first.authors, first.identifiers, first.urls)


def test_pages_after_each_other_are_read_each_on_its_own(read, file):
    paper = file("ecva_paper.html").open().read()
    other = b"<!-- saved from url=(25)https://www.ecva.net/gone -->\n<title>Not here</title><p>It moved.</p>"
    records, bad = read(ecva.SOURCE, paper + other + paper.replace(b"4_ECCV", b"5_ECCV"))
    assert [record.identifiers["cvf"] for record in records] == ["4_ECCV_2032_paper", "5_ECCV_2032_paper"]
    assert [(item.place, item.reason) for item in bad] == [
        ("https://www.ecva.net/gone", 'no paper: "Not here"')
    ]


def test_pages_of_old_are_not_utf_8(read):
    page = (
        '<dt class="ptitle"><br><a href="content_cvpr_2013/html/Diaz_Odd_2013_CVPR_paper.html">Odd</a></dt>'
        "<dd>Ana Díaz</dd>"
    )
    (paper,), _ = read(cvf.SOURCE, page.encode("cp1252"))
    assert paper.authors == (Author(name="Ana Díaz"),)
    assert (paper.venue, paper.year) == ("cvpr", 2013)
    assert paper.identifiers == {"cvf": "Diaz_Odd_2013_CVPR_paper"}


def test_a_page_without_papers_is_refused(read):
    with pytest.raises(UnreadableFile) as error:
        read(cvf.SOURCE, b"<html><title>We will be back</title></html>")
    assert str(error.value) == (
        'sample holds no paper of CVF (page 1: no paper: "We will be back"). '
        "Leave --as out, or name another format."
    )
