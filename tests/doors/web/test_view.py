from __future__ import annotations

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.doors.web.card import card, outside_links
from lunwen.doors.web.cite import citation
from lunwen.doors.web.detail import show_paper
from lunwen.doors.web.facet import facets, topic_tree
from lunwen.doors.web.url import State
from lunwen.doors.words import WORDS
from lunwen.retrieval.request import FacetValue, Item, Passage

EN, ZH = WORDS["en"], WORDS["zh"]


def test_the_topic_tree_keeps_names_with_a_slash_whole():
    found = [FacetValue(v, n) for v, n in [("A", 5), ("A/Speech/Audio", 3), ("A/B", 2), ("B/C", 1)]]
    top, more = topic_tree(found, State(topic=("A/B",)))
    assert [(t.label, t.count, t.open) for t in top] == [("A", "", True), ("B/C", "1", True)]
    assert [(t.label, t.count, t.active) for t in top[0].children] == [
        ("Speech/Audio", "3", False),
        ("B", "2", True),
    ]
    assert more == ()


def test_statuses_come_as_counted():
    found = {"status": [FacetValue("accepted", 5), FacetValue("preprint", 4), FacetValue("oral", 2)]}
    (status,) = facets(found, State(), EN)
    assert [(c.label, c.count) for c in status.choices] == [
        ("Accepted", "5"),
        ("Preprint", "4"),
        ("Oral", "2"),
        ("Rejected and withdrawn too", ""),
    ]


def test_years_are_newest_first():
    found = {"year": [FacetValue("2019", 9), FacetValue("2024", 1)]}
    (year,) = facets(found, State(), EN)
    assert [c.label for c in year.choices] == ["2024", "2019"]


def test_a_facet_with_one_value_is_no_choice():
    assert facets({"source": [FacetValue("program", 9)]}, State(), EN) == ()


def test_a_card_of_little():
    shown = card(Item(paper=Paper(paper_id="x", title="X"), score=None), EN)
    assert (shown.abstract, shown.venue, shown.badge, shown.authors, shown.links) == (
        None,
        None,
        None,
        (),
        (),
    )


def test_a_card_shows_where_in_the_text_the_words_are():
    item = Item(
        paper=Paper(paper_id="x", title="X"), score=None, passage=Passage(4, r"Owls <i> for \$5", ((0, 4),))
    )
    shown = card(item, EN)
    assert (shown.passage_label, shown.passage) == (
        "In the text, p. 4",
        "<mark>Owls</mark> &lt;i&gt; for $5",
    )
    assert card(item, ZH).passage_label == "正文第 4 页"


def test_badges_speak_the_language():
    paper = Paper(paper_id="x", title="X", status=Status.SPOTLIGHT)
    assert card(Item(paper=paper, score=None), ZH).badge.label == "焦点报告"


def test_each_target_is_linked_once_under_its_sites_name():
    paper = Paper(
        paper_id="x",
        title="X",
        identifiers={"openreview": "abc", "arxiv": "2601.00001"},
        urls={
            "paper": "https://openreview.net/forum?id=abc",
            "pdf": "https://openreview.net/pdf?id=abc",
            "code": "https://github.com/x/y",
            "video": "javascript:alert(1)",
        },
    )
    assert [link.label for link in outside_links(paper, EN)] == ["PDF", "OpenReview", "arXiv", "Code"]


def test_a_null_address_is_no_link():
    paper = Paper(paper_id="x", title="X", urls={"pdf": ""})
    assert list(outside_links(paper, EN)) == []


def test_one_affiliation_needs_no_marks():
    authors = (Author(name="A", affiliation="U"), Author(name="B", affiliation="U"))
    shown = show_paper(Paper(paper_id="x", title="X", authors=authors), EN)
    assert shown.affiliations == (("", "U"),)
    assert [person.mark for person in shown.authors] == ["", ""]


def test_citation_names_family_first_where_it_is_known():
    author = Author(name="Tim Berners-Lee", given="Tim", family="Berners-Lee")
    tags = dict(citation(Paper(paper_id="x", title="$O(n)$", authors=(author,), year=2024, venue="ICML")))
    assert tags["citation_author"] == "Berners-Lee, Tim"
    assert tags["citation_publication_date"] == "2024"
    assert tags["citation_conference_title"] == "International Conference on Machine Learning"
    assert tags["citation_title"] == "O(n)"
