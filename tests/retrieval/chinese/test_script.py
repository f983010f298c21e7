from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.chinese.script import has_han, is_han, simplify

HAN = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=20)


def test_traditional_becomes_simplified() -> None:
    assert simplify("圖神經網絡的過平滑與強化學習 GNN") == "图神经网络的过平滑与强化学习 GNN"


def test_other_text_stays() -> None:
    assert simplify("naïve Bayes テスト") == "naïve Bayes テスト"


@given(st.text())
def test_simplified_text_stays_and_keeps_its_length(text: str) -> None:
    once = simplify(text)
    assert len(once) == len(text)
    assert simplify(once) == once


@given(HAN)
def test_opencc_reads_each_character_the_same(text: str) -> None:
    opencc = pytest.importorskip("opencc", reason="OpenCC is not installed")
    converter = opencc.OpenCC("t2s")
    for character in text:
        expected = converter.convert(character)
        assert simplify(character) == (expected if len(expected) == 1 else character)


def test_only_han_is_han() -> None:
    assert has_han("LLM 幻觉")
    assert not has_han("LLM hallucination, naïve, かな, 한국어")
    assert is_han("图")
    assert not is_han("图像")
    assert not is_han("a")
