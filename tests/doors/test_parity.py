"""One library asked at every door: the same papers, order, totals, facets, readings and words of refusal."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

import anyio
import httpx
import pytest
from mcp import Client
from selectolax.lexbor import LexborHTMLParser

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.corpus.pdf.cabinet import Cabinet
from lunwen.corpus.pdf.text import PdfText
from lunwen.corpus.store import Store
from lunwen.doors.cli import main
from lunwen.doors.mcp.server import make_server
from lunwen.doors.web.app import create_app
from lunwen.export.format import export_papers
from lunwen.library import Library, open_library
from lunwen.retrieval.engine import FACETS
from lunwen.retrieval.request import MAX_LIMIT, MAX_OFFSET, SearchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAPERS = (
    *(
        Paper(
            paper_id=f"owl{number:02}",
            title=f"Robust owls hunt at night, part {number}",
            authors=(Author(name="Ada Núñez"), Author(name=f"Bo Li{number}")),
            abstract=f"Owls {'and terns ' if number % 3 else ''}hunt by ear; graph number {number}.",
            venue="ICML" if number % 2 else "ACL",
            year=2015 + number % 10,
            topic=("Birds", "Owls" if number % 3 else "Terns"),
            status=(Status.POSTER, Status.ORAL, Status.REJECTED)[number % 3],
            identifiers={"doi": f"10.5555/owl.{number}"},
            urls={"code": f"https://example.org/{number}"} if number % 4 == 0 else {},
            citations=number * 7 % 30,
        )
        for number in range(40)
    ),
    Paper(
        paper_id="zh1",
        title="零阶优化方法综述",
        authors=(Author(name="李雷"),),
        abstract="不用梯度的优化。",
        venue="ICML",
        year=2024,
        topic=("Optimization", "Zeroth-Order / Bandits"),
    ),
    Paper(
        paper_id="zo2",
        title="Zeroth-order optimization without gradients",
        authors=(Author(name="Lei Lei"),),
        abstract="Derivative-free optimization & <b>estimates</b> of $\\nabla f$.",
        venue="NeurIPS",
        year=2023,
        topic=("Optimization",),
    ),
)

NEW = tuple(  # these came in after the searches were saved
    Paper(
        paper_id=f"late{number}",
        title=f"{title} of owls that came late",
        authors=(Author(name=f"Eve {title}"),),
        venue="ICML" if number == 1 else "ACL",
        year=2025,
    )
    for number, title in enumerate(("Nests", "Eggs", "Feathers"))
)

REQUESTS: dict[str, dict[str, Any]] = {
    "nothing asked": {},
    "English": {"query": "robust owls"},
    "Chinese": {"query": "零阶优化"},
    "both": {"query": "零阶 optimization"},
    "fields": {"query": 'title:owls author:"Ada Núñez" year:2020..'},
    "a phrase and what is left out": {"query": '"hunt by ear" -terns'},
    "alternatives": {"query": "gradients OR (owls ACL)"},
    "a venue in any case": {"query": "owls", "venue": ["icml"]},
    "two venues": {"venue": ["icml", "NIPS"]},
    "a venue with its year": {"venue": ["acl 2017"]},
    "years": {"query": "owls", "year": ["2016..2018", ">=2023"]},
    "a topic": {"topic": ["birds/owls"]},
    "a topic with a slash in its name": {"topic": ["Optimization/Zeroth-Order / Bandits"]},
    "a status": {"query": "owls", "status": ["rejected"]},
    "all": {"status": ["all"]},
    "a source": {"source": ["JSONL"], "query": "owls"},
    "an author": {"author": ["Nunez, Ada"], "query": "graph"},
    "what it has": {"has": ["code"]},
    "many filters": {
        "query": "owls",
        "venue": ["ICML"],
        "topic": ["Birds"],
        "status": ["oral"],
    },
    "newest": {"query": "owls", "sort": "newest"},
    "cited": {"sort": "citations", "limit": 7},
    "words alone": {"query": "gradient estimates", "mode": "lexical"},
    "meaning alone": {"query": "birds of prey", "mode": "semantic"},
    "the third page": {"query": "owls", "limit": 5, "offset": 10},
    "beyond the last page": {"query": "owls", "limit": 50, "offset": 100},
    "the longest page": {"limit": MAX_LIMIT},
    "an identifier": {"query": "10.5555/owl.3"},
    "an identifier of nothing here": {"query": "10.5555/none"},
    "nothing found": {"query": "owls xyzzyq"},
    "in the text": {"query": "text:swooping"},
    "in the text and its filters": {"query": 'text:"soft feathers" owls', "has": ["text"]},
    "not in the text": {"query": "text:xyzzyq"},
    "words that only the text has": {"query": "soft feathers swoop", "mode": "lexical"},
    "a misprint": {"query": "zeroth ordr optimizaton"},
    "filters that leave nothing": {"query": "owls", "venue": ["NeurIPS"]},
}
REFUSED: dict[str, dict[str, Any]] = {
    "no such venue": {"query": "owls", "venue": ["nips25"]},
    "no such topic": {"topic": ["Fish"]},
    "no such status": {"status": ["lost"]},
    "no such source": {"source": ["nowhere"]},
    "no such thing to have": {"has": ["wings"]},
    "no year": {"query": "owls", "year": ["twenty"]},
    "two lines in a value": {"venue": ["a\r\nb"]},
    "a quote in a value": {"venue": ["a\"b<c>'"]},
}
REFUSED_NUMBERS_AND_CHOICES: dict[str, dict[str, Any]] = {
    "too many": {"limit": MAX_LIMIT + 1},
    "none": {"limit": 0},
    "fewer than none": {"limit": -1},
    "not a number": {"limit": "many"},
    "too far": {"offset": MAX_OFFSET + 1},
    "before the first": {"offset": -1},
    "no number to leave out": {"offset": "1.5"},
    "no such order": {"query": "owls", "sort": "newst"},
    "no such mode": {"query": "owls", "mode": "psychic"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parity")
    file = path / "papers.jsonl"
    file.write_text("".join(export_papers(PAPERS, "jsonl")), encoding="utf-8")
    with Library(Store.open(path / "library", write=True)) as library:
        library.import_files([str(file)])
        library.star(["owl01", "zo2"], "to read")
        library.save_watch("all owls", SearchRequest(query="owls", status=("all",)))
        library.save_watch("icml", SearchRequest(venue=("ICML",), query="owls"))
        file.write_text("".join(export_papers(NEW, "jsonl")), encoding="utf-8")
        library.import_files([str(file)])
        pages = ("Owls hunt.", "On soft feathers they swoop & turn; <b>no </b>.")
        Cabinet(library._store).keep("owl07", file, PdfText(pages, 2), origin="a")
        library.catch_up()
    return path / "library"


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    with open_library(folder) as library:
        yield library


class Doors:
    """The four doors of one library; each answers with what it said, or its refusal as (kind, words)."""

    def __init__(self, library: Library, capsys: pytest.CaptureFixture[str]) -> None:
        self._library = library
        self._app = create_app(library)
        self._capsys = capsys

    def command(self, *args: str) -> Any:
        self._capsys.readouterr()
        code = main(["--library", str(self._library.folder), *args])
        out, err = self._capsys.readouterr()
        if code:
            said = json.loads(err.splitlines()[-1])
            return said["error"], said["message"]
        return json.loads(out) if "--json" in args else out

    def get(self, url: str) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.get(url, headers={"accept-language": "en", "accept": "text/html"})

        return anyio.run(ask)

    def api(self, url: str) -> Any:
        answer = self.get(url)
        if answer.status_code >= 400:
            said = answer.json()
            return said["title"], said["detail"]
        return answer.json() if "json" in answer.headers["content-type"] else answer.text

    def tool(self, name: str, /, **given: Any) -> Any:
        async def call() -> Any:
            async with Client(make_server(self._library)) as client:
                return await client.call_tool(name, given)

        said = anyio.run(call)
        data = said.structured_content
        return (data["error"], data["message"]) if said.is_error else data

    def page(self, url: str) -> LexborHTMLParser:
        answer = self.get(url)
        while answer.is_redirect:
            answer = self.get(answer.headers["location"])
        return LexborHTMLParser(answer.text)


@pytest.fixture
def doors(library: Library, capsys: pytest.CaptureFixture[str]) -> Doors:
    return Doors(library, capsys)


def _options(request: dict[str, Any]) -> list[str]:
    """A request as the command line takes it."""
    words = [
        f"--{name}={one}"
        for name, value in request.items()
        if name != "query"
        for one in (value if isinstance(value, list) else [value])
    ]
    return ["search", "--json", *words, "--", *([request["query"]] if "query" in request else [])]


def _address(path: str, request: dict[str, Any]) -> str:
    return f"{path}?{urlencode(request, doseq=True)}"


def _page_address(request: dict[str, Any]) -> str:
    """A request as the page's address says it: pages of a size instead of a limit and an offset."""
    asked = {name: value for name, value in request.items() if name not in ("query", "limit", "offset")}
    size = int(request.get("limit", 20))
    asked |= {"q": request["query"]} if "query" in request else {}
    return _address("/", asked | {"size": size, "page": int(request.get("offset", 0)) // size + 1})


def _without_time(said: Any) -> Any:
    return said if isinstance(said, tuple) else {**said, "took_ms": 0}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_command_line_api_and_tools_answer_a_search_alike(doors: Doors, request_: dict[str, Any]) -> None:
    said = doors.command(*_options(request_))
    assert _without_time(doors.api(_address("/api/search", request_))) == _without_time(said)
    tool = doors.tool("search_papers", **request_)
    for name in set(said) - {"took_ms", "items", "next_offset"}:
        assert tool[name] == said[name], name
    shown = len(tool["items"])  # an agent's answer ends where it would be too long
    assert shown >= min(len(said["items"]), 20)
    assert _ranked(tool["items"]) == _ranked(said["items"])[:shown]
    whole = shown == len(said["items"])
    assert tool["next_offset"] == (said["next_offset"] if whole else said["offset"] + shown)


def _ranked(items: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(one["paper_id"], one["score"], one["why"], one["title"], one["passage"]) for one in items]


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_the_page_shows_what_the_api_says(doors: Doors, request_: dict[str, Any]) -> None:
    said = doors.api(_address("/api/search", request_))
    page = doors.page(_page_address(request_))
    if said["redirect"]:
        link = page.css_first("link[rel=canonical], meta[name=citation_title]")
        assert link is not None
        assert page.css_first("h1").text().strip() == said["items"][0]["title"]
        return
    assert _shown(page) == [item["paper_id"] for item in said["items"]]
    passages = [
        f"In the text, p. {item['passage']['page']} {item['passage']['text']}"
        for item in said["items"]
        if item["passage"]
    ]
    assert [shown.text() for shown in page.css(".passage")] == passages
    if said["items"]:
        total = page.css_first(".total").text().partition("paper")[0]
        assert int(re.sub(r"\D", "", total)) == said["total"]
        assert _facets_of(page, request_).items() <= _counts(said).items()
    if not said["total"]:
        whole = " ".join(page.css_first("main").text().split())
        assert said["explanation"]
        assert said["explanation"] in whole
        for suggestion in said["suggestions"]:
            assert f"{suggestion['total']} paper" in whole
    elif said["items"] and "query" in request_:
        assert said["query_reading"] in " ".join(page.css_first(".reading").text().split())


def _shown(page: LexborHTMLParser) -> list[str]:
    """The ids of the papers in a list."""
    links = [link.attributes["href"] or "" for link in page.css("ol.results a.title")]
    return [unquote(link).removeprefix("/papers/") for link in links]


def _counts(said: dict[str, Any]) -> dict[tuple[str, str], int]:
    return {(name, one["value"]): one["count"] for name in FACETS for one in said["facets"][name]}


def _facets_of(page: LexborHTMLParser, request: dict[str, Any]) -> dict[tuple[str, str], int]:
    """The counts beside the list, by the filter and the value to which each leads."""
    found = {}
    for row in page.css("aside.filters li"):
        link, count = row.css_first("a"), row.css_first(".n")
        if link is None or count is None or link.attributes.get("aria-current"):
            continue
        leads = parse_qs(urlsplit(link.attributes["href"] or "").query)
        for name in FACETS:
            for value in set(leads.get(name, [])) - set(request.get(name, [])):
                found[name, value] = int(count.text().replace(",", ""))
    return found


def test_the_page_counts_every_value_there_is(doors: Doors) -> None:
    """Else the page could agree by saying nothing."""
    request = {"query": "owls"}
    said = _counts(doors.api(_address("/api/search", request)))
    page = _facets_of(doors.page(_page_address(request)), request)
    chosen = ("venue", "year", "topic", "status")  # of the others there is one value, which is no choice
    assert {one for one in said if one[0] in chosen} <= set(page)
    assert len(page) > 15


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED)
def test_every_door_refuses_in_the_same_words(doors: Doors, request_: dict[str, Any]) -> None:
    kind, words = doors.command(*_options(request_))
    assert doors.api(_address("/api/search", request_)) == (kind, words)
    assert doors.tool("search_papers", **request_) == (kind, words)
    answer = doors.get(_page_address(request_))
    assert answer.status_code == 400
    assert words in LexborHTMLParser(answer.text).css_first("main").text()
    assert len(words.splitlines()) == 1


@pytest.mark.parametrize("request_", REFUSED_NUMBERS_AND_CHOICES.values(), ids=REFUSED_NUMBERS_AND_CHOICES)
def test_numbers_and_choices_are_refused_in_the_same_words(doors: Doors, request_: dict[str, Any]) -> None:
    kind, words = doors.command(*_options(request_))
    assert doors.api(_address("/api/search", request_)) == (kind, words)
    assert doors.tool("search_papers", **request_) == (kind, words)
    assert kind in ("LimitError", "UnknownName")


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        (f"size={MAX_LIMIT + 1}", f"1 to {MAX_LIMIT:,}"),
        ("size=many", f"1 to {MAX_LIMIT:,}"),
        ("page=0", f"1 to {MAX_OFFSET // 20 + 1:,}"),
    ],
)
def test_the_page_refuses_its_own_names_with_the_same_limits(doors: Doors, asked: str, allowed: str) -> None:
    answer = doors.get(f"/?{asked}")
    assert answer.status_code == 400
    assert f"Allowed: {allowed}." in LexborHTMLParser(answer.text).css_first("main").text()


