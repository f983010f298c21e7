"""What the index holds after updates, kills, damage, and a store put back to an older state."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.corpus.store import Store
from lunwen.errors import LibraryError
from lunwen.library import Library, open_library
from lunwen.retrieval.embedded import generation
from lunwen.retrieval.embedded.lexical import KIND, LexicalEngine
from lunwen.retrieval.engine import Change
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    MakeLibrary = Callable[[Iterable[Paper]], Library]
    PaperOf = Callable[..., Paper]


def found(library: Library, query: str = "") -> list[str]:
    response = library.search(SearchRequest(query=query, limit=100))
    names = [item.paper.paper_id for item in response.items]
    assert response.total == len(names) == len(set(names))
    return names


def test_an_updated_paper_is_found_once_and_by_its_new_words_alone(
    make_library: MakeLibrary, paper_of: PaperOf
) -> None:
    library = make_library([paper_of("a", "Walrus"), paper_of("b", "Herring")])
    with library._store.transaction():
        library._store.put(paper_of("a", "Seal"))
    library.catch_up()
    assert found(library) == ["a", "b"]
    assert found(library, "seal") == ["a"]
    assert found(library, "walrus") == []
    venue = library.search(SearchRequest()).facets["venue"]
    assert [(value.value, value.count) for value in venue] == [("ICML", 2)]


def test_what_is_opened_before_an_update_is_noted_has_another_version_after(
    make_library: MakeLibrary, paper_of: PaperOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = make_library([paper_of("a", "Walrus")])
    before, between = library.version, list[str]()
    write_seq = generation.write_seq

    def look_and_write(path: Path, seq: int) -> None:
        between.append(library.version)
        write_seq(path, seq)

    monkeypatch.setattr(generation, "write_seq", look_and_write)
    LexicalEngine(library.folder / "index").update(lambda _: [Change(9, paper_of("b", "Seal"))], 9)
    assert between == [before]
    assert library.version != before


def test_a_paper_that_is_gone_is_not_found(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library([paper_of("a", "Walrus"), paper_of("b", "Walrus again")])
    engine = LexicalEngine(library.folder / "index")
    row = library._store.row("a")
    assert row is not None
    engine.update(lambda _: [Change(row, None)], 9)
    assert found(library, "walrus") == ["b"]


def test_changes_that_are_indexed_twice_are_there_once(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    """A kill after the index's commit and before the note of how far it is."""
    library = make_library([paper_of("a", "Walrus"), paper_of("b", "Herring")])
    (library.folder / "index" / f"{KIND}-1" / "state.json").unlink()
    assert library.behind
    library.catch_up()
    assert not library.behind
    assert found(library) == ["a", "b"]


KILLED = """
import os, signal, sys
from lunwen.library import Library
from lunwen.corpus.store import Store
from lunwen.retrieval.embedded import generation, lexical

def die(*_args):
    os.kill(os.getpid(), signal.SIGKILL)

def die_in(documents):
    def document(*args):
        nonlocal documents
        documents -= 1
        return die() if documents < 0 else build(*args)
    build = lexical.document
    return document

if __name__ == "__main__":
    folder, moment, work = sys.argv[1:]
    if moment == "write_seq":
        generation.write_seq = die
    elif moment == "swap":
        generation.swap = die
    elif moment == "remove":
        generation.shutil.rmtree = lambda path, **_: None if path.name.endswith("-2") else die()
    else:
        lexical.document = die_in(int(moment))
    library = Library(Store.open(folder, write=True))
    library.reindex() if work == "reindex" else library.catch_up()
"""


@pytest.mark.parametrize(
    ("work", "moment"),
    [
        ("update", "0"),
        ("update", "15"),
        ("update", "write_seq"),
        ("reindex", "25"),
        ("reindex", "write_seq"),
        ("reindex", "swap"),
        ("reindex", "remove"),
    ],
)
def test_killed_while_indexing_it_serves_and_goes_on(tmp_path: Path, work: str, moment: str) -> None:
    folder = tmp_path / "library"
    with Library(Store.open(folder, write=True)) as library:
        for number in range(30):
            library._store.put(walrus(number))
        library.catch_up()
        with library._store.transaction():
            for number in range(20, 40):
                library._store.put(walrus(number, " again"))
    killed = subprocess.run([sys.executable, "-c", KILLED, str(folder), moment, work], check=False)
    assert killed.returncode == -signal.SIGKILL

    with Library(Store.open(folder)) as library:  # as a server sees it that runs all the while
        assert len(found(library, "walrus")) in (30, 40)
    with open_library(folder) as library:
        assert sorted(found(library, "walrus")) == sorted(f"w{number}" for number in range(40))
        assert sorted(found(library, "again")) == sorted(f"w{number}" for number in range(20, 40))
        assert library.doctor() == []


