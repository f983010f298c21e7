from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.paper import Author, Markup, Status
from lunwen.corpus.source import SourceFile
from lunwen.corpus.sources.bibtex import SOURCE, _evaluate, _unwrap
from lunwen.errors import UnreadableFile


def test_entries(read):
    records, bad = read(SOURCE, "odd.bib")
    papers = {record.key: record for record in records}
    assert len(papers) == len(records) == 13
    one = papers["one"]
    assert one.title == one.title_bibtex == "{BERT}: A {D}eep \\emph{Thing} for {\\$}5 \\& more"
    assert one.authors == (
        Author(name='Erwin Schr{\\"o}dinger', given="Erwin", family='Schr{\\"o}dinger'),
        Author(name="Alan D. Sokal"),
        Author(name="Simon and Schuster"),
        Author(name="Ludwig van Beethoven", given="Ludwig", family="van Beethoven"),
        Author(name="Martin Luther King Jr.", given="Martin Luther", family="King"),
    )
    assert one.notes == ("the source has only the first authors",)
    assert one.venue == one.booktitle == "Proceedings of ODD"  # of a string made of two
    assert (one.year, one.date, one.pages, one.keywords) == (2019, "2019-01", "1--10", ("odd", "even"))
    assert one.identifiers == {"doi": "10.1234/odd_7", "openreview": "Ab-_9"}
    assert one.abstract == "We count 5\\% of it."
    assert one.markup is Markup.LATEX
    two = papers["two"]
    assert two.title == "Quoted ``title'', with @ sign"
    assert [author.name for author in two.authors] == ["Jane Doe", "Richard Roe"]
    assert (two.venue, two.booktitle, two.volume, two.date) == ("Odd Letters", None, "5", "2001-03")
    assert papers["two:line 17"].title == "The key again"
    assert papers["twice"].title == "First of two fields"
    child = papers["child"]
    assert (child.booktitle, child.year, child.publisher) == ("Proceedings of Crossref", 2018, "Odd Press")
    assert "No key" in papers
    assert [(item.place, item.reason) for item in bad] == [
        (
            "line 9",
            (
                "broken BibTeX: Unexpected block start: `@article`."
                " Was still looking for field-value closing `}`"
            ),
        ),
        ("line 18", "broken BibTeX: Expected comma after entry key, but found ="),
        ("line 38", 'entry "untitled" has no title'),
        ("line 39", "broken BibTeX: Unexpectedly reached end of file"),
    ]


def test_identifiers_of_the_sites(read):
    records, _ = read(SOURCE, "odd.bib")
    papers = {record.key: record for record in records}
    for key, arxiv in (("paren", "1801.00001"), ("journalarxiv", "1301.3780")):
        assert papers[key].identifiers == {"arxiv": arxiv}
        assert (papers[key].venue, papers[key].status) == ("arXiv", Status.PREPRINT)
    dblp = papers["DBLP:journals/corr/abs-2101-00001"]
    assert dblp.identifiers == {"dblp": "journals/corr/abs-2101-00001", "arxiv": "2101.00001"}
    assert dblp.authors == (
        Author(name="Wenbo Guo", given="Wenbo", family="Guo", author_id="Wenbo Guo 0001"),
    )
    pmlr = papers["pmlr-v97-mao19a"]
    assert pmlr.identifiers == {"pmlr": "v97/mao19a"}
    assert (pmlr.title, pmlr.abstract) == ("From PMLR", "An abstract.")
    assert pmlr.urls["pdf"] == "http://proceedings.mlr.press/v97/mao19a/mao19a.pdf"
    assert papers["acl"].identifiers == {"acl": "P17-1001"}
    assert papers["cvf"].identifiers == {"cvf": "Burenius_3D_Pictorial_Structures_2013_CVPR_paper"}
    assert papers["neurips"].identifiers == {"neurips": "2008/c4ca4238a0b923820dcc509a6f75849b"}


def test_lines_in_two_encodings(read):
    records, bad = read(SOURCE, "latin.bib")
    assert [record.title for record in records] == ["Müller in Windows-1252", "Müller in UTF-8"]
    assert bad == []


def test_nothing_is_written_to_the_log(read, caplog, capsys):
    read(SOURCE, "odd.bib")
    assert caplog.records == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("{a {B} c}", "a {B} c"),
        ('"a {"}b{"} c"', 'a {"}b{"} c'),
        ("2019", "2019"),
        ("jan", "jan"),
        ("ODD", "Proceedings"),
        ('odd # " of " # {ODD} # 5', "Proceedings of ODD5"),
        ("{C# and \\{ # }", "C# and \\{ # "),
    ],
)
def test_values(written, text):
    assert _evaluate(written, {"odd": "Proceedings"}) == text


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("{{A} B}", "{A} B"),
        ("{A} and {B}", "{A} and {B}"),
        ("{{A}}", "A"),
        ("{}", ""),
        ("{", "{"),
        ("A", "A"),
    ],
)
def test_braces_around_a_whole_title(title, bare):
    assert _unwrap(title) == bare


@given(st.text('@article{},="#\\ \nab{}', max_size=80))
def test_no_text_breaks_it(text):
    data = f"@article{{k, title={{T}}}}\n{text}".encode()
    items = list(SOURCE.read(SourceFile("sample", data, lambda: BytesIO(data))))
    assert items


def test_a_file_without_entries_is_refused(read):
    with pytest.raises(UnreadableFile) as error:
        read(SOURCE, b"nothing")
    assert str(error.value) == "sample has no BibTeX entry · entries start with @inproceedings{ or the like"
