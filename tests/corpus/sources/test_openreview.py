from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lunwen.corpus.paper import Author, BadRecord, Record, Status
from lunwen.corpus.sources import sniff
from lunwen.corpus.sources.openreview import SOURCE
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.corpus.source import SourceFile

    Make = Callable[..., SourceFile]

CONTENT = {
    "title": "A Paper",
    "authors": ["Ana Díaz", "Li Lei"],
    "authorids": ["~Ana_Díaz1", "lilei@example.org"],
    "keywords": ["a", "b"],
    "TLDR": "Short.",
    "abstract": "We do.",
    "primary_area": "Deep Learning->Robustness",
    "venue": "ICLR 2024 oral",
    "venueid": "ICLR.cc/2024/Conference",
    "pdf": "/pdf/0123.pdf",
    "supplementary_material": "/attachment/45.zip",
}
JULY = 1_720_000_000_000  # 2024-07-03, in milliseconds


def note(*, old: bool = False, mixed: bool = False, **content: Any) -> dict[str, Any]:
    fields = {name: value for name, value in (CONTENT | content).items() if value is not ...}
    wrapped = {name: {"value": value} for name, value in fields.items()}
    if mixed:
        wrapped["title"] = fields["title"]
    written = {"id": "AbC_d-1", "forum": "AbC_d-1", "number": 7, "cdate": JULY, "pdate": None, "ddate": None}
    if old:
        return written | {"invitation": "ICLR.cc/2024/Conference/-/Blind_Submission", "content": fields}
    return written | {"invitations": ["ICLR.cc/2024/Conference/-/Submission"], "content": wrapped}


@pytest.fixture
def one(source_file: Make) -> Callable[..., Record]:
    def read(written: dict[str, Any]) -> Record:
        file = source_file(json.dumps({"notes": [written], "count": 1}))
        assert sniff(file) is SOURCE
        [record] = SOURCE.read(file)
        assert isinstance(record, Record)
        return record

    return read


FULL = Record(
    key="AbC_d-1",
    title="A Paper",
    authors=(Author(name="Ana Díaz", author_id="~Ana_Díaz1"), Author(name="Li Lei")),
    abstract="We do.",
    venue="ICLR.cc",
    year=2024,
    topic=("Deep Learning", "Robustness"),
    status=Status.ORAL,
    identifiers={"openreview": "AbC_d-1"},
    urls={
        "paper": "https://openreview.net/forum?id=AbC_d-1",
        "pdf": "https://openreview.net/pdf?id=AbC_d-1",
        "supplementary": "https://openreview.net/attachment/45.zip",
    },
    keywords=("a", "b"),
    tldr="Short.",
    date="2024-07-03",
    place="item 1",
)


def test_both_apis_say_the_same(one: Callable[..., Record]) -> None:
    assert one(note()) == one(note(mixed=True)) == one(note(old=True)) == FULL


def test_a_list_and_lines_are_read_too(source_file: Make) -> None:
    for text in (json.dumps([note()]), json.dumps(note()) + "\n" + json.dumps(note())):
        file = source_file(text)
        assert sniff(file) is SOURCE
        records = list(SOURCE.read(file))
        assert {record.key for record in records if isinstance(record, Record)} == {"AbC_d-1"}


@pytest.mark.parametrize(
    ("venueid", "venue", "status"),
    [
        ("ICLR.cc/2024/Conference", "ICLR 2024 poster", Status.POSTER),
        ("ICLR.cc/2023/Conference", "ICLR 2023 notable top 5%", Status.ORAL),
        ("ICLR.cc/2023/Conference", "ICLR 2023 notable top 25%", Status.SPOTLIGHT),
        ("TMLR", "Accepted by TMLR", Status.ACCEPTED),
        ("ICML.cc/2023/Conference", "ICML 2023", Status.ACCEPTED),
        ("ICLR.cc/2024/Conference/Submission", "Submitted to ICLR 2024", Status.PREPRINT),
        ("ICLR.cc/2024/Conference/Rejected_Submission", "Submitted to ICLR 2024", Status.REJECTED),
        ("ICLR.cc/2022/Conference", "ICLR 2022 Submitted", Status.REJECTED),
        (
            "ICLR.cc/2024/Conference/Withdrawn_Submission",
            "ICLR 2024 Conference Withdrawn Submission",
            Status.WITHDRAWN,
        ),
        ("ICLR.cc/2024/Conference/Desk_Rejected_Submission", None, Status.WITHDRAWN),
        ("dblp.org/journals/CORR/2023", "CoRR 2023", Status.ACCEPTED),
        (..., ..., Status.PREPRINT),
    ],
)
def test_status(one: Callable[..., Record], venueid: object, venue: object, status: Status) -> None:
    record = one(note(venueid=venueid, venue=venue))
    assert record.status is status
    assert record.notes == (("decision not in the source",) if venue is ... else ())


