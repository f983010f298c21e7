from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.chinese.english import find_chinese


def test_english_terms_have_chinese_ones() -> None:
    found = dict(find_chinese("Oversmoothing in graph neural networks"))
    assert found["Oversmoothing"][0] == "过平滑"
    assert "图神经网络" in found["graph neural networks"]


def test_the_longest_term_wins() -> None:
    assert [english for english, _ in find_chinese("zeroth-order optimization")] == [
        "zeroth-order optimization"
    ]


def test_abbreviations_count() -> None:
    assert "大语言模型" in dict(find_chinese("LLMs"))["LLMs"]


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert all(english in text and 1 <= len(chinese) <= 4 for english, chinese in find_chinese(text))
