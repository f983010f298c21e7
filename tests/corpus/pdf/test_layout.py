from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.maths import plain
from lunwen.corpus.pdf.layout import lay_out

HEAD = "Published as a paper about birds\r\n"


def test_a_page_becomes_one_line_of_whole_words() -> None:
    page = (
        "Owls ﬂy at night and ﬁnd their oﬃce by first\ufffeorder optimi\ufffezation.\r\n"
        "First-order methods are opti-\r\nmal, pre- and post-training too, and nor\u00ad\r\nmally short."
    )
    (text,) = lay_out([page])
    assert text == (
        "Owls fly at night and find their office by first-order optimization. First-order methods are "
        "optimal, pre- and post-training too, and normally short."
    )


def test_running_heads_and_page_numbers_go_and_the_text_between_them_stays() -> None:
    birds = ("Owls hunt.", "Terns dive.", "Kites glide.", "Crows count.")
    pages = [f"{HEAD}{bird}\r\nThey sing.\r\n{bird[:4]}.\r\n{at}" for at, bird in enumerate(birds, start=12)]
    assert lay_out(pages) == [f"{bird} They sing. {bird[:4]}." for bird in birds]
    several = [f"{page}\r\nOwls {number} of 4" for number, page in enumerate(pages)]
    assert lay_out(several) == [f"{bird} They sing. {bird[:4]}." for bird in birds]


def test_what_stands_on_few_pages_is_no_running_head() -> None:
    assert lay_out([f"{HEAD}Owls hunt.", f"{HEAD}Terns dive."]) == [
        "Published as a paper about birds Owls hunt.",
        "Published as a paper about birds Terns dive.",
    ]


def test_a_word_broken_above_a_footer_does_not_swallow_it() -> None:
    pages = [f"Birds\r\nof {name}\r\nand {name}-\r\nPublished" for name in ("land", "sea", "ice")]
    assert lay_out(pages) == ["of land and land-", "of sea and sea-", "of ice and ice-"]


def test_line_numbers_of_a_manuscript_go() -> None:
    assert lay_out(["000\r\n001\r\n002\r\nOwls hunt\r\nat night."]) == ["Owls hunt at night."]


def test_a_dollar_is_money_and_no_maths() -> None:
    assert lay_out(["An owl costs $5 and a tern $x$ or so."]) == [r"An owl costs \$5 and a tern \$x\$ or so."]
    assert plain(lay_out(["An owl costs $5, a tern $6."])[0]) == "An owl costs $5, a tern $6."


@given(st.lists(st.text(), max_size=6))
def test_any_pages_become_as_many_lines_that_can_be_shown(pages: list[str]) -> None:
    found = lay_out(pages)
    assert len(found) == len(pages)
    for text in found:
        assert text == " ".join(text.split())
        assert not {unicodedata.category(character) for character in text} & {"Cc", "Cs", "Co"}
        text.encode()
