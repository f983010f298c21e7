from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.errors import UnreadableFile, UsageError
from lunwen.retrieval.compare import compare, read_scores

if TYPE_CHECKING:
    from pathlib import Path


def test_better_on_every_query_is_better_for_sure() -> None:
    ours = {f"q{number}": 0.5 + number / 100 for number in range(20)}
    theirs = {query: score - 0.1 for query, score in ours.items()}
    found = compare(ours, theirs | {"other": 1.0})
    assert found["queries"] == 20
    assert found["difference"] == 0.1
    assert found["interval_95"] == [0.1, 0.1]
    assert found["p"] == pytest.approx(2 / 10_001, abs=1e-4)
    assert (found["better"], found["worse"], found["left_out"]) == (20, 0, 1)


def test_the_same_run_is_no_different() -> None:
    scores = {"a": 0.3, "b": 0.9}
    found = compare(scores, scores)
    assert (found["difference"], found["interval_95"], found["p"]) == (0.0, [0.0, 0.0], 1.0)


def test_two_queries_worked_by_hand() -> None:
    """Differences 0.4 and -0.2: a sample of two has the means 0.4, 0.1, 0.1, -0.2, each as likely."""
    found = compare({"a": 0.6, "b": 0.1}, {"a": 0.2, "b": 0.3})
    assert (found["mean"], found["mean_against"], found["difference"]) == (0.35, 0.25, 0.1)
    assert found["interval_95"] == [-0.2, 0.4]
    assert found["p"] == pytest.approx(2 * 0.25, abs=0.03)


def test_the_interval_is_that_of_the_normal_distribution_for_many_queries() -> None:
    draw = np.random.default_rng(7)
    differences = draw.normal(0.02, 0.1, 400)
    ours = {str(number): 0.5 + value for number, value in enumerate(differences)}
    low, high = compare(ours, dict.fromkeys(ours, 0.5))["interval_95"]  # type: ignore[misc]
    error = 1.96 * differences.std() / np.sqrt(400)
    assert low == pytest.approx(differences.mean() - error, abs=0.0015)
    assert high == pytest.approx(differences.mean() + error, abs=0.0015)


def test_a_seed_gives_the_same_numbers_and_another_seed_others() -> None:
    ours = {str(number): number % 7 / 7 for number in range(30)}
    theirs = {str(number): number % 5 / 5 for number in range(30)}
    assert compare(ours, theirs) == compare(ours, theirs, seed=0)
    assert compare(ours, theirs)["interval_95"] != compare(ours, theirs, seed=1)["interval_95"]


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1))
def test_swapping_the_runs_turns_the_sign(scores: dict[str, tuple[float, float]]) -> None:
    ours = {query: one for query, (one, _) in scores.items()}
    theirs = {query: other for query, (_, other) in scores.items()}
    there, back = compare(ours, theirs), compare(theirs, ours)
    assert there["difference"] == pytest.approx(-back["difference"], abs=1e-4)  # type: ignore[operator]
    assert there["p"] == back["p"]


def test_runs_of_different_folders_cannot_be_compared() -> None:
    said = "the two runs have no query in common. Compare runs of the same folder: lunwen eval --per-query"
    with pytest.raises(UsageError, match=f"^{re.escape(said)}$"):
        compare({"a": 1.0}, {"b": 1.0})


def test_scores_are_read_and_other_files_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text('{"query": 1, "nDCG@10": 0.5, "first": []}\n{"query": "b", "nDCG@10": 1}\n')
    assert read_scores(file) == {"1": 0.5, "b": 1.0}
    with pytest.raises(UnreadableFile, match="cannot be read \\(No such file or directory\\)"):
        read_scores(tmp_path / "none.jsonl")
    for wrong in ("[1]", '{"query": "a"}', "nonsense", '{"query": "a", "nDCG@10": null}'):
        file.write_text('{"query": "a", "nDCG@10": 1}\n' + wrong)
        with pytest.raises(UnreadableFile, match="line 2: not an object with query and nDCG@10"):
            read_scores(file)