def test_a_deleted_note_is_withdrawn(one: Callable[..., Record]) -> None:
    assert one(note() | {"ddate": JULY}).status is Status.WITHDRAWN


def test_a_withdrawn_note_without_anything(one: Callable[..., Record]) -> None:
    group = "ICLR.cc/2024/Conference/Withdrawn_Submission"
    record = one(note(venueid=group, title="Withdrawn", authors=..., authorids=..., abstract=None, venue=...))
    assert record.title == "Withdrawn"
    assert record.status is Status.WITHDRAWN
    assert record.authors == (Author(name="Anonymous"),)
    assert record.abstract is None
    assert one(note(venueid=group, title=None)).title == "Withdrawn"


def test_the_decision_may_be_in_a_reply(one: Callable[..., Record]) -> None:
    old = note(old=True, venue=..., venueid=...)
    replies = [{"content": {"review": "Fine"}}, {"content": {"decision": "Accept (Poster)"}}]
    assert one(old | {"details": {"directReplies": replies}}).status is Status.POSTER


@pytest.mark.parametrize(
    ("invitation", "venue", "track"),
    [
        ("ICLR.cc/2017/conference/-/submission", "ICLR.cc", None),
        ("ICLR.cc/2017/workshop/-/submission", "ICLR.cc", "workshop"),
        (
            "NeurIPS.cc/2017/Track/Datasets_and_Benchmarks/-/Submission",
            "NeurIPS.cc",
            "Datasets and Benchmarks Track",
        ),
        ("robot-learning.org/CoRL/2017/Conference/-/Submission", "CoRL", None),
    ],
)
def test_the_invitation_is_venue_and_year(
    one: Callable[..., Record], invitation: str, venue: str, track: str | None
) -> None:
    record = one(note(old=True, venueid=..., venue=...) | {"invitation": invitation})
    assert (record.venue, record.year, record.track) == (venue, 2017, track)


def test_ids_that_do_not_align_are_not_used(one: Callable[..., Record]) -> None:
    record = one(note(authorids=["~Ana_Díaz1"]))
    assert [author.author_id for author in record.authors] == [None, None]


def test_authors_come_in_several_shapes(one: Callable[..., Record]) -> None:
    people = [{"fullname": "Ana Díaz", "username": "~Ana_Díaz1"}, {"fullname": "Li Lei"}]
    assert one(note(authors=people, authorids=...)).authors == FULL.authors
    assert [a.name for a in one(note(authors="Ana Díaz and Li Lei")).authors] == ["Ana Díaz", "Li Lei"]
    assert one(note(authors=[])).authors == (Author(name="Anonymous"),)


def test_a_pdf_elsewhere_is_kept(one: Callable[..., Record]) -> None:
    record = one(note(pdf="https://arxiv.org/pdf/1301.3780v2"))
    assert record.urls["pdf"] == "https://arxiv.org/pdf/1301.3780v2"
    assert record.identifiers == {"openreview": "AbC_d-1", "arxiv": "1301.3780"}


def test_reviews_are_left_out_and_odd_notes_reported(source_file: Make) -> None:
    review = note() | {"id": "other", "replyto": "AbC_d-1"}
    notes = [note(), review, note() | {"content": None}, note(title=None)]
    good, *bad = SOURCE.read(source_file(json.dumps({"notes": notes})))
    assert good == FULL
    assert bad == [
        BadRecord("item 3", "not an OpenReview note: no id or no content"),
        BadRecord("item 4", "the note AbC_d-1 has no title"),
    ]


@pytest.mark.parametrize("text", ['{"notes": [], "count": 0}', "@misc{a}", '[{"title": "A"}]'])
def test_another_form_is_refused(source_file: Make, text: str) -> None:
    with pytest.raises(
        UnreadableFile, match=r"^papers\.json holds no .*Leave --as out, or name another format\.$"
    ):
        list(SOURCE.read(source_file(text)))
