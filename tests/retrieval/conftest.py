"""A library of invented papers, real store and real index, for everything that searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.corpus.store import Store
from lunwen.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Make = "Callable[[Iterable[Paper]], Library]"


def paper(paper_id: str, title: str, abstract: str | None = None, **fields: object) -> Paper:
    """An invented paper; authors may be given as names."""
    names = fields.pop("authors", ())
    authors = tuple(Author(name=str(name)) for name in names)  # type: ignore[attr-defined]
    settings = {"venue": "ICML", "year": 2024, "status": Status.POSTER, "sources": ("jsonl",), **fields}
    return Paper(paper_id=paper_id, title=title, abstract=abstract, authors=authors, **settings)  # type: ignore[arg-type]


@pytest.fixture
def make_library(tmp_path: Path) -> Iterator[Callable[[Iterable[Paper]], Library]]:
    """Return a function that makes an indexed library of papers."""
    made: list[Library] = []

    def make(papers: Iterable[Paper]) -> Library:
        library = Library(Store.open(tmp_path / f"library{len(made)}", write=True))
        with library._store.transaction():
            for one in papers:
                library._store.put(one)
        library.catch_up()
        made.append(library)
        return library

    yield make
    for library in made:
        library.close()


@pytest.fixture
def paper_of() -> Callable[..., Paper]:
    """Return the maker of invented papers."""
    return paper


@pytest.fixture(scope="module")
def make_many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Library]]:
    """Return a function that makes an indexed library of sixty papers in rows 1 to 60."""
    made: list[Library] = []

    def make() -> Library:
        birds = ("owl", "tern", "kite", "crow")
        library = Library(Store.open(tmp_path_factory.mktemp("many"), write=True))
        with library._store.transaction():
            for row in range(60):
                title = f"{birds[row % 4]} {birds[row % 3]} {row}"
                library._store.put(paper(f"b{row:02}", title, year=2020 + row % 3))
        library.catch_up()
        made.append(library)
        return library

    yield make
    for library in made:
        library.close()
