"""Words and meaning together, with an encoder whose meanings are plain to see."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.paper import Paper, Status
from lunwen.errors import CouldNot
from lunwen.retrieval.embedded.hybrid import NOT_READY, UNKNOWN, HybridEngine
from lunwen.retrieval.embedded.lexical import LexicalEngine
from lunwen.retrieval.engine import Change, Filters, Page
from lunwen.retrieval.filter import HIDDEN
from lunwen.retrieval.query import parse
from lunwen.retrieval.request import Mode, Sort

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.retrieval.embedded.conftest import PlainEncoder

    from lunwen.retrieval.engine import Found

TOPICS = ["stone", "river", "cloud", "forest", "desert", "harbour", "meadow", "glacier"]
TITLES = {
    **{row: f"{TOPICS[row % 8]} {TOPICS[row % 7]} {row}" for row in range(10, 110)},
    1: "car repair",
    2: "automobile repair",
    3: "feline behaviour",
    4: "the car and the cat",
    5: "vehicle",
}
DEFAULT = Filters(hidden=HIDDEN)


@pytest.fixture
def engine(tmp_path: Path, plain_encoder: PlainEncoder) -> Iterator[HybridEngine]:
    engine = HybridEngine(tmp_path, lambda: plain_encoder)
    engine.rebuild(
        lambda _: [
            Change(
                row,
                Paper(
                    paper_id=f"p{row:03}",
                    title=title,
                    venue="ICML" if row % 2 else "ACL",
                    year=2020 + row % 4,
                    status=Status.REJECTED if row == 5 else Status.POSTER,
                ),
            )
            for row, title in TITLES.items()
        ],
        len(TITLES),
    )
    yield engine
    engine.close()


def ask(engine: HybridEngine, text: str, filters: Filters = DEFAULT, **page: object) -> Found:
    asked = Page(**{"sort": Sort.RELEVANCE, "mode": Mode.HYBRID, "limit": 20, **page})  # type: ignore[arg-type]
    return engine.search(parse(text), filters, asked)


def test_what_says_it_differently_is_found_after_what_says_it(engine: HybridEngine) -> None:
    found = ask(engine, "car")
    assert set(found.rows) == {1, 2, 4}  # 5 is hidden
    assert found.rows[-1] == 2
    assert found.total == 3
    assert ask(engine, "car", mode=Mode.LEXICAL).total == 2


def test_each_result_says_why_it_is_there(engine: HybridEngine) -> None:
    why = dict(zip(ask(engine, "car").rows, ask(engine, "car").why, strict=True))
    assert why[2].lexical_rank is None
    assert why[2].semantic_rank is not None
    assert why[1].lexical_rank is not None


def test_hidden_papers_are_near_only_when_asked_for(engine: HybridEngine) -> None:
    assert 5 not in ask(engine, "car").rows
    assert 5 in ask(engine, "car", Filters(statuses=tuple(Status))).rows


def test_excluded_and_required_words_hold_for_meaning_too(engine: HybridEngine) -> None:
    assert 2 not in ask(engine, "car -automobile").rows
    assert set(ask(engine, "car +repair").rows) == {1, 2}


def test_a_filter_narrows_and_facets_say_by_how_much(engine: HybridEngine) -> None:
    whole = ask(engine, "car")
    counts = {value.value: value.count for value in whole.facets["venue"]}
    assert counts == {"ACL": 2, "ICML": 1}
    for venue, count in counts.items():
        narrowed = ask(engine, "car", replace(DEFAULT, venues=(venue,)))
        assert narrowed.total == count
        assert set(narrowed.rows) <= set(whole.rows)


def test_filters_that_leave_nothing_show_what_is_nearest_if_anything_is(engine: HybridEngine) -> None:
    found = ask(engine, "feline", replace(DEFAULT, venues=("ACL",)))
    assert found.rows == [4]  # "the car and the cat"
    assert ask(engine, "feline", replace(DEFAULT, venues=("nowhere",))).total == 0


def test_words_nobody_knows_find_nothing(engine: HybridEngine) -> None:
    assert ask(engine, "zzyzx").total == 0
    assert ask(engine, "zzyzx", mode=Mode.SEMANTIC).total == 0


def test_by_meaning_alone_words_that_the_encoder_does_not_know_are_said_to_be_searched_by_words(
    engine: HybridEngine, plain_encoder: PlainEncoder
) -> None:
    plain_encoder.knows = lambda text: text != "harbour"  # type: ignore[method-assign]
    found = ask(engine, "harbour", mode=Mode.SEMANTIC)
    by_words = ask(engine, "harbour", mode=Mode.LEXICAL)
    assert (found.rows, found.total, found.warning) == (by_words.rows, by_words.total, UNKNOWN)
    assert found.total > 0
    assert ask(engine, "car", mode=Mode.SEMANTIC).warning == ""
    assert ask(engine, "harbour").warning == by_words.warning == ""  # there words are part of the search


def test_by_meaning_alone(engine: HybridEngine) -> None:
    found = ask(engine, "automobile", mode=Mode.SEMANTIC, limit=3)
    assert found.rows[:2] == [1, 2]  # equally near: by paper id
    assert found.why[0].lexical_rank is None


def test_by_meaning_alone_nothing_is_said_of_how_many_have_which_words(engine: HybridEngine) -> None:
    unknown = "no paper has zzyzx; these have any of car, glacier"
    assert ask(engine, "glacier car zzyzx").reading == unknown
    assert ask(engine, "car zzyzx").reading == "no paper has zzyzx; these have car"
    assert ask(engine, "glacier car").reading == "no paper has all words; these have any of car, glacier"
    assert ask(engine, "glacier car", mode=Mode.SEMANTIC).reading == ""


@pytest.mark.parametrize("size", [1, 7, 50])
@pytest.mark.parametrize("text", ["car", "stone river", "harbour", "cloud OR car"])
@pytest.mark.parametrize("mode", list(Mode))
def test_paging_finds_each_paper_once(engine: HybridEngine, size: int, text: str, mode: Mode) -> None:
    rows: list[int] = []
    total = None
    while total is None or len(rows) < total:
        found = ask(engine, text, mode=mode, limit=size, offset=len(rows))
        assert total in (None, found.total)
        total = found.total
        assert found.rows
        rows += found.rows
    assert len(set(rows)) == len(rows) == total
    every = engine.rows(parse(text), DEFAULT, Page(sort=Sort.RELEVANCE, mode=mode, limit=1))
    assert list(every) == rows


def test_other_orders_hold_for_what_is_near_too(engine: HybridEngine) -> None:
    found = ask(engine, "car", sort=Sort.NEWEST)
    assert set(found.rows) == {1, 2, 4}
    assert found.scores == [None] * 3


def test_an_exact_title_stays_first(engine: HybridEngine) -> None:
    assert ask(engine, "automobile repair").rows[0] == 2
    assert ask(engine, "car repair").rows[0] == 1


def test_similar_papers_need_no_encoder(engine: HybridEngine, plain_encoder: PlainEncoder) -> None:
    plain_encoder.encode = None  # type: ignore[method-assign, assignment]
    near = engine.similar(1, 3)
    assert near[0][0] == 2
    assert near[0][1] == pytest.approx(1, abs=1e-3)
    assert 5 not in [row for row, _ in near]  # hidden
    assert 1 not in [row for row, _ in near]
    assert engine.similar(999, 3) == []


def test_similar_papers_are_found_though_the_encoder_is_not_to_be_had(
    engine: HybridEngine, tmp_path: Path
) -> None:
    def refuse() -> PlainEncoder:
        raise CouldNot("the encoder is not there")

    down = HybridEngine(tmp_path, refuse)
    assert down.similar(1, 3) == engine.similar(1, 3) != []
    down.close()


def test_no_papers_are_similar_without_vectors(tmp_path: Path, plain_encoder: PlainEncoder) -> None:
    LexicalEngine(tmp_path).rebuild(lambda _: [Change(1, Paper(paper_id="a", title="car"))], 1)
    assert HybridEngine(tmp_path, lambda: plain_encoder).similar(1, 3) == []


def test_without_an_encoder_words_answer_and_say_so(tmp_path: Path) -> None:
    LexicalEngine(tmp_path).rebuild(lambda _: [Change(1, Paper(paper_id="a", title="car"))], 1)

    def refuse() -> PlainEncoder:
        raise CouldNot("the encoder is not there")

    found = ask(HybridEngine(tmp_path, refuse), "car")
    assert found.rows == [1]
    assert found.warning == "the encoder is not there"


def test_without_vectors_words_answer_and_say_so(tmp_path: Path, plain_encoder: PlainEncoder) -> None:
    LexicalEngine(tmp_path).rebuild(lambda _: [Change(1, Paper(paper_id="a", title="car"))], 1)
    found = ask(HybridEngine(tmp_path, lambda: plain_encoder), "car")
    assert (found.rows, found.warning) == ([1], NOT_READY)


def test_ten_new_papers_cost_ten(engine: HybridEngine, plain_encoder: PlainEncoder) -> None:
    plain_encoder.encoded.clear()
    new = [Change(500 + n, Paper(paper_id=f"n{n}", title=f"new car {n}")) for n in range(10)]
    engine.update(lambda _: new, 200)
    assert len(plain_encoder.encoded) == 10
    assert engine.seq == 200
    assert ask(engine, "car").total == 13
