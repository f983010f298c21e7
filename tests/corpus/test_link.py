from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.identifier import identifiers_in
from lunwen.corpus.link import links_in, pdf_of


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Code: https://github.com/odd/wheels.", "https://github.com/odd/wheels"),
        ("(see github.com/odd/wheels), and", "https://github.com/odd/wheels"),
        ("at http://www.GitHub.com/odd/wheels/tree/main/.", "https://GitHub.com/odd/wheels/tree/main/"),
        ("{https://gitlab.inria.fr/odd/w_1}}", "https://gitlab.inria.fr/odd/w_1"),
        ("https://huggingface.co/odd/wheel-7b;", "https://huggingface.co/odd/wheel-7b"),
        (
            "https://anonymous.4open.science/r/odd-12AB/README.md?x=1",
            "https://anonymous.4open.science/r/odd-12AB/README.md?x=1",
        ),
        ("**https://github.com/odd/wheels.js**", "https://github.com/odd/wheels.js"),
        ("on GitHub. Later https://github.com/ odd", None),
        ("mygithub.com/odd/wheels", None),
        ("https://odd.github.com.example.org/x", None),
    ],
)
def test_code(text: str, code: str | None) -> None:
    assert links_in(text).get("code") == code


@pytest.mark.parametrize(
    ("text", "project"),
    [
        ("See https://odd.github.io.", "https://odd.github.io"),
        ("See odd-lab.github.io/wheels/, too", "https://odd-lab.github.io/wheels/"),
        ("https://sites.google.com/view/odd/home).", "https://sites.google.com/view/odd/home"),
        ("https://huggingface.co/datasets/odd/wheels", "https://huggingface.co/datasets/odd/wheels"),
        ("https://github.com/odd/wheels", None),
    ],
)
def test_project(text: str, project: str | None) -> None:
    assert links_in(text).get("project") == project


@given(st.text("/.:)( githubcom-", max_size=40), st.sampled_from(["", ".", ")", "),", ".)", "}", "; ", '"']))
def test_a_link_ends_where_its_sentence_does(before: str, after: str) -> None:
    found = links_in(f"{before} https://github.com/odd/wheels{after}")
    assert found["code"].startswith("https://github.com/")
    assert found["code"][-1] not in '.,;:)}" '


@pytest.mark.parametrize(
    ("identifiers", "url"),
    [
        ({"arxiv": "2101.00001", "openreview": "aB_-1"}, "https://openreview.net/pdf?id=aB_-1"),
        ({"acl": "2022.acl-long.75"}, "https://aclanthology.org/2022.acl-long.75.pdf"),
        ({"pmlr": "v97/odd19a"}, "https://proceedings.mlr.press/v97/odd19a/odd19a.pdf"),
        (
            {"cvf": "Odd_Wheels_CVPR_2024_paper"},
            "https://openaccess.thecvf.com/content/CVPR2024/papers/Odd_Wheels_CVPR_2024_paper.pdf",
        ),
        ({"cvf": "Odd_Wheels_CVPR_2019_paper"}, None),
        (
            {"neurips": f"2012/{'1bf2efbb' * 4}"},
            f"https://papers.nips.cc/paper_files/paper/2012/file/{'1bf2efbb' * 4}-Paper.pdf",
        ),
        ({"neurips": f"2023/{'1bf2efbb' * 4}"}, None),
        ({"arxiv": "hep-th/9901001"}, "https://arxiv.org/pdf/hep-th/9901001"),
        ({"doi": "10.1234/odd.7"}, None),
    ],
)
def test_the_pdf_of_an_id(identifiers: dict[str, str], url: str | None) -> None:
    assert pdf_of(identifiers) == url
    if url and "openreview" not in identifiers:
        assert identifiers_in(url) == next(iter(identifiers.items()))
