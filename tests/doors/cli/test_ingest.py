from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lunwen.corpus.ingest import Failure, FileReport, IngestReport
from lunwen.doors.cli import ingest

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

GOOD = IngestReport(
    added=1200, files=(FileReport(file="owls.json", source="program", added=1200),), seconds=1.25
)
BAD = IngestReport(
    added=2,
    failed=1,
    failures=(Failure("owls.jsonl", "line 3", "not JSON"), Failure("empty.txt", "", "empty file")),
    files=(FileReport(file="owls.jsonl", source="jsonl", added=2, failed=1),),
    skipped=1,
    maybe_same=4,
)


def test_a_report_for_people(run: Any, library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    library.report = GOOD
    clock = iter([100.0, 103.5])  # the report knows nothing of the indexing after it
    monkeypatch.setattr(ingest, "monotonic", lambda: next(clock))
    done = run("import", "owls.json")
    assert (done.code, library.imported) == (0, ["owls.json"])
    assert done.out.splitlines() == [
        "file       source   added  updated  unchanged  waiting  failed",
        "owls.json  program  1,200        0          0        0       0",
    ]
    assert done.err == "lunwen: 3.5 s\n"


def test_what_failed_is_named_and_the_exit_code_says_so(run: Any, library: Any) -> None:
    library.report = BAD
    done = run("import", "owls.jsonl", "empty.txt")
    assert done.code == 1
    assert done.err.splitlines() == [
        "lunwen: owls.jsonl: line 3: not JSON",
        "lunwen: empty.txt: empty file",
        "lunwen: 4 more pairs of papers may be the same; lunwen show says which",
        "lunwen: 0.0 s",
    ]
    assert run("import", "owls.jsonl", "--json").json == {
        "added": 2,
        "updated": 0,
        "unchanged": 0,
        "waiting": 0,
        "failed": 1,
        "skipped": 1,
        "failures": [
            {"file": "owls.jsonl", "place": "line 3", "reason": "not JSON"},
            {"file": "empty.txt", "place": "", "reason": "empty file"},
        ],
        "files": [
            {
                "file": "owls.jsonl",
                "source": "jsonl",
                "added": 2,
                "updated": 0,
                "unchanged": 0,
                "waiting": 0,
                "failed": 1,
            }
        ],
        "maybe_same": 4,
        "seconds": 0.0,
        "interrupted": False,
    }


def test_a_long_list_of_failures_is_cut(run: Any, library: Any) -> None:
    library.report = IngestReport(
        failures=tuple(Failure("f", f"line {n}", "bad") for n in range(30)), failed=30
    )
    lines = run("import", "f").err.splitlines()
    assert lines[19:21] == [
        "lunwen: f: line 19: bad",
        "lunwen: and 10 more; all of them: lunwen import --json",
    ]


def test_nothing_kept_is_a_failure(run: Any, library: Any) -> None:
    library.report = IngestReport()
    assert run("import", "owls.json").code == 1


def test_stopped_by_the_user(run: Any, library: Any) -> None:
    library.report = IngestReport(added=1, interrupted=True)
    done = run("import", "owls.json")
    assert done.code == 130
    assert done.err.endswith(
        "lunwen: stopped; what was read is kept, and the same import goes on from there\n"
    )


def test_the_catalogue_is_a_word_unless_a_file_has_that_name(
    run: Any, library: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library.report = GOOD
    monkeypatch.chdir(tmp_path)
    run("import", "catalogue")
    assert library.imported == ["the catalogue"]
    (tmp_path / "catalogue").touch()
    run("import", "catalogue")
    assert library.imported == ["catalogue"]


def test_formats(run: Any) -> None:
    named = {one["source"] for one in run("import", "--list", "--json").json}
    assert {"jsonl", "bibtex", "acl"} <= named
    assert len(run("import", "--list").out.splitlines()) == len(named)
