"""Pages of methods: what is shown of them, and that one damaged file is the problem of one method."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser


@pytest.fixture
def damaged(tmp_path, monkeypatch):
    (tmp_path / "001-11.json").write_text('{"claims": [', "utf-8")
    monkeypatch.setenv("LUNWEN_CLAIMS", str(tmp_path))


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
