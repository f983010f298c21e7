from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from lunwen.doors.web.chart import HEIGHT, LONGEST, draw_years
from lunwen.doors.words import WORDS

EN = WORDS["en"]


def draw(counts: dict[int, int]):
    return draw_years(counts, "/?year={}".format, EN)


def test_columns_are_as_high_as_years_have_papers():
    drawn = draw({2020: 10, 2022: 5, 2023: 1})
    assert [one.label for one in drawn] == ["2020", "2021", "2022", "2023"]
    assert [one.height for one in drawn] == [HEIGHT, 0, HEIGHT // 2, HEIGHT // 10]
    assert drawn[3].says == "2023: 1 paper"
    assert [one.url for one in drawn] == ["/?year=2020", "", "/?year=2022", "/?year=2023"]


def test_a_year_with_few_papers_can_still_be_hit():
    assert draw({2020: 100_000, 2021: 1, 2022: 2})[1].height == 2


def test_two_years_are_no_chart():
    assert draw({2020: 10, 2021: 5, 2022: 0}) == ()


def test_a_century_shows_its_end():
    drawn = draw({1900: 5, 1990: 5, 2025: 3})
    assert len(drawn) == LONGEST
    assert (drawn[0].label, drawn[-1].label) == (str(2025 - LONGEST + 1), "2025")


@pytest.mark.parametrize("url", ["/?q=lamps", "/?topic=Theory&status=all"])
def test_the_chart_of_a_list_filters_it_as_the_counts_say(client, url):
    tree = LexborHTMLParser(client.get(url).text)
    columns = tree.css(".chart a")
    assert len(columns) >= 3
    for column in columns:
        year, says = column.attributes["aria-label"].split(": ")
        found = LexborHTMLParser(client.get(column.attributes["href"]).text)
        assert found.css_first(".total strong").text() == says
        assert f"year={year}" in column.attributes["href"]


def test_venues_have_bars_in_proportion(client):
    tree = LexborHTMLParser(client.get("/?q=first-order").text)
    rows = [row for row in tree.css(".filters li") if row.css_first(".share")]
    counts = [int(row.css_first(".n").text()) for row in rows]
    widths = [int(row.css_first("rect").attributes["width"]) for row in rows]
    assert widths == [max(1, round(100 * count / max(counts))) for count in counts]


def test_a_venue_is_a_page_with_its_name_on_it(client):
    heading = LexborHTMLParser(client.get("/?venue=ICML").text).css_first("h1")
    assert (heading.text(), heading.attributes["class"]) == ("ICML", "newest")
    for url in ("/?q=lamps&venue=ICML", "/?venue=ICML&year=2024", "/?status=oral"):
        assert LexborHTMLParser(client.get(url).text).css_first("h1").attributes["class"] == "hidden"
