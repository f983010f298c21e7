from __future__ import annotations

import gzip
import html
import json
import re
import time
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.markup import clean, plain, segments, title_bibtex
from lunwen.corpus.paper import Markup

if TYPE_CHECKING:
    from pathlib import Path

INVISIBLE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufdd0-\ufdef\ud800-\udfff]"
)
#: Characters that mean something to some part of the cleaning.
LOADED = "$\\{}<>&;*_`~[]()-'\"^%# \n\tabeimxz059.,/:é中ﬁ\u200b\u0301\xad\r\x00"


def same(*texts: str) -> list[tuple[str, str]]:
    return [(text, text) for text in texts]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # maths stays, macros go
        (r"bounds of $\ell_1$ and \(O(n)\)", r"bounds of $\ell_1$ and $O(n)$"),
        (r"so \[ x = y \] holds", "so $$x = y$$ holds"),
        (r"\begin{align*} a &= b \end{align*}", "$$a &= b$$"),
        ("for $ T = \\sum_i\nx_i $ we", r"for $T = \sum_i x_i$ we"),
        ("mixed $ p $-th order", "mixed $p$-th order"),
        (r"$2.1\times$$\sim$$2.6\times$ faster", r"$2.1\times \sim 2.6\times$ faster"),
        (r"up to $\approx$90% of", r"up to $\approx 90$% of"),
        (r"$\textbf{SE}$lf-$\mathbf{E}$nsemble, $\mathbf{x}$", r"SElf-Ensemble, $\mathbf{x}$"),
        (r"\textbf{Bold}, \emph{e.g.}, {\em i.e.} and \underline{F}irst", "Bold, e.g., i.e. and First"),
        (r"35\% of Q\&A, \$5, a\_b \#1", "35% of Q&A, $5, a_b #1"),
        (r"bound of O(\sqrt{T}) and a \log factor, L_{\infty}", "bound of O(√T) and a log factor, L_∞"),
        (r"Schr\"odinger, Mat\'ern, Erd\H{o}s, \L{}ojasiewicz", "Schrödinger, Matérn, Erdős, Łojasiewicz"),
        (r"shown \cite[p. 2]{a,b}. Then~\citep{c} it", "shown. Then it"),
        (r"our \ours{} is \ie good, \FedNL too", "our ours is i.e. good, FedNL too"),
        (r"a 9.8{\texttimes} gain {\bf here}", "a 9.8× gain here"),
        (r"lists of \emphk items, O(\sqrtT)", "lists of k items, O(√T)"),
        ("5$ imes$ faster with \textbf{it}", r"5$\times$ faster with it"),
        (r"\begin{itemize} \item one \end{itemize}", "• one"),
        # links
        (r"code: \url{https://a.org/b_c%20d}}{x}.", "code: https://a.org/b_c%20d{x}."),
        (
            r"\href{https://a.org}{here}, [there](https://b.org/c_(d)).",
            "here (https://a.org), there (https://b.org/c_(d)).",
        ),
        ("[https://a.org](https://a.org) <https://b.org>", "https://a.org https://b.org"),
        (r"public\footnote{https://a.org/x}.", "public (https://a.org/x)."),
        # Markdown
        ("**E$^{2}$-RAG**, *word*, _x y_, `code`", "E$^{2}$-RAG, word, x y, code"),
        ("**M**ask-**B**ased ***both*** {Hy}brid", "Mask-Based both Hybrid"),
        # typewriter
        (
            "``quoted'' and `x' --- or--so 2--3, e.g.~this~(MDP)",
            "“quoted” and ‘x’ — or–so 2–3, e.g. this (MDP)",
        ),
        # HTML in plain text
        ("<p>One &amp;amp; <strong>two</strong><br>three</p><p>four</p>", "One & two three\n\nfour"),
        ("H<sub>2</sub>O, x<sup>th</sup> <!-- no --><script>alert(1)</script>", "H₂O, xth"),
        ("n &lt; 5, caf&eacute; &#8212; &#0; ok", "n < 5, café — � ok"),
        # characters
        ("classi\ufb01er e\ufb03cient (cid:12)lter", "classifier efficient filter"),
        ("zero\u200bwidth so\u00adft nul\x00 \ufeffbom \u202eright\u202c", "zerowidth soft nul bom right"),
        ("e\u0301 and \x93q\x94 and â\x80\x94 and â€™s", "é and “q” and — and ’s"),
        ("doubled  space,\nwrapped\r\nline\n \nparagraph", "doubled space, wrapped line\n\nparagraph"),
        ("中文\n换行", "中文换行"),
        # hyphens
        (
            "multi- task and previ- ous work, a classi-\nfication",
            "multi-task and previous work, a classification",
        ),
        ("the multitask case of multi- task", "the multitask case of multitask"),
        *same(
            *("pre- and post-training", "short- or long-term", "one- to two-layer"),
            *(
                "p < 0.05",
                "a<b and c>d",
                "x_1 and x_2",
                "5 * 3 * 2",
                "$5 and $10",
                "costs $5",
                "C++",
                "k-means++",
            ),
            *(
                "snake_case_name",
                "the <unk> / <mask> tokens",
                "<s> and </s>",
                "100 % of AT&T",
                "2**3 and 4**5",
            ),
            *(
                "{+1, -1}^n",
                "A* and RRT* search",
                "__init__",
                "~20% of 5 ~ 6",
                "use --flag",
                "a --> b",
                "R&D; x",
                "j<i>k",
            ),
            *(
                "curly ’quotes’ stay",
                "𝐱 ∈ ℝ and x²",
                "see https://a.org/~x/b_c--d*e*",
                "US$5-$10",
                "[a](b c)",
                "naïve Brânzei",
            ),
        ),
        ("US$$x$", r"US\$$x$"),
        (r"\$5, for \$6, or$", r"\$5, for \$6, or$"),
        ("", ""),
    ],
)
def test_plain_text_is_cleaned(given: str, expected: str) -> None:
    assert clean(given, Markup.PLAIN) == expected
    assert clean(expected, Markup.PLAIN) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("<p>We set $n<N$ and $a>b$.</p>\n<p>Two&nbsp;\nlines</p>", "We set $n<N$ and $a>b$.\n\nTwo lines"),
        ("<style>p{}</style>a<!-- b -->c <unk> &lt;mask&gt; AT&T", "ac <unk> <mask> AT&T"),
        ('<a href="https://a.org/b">here</a>, <a href="/local">there</a>', "here (https://a.org/b), there"),
        ("<ul><li>one</li><li>two</li></ul>", "one two"),
        ("<p>cut off <script>alert(1)", "cut off <script>alert(1)"),
        ('<p class="a" onclick=x>b</p>', "b"),
    ],
)
def test_html(given: str, expected: str) -> None:
    assert clean(given, Markup.HTML) == expected


