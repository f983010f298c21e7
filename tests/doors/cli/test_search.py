from __future__ import annotations

import os
import re
import shlex
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.paper import Paper
from lunwen.doors.cli.result import item_lines
from lunwen.doors.cli.screen import Screen
from lunwen.doors.cli.search import command_line, say_why
from lunwen.doors.cli.search import search as command
from lunwen.retrieval.engine import Why
from lunwen.retrieval.request import Item, Mode, SearchRequest, Sort

if TYPE_CHECKING:
    from tests.doors.cli.conftest import FakeLibrary  # type: ignore[import-not-found]


def test_every_field_of_a_request_is_an_option(run: Any, library: FakeLibrary) -> None:
    given_options = [
        *("--venue", "ICML", "--venue", "NeurIPS", "--year", ">=2023", "--topic", "Birds/Owls"),
        *("--status", "oral", "--source", "program", "--author", "Li Lei", "--has", "abstract"),
        *("--sort", "NEWEST", "--mode", "semantic", "-n", "5", "--offset", "10"),
    ]
    assert run("search", "first-order", "owls", *given_options).code == 0
    assert library.asked == [
        SearchRequest(
            query="first-order owls",
            venue=("ICML", "NeurIPS"),
            year=(">=2023",),
            topic=("Birds/Owls",),
            status=("oral",),
            source=("program",),
            author=("Li Lei",),
            has=("abstract",),
            sort=Sort.NEWEST,
            mode=Mode.SEMANTIC,
            limit=5,
            offset=10,
        )
    ]
    assert {one.name for one in fields(SearchRequest)} <= {one.name for one in command.params}


def test_one_json_object_and_nothing_else(run: Any, library: object) -> None:
    del library
    found = run("search", "owls warn", "--json")
    assert (found.code, found.err) == (0, "lunwen: a warning\n")
    answer = found.json
    assert list(answer) == [
        *("total", "total_is_exact", "took_ms", "offset", "next_offset", "items", "facets", "query_reading"),
        *("explanation", "suggestions", "warnings", "index_version", "redirect"),
    ]
    first, second = answer["items"]
    assert {
        name: first[name] for name in ("paper_id", "topic", "status", "score", "identifiers", "urls")
    } == {
        "paper_id": "lw1",
        "topic": ["Birds", "Owls"],
        "status": "oral",
        "score": 2.0,
        "identifiers": {"arxiv": "2601.00001"},
        "urls": {"paper": "https://example.org/owls"},
    }
    assert second["authors"] == ["Lei Li"]
    assert (second["abstract"], second["venue"], second["topic"]) == (None, None, [])
    assert "keywords" not in second
    assert answer["facets"] == {"venue": [{"value": "ICML", "count": 1}]}
    assert answer["took_ms"] == 1.235
    assert first["why"] == {
        "lexical_rank": 2,
        "semantic_rank": 1,
        "cosine": 0.6123,
        "words": ["Bilevel", "Owls", "first"],
    }
    assert second["why"] == {
        "lexical_rank": None,
        "semantic_rank": None,
        "cosine": None,
        "words": ["=SUM(A1"],
    }


def test_each_result_says_why_where_that_is_asked(run: Any, library: object) -> None:
    del library
    said = [line for line in run("search", "owls", "--explain").out.splitlines() if line.startswith("why")]
    assert said == ["why: words #2 (Bilevel, Owls, first) · meaning #1 cosine 0.612", "why: words (=SUM(A1)"]
    said = [
        line for line in run("search", "owls", "--explain", "--lang", "zh").out.splitlines() if "依据" in line
    ]
    assert said == ["依据：词 #2（Bilevel、Owls、first）· 语义 #1 余弦 0.612", "依据：词（=SUM(A1）"]
    assert "why: " not in run("search", "owls").out


@pytest.mark.parametrize(
    ("why", "line"),
    [
        (Why(None, 3, 0.5), "why: words (none) · meaning #3 cosine 0.500"),
        (Why(7, None, -0.01), "why: words #7 (none) · meaning cosine -0.010"),
        (None, "why: words (none)"),
    ],
)
def test_a_ranking_that_lacks_a_result_is_not_invented(why: Why | None, line: str) -> None:
    item = Item(paper=Paper(paper_id="x", title="Owls"), score=None, why=why)
    assert say_why(item, Screen(colour=False, width=80, language="en")) == line


