from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.paper import Author, Markup, Record, Status
from lunwen.corpus.sources.openalex import FIELDS, SOURCE, read_work


def test_an_answer(read):
    records, bad = read(SOURCE, "openalex.json")
    paper, preprint, proceedings = records
    assert (paper.key, paper.title, paper.markup) == ("W4001", "Odd &amp; <i>even</i> wheels", Markup.HTML)
    assert paper.abstract == "We wheels turn, and wheels stop."
    assert paper.authors == (
        Author(name="Ana Díaz", orcid="0000-0001-2345-6789", affiliation="Odd Institute"),
        Author(name="Lei Li", affiliation="Even Lab"),
    )
    assert (paper.venue, paper.booktitle, paper.publisher) == ("Journal of Odd Wheels", None, "Odd Press")
    assert (paper.year, paper.date, paper.pages, paper.volume) == (2031, "2031-02-03", "7-21", "5")
    assert paper.identifiers == {"doi": "10.1234/odd.9", "arxiv": "2101.00001"}
    assert paper.urls == {"paper": "https://doi.org/10.1234/odd.9", "pdf": "https://arxiv.org/pdf/2101.00001"}
    assert (paper.citations, paper.keywords, paper.status) == (12, ("Wheel",), Status.ACCEPTED)
    assert (preprint.status, preprint.venue) == (Status.WITHDRAWN, "arXiv (Cornell University)")
    assert (preprint.identifiers, preprint.pages, preprint.publisher) == ({"arxiv": "2101.00002"}, "3", None)
    assert preprint.citations == 0
    assert proceedings.booktitle == "Odd Conference"
    assert [(item.place, item.reason) for item in bad] == [("item 4", "W4004 has no title")]


def test_the_snapshot_and_one_work(read, file):
    works = [{"id": "https://openalex.org/W1", "title": "A"}, {"id": "https://openalex.org/W2", "title": "B"}]
    lines = "\n".join(map(json.dumps, works)).encode()
    one = json.dumps(works[0], indent=1).encode()
    assert [[record.key for record in read(SOURCE, data)[0]] for data in (lines, one)] == [
        ["W1", "W2"],
        ["W1"],
    ]
    assert SOURCE.sniff(file(lines))
    assert SOURCE.sniff(file(one))


@given(st.lists(st.sampled_from(["odd", "wheels", "turn", "$x<y$", "."]), min_size=1, max_size=30))
def test_an_abstract_is_put_together_again(words):
    index: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        index.setdefault(word, []).append(place)
    work = {"id": "https://openalex.org/W1", "title": "T", "abstract_inverted_index": index}
    assert read_work("item 1", work).abstract == " ".join(words)


_ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from(FIELDS), _ODD)
def test_whatever_is_in_a_field_the_work_is_read_or_reported(field, value):
    work = {"id": "https://openalex.org/W1", "title": "T", "publication_date": "2030-01-01", field: value}
    found = read_work("item 1", work)
    assert isinstance(found, Record) or field in ("id", "title")
