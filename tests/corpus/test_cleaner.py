from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from lunwen.corpus.cleaner import Cleaner
from lunwen.corpus.codec import encode_record
from lunwen.corpus.ingest import ingest_records
from lunwen.corpus.paper import Author, Record
from lunwen.corpus.prepare import prepare
from lunwen.corpus.store import Store

if TYPE_CHECKING:
    from pathlib import Path

BATCHES = [
    [
        (
            encode_record(
                Record(key=f"{batch}-{number}", title=f"Wheel &amp; {number}", authors=(Author(name="Ada"),))
            ).encode(),
            f"line {number}",
        )
        for number in range(1_200)
    ]
    for batch in range(4)
]


def test_other_processes_clean_as_this_one_does_and_in_order() -> None:
    with Cleaner(alone=1_000) as cleaner:
        cleaned = list(cleaner.clean(BATCHES, "program"))
        assert len(cleaner._workers) == 2
    assert cleaned == [prepare(batch, "program") for batch in BATCHES]


def test_little_is_cleaned_here() -> None:
    with Cleaner() as cleaner:
        assert [len(batch) for batch in cleaner.clean(BATCHES[:2], "program")] == [1_200, 1_200]
        assert not cleaner._workers


def test_where_no_process_can_live_it_goes_on_in_this_one() -> None:
    with Cleaner(alone=0) as cleaner:
        work = cleaner.clean(BATCHES, "program")
        first = next(work)
        for worker in cleaner._workers:
            worker.kill()
        assert [first, *work] == [prepare(batch, "program") for batch in BATCHES]


def test_a_large_import_is_the_same_as_a_small_one(tmp_path: Path) -> None:
    records = [
        Record(key=str(number), title=f"Wheel &amp; {number}", authors=(Author(name=f"Ada L{number}"),))
        for number in range(5_000)
    ]
    with Store.open(tmp_path, write=True) as store:
        assert ingest_records(store, "program", records).added == 5_000
        assert [paper.title for paper in store.all_papers()] == [
            f"Wheel & {number}" for number in range(5_000)
        ]


SCRIPT = """
import sys
from lunwen.corpus.ingest import ingest_records
from lunwen.corpus.paper import Record
from lunwen.corpus.store import Store
print("once", flush=True)
records = [Record(key=str(number), title=f"Wheel {number}") for number in range(9_000)]
with Store.open(sys.argv[1], write=True) as store:
    print(ingest_records(store, "program", records).added)
"""


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "library")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("once\n9000\n", "")
