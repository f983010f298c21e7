from __future__ import annotations

import re
from importlib.resources import files
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.doors.words import LANGUAGES, TABLE, WORDS, choose_language


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("key", TABLE)
def test_both_languages_say_it_with_the_same_values(key):
    english, chinese = TABLE[key]
    assert english
    assert chinese
    assert fields(english) == fields(chinese)


def test_the_languages_have_identical_keys():
    tables = [set(WORDS[language]._table) for language in LANGUAGES]
    assert tables[0] == tables[1] == set(TABLE)


def test_every_string_of_the_templates_is_in_the_table():
    templates = files("lunwen.doors.web").joinpath("templates")
    used = {
        key
        for template in templates.iterdir()
        for key in re.findall(r"""\bt(?:\.count)?\(['"](\w+)['"]""", template.read_text(encoding="utf-8"))
    }
    assert len(used) > 40
    assert used <= set(TABLE)


def test_chinese_strings_are_chinese():
    same = {key for key, (english, chinese) in TABLE.items() if english == chinese}
    assert same == {"site", "took", "link_pdf", "bibtex"}


def test_one_paper_is_singular_in_english():
    assert WORDS["en"].count("papers", 1) == "1 paper"
    assert WORDS["en"].count("papers", 12345) == "12,345 papers"
    assert WORDS["zh"].count("papers", 12345) == "12,345 篇"


def test_a_value_without_a_name_names_itself():
    assert WORDS["zh"].named("status", "oral") == "口头报告"
    assert WORDS["zh"].named("status", "demo") == "demo"


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-GB,en;q=0.9,zh;q=0.8", "en"),
        ("zh-TW", "zh"),
        ("de,fr;q=0.7", "en"),
        ("de,zh;q=0.7,en;q=0.3", "zh"),
        ("en;q=0.2, zh;q=0.9", "zh"),
        ("", "en"),
        ("*", "en"),
    ],
)
def test_the_browsers_language_is_spoken(accepted, language):
    assert choose_language(asked=None, remembered=None, accepted=accepted) == language


def test_what_is_asked_for_wins_over_what_is_remembered():
    assert choose_language(asked="en", remembered="zh", accepted="zh") == "en"
    assert choose_language(asked="xx", remembered="zh", accepted="en") == "zh"


@given(st.text(), st.text(), st.text())
def test_any_header_gives_a_language(asked, remembered, accepted):
    assert choose_language(asked=asked, remembered=remembered, accepted=accepted) in LANGUAGES
