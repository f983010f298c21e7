from __future__ import annotations

import re

import httpx
import pytest
from selectolax.lexbor import LexborHTMLParser


def page(response) -> LexborHTMLParser:
    return LexborHTMLParser(response.text)


def texts(tree: LexborHTMLParser, selector: str) -> list[str]:
    return [" ".join(node.text(separator=" ").split()) for node in tree.css(selector)]


def hrefs(tree: LexborHTMLParser, selector: str) -> list[str]:
    return [node.attributes["href"] for node in tree.css(selector)]


# The list


def test_the_start_page_lists_the_newest_papers_and_the_topics(client):
    response = client.get("/", accept_language="zh-CN")
    tree = page(response)
    assert response.status_code == 200
    assert tree.css_first("title").text() == "论文检索"
    assert tree.css_first("html").attributes["lang"] == "zh-CN"
    assert len(tree.css(".card")) == 20
    assert "Theory" in texts(tree, ".tree > li > a")
    assert texts(tree, ".total")[0].startswith("84 篇论文 · 5 个会议 · 2018–2026")


def test_a_result_has_topic_title_ten_authors_and_abstract(client):
    tree = page(client.get("/?q=kites&size=50"))
    cards = [card for card in tree.css(".card") if card.css_first(".etal") and card.css_first(".fold")]
    card = cards[0]
    assert len(card.css(".authors bdi")) == 10
    assert card.css_first(".etal").text() == "et al."
    assert card.css_first("h2 mark").text() == "kites"
    assert card.css_first(".abstract math") is not None
    assert card.css_first(".links a[data-copy]").attributes["href"].endswith(".bib")


def test_the_topic_path_is_crumbs(client):
    tree = page(client.get("/?topic=Theory/Optimization"))
    crumbs = tree.css_first(".crumbs")
    assert " ".join(crumbs.text().split()) == "Theory · Optimization"
    assert [a.attributes["href"] for a in crumbs.css("a")] == [
        "/?topic=Theory",
        "/?topic=Theory/Optimization",
    ]


def test_the_query_is_kept_and_the_filters_with_it(client):
    tree = page(client.get("/?q=lamps&venue=ICML&year=2020..2026&sort=newest&size=50"))
    assert tree.css_first("#q").attributes["value"] == "lamps"
    kept = {(n.attributes["name"], n.attributes["value"]) for n in tree.css(".ask input[type=hidden]")}
    assert kept == {("venue", "ICML"), ("year", "2020..2026"), ("sort", "newest"), ("size", "50")}


def test_every_chip_takes_its_filter_away(client):
    tree = page(client.get("/?q=lamps&venue=ICML&status=oral"))
    assert texts(tree, ".chips li") == ["Venue ICML ×", "Status Oral ×", "Clear all"]
    assert hrefs(tree, ".chips a") == ["/?q=lamps&status=oral", "/?q=lamps&venue=ICML", "/?q=lamps"]


def test_facet_counts_are_what_clicking_gives(client):
    tree = page(client.get("/?q=first-order"))
    rows = [row for row in tree.css(".filters li") if row.css_first(".n")]
    assert len(rows) > 20
    for row in rows:
        url = row.css_first("a").attributes["href"]
        count = row.css_first(".n").text().replace(",", "")
        if "status=accepted" in url:
            continue  # the shelf knows nothing of groups of statuses
        found = page(client.get(url)).css_first(".total strong")
        assert found.text().split()[0] == count, url


def test_clicking_an_active_filter_takes_it_away(client):
    tree = page(client.get("/?q=lamps&topic=Theory/Optimization"))
    active = tree.css_first(".tree a[aria-current]")
    assert active.text() == "Optimization"
    assert active.attributes["href"] == "/?q=lamps"
    assert "open" in tree.css_first(".tree > li > details").attributes


def test_a_second_venue_can_be_added(client):
    tree = page(client.get("/?venue=ICML"))
    assert "/?venue=ICML&venue=NeurIPS" in hrefs(tree, ".others a")


def test_the_number_of_results_and_the_reading_are_said(client):
    tree = page(client.get("/?q=lanterns"))
    assert re.fullmatch(r"\d+ papers · 1\.2 ms", texts(tree, ".total")[0])
    assert texts(tree, ".reading") == ["How the query was read: papers with lanterns"]
    assert not page(client.get("/?venue=ICML")).css(".read")


def test_the_reading_of_chinese_can_be_corrected(client):
    tree = page(client.get("/?q=零阶优化+-lamps&venue=ICML", accept_language="zh"))
    assert texts(tree, ".nothing .correct") == ["修改译法"]
    url = tree.css_first(".correct").attributes["href"]
    corrected = page(client.get(url, accept_language="zh"))
    box = corrected.css_first("#q").attributes["value"]
    assert box.startswith('零阶优化="zeroth-order optimization|')
    assert box.endswith('" -lamps')
    assert "venue=ICML" in url
    assert not corrected.css(".correct")
    assert not page(client.get("/?q=lanterns")).css(".correct")


