from __future__ import annotations

import pytest

from lunwen.corpus.sources._value import (
    join_date,
    read_count,
    read_date_parts,
    read_month,
    read_number,
    read_text,
    read_texts,
    read_year,
)


@pytest.mark.parametrize(
    ("value", "year"),
    [
        (2019, 2019),
        ("2019", 2019),
        ("May 2019", 2019),
        (3202, None),
        ("20190101", None),
        (2019.0, 2019),
        (True, None),
        (None, None),
        ("", None),
        ([], None),
    ],
)
def test_years(value, year):
    assert read_year(value) == year


@pytest.mark.parametrize(
    ("value", "date"),
    [
        ({"date-parts": [[2024, 7, 21]]}, "2024-07-21"),
        ({"date-parts": [["2024", "7"]]}, "2024-07"),
        ({"date-parts": ["2019", "5", "24"]}, "2019-05-24"),
        ({"date-parts": [[None]]}, None),
        ({"date-parts": [[2024, None]]}, "2024"),
        ({"date-parts": [[2024, 13]]}, "2024"),
        ({"date-parts": [[]]}, None),
        ({"date-parts": []}, None),
        ({}, None),
        (None, None),
    ],
)
def test_date_parts(value, date):
    assert read_date_parts(value) == date


@pytest.mark.parametrize(
    ("value", "month"),
    [
        ("September–November", 9),
        ("jan", 1),
        ("December", 12),
        ("3", 3),
        (13, None),
        ("Spring", None),
        (None, None),
    ],
)
def test_months(value, month):
    assert read_month(value) == month


def test_the_rest():
    assert join_date() is None
    assert join_date(2024, 2, 30) == "2024-02-30"
    assert (read_count(-1), read_count("12.0"), read_count(None)) == (None, 12, None)
    assert (read_number(1.5), read_number(True), read_number("x")) == (None, None, None)
    assert (read_number("-12"), read_number("9" * 5_000)) == (-12, None)
    assert (read_text("  "), read_text(7), read_text(True), read_text([])) == (None, "7", None, None)
    assert read_texts(["a", None, " b "]) == ("a", "b")
    assert read_texts("a, b;c", ",;") == ("a", "b", "c")
    assert read_texts(5) == ()
