from __future__ import annotations

import pytest

from lunwen.corpus.paper import Author, Status
from lunwen.corpus.sources.ris import SOURCE
from lunwen.errors import UnreadableFile


def test_references(read):
    records, bad = read(SOURCE, "odd.ris")
    paper, journal, preprint = records
    assert (paper.key, paper.title, paper.abstract) == ("odd7", "Odd & even: a study", "We count.")
    assert paper.authors == (
        Author(name="Ana Díaz", given="Ana", family="Díaz"),
        Author(name="Martin Luther King Jr.", given="Martin Luther", family="King"),
        Author(name="The Odd Consortium"),
    )
    assert (paper.venue, paper.year, paper.date) == ("Proceedings of ODD", 2031, "2031-07-06")
    assert (paper.pages, paper.keywords) == ("1-10", ("odd", "even"))
    assert paper.identifiers == {"doi": "10.1234/odd.7", "openreview": "Ab-_9"}
    assert paper.urls == {
        "paper": "https://openreview.net/forum?id=Ab-_9",
        "pdf": "https://example.org/7.pdf",
    }
    assert (journal.title, journal.venue, journal.booktitle) == ("Second form", "Odd Letters", None)
    assert (journal.year, journal.date, journal.abstract) == (1999, "1999-03", "An abstract.")
    assert preprint.title == "Müller in Windows-1252"
    assert (preprint.status, preprint.identifiers) == (Status.PREPRINT, {"arxiv": "2101.00001"})
    assert [(item.place, item.reason) for item in bad] == [
        ("line 34", "no title (TI or T1)"),
        ("line 37", "the file ends inside this reference"),
    ]


def test_proceedings_are_no_paper_but_a_paper_in_them_is(read):
    proceedings = "TY  - CONF\nTI  - Proceedings of ODD\nED  - Díaz, Ana\nER  - \n"
    paper = "TY  - CONF\nTI  - Odd\nT2  - Proceedings of ODD\nAU  - Díaz, Ana\nER  - \n"
    records, bad = read(SOURCE, (proceedings + paper).encode())
    assert [(one.title, one.venue) for one in records] == [("Odd", "Proceedings of ODD")]
    assert bad == []


def test_keys_without_an_id_are_stable_and_differ(read):
    reference = "TY  - CPAPER\nTI  - {}\nER  - \n"
    data = (reference.format("One") + reference.format("Two")).encode()
    first, second = read(SOURCE, data)[0]
    assert first.key != second.key
    assert [record.key for record in read(SOURCE, data)[0]] == [first.key, second.key]


def test_a_file_without_references_is_refused(read):
    with pytest.raises(UnreadableFile) as error:
        read(SOURCE, b"nothing\n")
    assert str(error.value) == 'sample has no RIS reference · each starts with a line "TY  - CPAPER"'