@pytest.mark.parametrize(
    ("given", "expected", "bibtex"),
    [
        (
            "<fixed-case>A</fixed-case>dap<fixed-case>L</fixed-case>e<fixed-case>R</fixed-case>",
            "AdapLeR",
            "{A}dap{L}e{R}",
        ),
        (
            "On <tex-math>\\ell_{1}</tex-math> for <b>all <i><fixed-case>NLP</fixed-case></i></b> &amp; more",
            r"On $\ell_{1}$ for all NLP & more",
            r"On $\ell_{1}$ for all {NLP} & more",
        ),
        ("see <url>https://a.org/b_c</url>, p &lt; 5", "see https://a.org/b_c, p < 5", None),
        ("a <tex-math>\\textbf{MACLR}</tex-math> is", "a MACLR is", None),
    ],
)
def test_acl(given: str, expected: str, bibtex: str | None) -> None:
    assert clean(given, Markup.ACL) == expected
    assert title_bibtex(given, Markup.ACL) == bibtex


@pytest.mark.parametrize(
    ("given", "expected", "bibtex"),
    [
        (
            r"{BERT}: Pre-training of {\"O}zt{\"u}rk~\& {D}eep",
            "BERT: Pre-training of Öztürk & Deep",
            r"{BERT}: Pre-training of Öztürk & {D}eep",
        ),
        ("Plain  title\n  of arXiv", "Plain title of arXiv", None),
        (r"On $\mathcal{O}(n)$ \emph{and} \{sets\}", r"On $\mathcal{O}(n)$ and {sets}", None),
        ("{Unbalanced", "Unbalanced", "{Unbalanced}"),
    ],
)
def test_latex(given: str, expected: str, bibtex: str | None) -> None:
    assert clean(given, Markup.LATEX) == expected
    assert title_bibtex(given, Markup.LATEX) == bibtex


def test_raised_and_lowered_digits_of_latex() -> None:
    given = r"CO\textsubscript{2}, x\textsuperscript{10}, 3\textsuperscript{rd}, a\textasciicircum{}b"
    assert clean(given, Markup.LATEX) == "CO₂, x¹⁰, 3rd, a^b"


def test_jats() -> None:
    text = (
        "<jats:title>Abstract</jats:title><jats:p>One <jats:italic>two</jats:italic> <jats:inline-formula>"
        "<jats:alternatives><jats:tex-math>\\documentclass{minimal}\\begin{document}$$x_1$$\\end{document}"
        "</jats:tex-math><mml:math><mml:mi>x</mml:mi></mml:math></jats:alternatives></jats:inline-formula>"
        " &amp;amp; three</jats:p><jats:p>four</jats:p>"
    )
    assert clean(text, Markup.JATS) == "One two $x_1$ & three\n\nfour"


def test_clean_text_comes_back_as_it_is() -> None:
    assert clean(r"\emph{left} <p> alone", Markup.CLEAN) == r"\emph{left} <p> alone"
    assert title_bibtex("{A}", Markup.CLEAN) is None
    assert title_bibtex("{A}", Markup.PLAIN) is None


