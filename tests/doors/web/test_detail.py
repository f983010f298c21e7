from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser


def page(response) -> LexborHTMLParser:
    return LexborHTMLParser(response.text)


def texts(tree: LexborHTMLParser, selector: str) -> list[str]:
    return [" ".join(node.text(separator=" ").split()) for node in tree.css(selector)]


def hrefs(tree: LexborHTMLParser, selector: str) -> list[str]:
    return [node.attributes["href"] for node in tree.css(selector)]


def test_a_paper_shows_everything_known(client):
    tree = page(client.get("/papers/rich"))
    body = " ".join(tree.body.text().split())
    for said in (
        "Harbour University",
        "张博",
        "Outstanding Paper",
        "A bound and a protocol match",
        "few whispers",
        "Proceedings of the Conference on Lamps",
        "12–34",
        "128",
        "The title was not found in any source.",
        "same authors, another title",
        "first-order methods",
    ):
        assert said in body
    assert hrefs(tree, ".orcid") == ["https://orcid.org/0000-0002-1825-0097"]
    assert "https://doi.org/10.5555/lamp.1" in hrefs(tree, ".facts dd a")
    assert tree.css_first("#bibtex-text").text().startswith("@inproceedings{")
    assert "abstract =" not in tree.css_first("#bibtex-text").text()
    assert "abstract =" in client.get(tree.css_first("#bibtex a").attributes["href"]).text
    assert texts(tree, ".provenance thead th") == ["Shown", "Field", "Value", "Source", "File", "Imported"]
    assert [text.split()[0] for text in texts(tree, ".provenance tbody tr")] == [
        "✓",
        "program",
        "title",
        "authors",
    ]
    (title, again, draft, _) = texts(tree, ".provenance tbody tr")
    assert title.startswith("✓ title Lamps that share")
    assert (again, draft) == (
        "program lamps.json 2026-08-01",
        "title Lamps, a draft arxiv lamps.json 2026-08-01",
    )
    assert [n.attributes["rowspan"] for n in tree.css(".provenance td.value")] == ["2", "1", "1"]
    assert tree.css(".formula.display math")


def test_our_summary_is_in_the_readers_language(client):
    tree = page(client.get("/papers/rich", accept_language="zh"))
    assert texts(tree, ".summary") == ["概要（本站撰写） 读者共用一盏灯。下界与协议相符。"]
    assert "A bound and a protocol match" not in tree.body.text()


def test_reference_managers_find_their_tags(client):
    tree = page(client.get("/papers/rich"))
    found = [(m.attributes["name"], m.attributes["content"]) for m in tree.css("meta[name^=citation_]")]
    assert ("citation_author", "Ada Lindqvist") in found
    assert ("citation_publication_date", "2026/07/06") in found
    assert ("citation_conference_title", "Proceedings of the Conference on Lamps") in found
    assert ("citation_firstpage", "12") in found
    assert ("citation_lastpage", "34") in found
    assert ("citation_pdf_url", "https://arxiv.org/pdf/2601.01234") in found
    assert "citation_journal_title" not in dict(found)


def test_an_external_id_leads_to_the_one_address(client):
    response = client.get("/papers/10.5555/lamp.1")
    assert response.status_code == 302
    assert response.headers["location"] == "/papers/rich"


def test_bibtex_alone_is_plain_text(client):
    response = client.get("/papers/rich.bib")
    assert response.headers["content-type"].startswith("text/plain")
    assert response.text.startswith("@inproceedings{")


def test_many_authors_are_folded(client):
    tree = page(client.get("/papers/wide"))
    assert len(tree.css("#authors > .author")) == 40
    assert len(tree.css("#authors details .author")) == 1460


def test_a_paper_of_which_little_is_known(client):
    tree = page(client.get("/papers/bare"))
    assert tree.css_first("h1").text() == "Only a title"
    assert "Anonymous" in tree.css_first("#authors").text()
    assert tree.css_first(".badge.withdrawn").text() == "Withdrawn"