@pytest.mark.parametrize("name", ["no such order", "no such mode"])
def test_the_page_refuses_choices_in_the_words_of_every_door(doors: Doors, name: str) -> None:
    asked = REFUSED_NUMBERS_AND_CHOICES[name]
    answer = doors.get(f"/?{urlencode(asked)}")
    said = LexborHTMLParser(answer.text).css_first(".nothing p:not(.code)").text()
    assert said == doors.api(f"/api/search?{urlencode(asked)}")[1]


def test_names_help_and_limits_are_those_of_the_request(doors: Doors, library: Library) -> None:
    async def tools() -> Any:
        async with Client(make_server(library)) as client:
            return {one.name: one.input_schema for one in (await client.list_tools()).tools}

    properties = anyio.run(tools)["search_papers"]["properties"]
    document = doors.api("/openapi.json")["paths"]["/api/search"]["get"]["parameters"]
    known = {one["name"]: one for one in document}
    said = " ".join(doors.command("search", "--help").split())
    for one in fields(SearchRequest):
        help_ = one.metadata["help"]
        assert properties[one.name]["description"] == known[one.name]["description"] == help_
        if one.name != "query":
            assert f"--{one.name}" in said
            assert help_ in said
        for bound, name in (("least", "minimum"), ("most", "maximum")):
            limit = one.metadata.get(bound)
            assert properties[one.name].get(name) == known[one.name]["schema"].get(name) == limit


