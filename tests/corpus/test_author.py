from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.author import (
    Mention,
    author_id,
    group_mentions,
    ids_of,
    keys_of,
    name_key,
    names_of,
    orcid_of,
    read_name_key,
    slug,
    why_maybe,
)
from lunwen.corpus.name import name_parts
from lunwen.corpus.paper import Author, Paper

ONE, TWO = "0000-0002-1825-0097", "0000-0001-5109-3700"


def _people(*authors: Author) -> list[set[int]]:
    """Which of these authors, each of a paper of its own, are one person."""
    groups = group_mentions(
        Mention(Paper(paper_id=str(at), title="A title", authors=(author,)), author)
        for at, author in enumerate(authors)
    )
    return sorted(({int(one.paper.paper_id) for one in group.mentions} for group in groups), key=min)


def test_one_spelling_of_a_name_is_one_person_whatever_its_accents() -> None:
    assert _people(Author(name="Ana Núñez"), Author(name="Ana Nunez"), Author(name="ana nuñez")) == [
        {0, 1, 2}
    ]


def test_a_name_in_han_is_one_person_with_a_space_and_without() -> None:
    assert _people(
        Author(name="李 明"),
        Author(name="李明"),
        Author(name="Ming Li", variants=("李 明",)),
        Author(name="明李"),
    ) == [{0, 1, 2}, {3}]
    assert slug("李 明") == slug("李明") == "李明"


def test_initials_and_middle_names_do_not_join() -> None:
    names = ("Ana Núñez", "A. Núñez", "Ana B. Núñez", "A. Núñez", "Núñez Ana")
    assert _people(*(Author(name=name) for name in names)) == [{0}, {1, 3}, {2}, {4}]


def test_an_orcid_joins_any_names_and_takes_with_it_what_is_named_so() -> None:
    assert _people(
        Author(name="Ana Núñez", orcid=ONE),
        Author(name="Ana Smith", orcid=f"https://orcid.org/{ONE}"),
        Author(name="Ana Smith"),
        Author(name="Ana Núñez"),
    ) == [{0, 1, 2, 3}]


def test_two_orcids_are_never_joined_by_a_name_or_a_source_id() -> None:
    found = _people(
        Author(name="Wei Wang", orcid=ONE, author_id="~Wei_Wang1"),
        Author(name="Wei Wang", orcid=TWO, author_id="~Wei_Wang1"),
        Author(name="Wei Wang"),
        Author(name="Wei Wang"),
    )
    assert found == [{0}, {1}, {2, 3}]


def test_an_id_does_not_join_names_without_a_part_in_common() -> None:
    assert _people(Author(name="Ada Núñez", orcid=ONE), Author(name="Bo Tern", orcid=ONE)) == [{0}, {1}]
    assert _people(Author(name="Lei Li", orcid=ONE), Author(name="李磊", orcid=ONE)) == [{0, 1}]


def test_two_ids_of_one_site_tell_apart_and_ids_of_two_sites_do_not() -> None:
    first, second = Author(name="Wei Wang", author_id="~Wei_Wang1"), Author(name="Wei Wang", orcid=ONE)
    assert _people(first, second, Author(name="Wei Wang")) == [{0, 1, 2}]
    other = Author(name="Wei Wang", author_id="~Wei_Wang2")
    assert _people(first, other, Author(name="Wei Wang")) == [{0}, {1}, {2}]


def test_initials_join_an_identified_person_only_by_the_id() -> None:
    long, short = Author(name="Wei Wang", orcid=ONE), Author(name="W. Wang", orcid=ONE)
    assert _people(long, short, Author(name="W. Wang")) == [{0, 1}, {2}]


def test_a_bare_number_names_nobody_and_a_hidden_name_is_nobody() -> None:
    assert ids_of(Author(name="Ana Núñez", author_id="1234")) == frozenset()
    assert list(names_of(Author(name="Anonymous"))) == []
    assert (slug("Anonymous"), author_id(Author(name="?"))) == ("", "")


def test_ids_for_a_url() -> None:
    assert slug("Jean-Pierre  Núñez, Jr.") == "jean-pierre-nunez"
    assert slug("李 磊") == "李磊"
    assert author_id(Author(name="Ana Núñez", orcid=f"http://orcid.org/{ONE}")) == ONE
    assert author_id(Author(name="Ana Núñez", author_id="~Ana1")) == "ana-nunez"


def test_a_paper_is_found_under_names_in_every_script_and_ids() -> None:
    paper = Paper(
        paper_id="a",
        title="A title",
        authors=(
            Author(name="Lei Li", variants=("李磊",), author_id="~Lei_Li1", orcid=ONE),
            Author(name="Anonymous"),
        ),
    )
    keys = ["name li, lei", "name 李磊, ", "id ~Lei_Li1", f"id {ONE}"]
    assert sorted(keys_of(paper)) == sorted(keys)


@pytest.mark.parametrize(
    ("mine", "theirs", "why"),
    [
        ("Roland Siegwart", "R. Siegwart", "the same name with initials"),
        ("Roland Y. Siegwart", "R. Siegwart", "the same name with initials"),
        ("Roland Siegwart", "Roland Y. Siegwart", "the same name without a middle name"),
        ("Lei Li", "Li Lei", "the same name in another order"),
        ("Roland Siegwart", "Richard Siegwart", None),
        ("Roland Siegwart", "Rolf Siegwart", None),
        ("Roland Siegwart", "Roland Sieg", None),
        ("R. A. Siegwart", "R. B. Siegwart", None),
        ("Siegwart", "R. Siegwart", None),
    ],
)
def test_why_names_may_be_one_persons(mine: str, theirs: str, why: str | None) -> None:
    assert why_maybe(name_parts(mine), name_parts(theirs)) == why
    assert why_maybe(name_parts(theirs), name_parts(mine)) == why


def test_what_is_an_orcid() -> None:
    assert orcid_of(" https://orcid.org/0000-0002-1694-233x ") == "0000-0002-1694-233X"
    assert (orcid_of("0000-0002-1694"), orcid_of(None), orcid_of("~Wei_Wang1")) == (None, None, None)


NAMES = st.sampled_from(["Wei Wang", "W. Wang", "Wei W. Wang", "Wang Wei", "Ana Núñez", "Wang"])
IDS = st.sampled_from([None, "~Wei_Wang1", "~Wei_Wang2", "11/22", "wei-wang"])
AUTHORS = st.builds(Author, name=NAMES, author_id=IDS, orcid=st.sampled_from([None, ONE, TWO]))


@given(st.lists(AUTHORS, max_size=8))
def test_everyone_is_in_one_group_and_no_group_has_two_orcids(authors: list[Author]) -> None:
    found = _people(*authors)
    assert sorted(one for group in found for one in group) == list(range(len(authors)))
    for group in found:
        assert len({authors[one].orcid for one in group} - {None}) <= 1


@given(st.lists(AUTHORS, max_size=6), st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_the_order(authors: list[Author], random: object) -> None:
    mixed = list(range(len(authors)))
    random.shuffle(mixed)  # type: ignore[attr-defined]
    again = [{mixed[one] for one in group} for group in _people(*(authors[at] for at in mixed))]
    assert sorted(again, key=min) == _people(*authors)


@given(st.text(max_size=20))
def test_a_slug_is_read_as_the_name_it_came_from(name: str) -> None:
    parts = name_parts(name)
    assert name_parts("-".join(parts)) == parts
    if parts:
        assert read_name_key(name_key(parts)) == parts
