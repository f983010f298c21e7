from __future__ import annotations

import pytest

from lunwen.doors.web.page import number_pages


def numbers(page: int, last: int) -> str:
    return " ".join(
        f"[{p.label}]" if p.active else p.label for p in number_pages(page, last, "/?page={}".format)
    )


@pytest.mark.parametrize(
    ("page", "last", "shown"),
    [
        (1, 1, "[1]"),
        (1, 2, "[1] 2"),
        (1, 9, "[1] 2 3 … 9"),
        (4, 9, "1 2 3 [4] 5 6 … 9"),
        (5, 9, "1 2 3 4 [5] 6 7 8 9"),
        (6, 99, "1 … 4 5 [6] 7 8 … 99"),
        (99, 99, "1 … 97 98 [99]"),
        (3, 2, ""),
    ],
)
def test_page_numbers(page, last, shown):
    assert numbers(page, last) == shown