def test_one_paper(doors: Doors) -> None:
    said = doors.command("show", "--json", "10.5555/owl.4")
    api, tool = doors.api("/api/papers/10.5555/owl.4"), doors.tool("get_paper", paper_id="10.5555/owl.4")
    del said["collections"], said["note"]  # the reader's own
    assert api == tool == said
    beside = doors.get("/papers/owl04.json").json()
    assert beside == {name: value for name, value in said.items() if name != "maybe_same"}
    assert doors.page("/papers/10.5555/owl.4").css_first("h1").text().strip() == said["title"]


def test_similar_papers(doors: Doors) -> None:
    said = doors.command("similar", "--json", "-n", "6", "owl04")
    near = [(one["paper_id"], one["cosine"]) for one in said]
    assert len(near) == 6
    api = doors.api("/api/papers/owl04/similar?limit=6")["items"]
    tool = doors.tool("find_similar", paper_id="owl04", limit=6)["items"]
    assert [(one["paper_id"], one["cosine"]) for one in api] == near
    assert [(one["paper_id"], one["cosine"]) for one in tool] == near
    assert _shown(doors.page("/papers/owl04/similar"))[:6] == [one for one, _ in near]


@pytest.mark.parametrize("name", ["bibtex", "ris", "csl-json", "csv", "jsonl", "markdown", "reference"])
def test_an_export_is_the_same_file(doors: Doors, name: str) -> None:
    said = doors.command("export", "--format", name, "--venue", "ICML", "--sort", "citations", "owls")
    asked = {"venue": "ICML", "sort": "citations", "format": name}
    page = doors.get(_address("/export", asked | {"q": "owls"}))
    api = doors.get(_address("/api/export", asked | {"query": "owls"}))
    assert page.text == api.text == said
    tool = doors.tool("export_citations", limit=100, query="owls", **asked)
    assert tool["text"] == said
    assert tool["next_offset"] is None


