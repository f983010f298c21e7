from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lunwen.retrieval.evaluate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_was_measured_is_json(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def measure(folder: str, *, drop_self: bool, depth: int, progress: object) -> dict[str, float]:
        asked.append((folder, drop_self, depth, progress))
        return {"nDCG@10": 0.5}

    monkeypatch.setattr(lunwen.retrieval.evaluate, "evaluate", measure)
    assert run("eval", "folder", "--drop-self", "--depth", "50").json == {"nDCG@10": 0.5}
    assert asked == [("folder", True, 50, None)]


def test_a_folder_measured(run: Any, tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "a", "title": "Owls", "text": "birds"}\n{"_id": "b", "title": "Bats", "text": "no birds"}\n'
    )
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "owls"}\n')
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    measured = run("eval", str(tmp_path)).json
    assert {name: measured[name] for name in ("nDCG@10", "MRR@10", "recall@20", "recall@100")} == {
        "nDCG@10": 1.0,
        "MRR@10": 1.0,
        "recall@20": 1.0,
        "recall@100": 1.0,
    }
