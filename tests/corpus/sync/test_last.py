from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.ingest import ingest_records
from lunwen.corpus.paper import Author, Record
from lunwen.corpus.store import Store
from lunwen.corpus.sync.last import last_sync, note_begin, note_end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store.open(tmp_path / "library", write=True)
    yield store
    store.close()


def take_in(store: Store, *titles: str) -> None:
    ingest_records(
        store, "jsonl", [Record(key=one, title=one, authors=(Author(name="Ada"),)) for one in titles]
    )


def begun(store: Store) -> tuple[int, bool]:
    last = last_sync(store)
    assert last is not None
    return last.row, last.ended


def test_a_sync_begins_after_the_last_paper(store: Store) -> None:
    assert last_sync(store) is None
    note_begin(store)
    assert begun(store) == (0, False)
    take_in(store, "Owls", "Bats")
    note_end(store)
    assert begun(store) == (0, True)
    note_begin(store)
    assert begun(store) == (2, False)


def test_one_that_did_not_end_is_gone_on_with(store: Store) -> None:
    note_begin(store)
    first = last_sync(store)
    take_in(store, "Owls")
    note_begin(store)
    assert last_sync(store) == first
    take_in(store, "Bats")
    note_end(store)
    assert begun(store) == (0, True)
