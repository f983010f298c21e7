from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lunwen.corpus.grouping import group
from lunwen.corpus.paper import Author, Record

TITLES = (None, "Odd Wheels", "Even Wheels", "Withdrawn")
TEXTS = (
    None,
    "The wheels of the garden turn and turn again, and nobody counts them any more. " * 2,
    "Another text. " * 9,
)
NAMES = ((), ("Ada Lovelace", "Bo Li"), ("Cy Twombly", "Di Ng"), ("Bo Li",))
records = st.builds(
    Record,
    key=st.sampled_from("abcdefgh"),
    title=st.sampled_from(TITLES),
    abstract=st.sampled_from(TEXTS),
    authors=st.sampled_from(NAMES).map(lambda names: tuple(Author(name=name) for name in names)),
    venue=st.sampled_from((None, "ICML", "arXiv")),
    year=st.sampled_from((None, 2023, 2024, 2030)),
    identifiers=st.dictionaries(
        st.sampled_from(("openreview", "arxiv", "event", "uid")), st.sampled_from("xyz1"), max_size=2
    ),
)


def as_sets(found: list[Record]) -> tuple[set[frozenset[int]], set[int]]:
    groups = group(found)
    return {frozenset(id(found[place]) for place in paper) for paper in groups.papers}, {
        id(found[place]) for place in groups.waiting
    }


@settings(max_examples=300)
@given(st.lists(records, max_size=6), st.randoms())
def test_the_order_of_records_plays_no_part(found: list[Record], chance: object) -> None:
    found = list({repr(one): one for one in found}.values())
    shuffled = list(found)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert as_sets(found) == as_sets(shuffled)


@given(st.lists(records, max_size=6))
def test_every_record_is_somewhere_once(found: list[Record]) -> None:
    groups = group(found)
    assert sorted([*groups.waiting, *(place for paper in groups.papers for place in paper)]) == list(
        range(len(found))
    )


def wheel(key: str, **more: object) -> Record:
    fields: dict[str, object] = {"title": "Odd Wheels", "venue": "ICML", "year": 2024, **more}
    return Record(key=key, authors=(Author(name="Ada Lovelace"), Author(name="Bo Li")), **fields)  # type: ignore[arg-type]


def test_a_record_between_two_contradicting_ones_joins_one_of_them() -> None:
    found = [
        wheel("a", identifiers={"openreview": "x"}),
        wheel("b"),
        wheel("c", identifiers={"openreview": "y"}),
    ]
    assert group(found).papers == [[0, 1], [2]]


def test_an_event_speaks_with_the_abstract_from_its_other_file() -> None:
    program = wheel("1", identifiers={"event": "icml-2024-1"})
    abstract = Record(key="1", abstract=TEXTS[1], identifiers={"event": "icml-2024-1"})
    listing = wheel("l", title=None, venue=None, year=None, abstract=TEXTS[1])
    assert group([listing, program, abstract]).papers == [[0, 1, 2]]
    assert group([listing, program]).waiting == [0]


def test_a_number_without_its_conference_is_matched_only_where_one_event_has_it() -> None:
    bare = Record(key="1", abstract=TEXTS[1], identifiers={"event": "64393"})
    one = wheel("p", identifiers={"event": "icml-2026-64393"})
    other = Record(key="q", title="Even Wheels", identifiers={"event": "iclr-2026-64393"})
    assert group([bare, one]).papers == [[0, 1]]
    assert group([bare, one, other]).waiting == [0]


def test_papers_of_two_tracks_with_one_hash_stay_apart() -> None:
    hashed = {"uid": "iclr-2024-6512bd"}
    other = Record(
        key="b", title="Even Hinges", authors=(Author(name="Cy Twombly"),), venue="ICML", year=2024,
        identifiers=hashed,
    )  # fmt: skip
    assert group([wheel("a", identifiers=hashed), other, wheel("c", identifiers=hashed)]).papers == [
        [0, 2],
        [1],
    ]


def test_a_listing_gives_its_abstract_to_its_authors_one_paper_of_that_topic() -> None:
    topic = ("Theory", "Wheels")
    listing = wheel("l", title=None, venue=None, year=None, topic=topic, abstract=TEXTS[1])
    bare = wheel("a", topic=topic)
    assert group([listing, bare]).papers == [[0, 1]]
    assert group([listing, wheel("a", topic=("Hinges",))]).waiting == [0]
    # the paper's abstract is known after all, from a record that shares its title
    assert group([listing, bare, wheel("b", abstract=TEXTS[2], venue="arXiv")]).waiting == [0]
