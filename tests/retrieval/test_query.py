from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.node import Sense
from lunwen.retrieval.query import (
    AllOf,
    AnyOf,
    Clause,
    Phrase,
    Words,
    Years,
    parse,
    parse_years,
    reading_zh,
    unparse,
    without,
)
from lunwen.retrieval.request import MAX_QUERY

PIECES = st.sampled_from(
    [
        *(
            "first-order",
            "C++",
            "a",
            "-",
            "+",
            "(",
            ")",
            '"',
            "|",
            "AND",
            "OR",
            "NOT",
            "author:",
            "year:",
            "ti:",
        ),
        *(
            "2022..2024",
            ">=2023",
            "foo:",
            ":",
            "*",
            "重跑gen-itgc后",
            "《",
            "》",
            "“",
            "”",
            "：",
            "－",
            "（",
            "）",
        ),
        *(
            "是",
            "Which",
            "paper",
            "what",
            "can",
            "you",
            "recommend",
            "deep",
            ",",
            ". ",
            "?",
            " ",
            "  ",
            "\n",
            "$",
        ),
        *(
            "\\",
            "\\ell",
            "_",
            "^",
            "{",
            "}",
            "🙂",
            "\x00",
            "\ud800",
            "é",
            "ﬁ",
            "—",
            "–",
            "n't",
            "'",
            "\u0301",
        ),
    ]
)
QUERIES = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=14).map("".join))
SPACED = st.lists(PIECES, max_size=14).map(" ".join)


def clauses(text: str) -> list[tuple[object, str]]:
    return [(clause.node, clause.occur) for clause in parse(text).clauses]


def test_a_query_of_every_kind_reads_as_a_sentence() -> None:
    query = parse('first-order bilevel author:"Lei Li" year:2022..2024 -survey')
    assert query.reading == 'all of: first-order, bilevel; author: "Lei Li"; year 2022–2024; without: survey'
    assert reading_zh(query) == "包含全部：first-order、bilevel；作者：“Lei Li”；2022–2024 年；不含：survey"
    assert query.notes == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("graph networks", [(Words("graph"), "should"), (Words("networks"), "should")]),
        ('"graph networks"', [(Phrase("graph networks"), "must")]),
        ("“graph networks”", [(Phrase("graph networks"), "must")]),
        (
            "《注意力机制》综述",
            [
                (Phrase("注意力机制"), "must"),
                (Sense("综述", (("survey", 1.0), ("review", 0.7), ("overview", 0.4))), "should"),
            ],
        ),
        ("a -b", [(Words("a"), "should"), (Words("b"), "not")]),
        ("a －b", [(Words("a"), "should"), (Words("b"), "not")]),
        ("``graph networks''", [(Phrase("graph networks"), "must")]),
        ('-"x y"', [(Phrase("x y"), "not")]),
        ("-author:Li", [(Words("Li", "author"), "not")]),
        ("NOT x", [(Words("x"), "not")]),
        ("+x", [(Words("x"), "must")]),
        ("a AND b c", [(Words("a"), "must"), (Words("b"), "must"), (Words("c"), "should")]),
        ("a OR b c", [(AnyOf((Words("a"), Words("b"))), "should"), (Words("c"), "should")]),
        ("a|b", [(AnyOf((Words("a"), Words("b"))), "should")]),
        ("a AND (b OR c)", [(Words("a"), "must"), (AnyOf((Words("b"), Words("c"))), "must")]),
        ("(a b) OR c", [(AnyOf((AllOf((Words("a"), Words("b"))), Words("c"))), "should")]),
        ("au:x OR ti:y", [(AnyOf((Words("x", "author"), Words("y", "title"))), "must")]),
        ("-(a OR b)", [(Words("a"), "not"), (Words("b"), "not")]),
        ("-(a b)", [(AllOf((Words("a"), Words("b"))), "not")]),
        ("a and b or not c", [(Words(word), "should") for word in ["a", "and", "b", "or", "not", "c"]]),
        ("author:(Lei Li)", [(Phrase("Lei Li", "author"), "must")]),
        (
            "author:(Lei Li OR Wei Wang)",
            [(AnyOf((Phrase("Lei Li", "author"), Phrase("Wei Wang", "author"))), "must")],
        ),
        ("title:(graph networks)", [(Words("graph", "title"), "must"), (Words("networks", "title"), "must")]),
        ("author：李磊", [(Words("李磊", "author"), "must")]),
        ("作者：李磊", [(Words("李磊", "author"), "must")]),
        (
            'venue:"ICML 2024" v:icml',
            [(Phrase("ICML 2024", "venue"), "must"), (Words("icml", "venue"), "must")],
        ),
        ("2022..2024", [(Years(2022, 2024), "must")]),
        ("2022", [(Words("2022"), "should")]),
        ("year:(2022 OR 2024)", [(AnyOf((Years(2022, 2022), Years(2024, 2024))), "must")]),
        (
            "large models (LLMs)",
            [(Words("large"), "should"), (Words("models"), "should"), (Words("LLMs"), "should")],
        ),
    ],
)
def test_the_language(text: str, expected: list[tuple[object, str]]) -> None:
    assert clauses(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "non-invasive",
        "first-order",
        "COVID-19",
        "k-means++",
        "C++",
        "C#",
        "t-SNE",
        "GPT-4",
        "A*",
        "Q&A",
        "x:y",
    ],
)
def test_marks_inside_words_are_part_of_them(text: str) -> None:
    assert clauses(text) == [(Words(text), "should")]


