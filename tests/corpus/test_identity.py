from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.identity import Likeness, authors_key, new_paper_id, paper_ids, same, title_key
from lunwen.corpus.paper import Author, Record, Status

LONG = (
    "We walk through a small garden of odd machines and count the teeth of every wheel. The count is then "
    "compared with a list kept by the gardener, who disagrees. Three remedies are proposed and none works."
)


def record(
    title: str | None = "Odd Wheels in a Garden", names: str = "Ada Lovelace, Bo Li", **more: object
) -> Record:
    authors = tuple(Author(name=name) for name in names.split(", ") if name)
    fields: dict[str, object] = {"key": "k", "venue": "ICML", "year": 2024, **more}
    return Record(title=title, authors=authors, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Multi-Task Learning", "Multitask learning."),
        ("Attention “is” all you need", "ATTENTION 'IS' ALL YOU NEED"),
        ("Effiﬁcient Ｗheels", "Effificient wheels"),
        ("On $\\alpha$-wheels", "On α-Wheels"),
        ("Gödel Machines", "Godel machines"),
    ],
)
def test_titles_meet_under_one_key(one: str, other: str) -> None:
    assert title_key(one) == title_key(other)


def test_placeholders_have_no_key() -> None:
    assert title_key("Withdrawn") == title_key("(withdrawn submission)") == ""


def test_authors_meet_in_any_order_and_spelling() -> None:
    one = record(names="Ada Lovelace, Lei Li").authors
    other = record(names="Li Lei, A. Lovelace").authors
    assert authors_key(one) == "li l|lovelace a"
    assert authors_key(record(names="Lei Li, A. Lovelace").authors) == authors_key(one)
    assert authors_key(other) != ""
    assert authors_key(record(names="Anonymous").authors) == ""


@pytest.mark.parametrize(
    ("one", "other", "likeness", "why"),
    [
        (record(), record(key="z", venue="arXiv", year=2023), Likeness.SAME, "the same title and authors"),
        (record(), record(names="Li Bo, Lovelace Ada"), Likeness.SAME, "the same title and authors"),
        (record(), record(year=2019), Likeness.MAYBE, "the same title and authors, in another year"),
        (record(), record(names="Cy Twombly, Di Ng"), Likeness.DIFFERENT, "the same title by other authors"),
        (record(names=""), record(), Likeness.SAME, "the same title, venue and year"),
        (record(names=""), record(year=2023), Likeness.DIFFERENT, "the same title, but authors are missing"),
        (
            record(identifiers={"openreview": "aaaaaaaaaa"}),
            record(identifiers={"openreview": "bbbbbbbbbb"}),
            Likeness.DIFFERENT,
            "two openreview ids in one venue and year",
        ),
        (
            record(identifiers={"openreview": "a", "arxiv": "2401.00001"}),
            record("Another", identifiers={"openreview": "b", "arxiv": "2401.00001"}),
            Likeness.SAME,
            "the same arxiv id",
        ),
        (
            record(identifiers={"event": "icml-2024-1", "uid": "x"}),
            record(identifiers={"event": "icml-2024-2", "uid": "x"}),
            Likeness.SAME,
            "the same uid id",
        ),
        (
            record(abstract=LONG, venue="arXiv"),
            record("A New Name for It", abstract=LONG.replace("three", "3") + " Code is online."),
            Likeness.SAME,
            "the same authors and abstract",
        ),
        (
            record(abstract=LONG, venue="arXiv"),
            record(
                "A New Name for It", abstract=LONG[:130] + " Nothing else of it is as before, says the page."
            ),
            Likeness.MAYBE,
            "the same authors and a similar abstract",
        ),
        (
            record("Data Poisoning Attacks in Multi-Party Learning"),
            record("Universal Multi-Party Poisoning Attacks", abstract=LONG),
            Likeness.MAYBE,
            "the same authors and a similar title",
        ),
        (record("Withdrawn"), record("Withdrawn"), Likeness.DIFFERENT, "another title"),
        (
            record(names="Ada Lovelace", abstract=LONG),
            record("Z", "Ada Lovelace", abstract=LONG),
            Likeness.DIFFERENT,
            "another title",
        ),
    ],
)
def test_verdicts(one: Record, other: Record, likeness: Likeness, why: str) -> None:
    assert same(one, other)[:2] == (likeness, why)
    assert same(other, one)[:2] == (likeness, why)


