from __future__ import annotations

import gzip
import json
from functools import partial
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.source import HEAD_BYTES, SourceFile
from lunwen.corpus.sources.jsonl import SOURCE

LINE = '{"id": "%d", "title": "Title %d", "authors": ["Ada Lovelace"], "abstract": "Text.", "venue": "odd"}'


def test_the_plain_shape_of_a_real_file(shared):
    path = shared / "corpora" / "conference-papers.jsonl.gz"
    with gzip.open(path) as stream:
        head = stream.read(HEAD_BYTES)
    keys, statuses, first_ten = set(), set(), []
    deep = missing = 0
    last = None
    for record in SOURCE.read(SourceFile("real", head, partial(gzip.open, path))):
        assert isinstance(record, Record)
        keys.add(record.key)
        statuses.add(record.status)
        deep += record.topic[:1] == ("Deep Learning",)
        missing += record.abstract is None
        if len(first_ten) < 10:
            first_ten.append(record)
        last = record
    assert last.place == "line 110522"
    assert len(keys) == 110_522
    first, tenth = first_ten[0], first_ten[9]
    assert (first.key, first.identifiers) == ("3dv3202-05T81ScPFb", {"openreview": "05T81ScPFb"})
    assert (first.year, first.notes) == (None, ("year missing: the source has 3202",))
    assert (first.topic, first.status, first.citations) == ((), Status.POSTER, None)
    assert (tenth.key, len(tenth.authors)) == ("3dv3202-45FxQkTEP3", 6)
    assert last.title == "Stochastic Optimization for Performative Prediction"
    assert last.identifiers == {"neurips": "2020/33e75ff09dd601bbe69f351039152189"}
    assert statuses == {None, *Status} - {Status.REJECTED, Status.WITHDRAWN}
    assert (deep, missing) == (845, 7548)


@pytest.mark.parametrize(
    ("name", "count", "bad", "first", "tenth", "last"),
    [
        ("scifact", 5183, [], "4983", "70490", "198309074"),
        ("cranfield", 1398, ["line 471", "line 995"], "1", "10", "1400"),
    ],
)
def test_beir_corpora(shared, read, *, name, count, bad, first, tenth, last):
    records, damaged = read(SOURCE, shared / "ir" / name / "corpus.jsonl.gz")
    assert len(records) == count
    assert [item.place for item in damaged] == bad
    assert [records[position].key for position in (0, 9, -1)] == [first, tenth, last]
    assert records[0].title
    assert records[0].abstract


def test_odd_records(read):
    records, bad = read(SOURCE, "plain.jsonl")
    oral, none, other, hashed, again, text = records
    assert (oral.status, oral.track) == (Status.ORAL, "Workshop")
    assert oral.title == "Of  Oral  Workshops"  # as published; cleaning comes later
    assert oral.topic == ("Deep Learning", "Large Language Models")
    assert (oral.identifiers, oral.citations) == ({"openreview": "Ab-_9"}, None)
    assert oral.urls == {"paper": "https://openreview.net/forum?id=Ab-_9"}
    assert [author.name for author in none.authors] == ["Ana Díaz", "Lei Li", "B. Wu"]
    assert (none.status, none.track, none.topic) == (Status.ACCEPTED, "TOG Paper", ())
    assert none.abstract == "Part of"  # what says nothing is told apart when text is cleaned
    assert (none.identifiers, none.citations) == ({"acl": "2031.odd-main.7"}, 0)
    assert none.key.startswith("odd2031-None:")
    assert none.key != other.key
    assert [author.name for author in other.authors] == ["Díaz, Ana", "Lei Li"]
    assert other.status is Status.PREPRINT
    assert other.notes == ("year missing: the source has 3202",)
    assert other.identifiers == {"pmlr": "v97/mao19a"}
    assert (hashed.topic, hashed.status) == (("AI", "Ethics"), None)
    assert hashed.identifiers == {"neurips": "2007/c4ca4238a0b923820dcc509a6f75849b"}
    assert again.key.startswith(hashed.key + ":")
    assert again.authors == (
        Author(name="Ada Lovelace", affiliation="Engine House"),
        Author(name="Alan Turing", given="Alan", family="Turing"),
    )
    assert (again.year, again.track, again.status) == (2008, "Findings", Status.ACCEPTED)
    assert [author.name for author in text.authors] == ["Lovelace, Ada", "Turing, Alan"]
    assert text.identifiers == {"doi": "10.18653/v1/2031.odd-main.8", "acl": "2031.odd-main.8"}
    assert (text.keywords, text.status) == (("a", "b"), Status.SPOTLIGHT)
    assert [item.place for item in bad] == ["line 6", "line 7", "line 8"]
    assert bad[0].reason == "no title, no abstract, no authors"
    assert "broken JSON" in bad[1].reason


@pytest.mark.parametrize(
    "damage",
    [b'{"id": "200", "title": ', b'{"id": "\xff\xfe", "title": "T"}', b'{"id": "\x00", "title": "T"}'],
)
def test_one_bad_line_of_four_hundred(read, damage):
    lines = [(LINE % (number, number)).encode() for number in range(400)]
    lines[199] = damage
    records, bad = read(SOURCE, b"\n".join(lines))
    assert len(records) == 399
    assert [item.place for item in bad] == ["line 200"]


