"""Measuring: which engine a mode needs (tests of the command measure a folder as a whole)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.errors import CouldNot
from lunwen.retrieval.evaluate import evaluate
from lunwen.retrieval.request import Mode

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "a", "title": "Owls", "text": "birds"}\n{"_id": "b", "title": "Bats", "text": "no birds"}\n'
    )
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "owls"}\n{"_id": "z", "text": "zebras"}\n')
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\nz\tb\t1\n")
    return tmp_path


def test_words_are_measured_where_no_encoder_is_wanted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_ENCODER", "none")
    measured = evaluate(folder, mode=Mode.HYBRID).summary  # what a search does then is said
    assert (measured["mode"], measured["nDCG@10"]) == ("lexical", 0.5)  # one query of two is answered
    with pytest.raises(CouldNot, match=r"^search is by words alone\. For meaning set LUNWEN_ENCODER"):
        evaluate(folder, mode=Mode.SEMANTIC)


def test_measuring_words_needs_no_encoder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUNWEN_ENCODER", "onnx:nowhere")
    assert evaluate(folder, mode=Mode.LEXICAL).summary["nDCG@10"] == 0.5
    with pytest.raises(CouldNot):
        evaluate(folder, mode=Mode.HYBRID)
