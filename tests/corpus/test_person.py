from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lunwen.corpus.author import keys_of
from lunwen.corpus.paper import Author, Paper, Status
from lunwen.corpus.person import CoAuthor, Namesake, People, closest, find_person

if TYPE_CHECKING:
    from collections.abc import Sequence

ONE, TWO = "0000-0002-1825-0097", "0000-0001-5109-3700"


def _paper(paper_id: str, *authors: Author | str, **more: Any) -> Paper:
    named = tuple(Author(name=one) if isinstance(one, str) else one for one in authors)
    return Paper(paper_id=paper_id, title=f"On {paper_id}", authors=named, **more)


def _people(*papers: Paper) -> People:
    def papers_of(keys: Sequence[str], limit: int | None) -> list[Paper]:
        return [paper for paper in papers if {*keys} & {*keys_of(paper)}][:limit]

    def keys_begun(beginning: str) -> list[tuple[str, int]]:
        keys = sorted({key for paper in papers for key in keys_of(paper) if key.startswith(beginning)})
        return [(key, len(papers_of([key], None))) for key in keys]

    return People(papers_of, keys_begun)


OWLS = _people(
    _paper("a", "Ana Núñez", "Lei Li", year=2024, venue="ICML"),
    _paper("b", "Ana Nunez", "Lei Li", "Bo", year=2025, venue="ICML"),
    _paper("c", "Ana Núñez", year=2025, date="2025-06-01", venue="ACL"),
    _paper("d", "Ana Núñez", Author(name="Lei Li", orcid=ONE), year=2023, status=Status.REJECTED),
    _paper("e", "A. Núñez", year=1999),
    _paper("f", "Núñez Ana", year=1998),
)


def test_an_author_by_hand() -> None:
    found = find_person("ana núñez", OWLS)
    assert found is not None
    assert (found.author_id, found.name, found.orcid) == ("ana-nunez", "Ana Núñez", None)
    assert found.spellings == ("Ana Nunez",)
    assert [paper.paper_id for paper in found.papers] == ["c", "b", "a"]
    assert found.hidden == 1
    assert found.coauthors == (CoAuthor("lei-li", "Lei Li", 2), CoAuthor("bo", "Bo", 1))
    assert dict(found.venues) == {"ICML": 2, "ACL": 1}
    assert found.maybe_same == (
        Namesake("a-nunez", "A. Núñez", 1, "the same name with initials"),
        Namesake("nunez-ana", "Núñez Ana", 1, "the same name in another order"),
    )


def test_slug_name_and_id_lead_to_the_same_author() -> None:
    people = _people(
        _paper("a", Author(name="Ana Núñez", orcid=ONE, author_id="~Ana_Núñez1")),
        _paper("b", Author(name="Ana Smith", author_id="~Ana_Núñez1")),
        _paper("c", "Ana Smith"),
    )
    found = find_person(ONE, people)
    assert found is not None
    assert (found.author_id, found.source_ids, len(found.papers)) == (ONE, ("~Ana_Núñez1",), 3)
    for text in (f"https://orcid.org/{ONE}", "~Ana_Núñez1", "ana-nunez", "ana-smith", " Ana SMITH "):
        assert find_person(text, people) == found


def test_people_of_one_name_are_told_apart_and_the_name_means_those_nobody_knows() -> None:
    people = _people(
        _paper("a", Author(name="Wei Wang", author_id="~Wei_Wang1")),
        _paper("b", Author(name="Wei Wang", author_id="~Wei_Wang2")),
        _paper("c", Author(name="Wei Wang", author_id="~Wei_Wang2"), "Wei Wang"),
    )
    one, two, bare = (find_person(text, people) for text in ("~Wei_Wang1", "~Wei_Wang2", "wei-wang"))
    assert one is not None
    assert two is not None
    assert bare is not None
    assert [person.author_id for person in (one, two, bare)] == ["~Wei_Wang1", "~Wei_Wang2", "wei-wang"]
    assert [len(person.papers) for person in (one, two, bare)] == [1, 2, 1]
    assert one.maybe_same == (
        Namesake("~Wei_Wang2", "Wei Wang", 2, "the same name, another id"),
        Namesake("wei-wang", "Wei Wang", 1, "the same name; no id says who"),
    )


def test_a_name_that_only_ids_have_leads_to_them() -> None:
    people = _people(
        _paper("a", Author(name="Wei Wang", orcid=ONE)), _paper("b", Author(name="Wei Wang", orcid=TWO))
    )
    found = find_person("Wei Wang", people)
    assert found is not None
    assert (found.author_id, found.name, found.papers) == ("wei-wang", "Wei Wang", ())
    assert [one.author_id for one in found.maybe_same] == [TWO, ONE]


def test_an_orcid_given_to_two_names_is_of_the_one_who_has_it_more_often() -> None:
    people = _people(
        _paper("a", Author(name="Bo Tern", orcid=ONE)),
        _paper("b", Author(name="Ada Núñez", orcid=ONE)),
        _paper("c", Author(name="Ada Núñez", orcid=ONE)),
    )
    ada, bo = find_person(ONE, people), find_person("bo-tern", people)
    assert ada is not None
    assert bo is not None
    assert (ada.name, ada.author_id, bo.author_id) == ("Ada Núñez", ONE, "bo-tern")
    assert ada.maybe_same == (Namesake("bo-tern", "Bo Tern", 1, "another name with the same id"),)
    assert bo.maybe_same == (Namesake(ONE, "Ada Núñez", 2, "another name with the same id"),)


def test_somebody_named_twice_on_a_paper_is_no_coauthor_of_theirs() -> None:
    found = find_person("Ana Núñez", _people(_paper("a", "Ana Núñez", "Lei Li", "Ana Núñez")))
    assert found is not None
    assert ([one.name for one in found.coauthors], len(found.papers)) == (["Lei Li"], 1)


def test_nobody() -> None:
    assert [find_person(text, OWLS) for text in ("", "?", "Anonymous", "Ana", TWO)] == [None] * 5
    assert closest("Núñez", OWLS) == ["Ana Núñez", "A. Núñez"]
    assert closest("Ana B. Nunez", OWLS) == ["Ana Núñez", "A. Núñez"]
    assert closest("?", OWLS) == []
