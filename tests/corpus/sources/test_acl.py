from __future__ import annotations

import pytest

from lunwen.corpus.paper import Author, Markup, Status
from lunwen.corpus.sources.acl import SOURCE
from lunwen.errors import UnreadableFile

COLLECTION = """<collection id="{collection}"><volume id="{volume}"><meta><year>2019</year></meta>
<paper id="{paper}"><title>T</title></paper></volume></collection>"""


@pytest.mark.parametrize(
    ("name", "count", "first", "tenth", "last"),
    [
        (
            "2022.acl.xml.gz",
            774,
            ("2022.acl-long.1", "Ali Modarressi", "1-15"),
            ("2022.acl-long.10", "Yue Feng", "115-126"),
            ("2022.acl-tutorials.8", "Evgeniia Razumovskaia", "44-50"),
        ),
        (
            "J89.xml",
            41,
            ("J89-1001", "Oliviero Stock", "1-18"),
            ("J89-2002", "Douglas D. O’Shaughnessy", "97-108"),
            ("J89-4006", "Esmeralda Manandise", None),
        ),
        ("L06.xml", 4, ("L06-1001", "Nina Grønnum", None), None, ("L06-1471", "Ann Bies", None)),
        (
            "2022.naloma.xml",
            5,
            ("2022.naloma-1.1", "Tim Fernando", "1–10"),
            None,
            ("2022.naloma-1.5", "Reto Gubelmann", "38–50"),
        ),
    ],
)
def test_real_collections(shared, read, *, name, count, first, tenth, last):
    records, bad = read(SOURCE, shared / "corpora" / "acl-xml" / name)
    assert bad == []
    assert len(records) == len({record.key for record in records}) == count
    for position, expected in ((0, first), (9, tenth), (-1, last)):
        if expected:
            record = records[position]
            author = record.authors[0].name if record.authors else None
            assert (record.key, author, record.pages) == expected


def test_a_real_paper_in_full(shared, read):
    records, _ = read(SOURCE, shared / "corpora" / "acl-xml" / "2022.acl.xml.gz")
    paper = records[0]
    assert paper.title.startswith(
        "<fixed-case>A</fixed-case>dap<fixed-case>L</fixed-case>e<fixed-case>R</fixed-case>:"
    )
    assert paper.markup is Markup.ACL
    assert paper.identifiers == {"acl": "2022.acl-long.1", "doi": "10.18653/v1/2022.acl-long.1"}
    assert paper.urls["paper"] == "https://aclanthology.org/2022.acl-long.1/"
    assert paper.urls["pdf"] == "https://aclanthology.org/2022.acl-long.1.pdf"
    assert paper.urls["code"] == "https://github.com/amodaresi/adapler"
    assert (paper.venue, paper.year, paper.date, paper.track) == ("acl", 2022, "2022-05", "Long")
    assert paper.status is Status.ACCEPTED
    assert sum(record.abstract is not None for record in records) == 774
    assert sum(record.award is not None for record in records) == 12
    same_name = {
        author.author_id for record in records for author in record.authors if author.name == "Yang Liu"
    }
    assert same_name >= {"yang-liu-icsi", "yang-liu-ict", "yang-liu-microsoft"}


def test_odd_records(read):
    records, bad = read(SOURCE, "acl.xml")
    odd, retracted, removed, linked = records
    assert odd.title == (
        "All &amp; <fixed-case>B</fixed-case>ut <i>no<b>th</b>ing</i> in"
        " <tex-math>\\mathbb{R}^d</tex-math> here"
    )
    assert odd.abstract == "We <url>https://example.org/a_b</url> <tex-math>a &lt; b</tex-math>."
    assert odd.authors == (
        Author(
            name="Wei Zhang",
            given="Wei",
            family="Zhang",
            author_id="wei-zhang-odd",
            orcid="0000-0001-2345-6789",
            affiliation="Odd Institute",
            variants=("张伟",),
        ),
        Author(name="Mausam", family="Mausam"),
        Author(name="∀", family="∀"),
        Author(
            name="Ada and Co de Bruyn Kops",
            given="Ada and Co",
            family="de Bruyn Kops",
            variants=("A. Kops",),
        ),
    )
    assert (odd.venue, odd.date) == ("odd", "2031-09")
    assert odd.award == "Best Odd Paper; Outstanding Paper"
    assert odd.identifiers == {"acl": "2031.oddities-1.1", "doi": "10.18653/v1/2031.oddities-1.1"}
    assert odd.urls == {
        "paper": "https://aclanthology.org/2031.oddities-1.1/",
        "pdf": "https://aclanthology.org/2031.oddities-1.1.pdf",
        "video": "https://example.org/talk.mp4",
        "poster": "https://aclanthology.org/attachments/2031.oddities-1.1.poster.pdf",
        "slides": "https://example.org/slides.pdf",
    }
    assert (retracted.status, retracted.notes) == (Status.WITHDRAWN, ("retracted: Plagiarism.",))
    assert (removed.status, removed.notes) == (Status.WITHDRAWN, ("removed: 2032-01-03",))
    assert "pdf" not in removed.urls
    assert linked.urls["pdf"] == "https://example.org/5.pdf"
    assert linked.urls["code"] == "https://github.com/odd/five"
    assert [(item.place, item.reason) for item in bad] == [("line 45", "2031.oddities-1.4 has no title")]