def test_dashes_between_words_exclude_nothing() -> None:
    assert clauses("learning — a survey - part") == clauses("learning a survey part")
    assert clauses("learning —a") == clauses("learning a")
    assert clauses("system -iCART-") == [(Words("system"), "should"), (Words("iCART"), "should")]
    assert clauses("Visual(-Inertial)") == [(Words("Visual"), "should"), (Words("Inertial"), "should")]
    assert clauses("k-means||") == clauses("k-means")


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("2024", (2024, 2024)),
        ("2022..2024", (2022, 2024)),
        ("2024-2022", (2022, 2024)),
        ("2020-", (2020, None)),
        ("-2015", (None, 2015)),
        (">=2023", (2023, None)),
        (">2023", (2024, None)),
        ("<2020", (None, 2019)),
        ("<=2020", (None, 2020)),
        ("２０２２—２０２４", (2022, 2024)),
    ],
)
def test_years(text: str, years: tuple[int | None, int | None]) -> None:
    assert parse_years(text) == Years(*years)
    assert clauses(f"year:{text.replace('—', '-')}") == [(Years(*years), "must")]


@pytest.mark.parametrize("text", ["", "..", "-", "20244", "next", "1e3", "٢٠٢٤"])
def test_what_is_no_year(text: str) -> None:
    assert parse_years(text) is None


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("foo:bar", "all of: foo:bar (what stands before the colon is no field and is read as text)"),
        ('"unclosed', "all of: unclosed (the quote was not closed and is read as text)"),
        ("((a", "all of: a (a parenthesis has no partner and is read as text)"),
        ("a AND", "all of: a, and (AND, OR, NOT or | joins nothing there and is read as text)"),
        ("-", "there is no word to search for"),
        ("*", "there is no word to search for"),
        ("🙂", "there is no word to search for"),
        ("'; DROP TABLE", "all of: DROP, TABLE"),
        ("\x00", ""),
        ("venue:", "all of: venue"),
        ('author:""', "all of: author (a field without a value is read as text)"),
        ("year:soon", "all of: soon (what stands for the year is no year and is read as text)"),
        ("a OR -b", "all of: a; without: b (a minus inside OR or parentheses excludes from the whole query)"),
        ("word " * 2_000, "all of: word (only the first 5,000 characters are read)"),
    ],
)
def test_what_cannot_be_read_is_text_and_the_reading_says_so(text: str, reading: str) -> None:
    query = parse(text)
    assert query.reading == reading
    assert reading_zh(query) or not query.reading


def test_a_question_loses_the_wording_of_its_request_and_its_quotes() -> None:
    question = (
        'Could you recommend papers that study "per-hop" retrieval, each hop on its own, in very long text?'
    )
    query = parse(question)
    assert query.notes == ("the wording of the request is left out",)
    assert all(clause.occur == "should" for clause in query.clauses)
    assert query.clauses[0] == Clause(Words("per-hop"))
    assert query.text == question


def test_a_short_query_keeps_its_phrase() -> None:
    assert (Phrase("optimal transport"), "must") in clauses('papers on "optimal transport"')


@pytest.mark.parametrize(
    ("text", "candidate"),
    [
        (" https://arxiv.org/abs/1706.03762 ", "https://arxiv.org/abs/1706.03762"),
        ("arXiv:1706.03762v5", "arXiv:1706.03762v5"),
        ("10.18653/v1/2022.acl-long.75", "10.18653/v1/2022.acl-long.75"),
        ("rJXMpikCZ", "rJXMpikCZ"),
        ("P17-1001", "P17-1001"),
        ("attention", None),
        ("author:x1", None),
        ("two words1", None),
        ('"P17-1001"', None),
    ],
)
def test_candidate_identifiers(text: str, candidate: str | None) -> None:
    assert parse(text).candidate_id == candidate


def test_leaving_out_one_clause() -> None:
    query = parse("graphs venue:icml year:2024 -survey")
    assert without(query, query.clauses[1]) == "graphs year:2024 -survey"


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        "(" * 2_400 + "a" + ")" * 2_400,
        ")" * 5_000,
        '"' * 4_999,
        'a"' * 2_500,
        "NOT " * 1_250,
        "a OR " * 1_000,
        "-" * 5_000,
        "a|" * 2_500,
        "ti:" * 1_600,
        "year:" * 1_000,
        "year:.." * 700,
        "half \ud800 a pair",
        "(a OR " * 800,
        "《" * 5_000,
        "\ufdfa" * 5_000,
        "$x$" * 1_600,
        "\\'" * 2_500,
    ],
)
def test_hostile_text_is_read(text: str) -> None:
    query = parse(text)
    assert parse(unparse(query)).clauses == query.clauses or len(unparse(query)) > MAX_QUERY


@given(st.one_of(QUERIES, SPACED))
def test_any_text_is_a_query_and_its_own_writing_reads_the_same(text: str) -> None:
    query = parse(text)
    assert parse(unparse(query)).clauses == query.clauses
    assert query.reading or not query.clauses
    reading_zh(query)
    for clause in query.clauses:
        without(query, clause)
    query.reading.encode()
