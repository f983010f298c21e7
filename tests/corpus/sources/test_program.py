from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lunwen.corpus.files import open_paths
from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources import sniff
from lunwen.corpus.sources.program import SOURCE
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lunwen.corpus.source import SourceFile

    Make = Callable[..., SourceFile]

EVENT: dict[str, Any] = {
    "id": 7,
    "uid": "ab12",
    "name": "A Paper",
    "authors": [
        {"id": 31, "fullname": "Ana Díaz", "institution": "Somewhere"},
        {"id": None, "fullname": "Li Lei"},
    ],
    "topic": "Deep Learning->Robustness",
    "decision": "Accept (regular)",
    "eventtype": "Poster",
    "virtualsite_url": "/virtual/2026/poster/7",
    "sourceurl": "https://openreview.net/group?id=ICML.cc/2026/Conference",
    "starttime": "2026-07-06T22:00:00-07:00",
    "paper_url": "https://openreview.net/forum?id=AbC_d-1",
    "paper_pdf_url": None,
    "visible": True,
}


@pytest.fixture
def one(source_file: Make) -> Callable[..., Record]:
    def read(file_name: str = "program.json", **changes: object) -> Record:
        file = source_file(json.dumps({"count": 1, "results": [EVENT | changes]}), file_name)
        assert SOURCE.sniff(file)
        [record] = SOURCE.read(file)
        assert isinstance(record, Record)
        return record

    return read


def test_icml_2026(shared: Path) -> None:
    [file] = open_paths([str(shared / "corpora/icml-2026/icml-2026-orals-posters.json.gz")])
    assert sniff(file) is SOURCE
    records = [record for record in SOURCE.read(file) if isinstance(record, Record)]
    assert len(records) == len({record.key for record in records}) == 6796
    shown = [
        (
            r.key,
            (r.title or "")[:20],
            r.authors[0].name,
            len(r.authors),
            r.status,
            r.identifiers["openreview"],
        )
        for r in (records[0], records[9], records[-1])
    ]
    assert shown == [
        ("icml-2026-64393", "TVI-CoT: Text-Visual", "Lianyu Hu", 4, Status.POSTER, "O4PweOea13"),
        ("icml-2026-61057", "Flat Minima and Gene", "Matan Schliserman", 3, Status.POSTER, "u6zp8zZ8Ou"),
        ("icml-2026-64388", "Spectral Collapse Dr", "Arjun Prakash", 8, Status.POSTER, "O6rHSkpYJU"),
    ]
    assert records[0].topic == ("Deep Learning", "Foundation Models")
    assert records[0].identifiers["uid"] == "icml-2026-3656d0281f2eb252a1080593159ecdfd"
    assert sum(record.status is Status.ORAL for record in records) == 168
    assert {(record.venue, record.year, record.track) for record in records} == {("ICML.cc", 2026, None)}


def test_an_event_in_full(one: Callable[..., Record]) -> None:
    assert one() == Record(
        key="icml-2026-7",
        title="A Paper",
        authors=(Author(name="Ana Díaz", author_id="31", affiliation="Somewhere"), Author(name="Li Lei")),
        venue="ICML.cc",
        year=2026,
        topic=("Deep Learning", "Robustness"),
        status=Status.POSTER,
        identifiers={"event": "icml-2026-7", "uid": "icml-2026-ab12", "openreview": "AbC_d-1"},
        urls={
            "paper": "https://openreview.net/forum?id=AbC_d-1",
            "page": "https://icml.cc/virtual/2026/poster/7",
        },
        date="2026-07-06",
        place="item 1",
    )


@pytest.mark.parametrize(
    ("decision", "kind", "status"),
    [
        ("Accept (regular)", "Oral", Status.ORAL),
        ("Accept (spotlight)", "Poster", Status.SPOTLIGHT),
        ("Accept (Poster)", "Spotlight Poster", Status.SPOTLIGHT),
        (None, "Poster", Status.POSTER),
        ("Accept", None, Status.ACCEPTED),
        ("Reject", "Poster", Status.REJECTED),
        ("Withdrawn after acceptance", "Poster", Status.WITHDRAWN),
        (None, None, None),
    ],
)
def test_the_best_news_counts(
    one: Callable[..., Record], decision: str | None, kind: str | None, status: Status | None
) -> None:
    assert one(decision=decision, eventtype=kind).status is status


