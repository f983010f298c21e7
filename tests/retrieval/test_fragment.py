from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.retrieval.fragment import fragment, unbreakable

TEXT = "one two three four five six seven eight nine ten"


def test_a_short_text_is_its_own_fragment() -> None:
    assert fragment(TEXT, ((0, 3),), 100) == (TEXT, ((0, 3),))


@pytest.mark.parametrize(
    ("spans", "width", "shown", "marked"),
    [
        ((), 12, "one two…", []),
        (((0, 3),), 12, "one two…", ["one"]),
        (((45, 48),), 12, "…nine ten", ["ten"]),
        (((4, 7), (28, 33), (34, 39)), 20, "…six seven eight…", ["seven", "eight"]),
    ],
)
def test_the_window_with_most_spans(
    spans: tuple[tuple[int, int], ...], width: int, shown: str, marked: list[str]
) -> None:
    text, moved = fragment(TEXT, spans, width)
    assert text == shown
    assert [text[left:right] for left, right in moved] == marked


def test_maths_and_links_stay_whole() -> None:
    text = "aaa $x + y + z$ bbb https://x.org/some/where ccc"
    assert [text[left:right] for left, right in unbreakable(text)] == [
        "$x + y + z$",
        "https://x.org/some/where",
    ]
    assert fragment(text, ((16, 19),), 20) == ("…$x + y + z$ bbb…", ((13, 16),))


def test_chinese_is_cut_between_characters() -> None:
    assert fragment("注意力机制的综述", ((5, 6),), 5)[0].strip("…") in "注意力机制的综述"


PIECES = st.sampled_from(
    [
        *(
            "word",
            "a",
            "$x + y$",
            "注意",
            "e\u0301",
            "👩\u200d🔬",
            " ",
            " ",
            "\n\n",
            ".",
            "\\$",
            "https://x.y/z",
        ),
        "long" * 9,
    ]
)


@given(
    st.lists(PIECES, max_size=30).map("".join), st.lists(st.integers(0, 60), max_size=8), st.integers(12, 60)
)
def test_a_fragment_is_a_part_of_the_text_and_keeps_to_its_width(
    text: str, ends: list[int], width: int
) -> None:
    places = sorted({end for end in ends if end <= len(text)})
    spans = tuple(zip(places[::2], places[1::2], strict=False))
    shown, moved = fragment(text, spans, width)
    assert len(shown) <= width
    inner = shown if shown == text else shown.removeprefix("…").removesuffix("…")
    assert inner in text
    assert not inner or inner == text or not unicodedata.combining(inner[0])
    for left, right in moved:
        assert 0 <= left < right <= len(shown)
        assert any(shown[left:right] in text[start:end] for start, end in spans)