def test_a_list_is_read_like_lines(read, file):
    data = ("[" + ",\n".join(LINE % (number, number) for number in range(12)) + "]").encode()
    assert SOURCE.sniff(file(data))
    records, bad = read(SOURCE, data)
    assert (len(records), bad) == (12, [])


def test_a_truncated_list_keeps_what_came_before(read):
    data = ("[" + ",\n".join(LINE % (number, number) for number in range(12)) + "]").encode()
    records, bad = read(SOURCE, data[:-20])
    assert len(records) == 11
    assert len(bad) == 1


def test_the_same_line_twice_is_the_same_record(read):
    records, bad = read(SOURCE, f"{LINE % (1, 1)}\n{LINE % (1, 1)}".encode())
    assert (records[0].key, bad) == (records[1].key, [])


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1).map(
    lambda text: f"x{text.strip()}y"
)
maybe = st.none() | texts
mappings = st.dictionaries(st.sampled_from(["openreview", "acl", "arxiv", "doi", "code", "en", "zh"]), texts)
authors = st.builds(
    Author,
    name=texts,
    given=maybe,
    family=maybe,
    author_id=maybe,
    orcid=maybe,
    affiliation=maybe,
    variants=st.lists(texts, max_size=2).map(tuple),
)
records = st.builds(
    Record,
    key=texts,
    title=texts,
    authors=st.lists(authors, max_size=3).map(tuple),
    abstract=maybe,
    venue=maybe,
    year=st.none() | st.integers(1900, 2099),
    topic=st.lists(texts, max_size=3).map(tuple),
    status=st.sampled_from([None, *Status]),
    identifiers=mappings,
    urls=mappings,
    keywords=st.lists(texts, max_size=3).map(tuple),
    tldr=maybe,
    summary=mappings,
    track=maybe,
    award=maybe,
    booktitle=maybe,
    publisher=maybe,
    pages=maybe,
    volume=maybe,
    date=maybe,
    citations=st.none() | st.integers(0, 10**6),
    title_bibtex=maybe,
    notes=st.lists(texts, max_size=2).map(tuple),
    markup=st.just(Markup.CLEAN),
    place=st.just("line 1"),
)


@given(records)
def test_our_own_shape_loses_nothing(record):
    shape = {name: getattr(record, name) for name in Record.__dataclass_fields__}
    shape["paper_id"] = shape.pop("key")
    shape["authors"] = [
        {name: getattr(author, name) for name in Author.__dataclass_fields__} for author in record.authors
    ]
    data = json.dumps(shape).encode()
    file = SourceFile("sample", data, lambda: BytesIO(data))
    assert SOURCE.sniff(file)
    assert list(SOURCE.read(file)) == [record]


def test_author_details_beside_names(read):
    line = b'{"paper_id": "a1", "title": "T", "authors": ["A", "B"], "author_details": [{"orcid": "0"}, {}]}'
    records, _ = read(SOURCE, line)
    assert records[0].authors == (Author(name="A", orcid="0"), Author(name="B"))


def test_our_own_shape_with_names_only(read):
    line = (
        b'{"paper_id": "a1", "title": "T", "authors": ["Ada Lovelace"], "topic": "A->B",'
        b' "doi": "10.1/X", "status": "poster"}'
    )
    records, _ = read(SOURCE, line)
    assert records == [
        Record(
            key="a1",
            title="T",
            authors=(Author(name="Ada Lovelace"),),
            topic=("A", "B"),
            status=Status.POSTER,
            identifiers={"doi": "10.1/x"},
            markup=Markup.CLEAN,
            place="line 1",
        )
    ]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"paper_id": "1", "title": "T"}', True),
        (b'{"_id": "1", "title": "", "text": "T"}', True),
        (b'{"_id": "1", "text": "a query"}', False),
        (b'{"id": "0704.0001", "title": "T", "authors_parsed": [], "authors": "A"}', False),
        (b'[{"title": "T", "authors": ["A"], "conference": "ICML"}]', True),
        (b'{"id": 7, "title": "T", "authors": "A. Owl", "year": 2024}', True),
        (b'{"title": "T", "year": 2024}', True),
        (b'{"title": "T"}', False),
        (b'{"title": ["T"], "year": 2024}', False),
        (b'{"type": "book", "id": "b", "title": "T", "issued": {}}', False),
        (b'{"id": "1", "forum": "1", "content": {}}', False),
        (b'{"DOI": "10.1/x", "title": ["T"]}', False),
        (b"title,authors", False),
        (b"", False),
    ],
)
def test_sniffing(file, data, expected):
    assert SOURCE.sniff(file(data)) is expected


def test_little_is_enough(read):
    records, bad = read(SOURCE, b'{"title": "T", "authors": "A. Owl", "year": 2024, "conference": "ICML"}')
    assert [(one.title, one.authors, one.year, one.venue) for one in records] == [
        ("T", (Author(name="A. Owl"),), 2024, "ICML")
    ]
    assert bad == []


def test_nothing_is_raised_for_odd_values(read):
    odd = {"id": 7, "title": 12, "authors": {"a": 1}, "year": [2], "topic": 5, "status": None, "keywords": 3}
    records, bad = read(SOURCE, json.dumps(odd).encode())
    assert [(record.key, record.title) for record in records] == [("7", "12")]
    assert bad == []
    assert isinstance(next(SOURCE.read(file_of(b'{"a": 1}'))), BadRecord)


def file_of(data: bytes) -> SourceFile:
    return SourceFile("sample", data, lambda: BytesIO(data))
