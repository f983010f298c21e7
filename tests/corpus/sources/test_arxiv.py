from __future__ import annotations

import json

import pytest

from lunwen.corpus.paper import Author, Markup, Status
from lunwen.corpus.sources.arxiv import SOURCE
from lunwen.errors import UnreadableFile


def test_atom(read):
    records, bad = read(SOURCE, "arxiv_atom.xml")
    paper, withdrawn = records
    assert paper.key == "1301.3780"  # text: as a number it would lose its last nought
    assert paper.title == "A hard-wrapped title that is\n  longer than one line"
    assert paper.abstract == "We show that 90% of $x < y$ is\n  odd."
    assert paper.authors == (
        Author(name="Erwin Schrödinger", affiliation="Odd Institute"),
        Author(name="Lei Li"),
    )
    assert (paper.venue, paper.year, paper.date) == ("arXiv", 2013, "2013-01-16")
    assert paper.status is Status.PREPRINT
    assert paper.identifiers == {"arxiv": "1301.3780", "doi": "10.1234/odd.5"}
    assert paper.keywords == ("math.NA", "math.ST")  # the canonical names, each once, primary first
    assert paper.urls == {
        "paper": "https://arxiv.org/abs/1301.3780",
        "pdf": "https://arxiv.org/pdf/1301.3780",
        "code": "https://github.com/odd/code",
    }
    assert paper.notes[1] == "arXiv journal reference: Odd Letters 5 (2014) 1-12"
    assert paper.markup is Markup.LATEX
    assert (withdrawn.key, withdrawn.status) == ("cond-mat/0211034", Status.WITHDRAWN)
    assert [(item.place, item.reason) for item in bad] == [("line 40", "incorrect id format for 1234")]


def test_oai(read):
    records, bad = read(SOURCE, "arxiv_oai_raw.xml")
    raw, old, arxiv, dublin = records
    assert raw.authors == (
        Author(name="A. D\\'iaz"),
        Author(name='Erwin Schr\\"odinger'),
        Author(name="B. Li"),
        Author(name="C. Wu", affiliation="MIT, Cambridge and Boston"),
    )
    assert (raw.year, raw.date) == (2007, "2007-04-02")  # of v1, not of v2
    assert raw.keywords == ("cs.LG", "cs.IT", "eess.SY")
    assert raw.identifiers == {"arxiv": "0704.0100", "doi": "10.1234/odd.1"}
    assert old.key == "math.GT/0309136"
    assert [author.name for author in old.authors] == ["X. One", "Y. Two"]
    assert (old.year, old.date) == (2003, "2003-09")
    assert arxiv.authors[0] == Author(name="Lei Li Jr", given="Lei", family="Li", affiliation="Odd Institute")
    assert arxiv.date == "2021-01-04"
    assert (dublin.key, dublin.abstract) == ("2101.00002", "An abstract.")
    assert dublin.authors == (Author(name="Lei Li", given="Lei", family="Li"), Author(name="Mausam"))
    assert dublin.identifiers["doi"] == "10.1234/dc.1"
    assert [(item.place, item.reason) for item in bad] == [("line 26", "no metadata in the record")]


def test_the_snapshot(read):
    records, bad = read(SOURCE, "arxiv_snapshot.jsonl")
    paper, old, unparsed = records
    assert paper.authors == (
        Author(name="A. D\\'iaz", given="A.", family="D\\'iaz"),
        Author(name='Erwin Schr\\"odinger III', given="Erwin", family='Schr\\"odinger'),
    )
    assert (paper.year, paper.date) == (2007, "2007-04-02")  # update_date says 2012
    assert (old.key, old.date) == ("hep-th/9901001", "1999-01")
    assert [author.name for author in unparsed.authors] == ["A. One", "B. Two"]
    assert [(item.place, item.reason) for item in bad] == [
        ("line 3", 'no arXiv id but "704.01"'),
        ("line 4", "1501.00001 has no title"),
    ]


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        ("Jane Doe", ["Jane Doe"]),
        ("J. Doe and R. Roe", ["J. Doe", "R. Roe"]),
        ("J. Doe, R. Roe, and L. Li", ["J. Doe", "R. Roe", "L. Li"]),
        ("Ferdinand Brand (A and B, C), Anders Andersen", ["Ferdinand Brand", "Anders Andersen"]),
        ("The {A, B and C} Collaboration: X. Y", ["The {A, B and C} Collaboration: X. Y"]),
        ("A. (unclosed, B. Two", ["A."]),
        ("", []),
        (" , and ", []),
    ],
)
def test_authors_in_one_text(read, authors, names):
    line = {"id": "2101.00001", "title": "T", "authors": authors, "versions": [], "submitter": "x"}
    records, _ = read(SOURCE, json.dumps(line).encode())
    assert [author.name for author in records[0].authors] == names


@pytest.mark.parametrize(
    ("comments", "status"),
    [
        ("This paper has been withdrawn due to an error in Eq. 3", Status.WITHDRAWN),
        ("Withdrawn by the authors", Status.WITHDRAWN),
        ("Replaces a withdrawn paper", Status.PREPRINT),
        ("12 pages. The proof of withdrawn claims is in the appendix", Status.PREPRINT),
    ],
)
def test_withdrawn_papers(read, comments, status):
    line = {"id": "2101.00001", "title": "T", "comments": comments, "versions": [], "submitter": "x"}
    records, _ = read(SOURCE, json.dumps(line).encode())
    assert records[0].status is status


@pytest.mark.parametrize(("name", "mark", "kept"), [
    ("arxiv_atom.xml", b"<title>An old", 1),
    ("arxiv_oai_raw.xml", b"<id>2101.00001", 2),
    ("arxiv_snapshot.jsonl", b'"title": "Old"', 1),
])  # fmt: skip
def test_a_truncated_file_keeps_what_came_before(read, file, name, mark, kept):
    whole = file(name).open().read()
    records, bad = read(SOURCE, whole[: whole.index(mark)])
    assert len(records) == kept
    assert len(bad) >= 1


def test_an_entity_bomb_is_refused(read):
    bomb = (
        b'<!DOCTYPE feed [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><feed xmlns="http://www.w3.org/2005/Atom">'
        b"<entry><id>http://arxiv.org/abs/1301.3780v2</id><title>&b;</title></entry></feed>"
    )
    with pytest.raises(UnreadableFile, match="sample declares XML entities of its own"):
        read(SOURCE, bomb)
