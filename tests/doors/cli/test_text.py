from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from lunwen.doors.cli.text import CLOSE, OPEN, cells, mark, paint, unmark, wrap

TEXT = st.text(st.characters(exclude_categories=["C"], exclude_characters=[OPEN, CLOSE]), max_size=80)


def test_marks_are_painted() -> None:
    marked = mark("first-order owls", [(0, 5), (12, 16)])
    assert paint(marked, rest=str, marked=lambda word: f"[{word}]") == "[first]-order [owls]"
    assert paint(marked, rest=str.upper, marked=str) == "first-ORDER owls"


def test_lines_break_between_words_and_between_chinese_characters() -> None:
    assert wrap("the quick brown owl", 10) == ["the quick", "brown owl"]
    assert wrap("用双层优化训练模型", 8) == ["用双层优", "化训练模", "型"]
    assert wrap("one two three four", 9, most=1) == ["one two …"]
    assert wrap("a\n\nb", 9) == ["a", "b"]


def test_a_mark_over_a_line_end_is_closed_and_opened_again() -> None:
    assert wrap(mark("big brown owl", [(4, 13)]), 9) == [f"big {OPEN}brown{CLOSE}", f"{OPEN}owl{CLOSE}"]


def test_columns() -> None:
    assert cells("Gödel 论文") == 10
    assert cells("Go\u0308del") == 5


@given(text=TEXT, width=st.integers(20, 60), data=st.data())
def test_wrapping_loses_no_word_and_never_runs_over(text: str, width: int, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4, unique=True)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    lines = wrap(mark(text, spans), width)
    assert re.sub(r"\s", "", unmark("".join(lines))) == re.sub(r"\s", "", text)
    longest = max(map(cells, text.split()), default=0)
    assert all(cells(line) <= max(width, longest) for line in lines)
    assert all(line.count(OPEN) == line.count(CLOSE) for line in lines)
