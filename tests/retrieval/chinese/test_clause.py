from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.chinese.clause import translate
from lunwen.retrieval.node import AllOf, AnyOf, Clause, Phrase, Sense, Words

WORDS = st.text(st.sampled_from("图神经网络的过平滑aGN有没"), min_size=1, max_size=8)
OVERSMOOTHING = Sense("过平滑", (("over-smoothing", 1.0), ("oversmoothing", 0.6)))


def test_words_of_the_bag_become_senses() -> None:
    clauses = [Clause(Words("GNN")), Clause(Words("过平滑")), Clause(Words("方法"))]
    assert translate(clauses) == (
        Clause(Words("GNN")),
        Clause(OVERSMOOTHING),
        Clause(Sense("方法", (("method", 0.15),), is_general=True)),
    )


def test_neighbours_are_read_together() -> None:
    (clause,) = translate([Clause(Words("k")), Clause(Words("均值"))])
    assert isinstance(clause.node, Sense)
    assert clause.node.text == "k均值"


def test_request_words_go_where_others_remain() -> None:
    assert translate([Clause(Words("有没有过平滑的论文"))]) == (Clause(OVERSMOOTHING),)
    assert translate([Clause(Words("论文"))]) == (Clause(Words("论文")),)


def test_required_and_excluded_words_ask_for_all_that_is_special() -> None:
    (clause,) = translate([Clause(Words("过平滑的方法"), "must")])
    assert clause == Clause(OVERSMOOTHING, "must")
    (clause,) = translate([Clause(Words("过平滑GNN"), "not")])
    assert clause == Clause(AllOf((OVERSMOOTHING, Words("GNN"))), "not")


def test_names_phrases_and_fields_stay() -> None:
    clauses = (
        Clause(Words("张伟", "author"), "must"),
        Clause(Phrase("过平滑"), "must"),
        Clause(AnyOf((Words("过平滑", "title"), Words("GNN"))), "must"),
    )
    assert translate(clauses) == clauses


def test_alternatives_are_read_too() -> None:
    (clause,) = translate([Clause(AnyOf((Words("过平滑"), Words("GNN"))))])
    assert clause.node == AnyOf((OVERSMOOTHING, Words("GNN")))


def test_corrections_count() -> None:
    (clause,) = translate([Clause(Words("过平滑"))], (("过平滑", (("blurring", 1.0),)),))
    assert clause.node == Sense("过平滑", (("blurring", 1.0),), is_corrected=True)


@given(st.lists(WORDS, max_size=4))
def test_no_query_is_lost(words: list[str]) -> None:
    clauses = [Clause(Words(word)) for word in words]
    assert bool(translate(clauses)) == bool(words)


def test_what_stands_between_chinese_is_no_operator() -> None:
    clauses = translate([Clause(Words("过平滑OR:GNN。")), Clause(Words("过平滑"))])
    assert clauses == (Clause(OVERSMOOTHING), Clause(Words("or")), Clause(Words("GNN")))
