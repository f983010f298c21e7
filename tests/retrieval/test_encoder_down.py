"""An encoder that does not answer: words are found all the same, and the answer says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.errors import CouldNot
from lunwen.library import open_library
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from pathlib import Path


def test_papers_come_in_and_are_found_by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_ENCODER", "http://127.0.0.1:9/v1/embeddings#none")  # nobody listens there
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"title": "A walrus sings", "authors": ["Ada Owl"], "venue": "ICML", "year": 2026}\n')
    with (
        open_library(tmp_path / "library", write=True) as library,
        pytest.raises(CouldNot, match=r"127\.0\.0\.1:9"),
    ):
        library.import_files([str(papers)])
    with open_library(tmp_path / "library") as library:
        response = library.search(SearchRequest(query="walrus"))
        assert [item.paper.title for item in response.items] == ["A walrus sings"]
        assert response.warnings
