"""Pages of methods: what is shown of them, and that one damaged file is the problem of one method."""

from __future__ import annotations

import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from lunwen.library import open_library
from lunwen.methods import find, place

VERSIONED = ("numpy", "scipy")  # libraries with which claims were measured
FORMULAS = ("beta", "sqrt")


@pytest.fixture
def whole(tmp_path, make_client):
    """Pages of a library that has nothing of its own: the catalogue can be shown from any."""
    with open_library(tmp_path / "library") as library:
        yield make_client(library)


@pytest.fixture
def damaged(tmp_path, monkeypatch):
    (tmp_path / "001-11.json").write_text('{"claims": [', "utf-8")
    monkeypatch.setenv("LUNWEN_CLAIMS", str(tmp_path))


def test_methods_are_shown_in_chinese_with_their_english_marked_as_such(whole):
    tree = LexborHTMLParser(whole.get("/methods?lang=zh").text)
    areas = [one.text() for one in tree.css(".area h2")]
    assert areas == ["双层优化", "集中不等式", "共形预测", "估计", "在线学习", "训练"]
    tree = LexborHTMLParser(whole.get("/papers/001-11?lang=zh").text)
    method = tree.css_first(".method")
    for one in method.css("[lang=en]"):
        one.decompose()
    for code in method.css("code, pre, .n, td"):
        code.decompose()
    said = [word for word in re.findall("[A-Za-z]{4,}", method.text()) if word not in ("lunwen", "python")]
    assert set(said) <= {*VERSIONED, *FORMULAS}, said


@pytest.mark.usefixtures("damaged")
def test_damaged_evidence_is_said_of_its_method_alone(client):
    tree = LexborHTMLParser(client.get("/methods").text)
    said = {
        row.css_first("a").attributes["href"]: [one.text() for one in row.css(".verdict")]
        for row in tree.css(".runs li")
    }
    assert said.pop("/papers/001-11#method") == ["evidence damaged"]
    assert said
    assert "evidence damaged" not in str(said)
    tree = LexborHTMLParser(client.get("/methods?lang=zh").text)
    assert "实测记录已损坏" in tree.body.text()


def test_the_whole_module_is_there_to_read(whole):
    page = LexborHTMLParser(whole.get("/papers/001-11?lang=en").text)
    link = page.css_first(".code-link a").attributes["href"]
    answer = whole.get(link)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.text == find("coco").path.read_text("utf-8")
    assert whole.get("/methods/nope.py").status_code == 404


def test_the_plot_of_other_evidence_is_not_shown(whole, tmp_path, monkeypatch):
    for end in ("json", "svg"):
        (tmp_path / f"000-18.{end}").write_bytes(place(find("000-18")).with_suffix(f".{end}").read_bytes())
    monkeypatch.setenv("LUNWEN_CLAIMS", str(tmp_path))
    assert 'src="/methods/000-18.svg"' in whole.get("/papers/000-18").text
    (tmp_path / "000-18.json").write_bytes((tmp_path / "000-18.json").read_bytes() + b"\n")
    assert "000-18.svg" not in whole.get("/papers/000-18").text
    assert whole.get("/methods/000-18.svg").status_code == 404
