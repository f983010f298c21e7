from __future__ import annotations

from lunwen.corpus.paper import Author, Markup, Status
from lunwen.corpus.sources.csl import SOURCE


def test_a_library(read):
    records, bad = read(SOURCE, "csl.json")
    paper, dated, preprint, _book = records
    assert paper.key == "http://zotero.org/users/1/items/AAA"
    assert paper.authors == (
        Author(name="Ludwig van Beethoven", given="Ludwig", family="van Beethoven"),
        Author(name="Vincent van Gogh Jr.", given="Vincent", family="van Gogh"),
        Author(name="The Odd Consortium"),
        Author(name="Mausam", family="Mausam"),
    )
    assert (paper.venue, paper.booktitle) == ("ODD 2024", "Proceedings of ODD")
    assert (paper.year, paper.date) == (2024, "2024-07-21")
    assert paper.identifiers == {"doi": "10.1234/odd.7", "openreview": "Ab-_9"}
    assert paper.keywords == ("odd", "even")
    assert paper.markup is Markup.HTML
    assert (dated.key, dated.year, dated.date) == ("7", 1999, None)
    assert (dated.title, dated.markup) == ("Dated in words, a < b", Markup.PLAIN)
    assert (dated.venue, dated.booktitle) == ("Odd Letters", None)
    assert (preprint.venue, preprint.status) == ("arXiv", Status.PREPRINT)
    assert preprint.identifiers == {"arxiv": "2101.00001"}
    assert [(item.place, item.reason) for item in bad] == [("item 5", '"n" has no title')]


def test_a_truncated_list_keeps_what_came_before(read, file):
    whole = file("csl.json").open().read()
    records, bad = read(SOURCE, whole[: whole.index(b'"Spring')])
    assert [record.key for record in records] == ["http://zotero.org/users/1/items/AAA"]
    assert len(bad) == 1
