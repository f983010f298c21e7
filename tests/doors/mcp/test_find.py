from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from lunwen.doors.mcp import find, text, tool
from lunwen.doors.shape import response_dict
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.library import Library

    Ask = Callable[..., Any]

OWLS = 30  # papers about owls in the library


def test_a_search_answers_what_every_door_answers(ask: Ask, library: Library) -> None:
    found = ask("search_papers", query="owls", venue="icml", limit=3, offset=1)
    same = response_dict(library.search(SearchRequest(query="owls", venue=("icml",), limit=3, offset=1)))
    data = found.structured_content
    assert not found.is_error
    for name in ("total", "offset", "next_offset", "facets", "query_reading", "suggestions", "index_version"):
        assert data[name] == same[name]
    for mine, theirs in zip(data["items"], same["items"], strict=True):
        assert theirs["abstract"].startswith(mine.pop("abstract").removesuffix(" …"))
        del theirs["abstract"]
        assert mine == theirs


def test_the_text_of_a_search_says_what_is_needed_to_choose(ask: Ask) -> None:
    said = ask("search_papers", query="owls", year="2003", sort="newest").content[0].text
    head, paper = said.split("\n\n")
    assert head == "Papers 1–1 of 1\nall of: owls"
    lines = paper.split("\n")
    assert lines[:3] == ["Owls of the order 3", "Ada Núñez, Owl Number3", "ICML 2003 · accepted · id owl03"]
    assert lines[3].startswith("Owls hunt by night")
    assert lines[3].endswith(" …")
    assert len(lines[3]) <= text.START + 2


def test_nothing_found_says_why_and_what_to_try(ask: Ask) -> None:
    found = ask("search_papers", query="owls", venue="ACL", year="2003")
    said = found.content[0].text
    assert "there are papers for the query, none with venue: ACL and year: 2003" in said
    assert 'Try {"query": "owls", "year": ["2003"]}: 1 paper, without venue: ACL' in said
    assert found.structured_content["suggestions"]


def test_pages_that_do_not_fit_are_cut_and_following_them_misses_nothing(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool.fitting, "__defaults__", (4_000,))
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        data = ask("search_papers", query="owls", limit=20, offset=offset).structured_content
        assert 0 < len(data["items"]) < 20
        seen += [one["paper_id"] for one in data["items"]]
        offset = data["next_offset"]
    assert len(seen) == len({*seen}) == OWLS


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"limit": 5_000},
            "limit 5000: a page has 1 to 1000 papers. Ask for fewer; all at once: lunwen export",
        ),
        ({"venue": "ICLM"}, 'no venue "ICLM". Known: ACL, ICML. List them with: lunwen venues'),
        ({"year": "soon"}, 'year "soon": write 2024, 2022..2024, >=2023 or <2020'),
    ],
)
def test_errors_are_answers_in_the_words_of_the_other_doors(
    ask: Ask, given: dict[str, Any], words: str
) -> None:
    found = ask("search_papers", **given)
    assert found.is_error
    assert [one.text for one in found.content] == [words]
    assert found.structured_content["message"] == words


def test_one_paper(ask: Ask) -> None:
    found = ask("get_paper", paper_id="owl03")
    said, data = found.content[0].text, found.structured_content
    assert said.startswith(
        "Owls of the order 3\nAda Núñez, Owl Number3\nICML 2003 · accepted · id owl03\nOwls"
    )
    assert data["abstract"] == ("Owls hunt by night and by ear. " * 30)
    assert (data["maybe_same"], "cut" in data) == ([], False)
    assert "lunwen search" in ask("get_paper", paper_id="nobody").content[0].text


def test_a_paper_of_the_catalogue_shows_its_method(ask: Ask) -> None:
    found = ask("get_paper", paper_id="001-18")
    assert found.structured_content["method"]["method_id"] == "001-18"
    assert "Its method runs here: get_method 001-18, run_claims 001-18" in found.content[0].text


def test_an_endless_paper_is_cut_and_says_so(ask: Ask) -> None:
    found = ask("get_paper", paper_id="endless")
    data = found.structured_content
    assert data["cut"] == ["abstract", "authors", "author_details"]
    assert len(orjson.dumps(data)) < tool.MOST
    assert len(found.content[0].text) < tool.MOST
    listed = ask("search_papers", query="terns").structured_content["items"]
    assert len(orjson.dumps(listed)) < 5_000


def test_similar_papers_page_by_page(ask: Ask, library: Library) -> None:
    nearest = [[paper.paper_id for paper, _ in library.similar("owl03", limit)] for limit in (5, 9)]
    first = ask("find_similar", paper_id="owl03", limit=5).structured_content
    then = ask("find_similar", paper_id="owl03", limit=4, offset=first["next_offset"]).structured_content
    assert [one["paper_id"] for one in first["items"]] == nearest[0]
    assert [one["paper_id"] for one in then["items"]] == nearest[1][5:]
    assert (then["offset"], then["next_offset"]) == (5, 9)
    last = ask("find_similar", paper_id="owl03", limit=100).structured_content
    assert (len(last["items"]), last["next_offset"]) == (30, None)
    assert first["items"][0]["cosine"] > 0
    refused = ask("find_similar", paper_id="owl03", limit=1_001).content[0].text
    assert refused == "limit 1001: 1 to 1000 similar papers can be asked for. Ask for fewer"


def test_an_author(ask: Ask) -> None:
    found = ask("get_author", author_id="ada-nunez", limit=3, offset=2)
    data = found.structured_content
    assert [one["paper_id"] for one in data["papers"]] == ["owl27", "owl26", "owl25"]
    assert (data["total"], data["offset"], data["next_offset"]) == (OWLS, 2, 5)
    assert len(data["coauthors"]) == find.COAUTHORS
    assert found.content[0].text.startswith(
        "Ada Núñez · author_id ada-nunez · 30 papers\nCo-authors: Owl Number0 1"
    )
    assert ask("get_author", author_id="nobody").is_error


def test_citations_of_a_search_and_of_ids(ask: Ask) -> None:
    found = ask("export_citations", query="owls", sort="newest", limit=2)
    assert found.content[0].text.count("@inproceedings{") == 2
    assert found.structured_content["text"] == found.content[0].text
    assert (found.structured_content["count"], found.structured_content["next_offset"]) == (2, 2)
    named = ask("export_citations", ids=["owl03"], format="ris").content[0].text
    assert named.startswith("TY  - CPAPER")
    last = ask("export_citations", query="owls", limit=20, offset=20).structured_content
    assert (last["count"], last["next_offset"]) == (10, None)


def test_citations_that_do_not_fit_are_fewer(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "MOST", 3_000)
    data = ask("export_citations", query="owls").structured_content
    assert (data["count"], data["next_offset"]) == (2, 2)
    assert len(data["text"]) <= 3_000


def test_a_format_that_is_none(ask: Ask) -> None:
    said = ask("export_citations", ids="owl03", format="bibtext").content[0].text
    assert said == (
        'no format "bibtext". Closest: bibtex. '
        "Allowed: bibtex, ris, csl-json, csv, jsonl, markdown, reference"
    )
    assert ask("export_citations", limit=0).content[0].text == (
        "limit 0 is not possible. Allowed: 1 to 1000. Leave it out for 20"
    )
