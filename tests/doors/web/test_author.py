from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from lunwen.corpus.paper import Author
from lunwen.doors.web.card import author_link


def page(response) -> LexborHTMLParser:
    return LexborHTMLParser(response.text)


def test_an_author_leads_to_all_their_papers_by_year(client, shelf):
    tree = page(client.get("/authors/clemence-garcia"))
    name = "Clémence García"
    papers = [p for p in shelf._papers if any(a.name == name for a in p.authors)]
    assert tree.css_first("h1").text() == name
    shown = [a.attributes["href"] for a in tree.css("main section a")]
    assert sorted(shown) == sorted(f"/papers/{p.paper_id}" for p in papers)
    years = [h2.text() for h2 in tree.css("main section h2")]
    assert years == sorted({str(p.year) for p in papers}, reverse=True)
    columns = tree.css(".chart a")
    assert [a.attributes["href"] for a in columns] == [f"#y{year}" for year in reversed(years)]
    newest = sum(p.year == int(years[0]) for p in papers)
    assert columns[-1].attributes["aria-label"] == f"{years[0]}: {newest} papers"


def test_beside_them_stand_coauthors_and_venues(client):
    tree = page(client.get("/authors/clemence-garcia", accept_language="zh"))
    headings = [h2.text() for h2 in tree.css("aside h2")]
    assert headings == ["合作者", "会议"]
    first = tree.css("aside section li a")[1]
    assert client.get(first.attributes["href"]).status_code == 200
    venue = tree.css("aside section")[1].css_first("a")
    assert venue.attributes["href"].startswith("/?venue=")
    assert "author=Cl%C3%A9mence+Garc%C3%ADa" in venue.attributes["href"]


def test_a_name_as_written_leads_to_the_id(client):
    answer = client.get("/authors/Cl%C3%A9mence%20Garc%C3%ADa")
    assert (answer.status_code, answer.headers["location"]) == (302, "/authors/clemence-garcia")


def test_nobody(client):
    answer = client.get("/authors/nobody-at-all")
    assert answer.status_code == 404
    assert "no author" in answer.text


def test_feeds_follow_the_author(client):
    tree = page(client.get("/authors/clemence-garcia"))
    feeds = [link.attributes["href"] for link in tree.css("link[rel=alternate]")]
    assert feeds == [f"/feed.{kind}?author_id=clemence-garcia" for kind in ("atom", "json")]


def test_where_a_name_leads():
    assert author_link(Author(name="Ada Lindqvist")).url == "/authors/ada-lindqvist"
    orcid = "0000-0002-1825-0097"
    assert author_link(Author(name="Ada", orcid=orcid)).url == f"/authors/{orcid}"
    assert author_link(Author(name="∀")).url == "/?author=%E2%88%80"
