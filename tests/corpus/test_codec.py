from __future__ import annotations

from dataclasses import replace

import orjson
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.codec import decode_paper, decode_record, encode_paper, encode_record
from lunwen.corpus.paper import Author, Markup, Paper, Record, Status

# what UTF-8 can hold
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
maybe = st.none() | texts
words = st.lists(texts, max_size=3).map(tuple)
maps = st.dictionaries(texts, texts, max_size=3)
authors = st.lists(
    st.builds(Author, name=texts, given=maybe, family=maybe, author_id=maybe, orcid=maybe, variants=words),
    max_size=3,
).map(tuple)
shared = {
    "authors": authors,
    "abstract": maybe,
    "venue": maybe,
    "year": st.none() | st.integers(1900, 2100),
    "topic": words,
    "identifiers": maps,
    "urls": maps,
    "keywords": words,
    "tldr": maybe,
    "summary": maps,
    "track": maybe,
    "award": maybe,
    "booktitle": maybe,
    "publisher": maybe,
    "pages": maybe,
    "volume": maybe,
    "date": maybe,
    "citations": st.none() | st.integers(0, 10**6),
    "citations_date": st.none() | st.just("2026-11-30"),
    "title_bibtex": maybe,
    "notes": words,
}


@given(st.builds(Paper, paper_id=texts, title=texts, status=st.sampled_from(Status), sources=words, **shared))
def test_a_paper_comes_back(paper: Paper) -> None:
    assert decode_paper(paper.paper_id, encode_paper(paper)) == paper


@given(
    st.builds(
        Record,
        key=texts,
        title=maybe,
        status=st.none() | st.sampled_from(Status),
        markup=st.sampled_from(Markup),
        place=texts,
        **shared,
    )
)
def test_a_record_comes_back_but_for_its_place(record: Record) -> None:
    assert decode_record(encode_record(record)) == replace(record, place="")


def test_defaults_are_left_out() -> None:
    assert orjson.loads(encode_paper(Paper(paper_id="a", title="T", authors=(Author(name="A B"),)))) == {
        "title": "T",
        "authors": ["A B"],
    }


def test_half_a_character_and_a_giant_number_are_mended() -> None:
    record = Record(key="\ud800k", title="a\udc00b\0", citations=10**30)
    assert decode_record(encode_record(record)) == Record(key="?k", title="a?b\0", citations=None)
