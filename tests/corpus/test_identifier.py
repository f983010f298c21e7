from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.identifier import Identifier, identifiers_in

HASH = "d59a1dc497cf2773637256f50f492723"


@pytest.mark.parametrize(
    ("text", "scheme", "value"),
    [
        ("https://openreview.net/forum?id=O4PweOea13", "openreview", "O4PweOea13"),
        ("openreview.net/pdf?id=O4PweOea13", "openreview", "O4PweOea13"),
        ("https://arxiv.org/abs/2505.21336v2", "arxiv", "2505.21336"),
        ("https://arxiv.org/pdf/2505.21336v1.pdf", "arxiv", "2505.21336"),
        ("arXiv: 2505.21336", "arxiv", "2505.21336"),
        ("arXiv:2505.21336v3", "arxiv", "2505.21336"),
        ("1301.3780", "arxiv", "1301.3780"),
        ("math.GT/0309136", "arxiv", "math/0309136"),
        ("https://doi.org/10.1145/3637528.3671578", "doi", "10.1145/3637528.3671578"),
        ("10.48550/arXiv.2505.21336", "arxiv", "2505.21336"),
        ("doi:10.1145/ABC", "doi", "10.1145/abc"),
        ("https://aclanthology.org/P17-1001.pdf", "acl", "P17-1001"),
        ("2022.acl-long.75", "acl", "2022.acl-long.75"),
        ("https://proceedings.mlr.press/v97/mao19a.html", "pmlr", "v97/mao19a"),
        ("http://proceedings.mlr.press/v97/mao19a/mao19a.pdf", "pmlr", "v97/mao19a"),
        (
            f"https://papers.nips.cc/paper_files/paper/1987/hash/{HASH}-Abstract.html",
            "neurips",
            f"1987/{HASH}",
        ),
        (f"https://proceedings.iclr.cc/paper/2024/hash/{HASH}-Abstract.html", "neurips", f"iclr-2024/{HASH}"),
        (
            "https://www.ecva.net/papers/eccv_2024/papers_ECCV/html/4_ECCV_2024_paper.php",
            "cvf",
            "4_ECCV_2024_paper",
        ),
        (
            "https://openaccess.thecvf.com/content_CVPR_2019/html/Ab_C_CVPR_2019_paper.html",
            "cvf",
            "Ab_C_CVPR_2019_paper",
        ),
        ("https://icml.cc/virtual/2026/poster/64393", "event", "icml-2026-64393"),
        ("https://api.semanticscholar.org/CorpusID:13756489", "s2", "13756489"),
        ("https://dblp.org/rec/conf/icml/Foo19.html", "dblp", "conf/icml/Foo19"),
    ],
)
def test_what_people_paste_names_a_paper(text: str, scheme: str, value: str) -> None:
    assert identifiers_in(text) == Identifier(scheme, value)


@pytest.mark.parametrize(
    "text",
    [
        "attention",
        "2020",
        "GPT-4",
        "AAAI-2020",
        "C++",
        "foo:bar",
        "title:attention",
        "O4PweOea13",
        "10.5",
        "",
        "read 2505.21336 today",
        "https://openreview.net/group?id=ICML.cc/2026/Conference",
        "www.example.com/x",
        "venue:icml",
        "v97/mao19a",
        "arxiv:attention",
    ],
)
def test_ordinary_words_are_no_identifiers(text: str) -> None:
    assert identifiers_in(text) is None


@given(st.text(max_size=60))
def test_any_text_is_read_without_error(text: str) -> None:
    found = identifiers_in(text)
    assert found is None or found.value


@given(st.from_regex(r"\A\d{4}\.\d{5}\Z"), st.integers(1, 9))
def test_a_version_does_not_change_an_arxiv_id(number: str, version: int) -> None:
    assert identifiers_in(f"https://arxiv.org/abs/{number}v{version}") == identifiers_in(number)
