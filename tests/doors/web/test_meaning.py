from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser


def page(response) -> LexborHTMLParser:
    return LexborHTMLParser(response.text)


def texts(tree: LexborHTMLParser, selector: str) -> list[str]:
    return [" ".join(node.text(separator=" ").split()) for node in tree.css(selector)]


def hrefs(tree: LexborHTMLParser, selector: str) -> list[str]:
    return [node.attributes["href"] for node in tree.css(selector)]


# What finds papers, and why


def test_what_finds_papers_can_be_chosen_and_stays(client, shelf):
    tree = page(client.get("/?q=lamps&venue=ICML&size=5"))
    modes = {link.text(): link.attributes["href"] for link in tree.css(".read .orders a")}
    assert modes == {
        "Words and meaning": "/?q=lamps&venue=ICML&size=5",
        "Words": "/?q=lamps&venue=ICML&mode=lexical&size=5",
        "Meaning": "/?q=lamps&venue=ICML&mode=semantic&size=5",
        "Why?": "/?q=lamps&venue=ICML&explain=1&size=5",
    }
    assert texts(tree, ".read [aria-current]") == ["Words and meaning"]
    tree = page(client.get(modes["Meaning"]))
    assert shelf.asked[-1].mode == "semantic"
    assert texts(tree, ".read [aria-current]") == ["Meaning"]
    assert {(n.attributes["name"], n.attributes["value"]) for n in tree.css(".ask input[type=hidden]")} >= {
        ("mode", "semantic"),
        ("venue", "ICML"),
    }
    assert all("mode=semantic" in url for url in hrefs(tree, ".tree a, .chips a, .pages a"))


def test_a_wrong_mode_is_refused_in_words(client):
    response = client.get("/?q=lamps&mode=best")
    assert response.status_code == 400
    says = page(response).css_first(".nothing p[dir]").text()
    assert says == 'no mode "best". Allowed: hybrid, lexical, semantic'


def test_each_result_says_why_where_that_is_asked(client):
    assert not page(client.get("/?q=lamps")).css(".why")
    tree = page(client.get("/?q=lamps&explain=1"))
    assert texts(tree, ".why")[:4] == [
        "Words #1: Lamps · meaning #2: cosine 0.61",
        "Words #2: lamps · meaning: cosine 0.10",
        "Words: lamps · meaning #1: cosine 0.70",
        "Words: lamps",
    ]
    assert hrefs(tree, ".read .orders a")[-1] == "/?q=lamps"
    assert "explain=1" in tree.css_first(".pages a, .chips a, .tree a").attributes["href"]
    chinese = page(client.get("/?q=lamps&explain=1", accept_language="zh"))
    assert texts(chinese, ".why")[0] == "词 #1：Lamps · 语义 #2：余弦 0.61"


# Similar papers


def test_a_paper_shows_a_few_similar_ones(client):
    tree = page(client.get("/papers/rich"))
    assert len(tree.css(".similar li")) == 8
    assert texts(tree, ".similar li")[1] == "A formula as wide as a river NeurIPS 2024"
    assert hrefs(tree, ".similar p a") == ["/papers/rich/similar"]
    assert texts(page(client.get("/papers/rich", accept_language="zh")), ".similar h2") == ["相近论文"]


def test_fifty_similar_papers_are_a_list_of_cards(client):
    response = client.get("/papers/rich/similar")
    tree = page(response)
    assert response.status_code == 200
    assert len(tree.css(".card")) == 50
    assert texts(tree, ".why")[:2] == ["cosine 0.90", "cosine 0.89"]
    assert hrefs(tree, ".to a") == ["/papers/rich"]
    assert tree.css_first("title").text().startswith("Similar papers: Lamps that share")
    assert hrefs(tree, ".language a")[0] == "/papers/rich/similar?lang=zh"


def test_similar_papers_of_an_external_id_have_one_address(client):
    response = client.get("/papers/10.5555/lamp.1/similar")
    assert (response.status_code, response.headers["location"]) == (302, "/papers/rich/similar")


def test_a_paper_that_cannot_be_compared_is_shown_all_the_same(client):
    assert not page(client.get("/papers/bare")).css(".similar")
    response = client.get("/papers/bare/similar")
    assert response.status_code == 404
    assert "lunwen import catalogue" in page(response).css_first(".nothing").text()
    nothing = page(client.get("/papers/wide/similar", accept_language="zh"))
    assert "语义检索尚未就绪。准备语义检索：lunwen reindex" in nothing.css_first("main").text()
    assert client.get("/papers/nowhere/similar").status_code == 404


def test_an_identifier_leads_to_the_paper(client):
    response = client.get("/?q=arXiv:2601.01234")
    assert response.status_code == 303
    assert response.headers["location"] == "/papers/rich"


def test_the_year_form_ends_at_a_url_with_the_whole_state(client):
    response = client.get("/?q=lamps&from=2020&to=2024")
    assert response.status_code == 303
    assert response.headers["location"] == "/?q=lamps&year=2020..2024"
