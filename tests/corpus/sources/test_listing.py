from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.corpus.files import open_paths
from lunwen.corpus.paper import BadRecord, Record
from lunwen.corpus.sources import sniff
from lunwen.corpus.sources.listing import SOURCE
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lunwen.corpus.source import SourceFile

    Make = Callable[..., SourceFile]

PROSE = "We study a problem which nobody had, and solve it, with $x_1, \\dots, x_n$ and a proof."
TEN = ", ".join(f"Ana {letter}. Díaz" for letter in "ABCDEFGHIJ")


def read(file: SourceFile) -> list[Record]:
    assert sniff(file) is SOURCE
    records = list(SOURCE.read(file))
    assert all(isinstance(record, Record) for record in records)
    return [record for record in records if isinstance(record, Record)]


@pytest.mark.parametrize(
    ("name", "first", "tenth", "last"),
    [
        ("000_17a640d4802a6fae", ("Loucas Pillaud-Vivien", 2), ("Junwei Wu", 4), ("Jaemin Kim", 5)),
        ("001_9f14441655e60757", ("Shixin Li", 7), ("Manchao Bao", 4), ("Bochen Lyu", 6)),
        ("003_5a0f2845ea482b21", ("Senkang Hu", 8), ("Steve Hanneke", 1), ("Yang Sun", 9)),
        ("004_cae3701d63ebb875", ("Omar Bennouna", 4), ("Yik Siu Chan", 4), ("Junyan Liu", 2)),
    ],
)
def test_real_pages(
    shared: Path, name: str, first: tuple[str, int], tenth: tuple[str, int], last: tuple[str, int]
) -> None:
    [file] = open_paths([str(shared / "corpora/listing" / f"{name}.txt")])
    records = read(file)
    assert len(records) == 20
    shown = [(r.authors[0].name, len(r.authors)) for r in (records[0], records[9], records[-1])]
    assert shown == [first, tenth, last]
    assert all(len(record.abstract or "") > 400 for record in records)


def test_topic_authors_abstract(source_file: Make) -> None:
    text = f"论文检索\n\nTheory · Learning Theory\n\n{TEN} 等\n\n{PROSE}\n\nSteve de la Cruz\n{PROSE}"
    first, second = read(source_file(text))
    assert first.topic == ("Theory", "Learning Theory")
    assert [author.name for author in first.authors] == TEN.split(", ")
    assert (first.abstract, first.notes, first.place) == (PROSE, ("author list truncated",), "line 3")
    assert first.title is None
    assert second.topic == ()
    assert [author.name for author in second.authors] == ["Steve de la Cruz"]
    assert second.abstract == PROSE


def test_a_topic_of_one_word_is_not_an_author(source_file: Make) -> None:
    text = f"论文检索\nOptimization\nXuchen Gong, Tian Li\n{PROSE}\nSocial Aspects\nMausam, Lei Li\n{PROSE}"
    assert [(r.topic, len(r.authors)) for r in read(source_file(text))] == [
        (("Optimization",), 2),
        (("Social Aspects",), 2),
    ]


def test_a_topic_with_commas_is_not_a_list_of_authors(source_file: Make) -> None:
    text = f"论文检索\n\nApplications · Neuroscience, Cognitive Science\n\nMausam\n\n{PROSE}"
    [record] = read(source_file(text))
    assert record.topic == ("Applications", "Neuroscience, Cognitive Science")
    assert [author.name for author in record.authors] == ["Mausam"]


def test_an_abstract_has_paragraphs_lists_and_maths(source_file: Make) -> None:
    body = [
        PROSE,
        "$$a, b, c$$",
        "1. First, we do",
        "- Second, we prove",
        "Our contributions:",
        "Main Results",
        PROSE,
    ]
    text = "\n\n".join(["论文检索", "Ana Díaz, Li Lei", *body, "Theory", "Lei Li", PROSE])
    first, second = read(source_file(text))
    assert first.abstract == "\n\n".join(body)
    assert (second.topic, second.abstract) == (("Theory",), PROSE)


def test_the_last_may_be_cut(source_file: Make) -> None:
    [record] = read(source_file("论文检索\n\nAna Díaz, Li Lei\n\nWe study a problem that is very"))
    assert record.notes == ("abstract cut off at the end of the page",)
    [alone] = read(source_file("论文检索\n\nAna Díaz, Li Lei"))
    assert alone.abstract is None


def test_keys_are_stable_and_differ(source_file: Make) -> None:
    page = f"论文检索\n\nAna Díaz, Li Lei\n\n{PROSE}\n\nLei Li, Ana Díaz\n\n{PROSE}"
    keys = [record.key for record in read(source_file(page))]
    assert keys == [record.key for record in read(source_file(page.replace("\n", "\r\n")))]
    assert len(set(keys)) == 2


def test_bytes_that_are_not_utf8_cost_one_paper(source_file: Make) -> None:
    page = f"论文检索\n\nAna Díaz, Li Lei\n\n{PROSE}\n\nLei Li, Ana Díaz\n\n{PROSE}".encode()
    broken = page.replace(b"We study", b"We st\xfcdy", 1)
    bad, good = SOURCE.read(source_file(broken))
    assert bad == BadRecord("line 3", "not UTF-8")
    assert isinstance(good, Record)


def test_another_form_is_refused(source_file: Make) -> None:
    file = source_file("@misc{a,\n title={A}}", "a.bib")
    assert not SOURCE.sniff(file)
    with pytest.raises(UnreadableFile) as caught:
        list(SOURCE.read(file))
    assert str(caught.value) == (
        "a.bib holds no list of authors and abstracts (line 1: neither a topic nor authors). "
        "Leave --as out, or name another format."
    )


NAMES = st.lists(
    st.sampled_from(["Ana Díaz", "Li Lei", "S. M. de Bruyn Kops", "WENHAI CUI", "guodong liu"]), min_size=2
)
TOPICS = st.sampled_from(["", "Optimization", "Theory · Bandits", "Applications · Vision, Language"])


@settings(max_examples=60, deadline=None)
@given(
    papers=st.lists(st.tuples(TOPICS, NAMES, st.integers(1, 3)), min_size=1, max_size=8), blank=st.booleans()
)
def test_what_is_written_is_read(
    source_file: Make, papers: list[tuple[str, list[str], int]], blank: bool
) -> None:
    lines = ["论文检索"]
    for topic, names, paragraphs in papers:
        lines += [*([topic] if topic else []), ", ".join(names), *[PROSE] * paragraphs]
    records = read(source_file(("\n\n" if blank else "\n").join(lines)))
    assert [
        (" · ".join(r.topic), [a.name for a in r.authors], (r.abstract or "").count(PROSE)) for r in records
    ] == papers
