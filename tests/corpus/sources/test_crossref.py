from __future__ import annotations

import json

from lunwen.corpus.paper import Author, Markup, Status
from lunwen.corpus.sources.crossref import SOURCE


def test_an_answer(read):
    records, bad = read(SOURCE, "crossref.json")
    paper, preprint, undated = records
    assert paper.title == "Odd &amp;amp; <i>even</i>: A Study"
    assert paper.abstract.startswith("<jats:title>Abstract</jats:title><jats:p>We count")
    assert paper.markup is Markup.JATS
    assert paper.authors == (
        Author(
            name="Ana Díaz",
            given="Ana",
            family="Díaz",
            orcid="0000-0001-2345-6789",
            affiliation="Odd Institute",
        ),
        Author(name="The Odd Consortium"),
        Author(name="Mausam", family="Mausam"),
    )
    assert (paper.venue, paper.booktitle) == ("ODD '31", "Proceedings of ODD")
    assert (paper.year, paper.date) == (2031, "2031-01")  # in print; online it was 2030
    assert (paper.citations, paper.pages, paper.publisher) == (7, "1-10", "ACM")
    assert paper.identifiers == {"doi": "10.1234/odd.7"}
    assert paper.urls == {
        "paper": "https://dl.acm.org/doi/10.1234/odd.7",
        "pdf": "https://example.org/7.pdf",
    }
    assert (preprint.status, preprint.venue) == (Status.PREPRINT, "arXiv")
    assert preprint.identifiers["arxiv"] == "2101.00001"
    assert preprint.authors == ()
    assert (undated.year, undated.date, undated.booktitle) == (None, None, None)
    assert undated.identifiers["acl"] == "P17-1001"
    assert [(item.place, item.reason) for item in bad] == [("item 5", "10.1234/untitled has no title")]


def test_one_work_and_works_by_line(read, file):
    works = json.loads(file("crossref.json").open().read())["message"]["items"][:2]
    single = json.dumps({"status": "ok", "message-type": "work", "message": works[0]}).encode()
    lines = "\n".join(json.dumps(work) for work in works).encode()
    listed = json.dumps({"items": works}).encode()
    for data, count in ((single, 1), (lines, 2), (listed, 2), (json.dumps(works).encode(), 2)):
        assert SOURCE.sniff(file(data))
        records, bad = read(SOURCE, data)
        assert (len(records), bad) == (count, [])
        assert records[0].identifiers["doi"] == "10.1234/odd.7"


def test_the_year_of_the_conference_wins(read):
    work = {
        "DOI": "10.1/x",
        "title": ["T"],
        "type": "proceedings-article",
        "issued": {"date-parts": [[2020, 2]]},
        "event": {"name": "E", "start": {"date-parts": [[2019, 10, 27]]}},
    }
    records, _ = read(SOURCE, json.dumps(work).encode())
    assert (records[0].year, records[0].date) == (2019, "2020-02")


def test_a_truncated_answer_keeps_what_came_before(read, file):
    whole = file("crossref.json").open().read()
    records, bad = read(SOURCE, whole[: whole.index(b'"type": "proceedings", ')])
    assert [record.key for record in records] == ["10.1234/odd.7", "10.48550/arxiv.2101.00001"]
    assert len(bad) == 1