def test_a_collection_and_papers_by_name_are_exported_alike(doors: Doors) -> None:
    for command, query, given in (
        (["--collection", "to read"], "collection=to+read", {"collection": "to read"}),
        (["--ids", "zo2,owl01"], "ids=zo2&ids=owl01", {"ids": ["zo2", "owl01"]}),
    ):
        said = doors.command("export", "--format", "ris", *command)
        assert doors.api(f"/api/export?format=ris&{query}") == said
        assert doors.tool("export_citations", format="ris", **given)["text"] == said
        for other in (query, query.replace("&ids=", ",")):
            assert doors.get(f"/export?format=ris&{other}").text == said
            assert doors.api(f"/api/export?format=ris&{other}") == said
    both = {"ids": ["zo2"], "collection": "to read"}
    refused = doors.command("export", "--json", "--ids", "zo2", "--collection", "to read")
    assert doors.api(_address("/api/export", both)) == doors.tool("export_citations", **both) == refused


def test_a_stretch_of_a_collection_or_of_papers_by_name_is_exported_alike(doors: Doors) -> None:
    for name, given in (("collection", "to read"), ("ids", "owl01,zo2")):
        said = doors.command("export", "--format", "ris", f"--{name}", given, "-n", "1", "--offset", "1")
        assert said.count("TY  -") == 1
        assert "Zeroth-order" in said
        asked = {name: given, "format": "ris", "limit": 1, "offset": 1}
        assert doors.api(_address("/api/export", asked)) == said
        assert doors.get(_address("/export", asked)).text == said
        assert doors.tool("export_citations", **asked)["text"] == said
        beyond = doors.command("export", "--format", "ris", f"--{name}", given, "--offset", "2")
        assert beyond == doors.api(_address("/api/export", asked | {"offset": 2})) == ""
        refused = doors.command("export", "--json", f"--{name}", given, "-n", "0")
        assert doors.api(_address("/api/export", asked | {"limit": 0})) == refused


