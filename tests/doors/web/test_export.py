from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import parse_qs

import anyio
import bibtexparser
import httpx
import pytest
import rispy
from selectolax.lexbor import LexborHTMLParser as HTMLParser

from lunwen.corpus.paper import Author, Paper, Status
from lunwen.doors.web.app import create_app
from lunwen.doors.web.cite import citation, coins, json_ld
from lunwen.doors.web.export import file_name
from lunwen.doors.web.url import State
from lunwen.export.format import FORMATS

OWL = Paper(
    paper_id="x",
    title="Owls & $O(n)$",
    authors=(Author(name="Kurt Gödel", affiliation="Nest"), Author(name="The Owl Team")),
    venue="ICLR",
    year=2024,
    pages="1–12",
    identifiers={"openreview": "abc", "doi": "10.1/x"},
    urls={"paper": "https://openreview.net/forum?id=abc", "pdf": "javascript:alert(1)"},
)


@pytest.mark.parametrize("name", FORMATS)
def test_a_whole_result_in_every_format(client, name):
    answer = client.get(f"/export?venue=ICML&format={name}")
    form = FORMATS[name]
    assert answer.status_code == 200
    assert answer.headers["content-type"] == f"{form.media_type}; charset=utf-8"
    assert answer.headers["content-disposition"] == f'attachment; filename="lunwen-icml.{form.extension}"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "Lamps that share a switch" in answer.text or name == "bibtex"


def test_it_is_the_whole_result_a_stretch_or_chosen_papers(client, shelf):
    def ids(url: str) -> list[str]:
        return [json.loads(line)["paper_id"] for line in client.get(url).text.splitlines()]

    whole = ids("/export?venue=ICML&page=2&size=20")
    assert len(whole) == len(list(shelf.select(State(venue=("ICML",)).request()))) > 20
    assert ids("/export?venue=ICML&limit=3&offset=2") == whole[2:5]
    assert ids("/export?ids=rich,%20lamp-001,rich") == ["rich", "lamp-001"]
    assert ids("/export?ids=") == []


def test_it_is_sent_as_it_is_written(shelf):
    """The first bytes leave before the last paper is read."""
    paper = shelf.paper("rich")
    read = 0

    def endless(_request):
        nonlocal read
        while read < 2_000:
            read += 1
            yield paper

    shelf.select = endless
    seen = []

    async def send(message):
        if message["type"] == "http.response.body" and message.get("body"):
            seen.append(read)

    async def receive():
        await anyio.sleep_forever()

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/export",
        "raw_path": b"/export",
        "root_path": "",
        "query_string": b"format=jsonl",
        "headers": [],
        "http_version": "1.1",
        "scheme": "http",
        "server": ("test", 80),
        "client": ("test", 1),
    }
    anyio.run(create_app(shelf), scope, receive, send)
    assert 0 < seen[0] < 200
    assert read == 2_000


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("/export?format=bibtx", f'no format "bibtx". Closest: bibtex. Allowed: {", ".join(FORMATS)}'),
        ("/export?format=../../etc/passwd", f'no format "../../etc/passwd". Allowed: {", ".join(FORMATS)}'),
        (
            "/export?format=reference&style=x/../y",
            'no style "x/../y". Allowed: apa, ieee, acl, chicago, nature, gb7714',
        ),
        ("/export?limit=x", 'limit "x" is no number. Allowed: 1 or more. Leave it out for all'),
        ("/export?limit=0", "limit 0: 1 or more papers can be asked for. Leave it out for all"),
        ("/export?venue=brokenvenue&format=csv", 'no venue "brokenvenue". Closest: "ICML"'),
        ("/export?ids=rich,nothing", 'no paper "nothing"'),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_sent(client, url, says):
    answer = client.get(url, accept="application/json")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.status_code in (400, 404)
    assert answer.json()["detail"].startswith(says)
    assert "content-disposition" not in answer.headers


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Bilevel  optimization", "lunwen-bilevel-optimization.bib"),
        ('../../etc/passwd"; filename="x.exe', "lunwen-etc-passwd-filename-x-exe.bib"),
        ("a\r\nset-cookie: x=1", "lunwen-a-set-cookie-x-1.bib"),
        ("零阶优化", "lunwen.bib"),
        ("x" * 5_000, f"lunwen-{'x' * 60}.bib"),
    ],
)
def test_a_file_name_holds_nothing_of_a_query_but_letters_and_digits(client, query, name):
    assert file_name(State(q=query), FORMATS["bibtex"]) == name
    answer = client.get(str(httpx.URL("/export", params={"q": query, "format": "bibtex"})))
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert "set-cookie" not in answer.headers


