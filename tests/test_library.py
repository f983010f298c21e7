from __future__ import annotations

import errno
import re
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lunwen.corpus.database import FILE
from lunwen.corpus.paper import Author, Paper, Status
from lunwen.corpus.schema import MIGRATIONS
from lunwen.corpus.store import Store
from lunwen.errors import IndexMissing, LibraryBusy, LibraryTooOld, LimitError, NotFound
from lunwen.library import Library, open_library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TITLES = {
    "bilevel": "First-order methods for bilevel optimization",
    "penalty": "A penalty method for bilevel optimization problems",
    "minimax": "Gradient methods for minimax optimization",
    "speech": "Speech recognition for children who whisper",
    "nothing": "? ! ?",
    "sent-back": "Bilevel optimization by first-order methods, again",
}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library(Store.open(tmp_path, write=True)) as library:
        with library._store.transaction():
            for name, title in TITLES.items():
                status = Status.REJECTED if name == "sent-back" else Status.POSTER
                library._store.put(Paper(paper_id=name, title=title, status=status))
        library.catch_up()
        yield library


def test_similar_papers_are_the_nearest_first_without_the_paper_itself(library: Library) -> None:
    found = library.similar("bilevel")
    names = [paper.paper_id for paper, _ in found]
    cosines = [cosine for _, cosine in found]
    assert names[:2] == ["penalty", "minimax"]
    assert {"bilevel", "nothing", "sent-back"}.isdisjoint(names)  # itself, wordless, hidden
    assert cosines == sorted(cosines, reverse=True)
    assert all(0 < cosine <= 1 for cosine in cosines)
    assert [paper.paper_id for paper, _ in library.similar("bilevel", 1)] == names[:1]


def test_a_hidden_paper_has_similar_ones_too(library: Library) -> None:
    assert library.similar("sent-back")[0][0].paper_id == "bilevel"


def test_a_paper_that_says_nothing_is_near_to_none(library: Library) -> None:
    assert library.similar("nothing") == []


def test_an_author_is_found_by_name_and_by_id_and_changes_with_the_papers(library: Library) -> None:
    ada, orcid = "Ada Núñez", "0000-0002-1825-0097"
    library._store.put(Paper(paper_id="a", title="On owls", authors=(Author(name=ada, orcid=orcid),)))
    library._store.put(Paper(paper_id="b", title="On terns", authors=(Author(name=ada),)))
    library.catch_up()
    assert [paper.paper_id for paper in library.author("ada-nunez").papers] == ["a", "b"]
    assert library.author(orcid) == library.author(ada)
    library._store.put(Paper(paper_id="b", title="On terns", authors=(Author(name="A. Núñez"),)))
    library.catch_up()
    (maybe,) = library.author(ada).maybe_same
    assert (maybe.name, maybe.papers) == ("A. Núñez", 1)


def test_no_such_author(library: Library) -> None:
    library._store.put(Paper(paper_id="a", title="On owls", authors=(Author(name="Ada Núñez"),)))
    library.catch_up()
    with pytest.raises(NotFound) as refused:
        library.author("Nunez Ada")
    assert str(refused.value) == (
        'no author "Nunez Ada". Closest: Ada Núñez. A whole name, an ORCID or a source\'s id is understood. '
        "Find papers by part of a name with: lunwen search author:NAME"
    )


def test_similar_papers_of_no_paper(library: Library) -> None:
    with pytest.raises(NotFound, match=r'^no paper "nowhere"\. '):
        library.similar("nowhere")


def test_a_paper_of_the_catalogue_that_is_not_in_the_library(library: Library) -> None:
    said = (
        '"000-01" is in the built-in catalogue, not in this library, which has nothing to compare it with. '
        "Bring it in with: lunwen import catalogue"
    )
    with pytest.raises(NotFound, match=f"^{re.escape(said)}$"):
        library.similar("000-01")