@given(st.text(alphabet=LOADED, max_size=60) | st.text(max_size=60), st.sampled_from(list(Markup)))
def test_any_text_is_cleaned_without_invisible_characters(text: str, markup: Markup) -> None:
    cleaned = clean(text, markup)
    title_bibtex(text, markup)
    plain(cleaned)
    segments(cleaned)
    if markup is not Markup.CLEAN:
        assert not INVISIBLE.search(cleaned)
        assert unicodedata.is_normalized("NFC", cleaned)
        assert cleaned == cleaned.strip()
        assert "  " not in cleaned
        cleaned.encode()


WORDS = st.sampled_from(
    [
        *(
            "We",
            "show",
            "x_1",
            "p < 0.05",
            "$5",
            "$x$",
            r"$\ell_1$",
            "$$y$$",
            "C++",
            "A*",
            "<unk>",
            "R&D",
            "é",
            "中文",
        ),
        *(
            r"\emph{so}",
            "**bold**",
            "(a)",
            "multi- task",
            "&amp;",
            "100%",
            "don't",
            "--",
            "“q”",
            r"\$6",
            "$a$b$",
        ),
        *("https://a.org/b_c", "{1, 2}", "\n\n", "."),
    ]
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_cleaning_again_changes_nothing(text: str) -> None:
    cleaned = clean(text, Markup.PLAIN)
    assert clean(cleaned, Markup.PLAIN) == cleaned


@given(
    st.lists(
        st.sampled_from(["$x$", "$5", "$6-$7", "a", r"$\alpha$", "US$", "$$z$$", r"\$8", "b$", "(", "3"]),
        max_size=8,
    )
)
def test_maths_that_was_read_is_read_again(parts: list[str]) -> None:
    cleaned = clean(" ".join(parts), Markup.PLAIN)
    maths = [part.text for part in segments(cleaned) if part.kind in ("math", "display")]
    again = [part.text for part in segments(clean(cleaned, Markup.PLAIN)) if part.kind in ("math", "display")]
    assert maths == again
    assert maths.count("x") == parts.count("$x$")
    assert maths.count("z") == parts.count("$$z$$")


@given(st.text(alphabet="abc <>&\"'é中,.", max_size=40))
def test_entities_agree_with_the_html_module(text: str) -> None:
    escaped = html.escape(text)
    expected = " ".join(html.unescape(escaped).split())
    assert clean(escaped, Markup.PLAIN).replace("\n\n", " ") == clean(expected, Markup.PLAIN)


HOSTILE = [
    "$",
    "{",
    "<",
    "*",
    "\\",
    "_",
    "[",
    "`",
    "~",
    "&",
    "-",
    "$a",
    "{a",
    "<b>",
    "<p ",
    "**a",
    "\\emph{",
    "\\sqrt{",
    "[a](",
    "\\cite[",
]
HOSTILE += [
    "\\'",
    "<!--",
    "<a href='",
    "$\n",
    "\\[",
    "\\(",
    "_{",
    "&amp;",
    "http://a",
    "''",
    "``",
    "$x$",
    "\\begin{align}",
    "<sup>1",
    "- a",
    "a- b ",
]
HOSTILE += [
    "(",
    "\\frac",
    "a ",
    "\n",
    "é",
    "\u200b",
    "\\\\",
    "\\$",
    "*a ",
    "$$a",
    "<script>",
    "<![CDATA[",
    "--",
    "](",
    "\\href{a}{",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_length_and_no_more(unit: str) -> None:
    """A hundred thousand characters of one thing take about a second; quadratic work would take minutes."""
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    for markup in (Markup.PLAIN, Markup.HTML, Markup.LATEX):
        plain(clean(text, markup))
    assert time.process_time() - start < 6


def test_deep_nesting_is_no_recursion() -> None:
    depth = 10_000
    assert clean("{" * depth + "x" + "}" * depth, Markup.LATEX) == "x"
    assert clean("\\emph{" * depth + "x" + "}" * depth, Markup.PLAIN) == "x"
    assert clean("<b>" * depth + "x" + "</b>" * depth, Markup.HTML) == "x"


def test_real_abstracts_leave_no_macros(shared: Path) -> None:
    with gzip.open(shared / "corpora" / "conference-papers.jsonl.gz", "rt", encoding="utf-8") as lines:
        abstracts = [json.loads(line)["abstract"] or "" for line, _ in zip(lines, range(3000), strict=False)]
    left = 0
    for abstract in abstracts:
        cleaned = clean(abstract, Markup.PLAIN)
        words = "".join(part.text for part in segments(cleaned) if part.kind == "text")
        left += "\\" in words or "**" in words or "\u200b" in words
        assert len(plain(cleaned)) > 0.5 * len(abstract)
    assert left == 0