def test_one_paper_in_every_form_beside_its_page(client):
    assert (
        bibtexparser.parse_string(client.get("/papers/rich.bib").text).entries[0].entry_type
        == "inproceedings"
    )
    assert rispy.loads(client.get("/papers/rich.ris").text)[0]["type_of_reference"] == "CPAPER"
    assert client.get("/papers/rich.json").json()["paper_id"] == "rich"
    assert client.get("/papers/rich.md").text.startswith("- **")
    assert "Lindqvist" in client.get("/papers/rich.txt").text
    missing = client.get("/papers/nothing.json", accept="text/html")
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")


def test_the_menus_lead_to_files(client):
    tree = HTMLParser(client.get("/?venue=ICML&page=2").text)
    links = [node.attributes["href"] for node in tree.css(".export a")]
    assert links == [f"/export?venue=ICML&format={name}" for name in FORMATS]
    tree = HTMLParser(client.get("/papers/rich").text)
    for node in tree.css(".formats a, link[rel=alternate]"):
        assert client.get(node.attributes["href"]).status_code == 200


def test_a_conference_paper_is_told_as_one_three_times(client):
    tree = HTMLParser(client.get("/papers/rich").text)
    assert tree.css_first("meta[name=citation_conference_title]")
    assert not tree.css("meta[name=citation_journal_title]")
    told = parse_qs(tree.css_first("span.Z3988").attributes["title"])
    assert (told["rft_val_fmt"], told["rft.genre"]) == (["info:ofi/fmt:kev:mtx:book"], ["proceeding"])
    data = json.loads(tree.css_first("script[type='application/ld+json']").text())
    assert (data["@type"], data["isPartOf"]["@type"]) == ("ScholarlyArticle", "Book")


def test_what_managers_are_told_whole():
    name = "International Conference on Learning Representations"
    assert parse_qs(coins(OWL)) == {
        "ctx_ver": ["Z39.88-2004"],
        "rft_val_fmt": ["info:ofi/fmt:kev:mtx:book"],
        "rft.genre": ["proceeding"],
        "rft.atitle": ["Owls & O(n)"],
        "rft.btitle": [name],
        "rft.date": ["2024"],
        "rft.spage": ["1"],
        "rft.epage": ["12"],
        "rft.aulast": ["Gödel"],
        "rft.aufirst": ["Kurt"],
        "rft.au": ["Kurt Gödel", "The Owl Team"],
        "rft_id": ["info:doi/10.1/x"],
    }
    assert json_ld(OWL) == {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle",
        "headline": "Owls & O(n)",
        "author": [
            {
                "@type": "Person",
                "name": "Kurt Gödel",
                "givenName": "Kurt",
                "familyName": "Gödel",
                "affiliation": "Nest",
            },
            {"@type": "Organization", "name": "The Owl Team"},
        ],
        "datePublished": "2024",
        "isPartOf": {"@type": "Book", "name": name},
        "creativeWorkStatus": "accepted",
        "pagination": "1–12",
        "identifier": {"@type": "PropertyValue", "propertyID": "DOI", "value": "10.1/x"},
        "sameAs": "https://openreview.net/forum?id=abc",
    }


@pytest.mark.parametrize(
    ("fields", "tag", "genre"),
    [
        ({}, "citation_conference_title", "proceeding"),
        ({"venue": "TMLR"}, "citation_journal_title", "article"),
        ({"status": Status.PREPRINT}, None, "preprint"),
        ({"venue": "arXiv"}, None, "preprint"),
        ({"status": Status.REJECTED}, None, "preprint"),
    ],
)
def test_where_a_paper_appeared_decides_what_it_is_taken_for(fields, tag, genre):
    paper = replace(OWL, **fields)
    tags = {name for name, _ in citation(paper)}
    assert tags & {"citation_conference_title", "citation_journal_title"} == ({tag} if tag else set())
    assert parse_qs(coins(paper))["rft.genre"] == [genre]


def test_a_hostile_record_ends_no_data_block(client):
    text = client.get("/papers/hostile").text
    block = text.partition('<script type="application/ld+json">')[2].partition("</script>")[0]
    assert json.loads(block)["@type"] == "ScholarlyArticle"
    assert "<" not in block
