from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from lunwen.corpus.markup import plain
from lunwen.doors.web.prose import language, prose


def marked(html: str) -> list[str]:
    return [node.text() for node in LexborHTMLParser(html).css("mark")]


def test_words_are_escaped_maths_is_mathml_links_are_links():
    html = prose("<b>a</b> & $x^2$ at https://example.org/a?b=1&c=2.")
    assert html.startswith("&lt;b&gt;a&lt;/b&gt; &amp; <math")
    assert html.endswith(
        '<a href="https://example.org/a?b=1&amp;c=2" rel="nofollow">https://example.org/a?b=1&amp;c=2</a>.'
    )


def test_no_link_within_a_link():
    assert "<a" not in prose("see https://example.org", links=False)


def test_maths_that_cannot_be_set_is_shown_as_written():
    assert prose(r"a $\frac{$ b <") == r"a $\frac{$ b &lt;" or "<code>" in prose(r"a $\frac{$ b <")
    assert prose(r"$\newcommand{\x}{y}$") == r"<code>$\newcommand{\x}{y}$</code>"


def test_spans_are_marked():
    assert prose("first-order lamps", [(0, 11), (12, 17)]) == "<mark>first-order</mark> <mark>lamps</mark>"


def test_spans_after_maths_and_escaped_dollars_fall_on_their_words():
    text = r"We pay \$5 for $\alpha \$ x$ lamps & \$6 for kites"
    spans = [(text.index(word), text.index(word) + len(word)) for word in ("pay", "lamps", "kites")]
    assert marked(prose(text, spans)) == ["pay", "lamps", "kites"]


def test_a_span_within_maths_is_left_alone():
    text = r"the $\alpha$ lamp"
    html = prose(text, [(5, 11), (13, 17)])
    assert marked(html) == ["lamp"]
    assert html.count("<math") == 1


def test_paragraphs():
    assert prose("one\n\ntwo") == '<p dir="auto">one</p><p dir="auto">two</p>'
    assert prose("one\n\ntwo", display=False) == "one two"


def test_display_maths_has_a_line_of_its_own_only_where_wanted():
    assert 'class="formula display"' in prose("$$x = 1$$")
    assert "formula" not in prose("$$x = 1$$", display=False)


def test_function_names_stand_apart_from_letters():
    gap = '<mspace width="0.167em"/>'
    assert f"<mi>n</mi>{gap}<mi>log</mi>{gap}<mi>n</mi>" in prose(r"$n\log n$")
    assert gap not in prose(r"$\log(n)$")


def test_a_long_formula_can_scroll():
    assert 'class="formula wide"' in prose("$" + " + ".join(f"x_{{{i}}}" for i in range(40)) + "$")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Lamps", "en"), ("面向台灯的方法", "zh"), ("GPT-4 台灯", "zh"), ("", "en"), ("A 灯 " + "x" * 99, "en")],
)
def test_the_language_of_a_text(text, expected):
    assert language(text) == expected


pieces = st.lists(
    st.one_of(
        st.sampled_from(
            ["$x$", "$$y_1$$", r"\$", "<b>", "&amp;", "https://example.org/a", " ", "\n\n", "论文", "$"]
        ),
        st.text(max_size=8),
    ),
    max_size=12,
).map("".join)


@given(pieces, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=4))
def test_any_text_and_any_spans_give_well_formed_safe_html(text, raw):
    spans, at = [], 0
    for start, length in sorted(raw):
        if start >= at:
            spans.append((start, start + length))
            at = start + length
    tree = LexborHTMLParser(prose(text, spans))
    assert not tree.css("script, b, img, iframe")
    for link in tree.css("a"):
        assert link.attributes["href"].startswith(("https://", "http://"))


@given(st.text(alphabet='ab<&" \\$', max_size=30))
def test_text_without_maths_is_shown_as_it_is(text):
    if "$" in text.replace("\\$", ""):
        return
    shown = LexborHTMLParser(f"<body><i>{prose(text, display=False)}</i>").css_first("i").text()
    assert shown == plain(text)
