from __future__ import annotations

import pytest

from lunwen.corpus.paper import Author, Markup, Status
from lunwen.corpus.sources.dblp import SOURCE
from lunwen.errors import UnreadableFile


def test_xml(read):
    records, bad = read(SOURCE, "dblp.xml")
    paper, preprint, old, thesis = records
    assert paper.title == "On H<sub>2</sub>O &amp; <i>k</i>-means<sup>++</sup> in <tt>code</tt>"
    assert paper.markup is Markup.HTML
    assert paper.authors == (
        Author(name="Wenbo Guo", author_id="Wenbo Guo 0001", orcid="0000-0001-2345-6789"),
        Author(name="Jürgen Müller"),
    )
    assert paper.identifiers == {"dblp": "conf/odd/GuoM31", "openreview": "Ab-_9", "doi": "10.1234/odd.7"}
    assert (paper.venue, paper.booktitle, paper.year, paper.pages) == ("ODD", "ODD", 2031, "1-10")
    assert paper.status is Status.ACCEPTED
    assert preprint.title == "A preprint..."
    assert (preprint.venue, preprint.status) == ("arXiv", Status.PREPRINT)
    assert preprint.identifiers["arxiv"] == "2101.00001"
    assert old.identifiers == {"dblp": "journals/corr/OldV13", "arxiv": "1301.3780"}
    assert (thesis.title, thesis.venue) == ("A thesis?", "Odd University")
    assert [(item.place, item.reason) for item in bad] == [("line 22", "journals/odd/NoTitle has no title")]


def test_search_answers(read):
    records, bad = read(SOURCE, "dblp.json")
    two, one, none = records
    assert two.authors == (
        Author(name="Wenbo Guo", author_id="01/9999"),
        Author(name="Jürgen Müller", author_id="m/JM"),
    )
    assert (two.title, two.venue) == ("Odd &amp; even", "ODD")
    assert two.identifiers == {"dblp": "conf/odd/GuoM31", "doi": "10.1234/odd.7"}
    assert one.authors == (Author(name="Lei Li", author_id="l/LL"),)
    assert (one.status, one.identifiers["arxiv"]) == (Status.PREPRINT, "2101.00001")
    assert none.authors == ()
    assert [(item.place, item.reason) for item in bad] == [("item 4", "conf/odd/Y20 has no title")]


def test_a_truncated_file_keeps_what_came_before(read, file):
    whole = file("dblp.xml").open().read()
    records, bad = read(SOURCE, whole[: whole.index(b"<title>By volume")])
    assert [record.key for record in records] == ["conf/odd/GuoM31", "journals/corr/abs-2101-00001"]
    assert len(bad) == 1


def test_the_volume_at_the_head_of_a_table_of_contents_is_no_paper(read):
    volume = '{"info": {"key": "conf/odd/31", "title": "Odd 31.", "type": "Editorship"}}'
    paper = '{"info": {"key": "conf/odd/A31", "title": "Wheels.", "type": "Conference and Workshop Papers"}}'
    records, bad = read(SOURCE, f'{{"result": {{"hits": {{"hit": [{volume}, {paper}]}}}}}}'.encode())
    assert ([record.key for record in records], bad) == (["conf/odd/A31"], [])


def test_named_entities_across_chunks(read):
    article = b'<article key="journals/odd/%d"><author>J&uuml;rgen</author><title>T%s.</title></article>'
    data = (
        b"<dblp>" + b"".join(article % (number, b"x" * (number % 97)) for number in range(3000)) + b"</dblp>"
    )
    records, bad = read(SOURCE, data)
    assert (len(records), bad) == (3000, [])
    assert {record.authors[0].name for record in records} == {"Jürgen"}


def test_an_entity_bomb_is_refused(read):
    bomb = (
        b'<!DOCTYPE dblp [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
        b'<dblp><article key="k"><title>&b;</title></article></dblp>'
    )
    with pytest.raises(UnreadableFile, match="sample declares XML entities of its own"):
        read(SOURCE, bomb)
