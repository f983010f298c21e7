from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.markup import plain
from lunwen.retrieval.highlight import Highlighter
from lunwen.retrieval.query import parse


def stem(word: str) -> str:
    """A small stemmer of the test's own: plural and "-ing"."""
    for ending in ("ing", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending)
    return word


def mark(query: str, text: str) -> str:
    """Return the text with its highlighted words in brackets."""
    marked, end = "", 0
    for left, right in Highlighter(parse(query), stem).spans(text):
        marked += f"{text[end:left]}[{text[left:right]}]"
        end = right
    return marked + text[end:]


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("graph", "[Graphs], [graph] and paragraph, graphite"),
        ("first-order", "[First-order], [first order], [firstorder] and first; order; first"),
        ("firstorder", "[First-order], [first order], [firstorder]"),
        ("t-SNE", "[t-SNE], [tSNE], [TSNE], [t–SNE] and t"),
        ("tsne", "[t-SNE], [tsne]"),
        ("COVID-19 GPT-4", "[COVID19], [covid 19], [GPT4], [GPT‑4]"),
        ("k-means++", "[k-means++], [kmeans++], k-means"),
        ("C++", "[C++], [c++]-like, C, C+"),
        ("C#", "[C#], C"),
        ("A*", "[A*] search, A"),
        ("Godel", "[Gödel], [Go\u0308del] and [Godel]’s"),
        ("Gödel", "[Godel], [Gödel], [Goedel]"),
        ("fisher", "[ﬁsher], [Ｆｉｓｈｅｒ]"),
        ("β-VAE", "[β-VAE], [beta-VAE]"),
        ("don't", "[don’t], [don't]"),
        ('"neural graphs"', "[neural graph], neural, graphs, [neural-graph]"),
        ("注意力", "用[注意力]机制"),
        ("注意力机制", "[注意力]与[机制]"),
        ("重跑gen-itgc", "再[重跑gen-itgc]后"),
        ("x OR (y AND z)", "[x] [y] [z] w"),
        ("graph -tree", "[graph] tree"),
        ("graph author:tree venue:tree title:lamp", "[graph] tree [lamp]"),
        ("the graph", "the [graph]"),
        ("the", "[the] graph"),
        (
            "cost",
            r"[cost] \$cost\$ $cost$ $$cost$$ https://x.org/cost [costs]".replace(r"\$cost\$", r"\$[cost]\$"),
        ),
        ("order", "$x<y$ [order] and a $5 [order]"),
        ("*", "nothing *"),
        ("", "nothing"),
    ],
)
def test_highlighted_words(query: str, marked: str) -> None:
    assert mark(query, marked.replace("[", "").replace("]", "")) == marked


WORDS = st.lists(
    st.sampled_from(
        [
            *(
                "graph",
                "graphs",
                "first-order",
                "Gödel",
                "t-SNE",
                "注意力",
                "C++",
                "$x^2$",
                "\\$",
                "$",
                "ﬁ",
                "e\u0301",
            ),
            *("https://x.y/graph", ".", " ", " ", "\n\n", "α", "🙂", "\u0301", "\ud800", "İ", "x"),
        ]
    ),
    max_size=25,
).map("".join)


@given(WORDS | st.text(max_size=40), st.text(max_size=20) | WORDS)
def test_spans_are_sorted_apart_inside_and_leave_maths_alone(text: str, query: str) -> None:
    spans = Highlighter(parse(query), stem).spans(text)
    ends = [0, *(end for _, end in spans)]
    assert all(before < left or before == left == 0 for before, (left, _) in zip(ends, spans, strict=False))
    assert all(left < right <= len(text) for left, right in spans)
    marked = mark(query, text.replace("[", "").replace("]", ""))
    unmarked = text.replace("[", "").replace("]", "")
    assert plain(marked).replace("[", "").replace("]", "") == plain(unmarked)


@given(
    st.lists(
        st.sampled_from(["graph", "tree", "lamp-post", "Gödel", "注意力", "GPT-4"]), min_size=1, max_size=6
    )
)
def test_every_word_of_a_text_is_found_in_it(words: list[str]) -> None:
    text = ", ".join(words)
    assert mark(text, text) == ", ".join(f"[{word}]" for word in words)