def test_of_no_ids_nothing_is_exported(doors: Doors) -> None:
    assert doors.command("export", "--ids", "") == ""
    for path in ("/export?ids=", "/api/export?ids="):
        answer = doors.get(path)
        assert (answer.status_code, answer.text) == (200, "")
    assert doors.tool("export_citations", ids=[])["count"] == 0
    refused = doors.command("export", "--json", "--ids", "", "owls")
    assert doors.api("/api/export?ids=&query=owls") == refused
    assert doors.tool("export_citations", ids=[], query="owls") == refused
    assert doors.tool("export_citations", query="owls", venue=[], ids=None)["count"] > 0


def test_an_author(doors: Doors) -> None:
    said = doors.command("author", "--json", "Ada Núñez")
    api = doors.api("/api/authors/ada-nunez?limit=1000")
    tool = doors.tool("get_author", author_id="ada-nunez", limit=100)
    assert _same(api) == _same(said)
    names = ("author_id", "name", "total", "hidden", "years", "venues", "maybe_same")
    assert {name: tool[name] for name in names} == {name: said[name] for name in names}
    assert [one["paper_id"] for one in tool["papers"]] == [one["paper_id"] for one in said["papers"]]


def _same(said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if name not in ("offset", "next_offset")}


def test_what_is_there(doors: Doors) -> None:
    for kind in ("topics", "venues"):
        said = doors.command(kind, "--json")
        assert doors.api(f"/api/{kind}")["items"] == said
        tool = doors.tool(f"list_{kind}", limit=MAX_LIMIT)["items"]
        assert tool == said
    said = doors.command("list", "--json")
    assert doors.api("/api/collections")["items"] == doors.tool("list_collections")["items"] == said
    said = [one["paper_id"] for one in doors.command("list", "--json", "to read")]
    api, tool = doors.api("/api/collections/to%20read"), doors.tool("list_collections", name="to read")
    assert [one["paper_id"] for one in api["items"]] == [one["paper_id"] for one in tool["items"]] == said
    assert _shown(doors.page("/collections/to%20read")) == said