def test_a_listing_is_known_by_its_first_ten_authors_and_abstract() -> None:
    names = ", ".join(f"Ann{chr(97 + place)} Family{chr(97 + place)}" for place in range(12))
    first_ten = ", ".join(names.split(", ")[:10])
    whole = record(names=names, abstract=LONG)
    assert same(record(None, first_ten, abstract=LONG), whole).likeness is Likeness.SAME
    assert (
        same(record(None, ", ".join(names.split(", ")[:9]), abstract=LONG), whole).likeness
        is Likeness.DIFFERENT
    )
    assert (
        same(record(None, first_ten, abstract="Something else. " * 9), whole).likeness is Likeness.DIFFERENT
    )


def test_a_title_alone_never_merges() -> None:
    assert same(record(names=""), record(names="", venue=None)).likeness is Likeness.DIFFERENT


@pytest.mark.parametrize(
    ("one", "source", "paper_id"),
    [
        (record(key="000-01"), "catalogue", "000-01"),
        (record(key="mine_1"), "jsonl", "mine_1"),
        (record(key="not/safe", identifiers={"acl": "2022.acl-long.75"}), "jsonl", "2022.acl-long.75"),
        (
            record(venue="ICML", year=2026, identifiers={"openreview": "O4PweOea13"}),
            "program",
            "icml2026-O4PweOea13",
        ),
        (record(identifiers={"arxiv": "2505.21336"}), "arxiv", "arxiv-2505.21336"),
        # the beginning of base32(sha256("oddwheelsinagarden|lovelace a|2024"))
        (record(venue="ACM MM"), "dblp", "acmmm2024-qxjlavpu35"),
    ],
)
def test_a_new_papers_id(one: Record, source: str, paper_id: str) -> None:
    assert new_paper_id(one, source) == paper_id


def test_further_ids_are_numbered() -> None:
    assert list(islice(paper_ids(record(identifiers={"acl": "P17-1001"})), 3)) == [
        "P17-1001",
        "P17-1001-2",
        "P17-1001-3",
    ]


@given(st.text(max_size=30), st.text(max_size=10), st.integers(0, 9999) | st.none())
def test_ids_are_safe_whatever_the_record(title: str, venue: str, year: int | None) -> None:
    made = new_paper_id(record(title, venue=venue, year=year))
    assert made.isascii()
    assert not set(made) - set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def test_a_hash_that_two_tracks_share_makes_no_paper_of_two() -> None:
    ours = record(abstract=LONG, identifiers={"uid": "iclr-2024-6512bd"})
    theirs = record("Even Wheels", "Cy Twombly, Di Ng", identifiers={"uid": "iclr-2024-6512bd"})
    assert same(ours, theirs).likeness is Likeness.DIFFERENT
    for twin in ("Odd Wheels, Revised", None):
        assert same(ours, record(twin, identifiers=ours.identifiers)).why == "the same uid id"


@pytest.mark.parametrize(
    ("status", "likeness"),
    [
        (Status.POSTER, Likeness.MAYBE),
        (None, Likeness.MAYBE),
        (Status.REJECTED, Likeness.SAME),
        (Status.PREPRINT, Likeness.SAME),
    ],
)
def test_a_second_publication_is_a_second_paper(status: Status | None, likeness: Likeness) -> None:
    ours = record(abstract=LONG, venue="ICRA", year=2006)
    theirs = record("Five Wheels", abstract=LONG + " Here with five.", venue="IROS", year=2005, status=status)
    assert same(ours, theirs).likeness is likeness
