from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text

from lunwen.corpus.maths import Segment, maths_text, plain, segments


def test_segments_by_hand() -> None:
    text = r"For $x$, $5 and $10 or \$6: $$y$$ (see https://a.org/b_(c)), $a$."
    assert segments(text) == (
        Segment("text", "For "),
        Segment("math", "x"),
        Segment("text", ", $5 and $10 or $6: "),
        Segment("display", "y"),
        Segment("text", " (see "),
        Segment("link", "https://a.org/b_(c)"),
        Segment("text", "), "),
        Segment("math", "a"),
        Segment("text", "."),
    )


@pytest.mark.parametrize(
    "text",
    ["$ x$", "$x $", "$x$2", "costs $5", "$", "$$", "$5-$10", "a$ b $c", "$x\n\ny$", r"\$x$"],
)
def test_the_dollar_rule_of_pandoc(text: str) -> None:
    assert [part.kind for part in segments(text)] == ["text"]


@given(st.text(alphabet="$\\ab 5\n.https:/()", max_size=50))
def test_segments_lose_nothing(text: str) -> None:
    marks = {"text": "", "link": "", "math": "$", "display": "$$"}
    written = [marks[part.kind] + part.text + marks[part.kind] for part in segments(text)]
    assert "".join(written) == re.sub(r"\\\$", "$", text) or "\\$" in text
    assert "".join(written).replace("\\", "").replace("$", "") == text.replace("\\", "").replace("$", "")


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\ell_1", "ℓ_1"),
        (r"O(\sqrt{T})", "O(√T)"),
        (r"\sqrt{T\log T}", "√(T log T)"),
        (r"\mathbb{R}^d", "R^d"),
        (r"E^{2}", "E^2"),
        (r"n^{-2/(d-1)}", "n^(-2/(d-1))"),
        (r"\frac{a+b}{2} \frac12", "(a+b)/2 1/2"),
        (r"\widetilde{O}(\epsilon^{-4})", "Õ(ε^-4)"),
        (r"T\log\log T", "T log log T"),
        (r"\left(\hat\theta \in \Theta\right)", "(θ̂ ∈ Θ)"),
        (r"\{x : \text{for all } x \leq 1\}", "{x : for all x ≤ 1}"),
        (r"a \not= b", "a ≠ b"),
        (r"\operatorname{argmin}_{x} f", "argmin_x f"),
        (r"47.4\%", "47.4%"),
        (r"{", ""),
        (r"\frac{a", "a"),
    ],
)
def test_maths_as_readable_text(latex: str, expected: str) -> None:
    assert maths_text(latex) == expected


def test_plain() -> None:
    assert (
        plain(r"Bounds on $\ell_1$ for \$5 at https://a.org/$") == "Bounds on ℓ_1 for $5 at https://a.org/$"
    )


@pytest.mark.parametrize(
    "name", ["alpha", "Omega", "leq", "infty", "times", "rightarrow", "sum", "cup", "nabla"]
)
def test_symbols_agree_with_pylatexenc(name: str) -> None:
    assert maths_text("\\" + name) == LatexNodes2Text().latex_to_text("\\" + name).strip()


@given(st.text(max_size=40) | st.text(alphabet="\\{}^_$ab'~&%[]", max_size=40))
def test_any_maths_is_text(latex: str) -> None:
    assert "\n" not in maths_text(latex)
