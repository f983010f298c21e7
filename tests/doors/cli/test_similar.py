from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.doors.cli.conftest import FakeLibrary  # type: ignore[import-not-found]


def test_similar_papers_for_people(run: Any, library: object) -> None:
    del library
    found = run("similar", "lw2", "--lang", "zh")
    lines = found.out.splitlines()
    assert (found.code, found.err) == (0, "")
    assert lines[:2] == ["Birds · Owls", "Bilevel Owls"]
    assert "Number10 等" in " ".join(lines)
    assert lines[-2:] == ["lw1 cosine 0.543", ""]


def test_json_is_a_list_of_papers_with_their_cosines(run: Any, library: object) -> None:
    del library
    (one,) = run("similar", "2601.00001", "--json").json
    assert (one["paper_id"], one["cosine"], one["authors"]) == ("lw2", 0.5432, ["Lei Li"])


def test_no_vectors_are_said_and_no_error(run: Any, library: FakeLibrary) -> None:
    library.has_vectors = False
    found = run("similar", "lw1")
    assert (found.code, found.out) == (0, "")
    assert found.err == ("lunwen: search by meaning is not ready. Make it ready with: lunwen reindex\n")
    assert run("similar", "lw1", "--json").json == []


def test_no_such_paper(run: Any, library: object) -> None:
    del library
    found = run("similar", "lw9")
    assert (found.code, found.err) == (1, 'lunwen: no paper "lw9". Find its id with: lunwen search\n')
