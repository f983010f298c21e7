from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.database import FILE
from lunwen.corpus.paper import Author, Paper, Status
from lunwen.corpus.store import Store
from lunwen.errors import LibraryBusy, LimitError, NotFound
from lunwen.library import Library, open_library

if TYPE_CHECKING:
    from collections.abc import Iterator
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


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_an_absurd_number_of_similar_papers(library: Library, limit: int) -> None:
    said = f"limit {limit}: 1 to 1000 similar papers can be asked for. Ask for fewer"
    with pytest.raises(LimitError, match=f"^{said}$"):
        library.similar("bilevel", limit)


def make_older(folder: Path) -> None:
    """Take from a library what later lunwens added."""
    with closing(sqlite3.connect(folder / FILE)) as db:
        for statement in (
            "DROP TABLE stars",
            "DROP TABLE notes",
            "DROP TABLE watches",
            "DROP INDEX aliases_row",
            "PRAGMA user_version = 1",
        ):
            db.execute(statement)


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
