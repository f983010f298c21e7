from __future__ import annotations

import json
import os
import re
from importlib.resources import files
from pathlib import Path

import pytest

from lunwen.corpus.catalogue import records
from lunwen.corpus.paper import Author, Markup, Record, Status

SHARED = Path(os.environ.get("LUNWEN_SHARED", Path(__file__).parents[3] / "shared"))
RUN = 60  # characters in a row that count as copied
RECORDS = tuple(records())
LINES = [
    json.loads(line)
    for line in files("lunwen.corpus.catalogue").joinpath("papers.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def facts() -> list[dict[str, object]]:
    path = SHARED / "methods" / "catalogue.jsonl"
    if not path.is_file():
        pytest.skip(f"the catalogue's facts are not at {path}")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def words(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold()


def runs(text: str) -> set[str]:
    text = words(text)
    return {text[start : start + RUN] for start in range(len(text) - RUN + 1)}


def test_first_record() -> None:
    first = RECORDS[0]
    assert first.key == "000-01"
    assert first.title == "Joint Learning in the Gaussian Single Index Model"
    assert first.authors == (Author(name="Loucas Pillaud-Vivien"), Author(name="Adrien Schertzer"))
    assert (first.venue, first.year, first.status) == ("ICML", 2026, Status.ORAL)
    assert first.topic == ("Theory", "Optimization")
    assert first.identifiers == {"openreview": "xf1OYJfvqj", "arxiv": "2505.21336"}
    assert first.urls["paper"] == "https://openreview.net/forum?id=xf1OYJfvqj"
    assert first.urls["pdf"] == "https://openreview.net/pdf?id=xf1OYJfvqj"
    assert first.summary["en"].startswith("A single index model hides its signal in one direction $w^\\star$")
    assert first.summary["zh"].startswith("单指标模型的信号只藏在一个方向 $w^\\star$")
    assert (first.abstract, first.notes, first.place) == (None, (), "line 1")


def test_last_record() -> None:
    last = RECORDS[-1]
    assert last.key == "004-20"
    assert last.title == ("Principal-Agent Bandit Games with Self-Interested and Exploratory Learning Agents")
    assert last.authors == (Author(name="Junyan Liu"), Author(name="Lillian Ratliff"))
    assert (last.venue, last.year, last.status) == ("ICML", 2025, Status.ACCEPTED)
    assert last.topic == ("Theory", "Online Learning and Bandits")
    assert last.identifiers == {"arxiv": "2412.16318"}
    assert last.urls == {
        "paper": "https://arxiv.org/abs/2412.16318",
        "pdf": "https://arxiv.org/pdf/2412.16318",
    }
    assert (last.volume, last.pages, last.place) == ("267", "39318-39365", "line 80")


def test_eighty_papers_in_order() -> None:
    keys = [record.key for record in RECORDS]
    assert len(keys) == 80
    assert keys == sorted(set(keys))


def test_a_scheme_names_each_paper_once() -> None:
    named = [item for record in RECORDS for item in record.identifiers.items()]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.key)
def test_every_record_is_complete(record: Record) -> None:
    assert record.markup is Markup.CLEAN
    assert record.title
    assert record.authors
    assert record.venue in {"ICML", "NeurIPS", "ACL"}
    assert 1 <= len(record.topic) <= 2
    assert 3 <= len(record.keywords) <= 6
    assert len(set(record.keywords)) == len(record.keywords)
    assert all(url.startswith("https://") for url in record.urls.values())
    assert {"paper", "pdf"} <= record.urls.keys() or not record.identifiers


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.key)
def test_summaries_are_two_to_four_sentences_in_both_languages(record: Record) -> None:
    assert record.summary.keys() == {"en", "zh"}
    english, chinese = record.summary["en"], record.summary["zh"]
    assert 2 <= len(re.findall(r"[.!?](?=\s|$)", english)) <= 4
    assert 2 <= len(re.findall("[。！？]", chinese)) <= 4
    assert english.isprintable()
    assert not re.search("[\u4e00-\u9fff]", english)
    assert len(re.findall("[\u4e00-\u9fff]", chinese)) >= 60
    assert not re.search("[\u4e00-\u9fff][,;:!?]|[,;:!?][\u4e00-\u9fff]", chinese)
    assert english.count("$") % 2 == chinese.count("$") % 2 == 0


def test_only_papers_without_a_known_title_have_a_working_title_and_say_so() -> None:
    working = {record.key for record in RECORDS if record.title.startswith("[Title ")}
    noted = {record.key for record in RECORDS if any("未找到标题" in note for note in record.notes)}
    unknown = {line["paper_id"] for line in LINES if line["title_status"] != "found"}
    assert working == noted == unknown == {"001-01", "003-13"}
    [note] = next(record.notes for record in RECORDS if record.key == "003-13")
    assert note == (
        "Title not found in any public source consulted; a descriptive working title is shown in its place. "
        "在所查公开来源中未找到标题，此处为描述性的暂拟标题。"
    )


def test_notes_are_in_both_languages() -> None:
    for record in RECORDS:
        for note in record.notes:
            assert re.match(r"[A-Z].*\. .*[\u4e00-\u9fff].*。$", note), (record.key, note)


def test_facts_agree_with_the_collected_ones(facts: list[dict[str, object]]) -> None:
    assert [record.key for record in RECORDS] == [fact["id"] for fact in facts]
    for record, fact in zip(RECORDS, facts, strict=True):
        assert (record.venue, record.year) == (fact["venue"], fact["year"])
        assert [author.name.casefold() for author in record.authors] == [
            str(name).casefold() for name in fact["authors"]
        ]
        if fact["title_status"] == "found":
            assert record.title == fact["title"]
        if fact["topic"]:
            assert list(record.topic) == fact["topic"]
        if fact["openreview"]:
            assert record.identifiers["openreview"] == fact["openreview"]
        # The arXiv id collected for this one belongs to another paper on the same subject.
        if record.key == "000-19":
            assert "arxiv" not in record.identifiers
        else:
            assert record.identifiers.get("arxiv") == fact["arxiv"]
        assert any("incomplete" in note for note in record.notes) is fact["authors_truncated"]


def test_summaries_are_our_own_words(facts: list[dict[str, object]]) -> None:
    sources = [*(SHARED / "corpora" / "listing").glob("*.txt"), *(SHARED / "methods").glob("*.md")]
    assert len(sources) >= len(facts)
    published = set().union(*(runs(path.read_text("utf-8")) for path in sources))
    for record in RECORDS:
        for language, summary in record.summary.items():
            assert not runs(summary) & published, (record.key, language)
