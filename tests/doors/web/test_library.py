"""The page over a real library: the built-in catalogue."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from lunwen.corpus.paper import Paper
from lunwen.corpus.store import Store
from lunwen.library import open_library


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory):
    with open_library(tmp_path_factory.mktemp("library")) as library:
        yield library


@pytest.fixture
def client(catalogue, make_client):
    return make_client(catalogue)


def page(response) -> LexborHTMLParser:
    return LexborHTMLParser(response.text)


def total(response) -> int:
    found = page(response).css_first(".total strong")
    return int(found.text().split()[0].replace(",", "")) if found else 0


def test_the_catalogue_is_there_at_once_with_our_summaries(client, catalogue):
    response = client.get("/", accept_language="zh")
    tree = page(response)
    assert tree.css_first("title").text() == "论文检索"
    assert tree.css_first(".total").text().strip().startswith(f"{catalogue.stats()['papers']} 篇论文")
    assert len(tree.css(".card .crumbs")) == 20
    assert "本站概要" in tree.css_first(".abstract").text()


def test_a_paper_is_found_and_shown_with_where_it_comes_from(client):
    tree = page(client.get("/?q=gaussian+single+index+model"))
    title = tree.css_first(".title")
    assert title.text() == "Joint Learning in the Gaussian Single Index Model"
    shown = page(client.get(title.attributes["href"]))
    assert shown.css_first("h1").text() == title.text()
    assert "catalogue" in shown.css_first(".provenance").text()


def test_every_facet_count_is_what_clicking_gives(client):
    for url in ("/?q=learning", "/?q=optimization&topic=Theory", "/?status=poster"):
        for row in page(client.get(url)).css(".filters li"):
            link, count = row.css_first("a"), row.css_first(".n")
            if count and "aria-current" not in link.attributes:
                assert total(client.get(link.attributes["href"])) == int(count.text()), link.attributes[
                    "href"
                ]


def test_a_topic_whose_name_has_a_slash_is_found_by_its_link(tmp_path, make_client):
    topics = [("Speech / Audio", "Synthesis / Cloning"), ("Speech / Audio", "A/B Tests"), ("Theory",)]
    with Store.open(tmp_path, write=True) as store, store.transaction():
        for number, topic in enumerate(topics):
            store.put(Paper(paper_id=f"lamp-{number}", title=f"Lamp {number}", topic=topic))
    with open_library(tmp_path) as library:
        client = make_client(library)
        links = page(client.get("/")).css(".tree a, .crumbs a")
        found = {link.text(): total(client.get(link.attributes["href"])) for link in links}
    assert found == {"Speech / Audio": 2, "Synthesis / Cloning": 1, "A/B Tests": 1, "Theory": 1}


def test_the_link_of_an_author_finds_the_paper(client):
    for card in page(client.get("/")).css(".card")[:8]:
        paper = card.css_first(".title").attributes["href"]
        found = page(client.get(card.css_first(".authors a").attributes["href"]))
        assert paper in [link.attributes["href"] for link in found.css("main section a")]


def test_paging_shows_every_paper_once(client, catalogue):
    pages = [page(client.get(f"/?size=25&page={n}")) for n in (1, 2, 3, 4)]
    shown = [title.attributes["href"] for tree in pages for title in tree.css(".title")]
    assert len(shown) == len(set(shown)) == catalogue.stats()["papers"]
    assert client.get("/?size=25&page=5").status_code == 404


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("q=qqqqzzz", "没有论文含有"),
        ("q=title:qqqqzzz", "没有符合的论文"),
        ("q=gaussian&topic=Reinforcement+Learning", "有符合查询的论文，但没有一篇满足"),
    ],
)
def test_nothing_found_is_explained_in_chinese(client, query, begins):
    tree = page(client.get(f"/?{query}", accept_language="zh"))
    assert tree.css_first(".nothing p[dir]").text().startswith(begins)


def test_the_reading_is_in_the_readers_language(client):
    url = "/?q=bilevel+-survey"
    assert "all of: bilevel; without: survey" in page(client.get(url)).css_first(".reading").text()
    chinese = page(client.get(url, accept_language="zh")).css_first(".reading").text()
    assert "检索式解读：包含全部：bilevel；不含：survey" in " ".join(chinese.split())


def test_chinese_is_read_as_english_and_says_so(client):
    url = "/?q=双层优化"
    for language in ("en", "zh"):
        tree = page(client.get(url, accept_language=language))
        assert "双层优化 → bilevel optimization | bi-level optimization" in tree.css_first(".reading").text()
        again = page(client.get(tree.css_first(".correct").attributes["href"]))
        assert "双层优化 → bilevel optimization | bi-level" in again.css_first(".reading").text()
        assert again.css_first(".title").text() == tree.css_first(".title").text()


def test_a_page_is_sent_packed_to_who_can_unpack_it(client):
    plain = client.get("/?size=100", accept_encoding="identity")
    packed = client.get("/?size=100", accept_encoding="gzip")
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["vary"]
    assert packed.num_bytes_downloaded < 150_000 < len(plain.content)
    assert len(page(packed).css(".title")) == len(page(plain).css(".title")) == 80


def test_similar_papers_of_the_catalogue(client):
    tree = page(client.get("/papers/000-01"))
    urls = [link.attributes["href"] for link in tree.css(".similar li a")]
    assert len(urls) == 8
    assert "/papers/000-01" not in urls
    cards = page(client.get("/papers/000-01/similar")).css(".card .title")
    assert [card.attributes["href"] for card in cards][:8] == urls


@pytest.mark.parametrize(
    "query",
    ["venue=nips25", "topic=zzz", "status=bad", "has=pdf", "year=abc", "source=zzz", "page=0", "size=1001"],
)
def test_a_wrong_name_is_a_page_never_a_failure(client, query):
    response = client.get(f"/?{query}")
    assert response.status_code == 400
    assert len(page(response).css_first(".nothing p[dir]").text()) > 20


def test_a_pasted_identifier_jumps_to_the_paper(client):
    assert client.get("/?q=arXiv:2505.21336").headers["location"] == "/papers/000-01"
