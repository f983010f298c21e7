from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.paper import Paper
from lunwen.retrieval.chinese.reading import read
from lunwen.retrieval.embedded.lexical import LexicalEngine
from lunwen.retrieval.embedded.sense import in_chinese, sense_word
from lunwen.retrieval.engine import Change

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lunwen.retrieval.embedded.term import Terms

TITLES = (
    "Zeroth-order optimization of odd functions",
    "Black-box optimization of kettles",
    "零阶优化与茶壶的方法",
    "Order and optimization, from a zeroth draft",
    "Gradient flows in tea",
)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[tuple[LexicalEngine, Terms]]:
    engine = LexicalEngine(tmp_path)
    papers = [Change(row, Paper(paper_id=str(row), title=title)) for row, title in enumerate(TITLES)]
    engine.rebuild(lambda _: papers, 1)
    state = engine.open_state()
    assert state is not None
    yield engine, state.terms
    engine.close()


def found(terms: Terms, query: object) -> list[int]:
    hits = terms.searcher.search(query, 10).hits
    return [
        int(row or 0) for row in terms.searcher.fast_field_values("row", [address for _, address in hits])
    ]


def test_any_alternative_and_the_chinese_match(index: tuple[LexicalEngine, Terms]) -> None:
    _, terms = index
    word = sense_word(terms, "零阶优化", read("零阶优化").pieces[0].alternatives)
    assert set(found(terms, word.matches)) == {0, 1, 2}
    assert word.frequency == 3


@pytest.mark.parametrize(("weights", "first"), [((1.0, 0.4), 0), ((0.4, 1.0), 1)])
def test_better_alternatives_score_more(
    index: tuple[LexicalEngine, Terms], weights: tuple[float, float], first: int
) -> None:
    _, terms = index
    alternatives = tuple(zip(("zeroth-order optimization", "black-box optimization"), weights, strict=True))
    ranked = found(terms, sense_word(terms, "甲", alternatives).scores[0])
    assert ranked[0] == first
    assert {0, 1, 3} <= set(ranked)


def test_unknown_chinese_is_only_itself(index: tuple[LexicalEngine, Terms]) -> None:
    _, terms = index
    assert found(terms, sense_word(terms, "茶壶", ()).matches) == [2]
    assert sense_word(terms, "咖啡", ()).frequency == 0


def test_english_is_found_in_chinese(index: tuple[LexicalEngine, Terms]) -> None:
    _, terms = index
    (query,) = in_chinese(terms, "Zeroth-order optimization")
    assert found(terms, query) == [2]


def test_half_a_query_is_not_looked_for_in_chinese(index: tuple[LexicalEngine, Terms]) -> None:
    _, terms = index
    assert in_chinese(terms, "zeroth-order optimization of kettlewash") == ()


def test_a_library_without_chinese_is_asked_in_english_alone(tmp_path: Path) -> None:
    engine = LexicalEngine(tmp_path)
    engine.rebuild(lambda _: [Change(0, Paper(paper_id="0", title="Zeroth-order optimization"))], 1)
    state = engine.open_state()
    assert state is not None
    assert in_chinese(state.terms, "zeroth-order optimization") == ()
    engine.close()