def test_what_can_be_followed(doors: Doors) -> None:
    said = doors.command("sources", "--json")
    assert doors.api("/api/sources")["items"] == said
    assert doors.tool("list_sources", limit=MAX_LIMIT)["items"] == said
    rows = [[cell.text() for cell in row.css("th, td")] for row in doors.page("/sources").css("tbody tr")]
    assert [row[:2] for row in rows] == [[one["venue"], one["site"]] for one in said]
    few = doors.command("sources", "--json", "icml", "virtual")
    assert doors.api("/api/sources?words=icml+virtual")["items"] == few
    assert doors.tool("list_sources", words="icml virtual")["items"] == few
    assert [(one["venue"], one["site"]) for one in few] == [("ICML", "virtual")]


def test_saved_searches_and_what_is_new_to_them(doors: Doors) -> None:
    said = doors.command("watch", "--json")
    assert [(one["watch"], one["new"]) for one in said] == [("all owls", len(NEW)), ("icml", 1)]
    assert doors.api("/api/watches")["items"] == doors.tool("list_watches")["items"] == said
    rows = doors.page("/watches").css(".kept li")
    assert [row.css_first("a").text() for row in rows] == ["all owls", "icml"]
    assert [row.css_first(".fresh").text() for row in rows] == [f"{len(NEW)} new", "1 new"]
    said = doors.command("watch", "--json", "--keep", "all owls", "-n", "2")
    api, tool = (
        doors.api("/api/watches/all%20owls?limit=2"),
        doors.tool("list_watches", name="all owls", limit=2),
    )
    del said["seen"]
    assert _timeless(api) == _timeless(said)
    assert (tool["new"], tool["total"], tool["next_offset"]) == (len(NEW), len(NEW), 2)
    ids = [one["paper_id"] for one in said["response"]["items"]]
    assert [one["paper_id"] for one in tool["items"]] == ids
    assert _shown(doors.page("/watches/all%20owls"))[:2] == ids
    assert doors.api("/api/watches/icml")["new"] == 1  # looking marks nothing as seen


def _timeless(said: dict[str, Any]) -> dict[str, Any]:
    return said | {"response": _without_time(said["response"])}


@pytest.mark.parametrize(
    ("command", "api", "tool", "page"),
    [
        (["show", "nothing 1"], "/api/papers/{}", ("get_paper", "paper_id"), "/papers/{}"),
        (["similar", "nothing 1"], "/api/papers/{}/similar", ("find_similar", "paper_id"), None),
        (["author", "nothing 1"], "/api/authors/{}", ("get_author", "author_id"), "/authors/{}"),
        (["list", "nothing 1"], "/api/collections/{}", ("list_collections", "name"), "/collections/{}"),
        (["watch", "nothing 1"], "/api/watches/{}", ("list_watches", "name"), "/watches/{}"),
        (["method", "nothing 1"], "/api/methods/{}", ("get_method", "method_id"), None),
    ],
)
def test_what_is_not_there(
    doors: Doors, command: list[str], api: str, tool: tuple[str, str], page: str | None
) -> None:
    kind, words = doors.command(command[0], "--json", command[1])
    name = quote(command[1])
    assert doors.api(api.format(name)) == (kind, words)
    assert doors.tool(tool[0], **{tool[1]: command[1]}) == (kind, words)
    if page:
        answer = doors.get(page.format(name))
        assert answer.status_code == 404
        assert words in LexborHTMLParser(answer.text).css_first("main").text()


def test_doors_that_differ_would_be_seen(
    doors: Doors, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, search = doors.page, library.search
    monkeypatch.setattr(doors, "page", lambda _: page("/?q=optimization"))
    with pytest.raises(AssertionError):
        test_the_page_shows_what_the_api_says(doors, {"query": "owls"})
    monkeypatch.setattr(library, "search", lambda request: search(replace(request, query="optimization")))
    with pytest.raises(AssertionError):  # the command line opens a library of its own
        test_command_line_api_and_tools_answer_a_search_alike(doors, {"query": "owls"})