def test_a_null_link_hides_no_other(one: Callable[..., Record]) -> None:
    media = [
        {"type": "Poster", "file": "/media/7.png", "visible": True},
        {"type": "URL", "uri": "https://openreview.net/forum?id=XyZ", "visible": True},
        {"type": "URL", "uri": "https://slideslive.com/1", "visible": True},
        {"type": "URL", "uri": "https://hidden.example/", "visible": False},
        {"type": None, "uri": None},
    ]
    record = one(paper_url=None, paper_pdf_url=None, eventmedia=media)
    assert record.identifiers["openreview"] == "XyZ"
    assert record.urls == {
        "page": "https://icml.cc/virtual/2026/poster/7",
        "poster": "https://icml.cc/media/7.png",
        "paper": "https://openreview.net/forum?id=XyZ",
        "video": "https://slideslive.com/1",
    }


@pytest.mark.parametrize(
    ("group", "venue", "track"),
    [
        ("ICML.cc/2026/Position_Paper_Track", "ICML.cc", "Position Paper Track"),
        ("NeurIPS.cc/2026/Track/Datasets_and_Benchmarks", "NeurIPS.cc", "Datasets and Benchmarks Track"),
        ("thecvf.com/CVPR/2026/Conference", "CVPR", None),
    ],
)
def test_the_group_is_venue_and_track(
    one: Callable[..., Record], group: str, venue: str, track: str | None
) -> None:
    record = one(sourceurl=f"https://openreview.net/group?id={group}")
    assert (record.venue, record.year, record.track) == (venue, 2026, track)


def test_the_name_of_the_file_counts_last(one: Callable[..., Record]) -> None:
    assert one("icml-2025-orals-posters.json").key == "icml-2026-7"
    record = one("nips-2025-orals-posters.json", sourceurl=None)
    assert (record.key, record.year) == ("neurips-2026-7", 2026)
    assert record.urls["page"] == "https://neurips.cc/virtual/2026/poster/7"
    nowhere = one("papers.json", sourceurl=None)
    assert (nowhere.key, nowhere.venue, nowhere.year) == ("7", None, 2026)
    assert "page" not in nowhere.urls


def test_keywords_and_authors_come_in_several_shapes(one: Callable[..., Record]) -> None:
    assert one(keywords="a, b").keywords == one(keywords=["a", "b"]).keywords == ("a", "b")
    assert [a.name for a in one(authors="Ana Díaz, Li Lei").authors] == ["Ana Díaz", "Li Lei"]
    assert one(authors=None).authors == one(authors=[{"fullname": None}, 3]).authors[:0] == ()
    assert one(topic=None).topic == one(topic="").topic == ()


def test_authors_whom_the_site_cut_inside_an_entity_are_put_together(one: Callable[..., Record]) -> None:
    pieces = ["Ana Díaz", "Kyle O&amp", "#x27", "Brien", "Sheng&#39", "en Li", "R&D", "Li Lei"]
    authors = one(authors=[{"fullname": piece} for piece in pieces]).authors
    assert [author.name for author in authors] == [
        "Ana Díaz",
        "Kyle O&amp;#x27;Brien",
        "Sheng&#39;en Li",
        "R&D",
        "Li Lei",
    ]


def test_tags_mean_html(one: Callable[..., Record]) -> None:
    assert one(abstract="<p>We do</p>").markup is Markup.HTML
    assert one(name="Q&amp;A").markup is Markup.HTML
    assert one(abstract="$a<b$ and $c>d$").markup is Markup.PLAIN


def test_what_is_no_paper_is_left_out(source_file: Make) -> None:
    kinds = ["Invited Talk", "Break", "Poster Session", "Workshop", "Tutorial"]
    events = [EVENT | {"eventtype": kind} for kind in kinds] + [EVENT | {"visible": False}, EVENT]
    assert len(list(SOURCE.read(source_file(json.dumps({"count": 7, "results": events}))))) == 1


def test_an_event_without_a_name_is_bad(source_file: Make) -> None:
    events = [EVENT, EVENT | {"name": None}]
    _, bad = SOURCE.read(source_file(json.dumps({"results": events})))
    assert bad == BadRecord("item 2", "an event without id or name")


def test_before_the_program_is_published(source_file: Make) -> None:
    file = source_file('{"count": 0, "next": null, "previous": null, "results": []}', "icml-2027.json")
    assert sniff(file) is SOURCE
    with pytest.raises(UnreadableFile) as caught:
        list(SOURCE.read(file))
    assert str(caught.value) == (
        "icml-2027.json holds no papers: the program is not published yet. Fetch it again later."
    )


def test_another_form_is_refused(source_file: Make) -> None:
    for text in ('[{"title": "A", "author": "B"}]', "@misc{a, title={A}}", "{}", "[]"):
        with pytest.raises(UnreadableFile, match=r"^papers\.json holds no .* Leave --as out"):
            list(SOURCE.read(source_file(text)))