@pytest.mark.parametrize(
    ("year", "boxes"),
    [("2020..2024", ["2020", "2024"]), (">=2023", ["2023", ""]), ("2024", ["2024", "2024"]), ("", ["", ""])],
)
def test_the_year_boxes_hold_the_filter_and_nothing_else(make_client, shelf_module, monkeypatch, year, boxes):
    monkeypatch.setattr(shelf_module, "_in_year", lambda *_: True)
    tree = page(make_client(shelf_module.Shelf()).get(f"/?q=lamps&year={year}"))
    fields = [tree.css_first(name).attributes for name in ("#from", "#to")]
    assert [field["value"] for field in fields] == boxes
    assert not any("placeholder" in field for field in fields)


# Paging


def test_pages_are_linked_and_none_is_empty(client):
    tree = page(client.get("/?q=first-order"))
    urls = hrefs(tree, ".pages a")
    assert tree.css_first(".pages [aria-current=page]").text() == "1"
    assert urls[0] == "/?q=first-order"
    for url in {*urls}:
        assert page(client.get(url)).css(".card"), url


def test_fifty_papers_are_two_pages_of_twenty_five(make_client, shelf_module):
    client = make_client(shelf_module.Shelf(shelf_module.PAPERS[-50:]))
    tree = page(client.get("/?size=25&page=2"))
    assert len(tree.css(".card")) == 25
    assert hrefs(tree, ".pages a") == ["/?size=25", "/?size=25", "/?size=25&page=2"]
    assert client.get("/?size=25&page=3").status_code == 404


@pytest.mark.parametrize("page_number", [99, 20_001])
def test_beyond_the_last_page_is_a_way_back(client, page_number):
    response = client.get(f"/?q=first-order&size=50&page={page_number}")
    tree = page(response)
    assert response.status_code == 404
    assert f"There is no page {page_number:,}" in tree.body.text()
    assert hrefs(tree, ".nothing .button") == ["/?q=first-order&size=50&page=2"]
    assert not tree.css(".pages a")


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=1e9", "page=x", "size=0", "size=1001", "sort=best"]
)
def test_absurd_paging_is_refused_in_words(client, query):
    response = client.get(f"/?q=lamps&{query}")
    assert response.status_code == 400
    assert "Allowed: " in page(response).css_first(".nothing").text()


def test_size_over_the_maximum_says_the_maximum(client):
    says = page(client.get("/?size=1001")).css_first(".nothing p[dir]").text()
    assert says == 'size "1001" is not possible. Allowed: 1 to 1,000. Leave size out for 20'


# Nothing found


def test_nothing_found_explains_itself_and_offers_what_is_there(client):
    response = client.get("/?q=zeppelins")
    tree = page(response)
    assert response.status_code == 200
    assert 'no paper holds "zeppelins"' in tree.css_first(".nothing").text()
    assert hrefs(tree, ".nothing li a") == ["/?q=lamps"]
    assert "/?topic=Theory" in hrefs(tree, ".tree a")


# Language


def test_texts_say_in_which_language_they_are(client):
    tree = page(client.get("/papers/rich", accept_language="zh"))
    spoken = {name: tree.css_first(name).attributes.get("lang") for name in ("h1", ".abstract", ".notes p")}
    assert spoken == {"h1": "en", ".abstract": "en", ".notes p": "en"}
    assert tree.css_first(".summary").attributes["lang"] == "zh"
    assert {n.attributes.get("lang") for n in tree.css(".similar a[dir]")} == {"en", None}
    card = page(client.get("/?q=river", accept_language="zh")).css_first(".card")
    assert card.css_first("h2").attributes["lang"] == card.css_first(".abstract").attributes["lang"] == "en"
    chinese = page(client.get("/papers/chinese"))
    assert chinese.css_first("h1").attributes["lang"] == "zh"


def test_the_language_asked_for_is_remembered(client):
    response = client.get("/?q=lamps&lang=zh")
    assert 'lang="zh-CN"' in response.text
    assert "lang=zh" in response.headers["set-cookie"]
    assert "HttpOnly" in response.headers["set-cookie"]
    assert "lang=" not in "".join(hrefs(page(response), "main a, .filters a"))
    assert 'lang="zh-CN"' in client.get("/", cookie="lang=zh").text
    assert "set-cookie" not in client.get("/?lang=tlh").headers


def test_both_languages_are_one_click_away(client):
    tree = page(client.get("/?q=lamps&page=2&size=5"))
    assert hrefs(tree, ".language a") == [f"/?q=lamps&size=5&page=2&lang={code}" for code in ("zh", "en")]


# Errors and headers


