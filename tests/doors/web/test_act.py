"""What readers write from the page, over a real library: the built-in catalogue."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from lunwen.doors.web.act import ACTIONS
from lunwen.doors.web.form import MAX_FORM, safe_return
from lunwen.library import open_library

FIRST = "000-18"


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    with open_library(tmp_path_factory.mktemp("library")) as library:
        yield library


@pytest.fixture
def library(catalogue):
    yield catalogue
    for one in catalogue.collections():
        if one.papers:
            catalogue.delete_collection(one.name)
    for watch in catalogue.watches():
        catalogue.delete_watch(watch.name)
    catalogue.note(FIRST, None)


@pytest.fixture
def client(library, make_client):
    return make_client(library)


def page(response) -> LexborHTMLParser:
    return LexborHTMLParser(response.text)


def starred(response) -> dict[str, bool]:
    return {
        button.attributes["value"]: button.attributes["aria-pressed"] == "true"
        for button in page(response).css(".star")
    }


def test_a_star_shows_at_once_in_lists_that_were_kept(client, library):
    before = starred(client.get("/?q=learning"))
    one = next(iter(before))
    assert not any(before.values())
    answer = client.post("/shelf/star", paper=one, back="/?q=learning")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?q=learning")
    assert starred(client.get("/?q=learning")) == before | {one: True}
    assert starred(client.get(f"/papers/{one}")) == {one: True}
    assert [paper.paper_id for paper, _ in library.collection()] == [one]
    client.post("/shelf/unstar", paper=one)
    assert starred(client.get("/?q=learning")) == before


def test_a_collection_has_its_papers_notes_exports_and_feeds(client):
    name = "to read/now & <b>"
    client.post("/shelf/star", paper=FIRST, collection=name)
    client.post("/shelf/note", paper=FIRST, text="See <script> 3")
    answer = client.get("/collections")
    url = next(a.attributes["href"] for a in page(answer).css(".kept a") if a.text() == name)
    assert url == "/collections/to%20read%2Fnow%20%26%20%3Cb%3E"
    tree = page(client.get(url))
    assert tree.css_first("h1").text() == name
    assert [a.attributes["href"] for a in tree.css(".title")] == [f"/papers/{FIRST}"]
    assert tree.css_first(".note").text() == "See <script> 3"
    feed = tree.css_first("link[type='application/atom+xml']").attributes["href"]
    assert FIRST in client.get(feed).text
    export = next(a.attributes["href"] for a in tree.css(".export a") if a.text() == "BibTeX")
    assert client.get(export).text.count("@") == 1


def test_a_collection_can_be_renamed_and_ended(client, library):
    client.post("/shelf/star", paper=FIRST, collection="old")
    answer = client.post("/shelf/rename", collection="old", new="  new  one ")
    assert answer.headers["location"] == "/collections/new%20one"
    assert client.get("/collections/new%20one").status_code == 200
    assert client.get("/collections/old").status_code == 404
    assert client.post("/shelf/delete", collection="new one").headers["location"] == "/collections"
    assert [one.name for one in library.collections()] == ["starred"]


def test_a_collection_is_paged_and_ends(client, library):
    found = [item.paper.paper_id for item in library.search(everything()).items]
    library.star(found[:25])
    first, second = page(client.get("/collections/starred")), page(client.get("/collections/starred?page=2"))
    shown = [a.attributes["href"] for tree in (first, second) for a in tree.css(".title")]
    assert shown == [f"/papers/{paper_id}" for paper_id in found[:25]]  # as at every door
    assert second.css_first("ol.results").attributes["start"] == "21"
    assert first.css_first(".pages a:last-child").attributes["href"] == "/collections/starred?page=2"
    assert client.get("/collections/starred?page=x").status_code == 400


def everything():
    from lunwen.retrieval.request import SearchRequest  # noqa: PLC0415 - one test needs it

    return SearchRequest(limit=50)


def test_a_search_is_saved_as_it_stands_and_a_visit_is_no_get(client, library):
    answer = client.post("/shelf/save", name="mine", search="/?q=learning&venue=ICML&sort=newest")
    assert answer.headers["location"] == "/watches/mine"
    (watch,) = library.watches()
    assert (watch.request.query, watch.request.venue, watch.new) == ("learning", ("ICML",), 0)
    tree = page(client.get("/watches/mine"))
    assert tree.css_first(".to a").attributes["href"] == "/?q=learning&venue=ICML&sort=newest"
    assert tree.css_first(".total").text() == "Nothing new since the last visit"
    assert library.watches()[0].visited == watch.visited
    assert client.post("/shelf/visit", watch="mine", last="1").headers["location"] == "/watches"
    assert client.post("/shelf/forget", watch="mine").headers["location"] == "/watches"
    assert library.watches() == []


def test_a_visit_goes_no_further_than_the_last_paper(client, library):
    client.post("/shelf/save", name="mine", search="/?q=learning")
    newest = library.watch("mine").last
    refused = client.post("/shelf/visit", watch="mine", last="999999999999999")
    assert refused.status_code == 400
    assert page(refused).css_first(".nothing p:not(.code)").text() == (
        f"last 999999999999999 is of no paper here. Allowed: 0 to {newest}, as given with what is new. "
        "Ask what is new again"
    )
    assert client.post("/shelf/visit", watch="mine", last=str(newest)).status_code == 303


def test_saved_searches_have_a_page(client):
    assert "None yet." in page(client.get("/watches")).css_first("main").text()
    client.post("/shelf/save", name="mine & yours", search="/?q=learning&venue=ICML")
    (row,) = page(client.get("/watches")).css(".kept li")
    assert row.css_first("a").attributes["href"] == "/watches/mine%20%26%20yours"
    assert row.css_first(".quiet").text() == "learning · ICML"
    assert page(client.get("/watches?lang=zh")).css_first("h1").text() == "保存的检索"


@pytest.mark.parametrize("token", ["", "guessed", "é"])
def test_without_the_token_of_the_page_nothing_is_written(client, library, token):
    for action in ACTIONS:
        answer = client.post(f"/shelf/{action}", token=token, paper=FIRST, name="x", search="/?q=x")
        assert answer.status_code == 403
        assert "reload" in answer.text
    assert [one.papers for one in library.collections()] == [0]
    assert library.watches() == []


@pytest.mark.parametrize("action", ACTIONS)
def test_nothing_is_written_by_get(client, action):
    assert client.get(f"/shelf/{action}?paper={FIRST}").status_code == 405


def test_a_page_that_only_reads_has_no_forms_and_takes_none(library, make_client):
    library.star([FIRST], "kept")
    library.note(FIRST, "Mine")
    client = make_client(library, read_only=True)
    for path in ("/?q=learning", f"/papers/{FIRST}", "/collections", "/collections/kept"):
        tree = page(client.get(path))
        assert tree.css("[method=post], .star, textarea") == []
    assert page(client.get(f"/papers/{FIRST}")).css_first(".keeping .note").text() == "Mine"


def test_a_server_that_only_reads_refuses_to_write_in_the_same_words_at_both_doors(
    library, make_client, monkeypatch
):
    monkeypatch.setenv("LUNWEN_TOKEN", "s3cret")
    client = make_client(library, read_only=True)
    says = (
        "this server only reads: it was started so that nobody writes. Start it so that readers may: "
        "lunwen serve --writable"
    )
    form = client.post("/shelf/star", token="", paper=FIRST)
    assert (form.status_code, page(form).css_first(".nothing p:not(.code)").text()) == (403, says)
    for method in ("PUT", "DELETE"):
        put = client.get(
            f"/api/collections/starred/papers/{FIRST}", method=method, authorization="Bearer s3cret"
        )
        assert (put.status_code, put.json()["detail"]) == (403, says)
    assert library.collection() == []
    assert "put" not in client.get("/openapi.json").text
    put = make_client(library).get(
        f"/api/collections/starred/papers/{FIRST}", method="PUT", authorization="Bearer s3cret"
    )
    assert put.json() == {"name": "starred", "changed": 1}


@pytest.mark.parametrize(
    ("action", "fields", "status", "says"),
    [
        ("star", {}, 400, "star needs &#39;paper&#39;. Allowed: the forms of the page. Reload the page"),
        ("star", {"paper": "nobody"}, 404, "no paper &#34;nobody&#34;"),
        ("star", {"paper": FIRST, "collection": " "}, 400, "is no name for a collection"),
        ("unstar", {"paper": FIRST, "collection": "none"}, 404, "no collection &#34;none&#34;"),
        ("visit", {"watch": "x", "last": "-1"}, 400, "last &#34;-1&#34; is no number"),
        ("save", {"name": "x", "search": "/?page=0"}, 400, "page &#34;0&#34; is not possible"),
        ("save", {"name": "x", "search": "//[?page=0"}, 400, "page &#34;0&#34; is not possible"),
        ("note", {"paper": FIRST, "text": "x" * 20_000}, 400, "a note of 20,000 characters"),
        ("note", {"paper": FIRST, "text": "x" * MAX_FORM}, 400, "a form of more than 65,536 bytes"),
        ("star", {str(i): "" for i in range(60)}, 400, "a form that cannot be read"),
    ],
)
def test_what_a_form_gets_wrong_is_said_on_the_page(client, action, fields, status, says):
    answer = client.post(f"/shelf/{action}", **fields)
    assert answer.status_code == status
    assert says in answer.text


@pytest.mark.parametrize(
    ("url", "leads"),
    [
        ("/?q=a", "/?q=a"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example", "/"),
        ("/a\r\nset-cookie: x=1", "/"),
        ("", "/"),
        ("/" + "a" * 5_000, "/"),
    ],
)
def test_a_form_leads_back_to_this_server_only(url, leads):
    assert safe_return(url) == leads
