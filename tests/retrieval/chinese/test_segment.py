from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.chinese.glossary import load_glossary
from lunwen.retrieval.chinese.segment import segment

TEXT = st.text(st.sampled_from("图神经网络过平滑的强化学习样本复杂度天气 -*aGNnk均值，。"), max_size=40)


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in segment(text, load_glossary())]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("图神经网络的过平滑", ["图神经网络", "的", "过平滑"]),
        ("大语言模型幻觉检测", ["大语言模型", "幻觉检测"]),
        ("语言模型的水印", ["语言模型", "的", "水印"]),
        ("向量检索", ["向量检索"]),
        ("葡萄酒质量预测", ["葡萄酒", "质量", "预测"]),
        ("k均值聚类", ["k均值聚类"]),
        ("k 均值聚类", ["k 均值聚类"]),
        ("GNN 过平滑", ["GNN", " ", "过平滑"]),
        ("图神经网络 过平滑", ["图神经网络", " ", "过平滑"]),
    ],
)
def test_longest_terms_win(text: str, pieces: list[str]) -> None:
    assert cut(text) == pieces


def test_a_word_of_the_dictionary_is_no_term() -> None:
    wine, quality, _ = segment("葡萄酒质量预测", load_glossary())
    assert (wine.key, wine.is_term) == ("葡萄酒", False)
    assert (quality.key, quality.is_term) == ("质量", True)


def test_a_blank_between_chinese_words_separates_them() -> None:
    assert "神经网络" not in cut("神经 网络")


@given(TEXT)
def test_pieces_leave_nothing_out(text: str) -> None:
    assert "".join(cut(text)) == text