def walrus(number: int, more: str = "") -> Paper:
    return Paper(
        paper_id=f"w{number}",
        title=f"Walrus {number}{more}",
        authors=(Author(name="Ada Wal"),),
        status=Status.POSTER,
        sources=("jsonl",),
    )


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("CURRENT.lexical", b""),
        ("CURRENT.lexical", b"\xff\xfe"),
        ("CURRENT.lexical", f"{KIND}-7".encode()),
        ("CURRENT.lexical", f"{KIND}-x".encode()),
        ("CURRENT.lexical", b"../library"),
        ("CURRENT.lexical", None),
        (f"{KIND}-1/state.json", b""),
        (f"{KIND}-1/state.json", b"[]"),
        (f"{KIND}-1/meta.json", None),
    ],
)
def test_a_damaged_index_is_built_again(
    make_library: MakeLibrary, paper_of: PaperOf, file: str, data: bytes | None
) -> None:
    library = make_library([paper_of("a", "Walrus"), paper_of("b", "Herring")])
    library.close()
    place = library.folder / "index" / file
    place.unlink()
    if data is not None:
        place.write_bytes(data)
    with open_library(library.folder) as opened:
        assert found(opened) == ["a", "b"]


def test_a_folder_in_the_pointer_s_place_is_put_away(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library([paper_of("a", "Walrus")])
    library.close()
    pointer = library.folder / "index" / "CURRENT.lexical"
    pointer.unlink()
    pointer.mkdir()
    with open_library(library.folder) as opened:
        assert found(opened) == ["a"]


def test_records_put_back_to_an_older_state_are_indexed_anew(
    make_library: MakeLibrary, paper_of: PaperOf, tmp_path: Path
) -> None:
    library = make_library([paper_of("a", "Walrus")])
    library.close()
    older = tmp_path / "backup"
    shutil.copytree(library.folder, older)
    with Library(Store.open(library.folder, write=True)) as opened:
        opened._store.put(paper_of("b", "Herring"))
        opened.catch_up()
        assert found(opened) == ["a", "b"]
    shutil.copy(older / "library.sqlite", library.folder)
    with open_library(library.folder) as opened:
        assert found(opened) == ["a"]


def test_doctor_says_what_the_index_lacks_and_mends_it(make_library: MakeLibrary, paper_of: PaperOf) -> None:
    library = make_library([paper_of("a", "Walrus"), paper_of("b", "Herring")])
    assert library.doctor() == []
    (data,) = (library.folder / "index" / f"{KIND}-1").glob("*.term")
    os.truncate(data, 20)
    library.close()
    wrong = [(one.count, one.what, one.repaired) for one in library.doctor()]
    assert wrong == [(2, "papers that the index lacks, or holds though they are gone", False)]
    assert [one.repaired for one in library.doctor(repair=True)] == [True]
    assert library.doctor() == []


def test_where_no_lock_can_be_made_it_is_read_all_the_same(
    make_library: MakeLibrary, paper_of: PaperOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = make_library([paper_of("a", "Walrus"), paper_of("b", "Herring")])
    place = library.folder / "index" / f"{KIND}-1"
    for lock in place.glob(".*.lock"):
        lock.unlink()
        lock.mkdir()  # what tantivy can't lock, as on a read-only disk
    monkeypatch.setattr(generation.os, "access", lambda *_: False)
    with open_library(library.folder) as opened:
        assert found(opened, "walrus") == ["a"]
        assert found(opened) == ["a", "b"]


def test_a_build_that_fails_leaves_the_old_state_and_no_debris(
    make_library: MakeLibrary, paper_of: PaperOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = make_library([paper_of("a", "Walrus")])

    def refuse(*_args: object, **_options: object) -> None:
        raise ValueError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("lunwen.retrieval.embedded.lexical.tantivy.Index", refuse)
        with pytest.raises(LibraryError) as refused:
            library.reindex()
    assert str(refused.value) == (
        "the index cannot be written (No space left on device). Free some space and run: lunwen reindex"
    )
    left = sorted(path.name for path in (library.folder / "index").iterdir())
    assert left[:2] == ["CURRENT.dense", "CURRENT.lexical"]
    assert left[-1] == f"{KIND}-1"
    assert len(left) == 4
    assert found(library) == ["a"]


def test_while_another_process_writes_the_state_before_answers(
    make_library: MakeLibrary, paper_of: PaperOf
) -> None:
    library = make_library([paper_of("a", "Walrus")])
    library._store.put(paper_of("b", "Herring"))  # kept, not yet indexed; the lock is still held
    with open_library(library.folder) as reader:
        assert found(reader) == ["a"]
    library.catch_up()
    with open_library(library.folder) as reader:
        assert found(reader) == ["a", "b"]