@given(limit=st.integers(1, 400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
def test_the_order_of_similar_papers_does_not_depend_on_how_many_are_asked_for(
    many: Library, limit: int
) -> None:
    whole = [(paper.paper_id, cosine) for paper, cosine in many.similar("p0", 400)]
    assert [(paper.paper_id, cosine) for paper, cosine in many.similar("p0", limit)] == whole[:limit]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Papers of which many are nearly as near as each other."""
    words = ["bilevel", "penalty", "minimax", "gradient", "speech", "children", "whisper", "method", "owls"]
    with Library(Store.open(tmp_path_factory.mktemp("many"), write=True)) as library:
        with library._store.transaction():
            for number in range(400):
                title = " ".join(words[at] for at in range(9) if number >> at & 1 or at == number % 9)
                library._store.put(Paper(paper_id=f"p{number}", title=title))
        library.catch_up()
        yield library


def test_why_a_paper_has_no_similar_ones(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    assert library.similar("nothing") == []
    assert library.why_none_similar == (
        "no other paper is near it: not one of its words may be known to the encoder"
    )
    shutil.rmtree(next((library.folder / "index").glob("dense*")))
    with open_library(library.folder) as unready:
        assert unready.similar("bilevel") == []
        assert unready.why_none_similar == (
            "search by meaning is not ready. Make it ready with: lunwen reindex"
        )
    monkeypatch.setenv("LUNWEN_ENCODER", "none")
    with open_library(library.folder) as wordy:
        assert wordy.why_none_similar == (
            "search by meaning is switched off. Switch it on by another LUNWEN_ENCODER"
        )


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_an_absurd_number_of_similar_papers(library: Library, limit: int) -> None:
    said = f"limit {limit}: 1 to 1000 similar papers can be asked for. Ask for fewer"
    with pytest.raises(LimitError, match=f"^{said}$"):
        library.similar("bilevel", limit)


def make_older(folder: Path) -> None:
    """Put an empty library of the first lunwen into the place of one."""
    for file in folder.glob(f"{FILE}*"):
        file.unlink()
    with closing(sqlite3.connect(folder / FILE)) as db:
        MIGRATIONS[0](db)
        db.execute("PRAGMA user_version = 1")


def test_an_older_library_is_brought_up_to_date_by_reading_it(tmp_path: Path) -> None:
    Store.open(tmp_path, write=True).close()
    make_older(tmp_path)
    with open_library(tmp_path) as library:
        assert library.stats()["papers"] == 0
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert db.execute("SELECT count(*) FROM stars").fetchone() == (0,)


def test_an_older_library_waits_for_who_writes_it(tmp_path: Path) -> None:
    with Store.open(tmp_path, write=True):
        make_older(tmp_path)
        with pytest.raises(LibraryBusy, match="is being written by another process"):
            open_library(tmp_path)


@pytest.fixture
def close_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From then on whoever wants to write is told by the system that the disk can only be read."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    return lambda: monkeypatch.setattr("filelock.FileLock.acquire", refuse)


ON_A_CLOSED_DISK = (
    "where it is (Read-only file system). "
    "Let who may write there search once, or copy the folder and name the copy with --library DIR"
)


def test_an_older_library_on_a_disk_that_can_only_be_read(
    tmp_path: Path, close_disk: Callable[[], None]
) -> None:
    Store.open(tmp_path, write=True).close()
    make_older(tmp_path)
    close_disk()
    said = (
        f"the library in {tmp_path} is of an older lunwen and cannot be brought up to date {ON_A_CLOSED_DISK}"
    )
    with pytest.raises(LibraryTooOld, match=f"^{re.escape(said)}$"):
        open_library(tmp_path)


def test_a_library_without_its_index_on_a_disk_that_can_only_be_read(
    library: Library, close_disk: Callable[[], None]
) -> None:
    library.close()
    shutil.rmtree(library.folder / "index")
    close_disk()
    said = (
        f"the library in {library.folder} has no index that this lunwen reads, and none can be built "
        f"{ON_A_CLOSED_DISK}"
    )
    with pytest.raises(IndexMissing, match=f"^{re.escape(said)}$"):
        open_library(library.folder)
