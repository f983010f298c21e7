from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from latex2mathml.converter import convert

from lunwen.corpus.mathml import mathml

PIECES = st.sampled_from(
    [
        *(
            r"\text{",
            "}",
            "{",
            "<script>",
            "</math>",
            '"',
            "&lt;",
            "&#60;",
            r"\href{javascript:a}",
            r"\class{",
        ),
        *(r"\style{", r"\color{", "x", "_", "^", "1", r"\alpha", r"\frac", "&", r"\\", "onload=", "$"),
        *(r"\begin{matrix}", r"\end{matrix}", r"\rule{1em}{2em}"),
    ]
)


def test_by_hand() -> None:
    assert mathml("x_1") == (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">'
        "<mrow><msub><mi>x</mi><mn>1</mn></msub></mrow></math>"
    )
    assert 'display="block"' in (mathml("x", True) or "")


@pytest.mark.parametrize(
    "latex", [r"\alpha+\frac{a}{b}", r"\sqrt{x^2}", r"\sum_{i=1}^n x_i", r"\mathbf{x}\le y"]
)
def test_agrees_with_the_converter(latex: str) -> None:
    assert canonical(mathml(latex) or "") == canonical(convert(latex))


def canonical(markup: str) -> str:
    return ET.canonicalize(markup)


@pytest.mark.parametrize(
    "latex",
    [
        "\\frac",
        "x^^",
        "{" * 1000,
        "x" * 5000,
        r"\newcommand{\a}{\a\a}\a",
        r"\href{javascript:alert(1)}{x}",
        r"\begin{matrix}",
    ],
)
def test_what_cannot_be_set_is_none(latex: str) -> None:
    assert mathml(latex) is None


def test_no_markup_comes_through() -> None:
    written = mathml(
        r"\text{<script>alert(1)</script>} \class{a\" onload=b}{x}"
        r"\style{background:url(x)}{y} \text{&lt;b&gt;}"
    )
    assert written is not None
    assert "<script" not in written
    assert "<b>" not in written
    assert not re.search(r"\b(?:class|style|on\w+|href)=", re.sub(r">[^<]*<", "><", written))


@given(st.lists(PIECES, max_size=10).map("".join) | st.text(max_size=30), st.booleans())
def test_any_latex_is_safe(latex: str, display: bool) -> None:
    written = mathml(latex, display)
    if written is None:
        return
    for element in ET.fromstring(written).iter():  # noqa: S314 - our own output
        assert element.tag.startswith("{http://www.w3.org/1998/Math/MathML}m")
        assert not set(element.attrib) & {"href", "class", "style", "id", "mathbackground", "src"}
        assert not [name for name in element.attrib if name.startswith("on")]