@pytest.mark.parametrize(
    ("title", "author", "kept"),
    [
        ("Advertisements", "", 0),
        ("<b>Books</b> Received", "", 0),
        ("Calls for Papers.", "", 0),
        ("Title Index: Volumes 6-14", "", 0),
        ("Index Compression", "", 1),
        ("Obituary", "", 1),
        ("Announcements", "<author><last>Owl</last></author>", 1),
    ],
)
def test_what_is_bound_between_papers_is_none(read, title, author, kept):
    collection = COLLECTION.format(collection="J89", volume="1", paper="1")
    records, bad = read(
        SOURCE, collection.replace("<title>T</title>", f"<title>{title}</title>{author}").encode()
    )
    assert (len(records), bad) == (kept, [])


@pytest.mark.parametrize(
    ("collection", "volume", "paper", "acl_id"),
    [
        ("P17", "1", "1", "P17-1001"),
        ("P17", "2", "103", "P17-2103"),
        ("W05", "1", "2", "W05-0102"),
        ("W19", "44", "10", "W19-4410"),
        ("D19", "1", "7", "D19-1007"),
        ("D19", "57", "7", "D19-5707"),
        ("C69", "1", "1", "C69-0101"),
        ("2022.acl", "long", "75", "2022.acl-long.75"),
    ],
)
def test_ids_of_both_eras(read, collection, volume, paper, acl_id):
    text = COLLECTION.format(collection=collection, volume=volume, paper=paper)
    records, _ = read(SOURCE, text.encode())
    assert records[0].identifiers["acl"] == acl_id


@pytest.mark.parametrize(
    ("collection", "volume", "venue", "track"),
    [
        ("N18", "1", "naacl", None),
        ("2021.findings", "emnlp", "emnlp", "Findings"),
        ("2023.acl", "srw", "acl", "Student Research Workshop"),
    ],
)
def test_a_venue_where_the_volume_names_none(read, collection, volume, venue, track):
    records, _ = read(SOURCE, COLLECTION.format(collection=collection, volume=volume, paper="3").encode())
    assert (records[0].venue, records[0].track) == (venue, track)


def test_a_truncated_file_keeps_what_came_before(read, file):
    whole = file("acl.xml").open().read()
    records, bad = read(SOURCE, whole[: whole.index(b'<paper id="3">') + 20])
    assert [record.key for record in records] == ["2031.oddities-1.1", "2031.oddities-1.2"]
    assert len(bad) == 1
    assert "not well-formed" in bad[0].reason


def test_an_entity_bomb_is_refused(read):
    bomb = b"""<?xml version="1.0"?><!DOCTYPE collection [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<collection id="P17"><volume id="1"><meta/><paper id="1"><title>&b;</title></paper></volume></collection>"""
    with pytest.raises(UnreadableFile, match="sample declares XML entities of its own"):
        read(SOURCE, bomb)


def test_an_external_entity_is_refused(read):
    data = b"""<?xml version="1.0"?><!DOCTYPE collection [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<collection id="P17"><volume id="1"><meta/><paper id="1"><title>&a;</title></paper></volume></collection>"""
    with pytest.raises(UnreadableFile, match="declares XML entities"):
        read(SOURCE, data)


def test_a_cut_before_the_first_paper_is_an_unreadable_file(read):
    with pytest.raises(UnreadableFile, match="is not well-formed XML"):
        read(SOURCE, b"<collection id='P17'><volume id='1'><me")


def test_sniffing(file):
    assert SOURCE.sniff(file("acl.xml"))
    assert not SOURCE.sniff(file(b"<dblp><volume/></dblp>"))
    assert not SOURCE.sniff(file(b'{"collection": "<volume>"}'))
