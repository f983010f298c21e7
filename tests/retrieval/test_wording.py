from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.wording import REQUEST_WORDS, STOP_WORDS, strip_request


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Could you recommend papers that study graph rewiring?", "graph rewiring?"),
        ("Are there any studies on sparse attention for long text", "sparse attention for long text"),
        ("What are some papers about optimal transport?", "optimal transport?"),
        ("I'm looking for research which compares optimizers", "compares optimizers"),
        ("please suggest an article on tabular data", "tabular data"),
        ("Which paper first proposed rotating the keys?", "rotating the keys?"),
        (
            "In video synthesis, is there any paper that splits prompts?",
            "In video synthesis, splits prompts?",
        ),
        ("I know prompt tuning. Could you point me to some studies on this?", "I know prompt tuning."),
        ("有没有关于扩散模型的论文", "扩散模型"),
        ("请推荐几篇推荐系统的论文", "推荐系统"),
        ("哪些论文研究了过平滑?", "过平滑"),
        ("帮我找一下关于零阶优化的文章", "零阶优化"),
        ("能不能推荐一些图神经网络方面的文献？", "图神经网络"),
    ],
)
def test_the_wording_of_a_request_is_left_out(question: str, subject: str) -> None:
    assert strip_request(question) == subject


@pytest.mark.parametrize(
    "text",
    [
        *("Can I trust you? A study of robots", "Tell me where to look: guided attention"),
        *("Attention is all you need", "Show and Tell: a caption generator", "A study of deep learning"),
        *("Can we cut tokens early?", "Is there a benchmark for social bias?", "related work generation"),
        *(
            "推荐系统",
            "检索增强生成",
            "可以解释的机器学习",
            "研究",
            "多智能体研究框架",
            "搜索引擎",
            "'; DROP TABLE",
        ),
        *("Can you recommend papers?", "有哪些论文", "", "  ", "?", "find papers"),
    ],
)
def test_other_text_stays_and_a_request_for_nothing_stays(text: str) -> None:
    assert strip_request(text) == text


def test_function_words_hold_no_negation_and_nothing_of_the_field() -> None:
    assert not STOP_WORDS & {"not", "no", "without", "self", "few", "one", "all", "shot", "more", "less"}
    assert {"papers", "recommend", "research"} <= REQUEST_WORDS


@given(
    st.text()
    | st.lists(st.sampled_from(["can", "you", "paper", "x", "in", ",", "?", "有没有", "论文", "的"])).map(
        " ".join
    )
)
def test_stripping_never_adds_and_never_empties(text: str) -> None:
    kept = strip_request(text)
    assert kept == text or (len(kept) < len(text) and any(c.isalnum() for c in kept))
