from __future__ import annotations

import ast
import inspect
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.author import why_maybe
from lunwen.doors.translate import spell_out, translate, translate_reading
from lunwen.retrieval import explain, search
from lunwen.retrieval.embedded import bag, hybrid
from lunwen.retrieval.query import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Every sentence that finding papers can say, in English and Chinese. Payload: owls, kites, ICML, 2020.
SENTENCES = {
    "the library is empty. Bring papers in with: lunwen import FILE": (
        "论文库是空的。导入论文：lunwen import FILE"
    ),
    'no paper has "owls"': "没有论文含有“owls”",
    'no paper has "owls", "kites"': "没有论文含有“owls”、“kites”",
    "there are papers for the query, none with venue: ICML": "有符合查询的论文，但没有一篇满足会议“ICML”",
    "there are papers for the query, none with venue: ICML, kites and year: 2020": (
        "有符合查询的论文，但没有一篇满足会议“ICML、kites”，且年份“2020”"
    ),
    "each part is found, no paper has all of them": "各部分都找得到，但没有论文同时具备",
    "no paper matches": "没有符合的论文",
    "in the text": "在正文中",
    "no paper's text is here. Bring one in with: lunwen fetch ID": (
        "论文库中没有论文正文。获取正文：lunwen fetch ID"
    ),
    "without filters": "去掉全部筛选",
    **{
        f"without {name}: owls": f"去掉{chinese}“owls”"
        for name, chinese in {
            "venue": "会议",
            "year": "年份",
            "topic": "主题",
            "status": "状态",
            "source": "来源",
            "author": "作者",
            "has": "含有",
        }.items()
    },
    "with fewer words": "少用几个词",
    "spelling": "换个拼写",
    "no paper has owls; these have kites": "没有论文含有 owls；以下含有：kites",
    "no paper has owls, kites; these have any of kites, owls …": (
        "没有论文含有 owls、kites；以下至少含有其一：kites、owls …"
    ),
    "few papers have all words; these have any of owls, kites": (
        "含全部词的论文很少，以下至少含有其一：owls、kites"
    ),
    "few papers have all words; these have at least owls": "含全部词的论文很少，以下含有：owls",
    "no paper has all words; these have any of owls, kites": (
        "没有论文含全部词，以下至少含有其一：owls、kites"
    ),
    "no paper has all words; these have at least owls": "没有论文含全部词，以下含有：owls",
    hybrid.INSTEAD_READING: "筛选范围内没有论文含有这些词，以下是意思最接近的",
    hybrid.NOT_READY: "语义检索尚未就绪，以下是按词找到的。准备语义检索：lunwen reindex",
    "a name of this paper": "这是该论文的编号或网址",
    str(why_maybe(("ada", "lund"), ("lund", "ada"))): "姓名顺序不同",
    str(why_maybe(("ada", "lund"), ("a", "lund"))): "名字只有首字母",
    str(why_maybe(("ada", "lund"), ("ada", "b", "lund"))): "缺少中间名",
    "the same name, another id": "同名，编号不同",
    "the same name; no id says who": "同名，没有编号可以区分",
    "no paper with the arxiv id 2020.1 is here. Import it, or search for its title": (
        "论文库里没有 arXiv 编号为 2020.1 的论文。可以导入它，或按标题检索"
    ),
    "no paper with the doi id 10.1/owls is here. Import it, or search for its title": (
        "论文库里没有 DOI 编号为 10.1/owls 的论文。可以导入它，或按标题检索"
    ),
}
_PAYLOAD = r"owls|kites|ICML|lunwen (?:import FILE|fetch ID|reindex)|arXiv|DOI"

#: Where they are said.
SPEAKERS = (explain.explain, explain.respell, explain._sentence, bag.Bag._say, search.search, search._unknown)


@pytest.mark.parametrize(("english", "chinese"), SENTENCES.items())
def test_each_sentence_is_chinese_on_the_chinese_page(english: str, chinese: str) -> None:
    assert translate(english, "zh") == chinese
    assert not re.search("[A-Za-z]", re.sub(_PAYLOAD, "", chinese))
    assert not re.search(r'[",;:?]', chinese), "half-width punctuation"
    assert translate(english, "en") == english


def _said() -> Iterator[str]:
    """Yield the words of sentences that stand in the code of the speakers, without their documentation."""
    for speaker in SPEAKERS:
        for node in ast.walk(ast.parse(_source(speaker))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != _doc(speaker):
                yield node.value


def _source(speaker: object) -> str:
    lines = inspect.getsource(speaker).splitlines()  # type: ignore[arg-type]
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines)


def _doc(speaker: object) -> str | None:
    return ast.get_docstring(ast.parse(_source(speaker)).body[0], clean=False)  # type: ignore[arg-type]


def test_no_sentence_is_said_that_is_not_translated_here() -> None:
    said = [text.strip() for text in _said() if re.search("[a-z]{2,} [a-z]{2,}", text)]
    assert len(said) > 8
    for text in said:
        assert any(text in english for english in SENTENCES), text


def test_a_sentence_that_nobody_translated_stays() -> None:
    assert translate("something else", "zh") == "something else"


@given(st.text())
def test_any_text_is_translated_to_some_text(text: str) -> None:
    assert isinstance(translate(text, "zh"), str)
    assert isinstance(translate_reading(text, parse(text).reading, "zh"), str)


def test_the_reading_and_what_it_led_to_are_both_translated() -> None:
    english = "all of: owls, kites; no paper has owls; these have kites"
    chinese = "包含全部：owls、kites；没有论文含有 owls；以下含有：kites"
    assert translate_reading("owls kites", english, "zh") == chinese
    assert translate_reading("owls kites", english, "en") == english
    assert translate_reading("10.1/owls", "a name of this paper", "zh") == "这是该论文的编号或网址"


@pytest.mark.parametrize(
    ("query", "spelled"),
    [
        ("owls", "owls"),
        ("扩散模型 -owls author:张", '扩散模型="diffusion model" -owls author:张'),
        ("+扩散模型", '+扩散模型="diffusion model"'),
        ("扩散模型 OR owls", '(扩散模型="diffusion model" OR owls)'),
        ('"扩散模型" title:扩散模型', '"扩散模型" title:扩散模型'),
        ("阿姆斯特朗", "阿姆斯特朗"),  # nothing is known of it
        ("模型 扩散模型", '模型 扩散模型="diffusion model"'),  # a general word only ranks
        ('扩散模型="owls"', '扩散模型="owls"'),
    ],
)
def test_the_english_of_chinese_is_written_out_to_be_changed(query: str, spelled: str) -> None:
    assert spell_out(query) == spelled
    assert parse(spelled).reading == parse(query).reading
    assert spell_out(spelled) == spelled