def test_a_refusal_is_a_page_in_the_same_words(client):
    response = client.get("/?venue=brokenvenue")
    assert response.status_code == 400
    says = 'no venue "brokenvenue". Closest: "ICML". List them with: lunwen venues'
    assert page(response).css_first(".nothing p[dir]").text() == says


def test_a_refusal_is_json_for_those_who_ask_for_json(client):
    response = client.get("/papers/nowhere", accept="application/json")
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json() == {
        "type": "about:blank",
        "title": "NotFound",
        "status": 404,
        "detail": 'no paper "nowhere". Give a paper_id, DOI or arXiv id. Find it with: lunwen search',
    }


def test_no_such_page(client):
    response = client.get("/nowhere")
    assert response.status_code == 404
    assert "There is no page at /nowhere" in response.text


def test_an_unforeseen_error_shows_no_inside(shelf, client, monkeypatch):
    def fall(_request):
        raise ZeroDivisionError("secret place")

    monkeypatch.setattr(shelf, "search", fall)
    response = client.get("/")
    assert response.status_code == 500
    assert "secret" not in response.text
    assert "Traceback" not in response.text
    assert page(response).css_first("h1").text() == "Something broke here"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_the_page_only_reads(client, method):
    assert client.get("/", method=method).status_code == 405


ROUTES = [
    "/",
    "/?q=lamps",
    "/?page=0",
    "/papers/rich",
    "/papers/rich.bib",
    "/papers/rich/similar",
    "/nowhere",
    "/healthz",
    "/static/page.js",
]


@pytest.mark.parametrize("url", ROUTES)
def test_every_answer_carries_the_safe_headers(client, url):
    headers = client.get(url).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize(
    "url",
    [
        "/",
        "/?q=lamps&venue=ICML&explain=1",
        "/papers/rich",
        "/papers/rich/similar",
        "/papers/hostile",
        "/nowhere",
    ],
)
def test_nothing_inline_and_nothing_from_elsewhere(client, url):
    tree = page(client.get(url))
    for node in tree.css("*"):
        assert "style" not in node.attributes
        assert not [name for name in node.attributes if name.startswith("on")]
    for node in tree.css("script[src], link[rel=stylesheet], link[rel=icon], img"):
        assert (node.attributes.get("src") or node.attributes["href"]).startswith("/static/")
        assert not node.text().strip()
    inline = [node.attributes for node in tree.css("script:not([src])")]
    assert inline in ([], [{"type": "application/ld+json"}])  # data, never run


def test_files_that_never_change_are_kept(client):
    tree = page(client.get("/"))
    for url in [
        tree.css_first("link[rel=stylesheet]").attributes["href"],
        tree.css_first("script").attributes["src"],
    ]:
        response = client.get(url)
        assert response.status_code == 200
        assert "immutable" in response.headers["cache-control"]


@pytest.mark.parametrize(
    "url", ["/papers/hostile", "/papers/rich/similar", "/?q=hostile", "/?year=2025&size=50&explain=1"]
)
def test_a_hostile_record_is_only_text(client, url):
    response = client.get(url)
    tree = page(response)
    assert all(one.attributes["src"].startswith("/static/") for one in tree.css("script[src]"))
    assert [node.attributes.get("type") for node in tree.css("script:not([src])")] in (
        [],
        ["application/ld+json"],
    )
    assert not tree.css("img[src=x]")
    for node in tree.css("[href], [src], [action]"):
        target = node.attributes.get("href") or node.attributes.get("src") or node.attributes.get("action")
        assert target.startswith(("/", "https://", "http://", "#")), target


@pytest.mark.parametrize(
    "query", ["foo:bar", '"unclosed', "((a", "*", "x" * 5000, "🦉", "'; DROP TABLE", "\x00", "<b>"]
)
def test_any_query_is_kept_as_text(client, query):
    response = client.get(str(httpx.URL("/", params={"q": query})))
    assert response.status_code == 200
    assert page(response).css_first("#q").attributes["value"] == query.replace("\x00", "\ufffd").strip()


def test_every_control_has_a_name(client):
    for url in ["/", "/?q=lamps&venue=ICML", "/papers/rich", "/papers/rich/similar"]:
        tree = page(client.get(url, accept_language="zh"))
        for node in tree.css("input:not([type=hidden]), select, textarea"):
            named = node.attributes.get("aria-label") or tree.css_first(f'label[for="{node.id}"]')
            assert named, node.html
        for node in tree.css("a, button, summary"):
            assert node.text().strip() or node.attributes.get("aria-label"), node.html
        ids = [node.attributes["id"] for node in tree.css("[id]")]
        assert len(ids) == len(set(ids))
        assert len(tree.css("h1")) == 1
        assert len(tree.css("main")) == 1


def test_health(client):
    assert client.get("/healthz").text == "ok"
