from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import lunwen.retrieval.evaluate
from lunwen.retrieval.evaluate import Evaluation
from lunwen.retrieval.request import Mode

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "a", "title": "Owls", "text": "birds"}\n{"_id": "b", "title": "Bats", "text": "no birds"}\n'
    )
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q", "text": "owls"}\n{"_id": "z", "text": "zebras"}\n{"_id": "unjudged", "text": "bats"}\n'
    )
    (tmp_path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\nz\tb\t1\n")
    return tmp_path


def test_what_was_measured_is_json(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def measure(folder: str, **options: object) -> Evaluation:
        asked.append((folder, options))
        return Evaluation({"nDCG@10": 0.5}, [])

    monkeypatch.setattr(lunwen.retrieval.evaluate, "evaluate", measure)
    options = ("--drop-self", "--depth", "50", "--mode", "Lexical")
    assert run("eval", "folder", *options).json == {"nDCG@10": 0.5}
    given = {"mode": Mode.LEXICAL, "drop_self": True, "depth": 50, "progress": None}
    assert asked == [("folder", given)]


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_a_folder_measured(run: Any, folder: Path, mode: str) -> None:
    measured = run("eval", str(folder), "--mode", mode).json
    assert {name: measured[name] for name in ("nDCG@10", "MRR@10", "recall@20", "recall@100")} == {
        "nDCG@10": 0.5,  # one query of two is answered
        "MRR@10": 0.5,
        "recall@20": 0.5,
        "recall@100": 0.5,
    }
    assert (measured["mode"], measured["queries"], measured["papers"]) == (mode, 2, 2)


def test_each_query_is_written_and_compared_with_a_later_run(run: Any, folder: Path) -> None:
    file = folder / "words.jsonl"
    assert "against" not in run("eval", str(folder), "--mode", "lexical", "--per-query", str(file)).json
    ones = {"nDCG@10": 1.0, "MRR@10": 1.0, "recall@20": 1.0, "recall@100": 1.0}
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert rows == [
        {"query": "q", **ones, "first": ["a"]},
        {"query": "z", **dict.fromkeys(ones, 0.0), "first": []},
    ]
    file.write_text('{"query": "q", "nDCG@10": 0.5}\n{"query": "z", "nDCG@10": 0}\n')
    against = run("eval", str(folder), "--mode", "lexical", "--against", str(file)).json["against"]
    assert (against["file"], against["queries"], against["difference"]) == (str(file), 2, 0.25)
    assert against["interval_95"] == [0.0, 0.5]


def test_a_file_that_cannot_be_used_is_refused_before_anything_is_measured(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lunwen.retrieval.evaluate, "evaluate", lambda *_, **__: pytest.fail("measured"))
    missing = folder / "none" / "run.jsonl"
    against = run("eval", str(folder), "--against", str(missing))
    assert (against.code, against.err) == (
        1,
        (
            f'lunwen: "{missing}" cannot be read (No such file or directory). '
            "Write one with: lunwen eval FOLDER --per-query FILE\n"
        ),
    )
    written = run("eval", str(folder), "--per-query", str(missing))
    assert (written.code, written.err) == (
        1,
        f'lunwen: cannot write "{missing}": No such file or directory. Give another place\n',
    )


def test_a_wrong_mode(run: Any) -> None:
    wrong = run("eval", "folder", "--mode", "both")
    assert (wrong.code, wrong.err) == (2, 'lunwen: no mode "both". Allowed: hybrid, lexical, semantic\n')
