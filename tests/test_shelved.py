"""What readers add to a library, from the outside: with real imports and a real index."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from lunwen.errors import NotFound, UnknownName, UsageError
from lunwen.library import AUTOMATIC, Library, open_library
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OWLS = SearchRequest(query="owls")


def paper(number: int, title: str, **more: object) -> dict[str, object]:
    return {"paper_id": f"p{number}", "title": title, "authors": ["Ada Lovelace"], "year": 2024, **more}


def take_in(folder: Path, *papers: dict[str, object], name: str = "papers.jsonl") -> None:
    file = folder.parent / name
    file.write_text("".join(json.dumps(one) + "\n" for one in papers), "utf-8")
    with open_library(folder, write=True) as library:
        library.import_files([str(file)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    take_in(folder, paper(1, "Owls by day"), paper(2, "Bats"))
    return folder


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    with open_library(folder) as library:
        yield library


def titles(library: Library, name: str) -> list[str]:
    return sorted(item.paper.title for item in library.watch(name).response.items)


def news(library: Library) -> dict[str, int | None]:
    return {one.name: one.new for one in library.watches()}


def test_papers_are_starred_by_any_id_all_or_none(library: Library) -> None:
    p1, p2 = (library.paper(one).paper_id for one in ("p1", "p2"))
    with pytest.raises(NotFound, match=r'^no paper "nowhere"\. '):
        library.star(["p1", "nowhere"])
    assert library.collection() == []
    assert library.star(["p2", "p1"], "birds") == 2
    assert [one.paper_id for one, _ in library.collection("birds")] == [p2, p1]
    library.note("p1", "fine")
    assert library.notes() == {p1: "fine"}
    assert library.unstar(["p2"], "birds") == 1
    library.rename_collection("birds", "owls")
    assert library.collections_of([p1, p2]) == {p1: ["owls"]}
    assert library.delete_collection("owls") == 1


def test_new_is_what_came_in_since_the_last_visit(library: Library, folder: Path) -> None:
    assert library.save_watch("owls", OWLS).total == 1
    assert news(library) == {"owls": 0}
    take_in(folder, paper(3, "Owls at night"), paper(4, "Bats at night"), name="more.jsonl")
    assert news(library) == {"owls": 1}
    seen = library.watch("owls")
    assert (seen.watch.new, titles(library, "owls")) == (1, ["Owls at night"])
    take_in(folder, paper(5, "Owls at noon"), name="most.jsonl")
    library.visit("owls", seen.last)  # a page opened before the last import: that is still new
    assert titles(library, "owls") == ["Owls at noon"]
    library.visit("owls", library.watch("owls").last)
    assert news(library) == {"owls": 0}
    assert library.watch("owls").response.items == ()
    assert library.watch("owls").response.suggestions == ()
    library.delete_watch("owls")
    assert library.watches() == []


def test_what_only_changed_is_not_new(library: Library, folder: Path) -> None:
    library.save_watch("owls", OWLS)
    library.save_watch("all", SearchRequest())
    changed = paper(2, "Bats", abstract="They are no owls.")
    take_in(folder, paper(1, "Owls by day"), changed)
    assert library.search(OWLS).total == 2
    assert news(library) == {"all": 0, "owls": 0}
    library._store.close()
    with open_library(folder, write=True) as writer:
        writer.reindex()
        assert news(writer) == {"all": 0, "owls": 0}


def test_what_the_index_lacks_is_shown_once_it_has_it(folder: Path) -> None:
    with open_library(folder, write=True) as library:
        library.save_watch("all", SearchRequest())
        changed = replace(library.paper("p1"), title="Owls, renamed")
        library._store.put(replace(changed, paper_id="late", title="Late owls"))
        library._store.put(changed)
        last = library.watch("all").last
        library.visit("all", last)
        assert titles(library, "all") == []
        library.catch_up()
        assert titles(library, "all") == ["Late owls"]


def test_a_watch_for_a_paper_by_its_id(library: Library, folder: Path) -> None:
    library.save_watch("that one", SearchRequest(query="P17-1001"))
    assert news(library) == {"that one": 0}
    take_in(folder, paper(6, "Kites", identifiers={"acl": "P17-1001"}), name="more.jsonl")
    assert titles(library, "that one") == ["Kites"]
    library.visit("that one", library.watch("that one").last)
    said = library.watch("that one").response
    assert (said.total, said.explanation) == (0, "")


def test_a_page_of_what_is_new(library: Library, folder: Path) -> None:
    library.save_watch("owls", replace(OWLS, limit=1, offset=5))
    take_in(folder, *(paper(number, f"Owls {number}") for number in range(10, 15)), name="more.jsonl")
    first, second = (library.watch("owls", limit=3, offset=offset).response for offset in (0, 3))
    assert (first.total, first.next_offset, second.next_offset) == (5, 3, None)
    assert len({item.paper.paper_id for item in (*first.items, *second.items)}) == 5


def test_a_watch_that_the_library_cannot_answer_any_more(folder: Path) -> None:
    take_in(folder, paper(7, "Owls of ICML", venue="ICML"), name="venue.jsonl")
    with open_library(folder) as library:
        library.save_watch("icml", replace(OWLS, venue=("icml",)))
        library.save_watch("owls", OWLS)
    take_in(folder, paper(7, "Owls of ICML", venue="ICLR"), paper(8, "Owls again"), name="venue.jsonl")
    with open_library(folder) as library:
        assert news(library) == {"icml": None, "owls": 1}
        assert library.watches()[0].problem.startswith('no venue "icml". ')
        with pytest.raises(UnknownName, match='no venue "icml"'):
            library.watch("icml")


def test_a_wrong_watch_is_not_saved(library: Library) -> None:
    with pytest.raises(UnknownName, match='no venue "nips"'):
        library.save_watch("owls", replace(OWLS, venue=("nips",)))
    said = '"add" is a word of the command line. Choose another name for the watch'
    for name in ("add", " add\n"):
        with pytest.raises(UsageError, match=f"^{said}$"):
            library.save_watch(name, OWLS)
    assert library.watches() == []


def test_the_first_import_keeps_what_was_written_about_the_catalogue(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    with open_library(folder) as library:
        assert (folder / AUTOMATIC).exists()
        library.star(["000-01", "000-02"])
        library.note("000-02", "later")
        library.save_watch("bilevel", SearchRequest(query="bilevel"))
        before = library.search(SearchRequest(query="bilevel")).total
        assert before > 1
        same = paper(1, "Fully first-order bilevel", identifiers={"arxiv": "2505.21336"})
        take_in(folder, same, paper(2, "Bats"))
        assert not (folder / AUTOMATIC).exists()
        # the library that was open sees the new one
        here = library.paper("2505.21336").paper_id
        assert library.stats()["papers"] == 2
        assert library.search(SearchRequest()).total == 2
        assert [one.paper_id for one, _ in library.collection()] == [here, "000-02"]
        assert library.collections_of([here]) == {here: ["starred"]}
        assert library.notes() == {"000-02": "later"}
        assert titles(library, "bilevel") == ["Fully first-order bilevel"]
        assert library.star(["000-01"]) == 0
        assert library.doctor() == []
    with open_library(folder, write=True) as library:
        library.import_catalogue()
        assert [one.paper_id for one, _ in library.collection()] == [here, library.paper("000-02").paper_id]
        assert library.doctor() == []
