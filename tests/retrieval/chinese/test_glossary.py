from __future__ import annotations

import re
from pathlib import Path

import pytest

import lunwen.retrieval.chinese
from lunwen.errors import UnreadableFile
from lunwen.retrieval.chinese.glossary import load_glossary, parse_glossary
from lunwen.retrieval.chinese.script import has_han, simplify

FILE = Path(lunwen.retrieval.chinese.__file__).with_name("glossary.tsv")
ENGLISH = re.compile(r"[A-Za-z0-9][A-Za-z0-9 '*./&+-]*(?<! )")


def lines() -> list[tuple[list[str], str]]:
    text = FILE.read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    assert all(len(row) == 2 for row in rows)
    return [(spellings.split(","), english) for spellings, english in rows]


def test_alternatives_weigh_by_place_or_as_written() -> None:
    glossary = parse_glossary(
        "# heading\n过平滑,过度平滑\toversmoothing|over-smoothing\n方法\tmethod:0.1\n的\t\n"
    )
    assert glossary.terms["过平滑"] == (("oversmoothing", 1.0), ("over-smoothing", 0.6))
    assert glossary.terms["过度平滑"] == glossary.terms["过平滑"]
    assert glossary.terms["方法"] == (("method", 0.1),)
    assert glossary.terms["的"] == ()
    assert glossary.longest == 4


def test_third_alternative_weighs_less() -> None:
    assert parse_glossary("遗憾\tregret|a|b|c\n").terms["遗憾"][2:] == (("b", 0.4), ("c", 0.4))


def test_line_without_a_tab_is_refused() -> None:
    with pytest.raises(UnreadableFile) as caught:
        parse_glossary("过平滑 oversmoothing")
    assert (
        str(caught.value) == "glossary line 1: no tab. A line is Chinese, a tab, English words with | between"
    )


def test_weight_that_is_no_number_is_refused() -> None:
    with pytest.raises(UnreadableFile, match=r"glossary line 2: could not convert.*A weight is a number"):
        parse_glossary("# heading\n过平滑\toversmoothing:high")


def test_shipped_glossary_is_large() -> None:
    assert len(lines()) >= 5_000
    assert len(load_glossary().terms) >= 6_000


def test_no_chinese_spelling_comes_twice() -> None:
    spellings = [spelling for found, _ in lines() for spelling in found]
    assert len(spellings) == len(set(spellings))


def test_every_spelling_is_simplified_and_can_be_found() -> None:
    for found, _ in lines():
        for spelling in found:
            assert spelling == simplify(spelling).lower().strip()
            assert has_han(spelling) or spelling == "2d"
            assert re.fullmatch(r"[0-9a-z\u3400-\u9fff*-]+", spelling), spelling


def test_every_weight_is_above_0_and_at_most_1() -> None:
    weights = [weight for found in load_glossary().terms.values() for _, weight in found]
    assert all(0 < weight <= 1 for weight in weights)


def test_english_is_plain_and_names_no_alternative_twice() -> None:
    for term, alternatives in load_glossary().terms.items():
        words = [english for english, _ in alternatives]
        assert all(ENGLISH.fullmatch(english) for english in words), (term, words)
        assert len(words) == len({english.lower() for english in words}), (term, words)


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("零阶优化", "zeroth-order optimization"),
        ("灾难性遗忘", "catastrophic forgetting"),
        ("收敛速率", "convergence rate"),
        ("样本复杂度", "sample complexity"),
        ("思维链", "chain-of-thought"),
        ("推测解码", "speculative decoding"),
        ("量化", "quantization"),
        ("越狱", "jailbreak"),
        ("遗忘学习", "machine unlearning"),
        ("共形预测", "conformal prediction"),
        ("朗之万", "Langevin"),
        ("蛋白质", "protein"),
        ("机制设计", "mechanism design"),
        ("综述", "survey"),
    ],
)
def test_terms_of_every_subfield_are_there(chinese: str, english: str) -> None:
    assert load_glossary().terms[chinese][0][0] == english
