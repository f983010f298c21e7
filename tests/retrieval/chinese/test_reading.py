from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.chinese.reading import Piece, Reading, describe, read, take_corrections, write

MIXED = st.text(st.sampled_from('图神经网络過平滑的強化學習天气张 aGN="“|，:()1'), max_size=40)


def test_terms_are_read_one_by_one() -> None:
    reading = read("圖神經網絡中的過平滑問題")
    assert [(piece.zh, piece.source) for piece in reading.pieces] == [
        ("图神经网络", "glossary"),
        ("中的", "glossary"),
        ("过平滑", "glossary"),
        ("问题", "glossary"),
    ]
    assert reading.pieces[0].alternatives[0] == ("graph neural network", 1.0)
    assert [piece.is_dropped for piece in reading.pieces] == [False, True, False, False]
    assert [piece.is_general for piece in reading.pieces] == [False, False, False, True]


def test_reading_is_said() -> None:
    assert describe(read("零阶优化")) == (
        "零阶优化 → zeroth-order optimization | zeroth-order | derivative-free optimization"
        " | black-box optimization | gradient-free"
    )
    assert describe(read("张伟的幻觉")) == "张伟 → ?; 幻觉 → hallucination"


def test_words_of_the_request_are_dropped() -> None:
    assert read("有没有关于越狱攻击的论文").english() == "jailbreak attack"


def test_english_stays_as_typed() -> None:
    reading = read("Qwen2.5-7B 的 KV cache 量化")
    assert reading.pieces[0] == Piece("Qwen2.5-7B", (), "text")
    assert reading.english() == "Qwen2.5-7B KV cache quantization"


def test_text_without_chinese_is_one_piece() -> None:
    assert read("graph neural networks ") == Reading((Piece("graph neural networks", (), "text"),))
    assert not read("graph").is_chinese
    assert read(" ") == Reading(())


def test_dictionary_helps_where_the_glossary_ends() -> None:
    piece = read("葡萄酒").pieces[0]
    assert (piece.alternatives[0], piece.source) == (("wine", 0.7), "cedict")


def test_names_are_not_translated() -> None:
    assert read("欧阳瑾瑜").pieces[-1].source == "unknown"


@pytest.mark.parametrize(
    ("query", "english"),
    [
        ('零阶优化="derivative-free|gradient-free optimization" 收敛', "derivative-free convergence"),
        ("零阶优化=DFO 收敛", "DFO convergence"),
        ("零阶优化＝“gradient-free optimization”收敛", "gradient-free optimization convergence"),
        ('大模型的=LLM 幻觉=""', "LLM"),
    ],
)
def test_a_reading_can_be_corrected(query: str, english: str) -> None:
    assert read(query).english() == english


def test_corrections_are_taken_from_the_text() -> None:
    assert take_corrections('过平滑="over-smoothing" GNN') == (
        "过平滑  GNN",
        (("过平滑", (("over-smoothing", 1.0),)),),
    )
    assert take_corrections("学习率 lr=0.1 venue=icml") == ("学习率 lr=0.1 venue=icml", ())
    assert take_corrections('x="y"') == ('x="y"', ())


def test_a_correction_of_an_unknown_word_counts() -> None:
    reading = read("坍陷器=collapser 理论")
    assert reading.pieces[0] == Piece("坍陷器", (("collapser", 1.0),), "correction")


def test_written_reading_reads_the_same() -> None:
    reading = read("k 均值聚类与 LLM 幻觉的理论分析")
    again = read(write(reading))
    assert again.pieces[0].zh == "k均值聚类"
    assert again.english() == reading.english()


@given(MIXED)
def test_any_text_is_read(text: str) -> None:
    reading = read(text)
    assert all(piece.zh.strip() for piece in reading.pieces)
    assert describe(reading) is not None
    assert all(0 < weight <= 1 for piece in reading.pieces for _, weight in piece.alternatives)


def test_nothing_is_loaded_before_the_first_chinese_word() -> None:
    code = (
        "import sys; from lunwen.retrieval.chinese.reading import read; read('graph neural networks');"
        "from lunwen.retrieval.chinese.glossary import load_glossary;"
        "assert not load_glossary.cache_info().currsize; assert 'marisa_trie' not in sys.modules;"
        "read('过平滑'); assert load_glossary.cache_info().currsize"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