def test_many_words_are_cut(run: Any) -> None:
    del run
    title = " ".join(f"w{number}" for number in range(20))
    spans = tuple((match.start(), match.end()) for match in re.finditer(r"\w+", title))
    item = Item(paper=Paper(paper_id="x", title=title), score=None, title_spans=spans)
    assert say_why(item, Screen(colour=False, width=80, language="en")).endswith("w10, w11 …)")


def test_a_wrong_mode_and_what_the_help_says(run: Any, library: object) -> None:
    del library
    wrong = run("search", "owls", "--mode", "semantics")
    assert (wrong.code, wrong.err) == (
        2,
        'lunwen: no mode "semantics". Closest: semantic. Allowed: hybrid, lexical, semantic\n',
    )
    said = " ".join(run("search", "--help").out.split())
    assert "--mode [hybrid|lexical|semantic]" in said
    assert "[default: hybrid]" in said
    assert '零阶优化="derivative-free optimization"' in said


def test_the_words_around_results_are_chinese_where_that_is_asked(run: Any, library: object) -> None:
    del library
    found = run("search", "nothing", "--venue", "ICML", "--year", "2020", "--lang", "zh")
    assert found.out.splitlines() == [
        "共 0 篇，1.2 ms",
        "read as words",  # what this library says, and no sentence of ours
        "没有论文含有“nothing”",
        "试试：lunwen search --year 2020 -- -owls（2 篇；去掉会议“ICML”）",
    ]


def test_a_result_for_people(run: Any, library: object) -> None:
    del library
    lines = run("search", "owls").out.splitlines()
    assert lines[:2] == ["Birds · Owls", "Bilevel Owls"]
    assert " ".join(lines[2:5]).count("Owl Number") == 10
    assert "Number10 et al." in " ".join(lines[2:5])
    assert "ICML 2026 · oral" in lines
    assert max(map(len, lines)) <= 80
    assert lines[-2:] == ["2 papers, 1.2 ms", "read as words"]
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("how", [["--lang", "zh"], []])
def test_the_language_of_the_option_or_the_locale(
    run: Any, library: object, monkeypatch: pytest.MonkeyPatch, how: list[str]
) -> None:
    del library
    if not how:
        monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert "Number10 等" in run("search", "owls", *how).out.replace("\n", " ")


def test_nothing_found_explains_itself_with_commands_to_copy(run: Any, library: object) -> None:
    del library
    found = run("search", "nothing", "--venue", "ICML", "--year", "2020")
    assert found.code == 0
    assert found.out.splitlines() == [
        "0 papers, 1.2 ms",
        "read as words",
        'no paper has "nothing"',
        "Try: lunwen search --year 2020 -- -owls  (2; without venue: ICML)",
    ]


def test_colour_only_on_a_terminal_that_wants_it(
    run: Any, library: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    del library
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[33m\x1b[1mBilevel\x1b[0m" in run("search", "owls").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("search", "owls").out
    assert "NO_COLOR" in os.environ


@given(query=st.text(max_size=30), venue=st.lists(st.text(min_size=1, max_size=9), max_size=2))
def test_the_command_line_of_a_request_makes_that_request(query: str, venue: list[str]) -> None:
    request = SearchRequest(query=query, venue=tuple(venue), sort=Sort.NEWEST, offset=20)
    program, word, *args = shlex.split(command_line(request))
    assert (program, word) == ("lunwen", "search")
    read = command.make_context("search", list(args), resilient_parsing=True).params
    assert (" ".join(read["query"]), read["venue"], read["offset"]) == (query, request.venue, 20)


def test_bytes_that_are_no_text_are_no_error(run: Any, library: FakeLibrary) -> None:
    assert run("search", "owls \udcff").code == 0
    assert library.asked[0].query == "owls ?"


def test_a_paper_without_an_abstract_shows_its_summary() -> None:
    paper = Paper(paper_id="x", title="Owls", summary={"en": "In short.", "zh": "简而言之。"})
    for language, text in paper.summary.items():
        screen = Screen(colour=False, width=80, language=language)
        assert text in item_lines(Item(paper=paper, score=None), screen)
