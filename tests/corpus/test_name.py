from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.name import clean_name, fold_name, is_anonymous, name_key, name_parts
from lunwen.corpus.paper import Author


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Tim Rocktäschel", "Tim Rocktäschel"),
        ("{{Alan D. Sokal}, }", "Alan D. Sokal"),
        ("Li, Lei", "Lei Li"),
        ("de Bruyn Kops, S M", "S M de Bruyn Kops"),
        ("King, Jr., Martin", "Martin King Jr."),
        ("Sammy Davis, Jr.", "Sammy Davis, Jr.".replace(",", "")),
        ("HUI LI", "Hui Li"),
        ("Hui LIU", "Hui Liu"),
        ("seyed amir saberi", "Seyed Amir Saberi"),
        ("ludwig van beethoven", "Ludwig van Beethoven"),
        ("S M Kops", "S M Kops"),
        ("G\\'erard Debreu", "Gérard Debreu"),
        ('Schr{\\"o}dinger, Erwin', "Erwin Schrödinger"),
        ("Simon &amp; Garfunkel", "Simon & Garfunkel"),
        ("Mausam", "Mausam"),
        ("∀", "∀"),
        ("王小云", "王小云"),
        ("王, 小云", "王小云"),
        ("王 小云", "王 小云"),  # as written
        ("Anna Bell*", "Anna Bell"),
    ],
)
def test_names_are_written_as_a_person_would(written: str, shown: str) -> None:
    assert clean_name(Author(name=written)).name == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Ante Jukic´", "Ante Jukić"),  # after its letter
        ("Jukic´, Ante", "Ante Jukić"),
        ("Franc¸ois Ku¨mmerle", "François Kümmerle"),
        ("Pa´l Erdo˝s", "Pál Erdős"),
        ("Narc´is Cornell`a", "Narcís Cornellà"),  # before it: a vowel is the likelier
        ("Mar´ıa Mu˜noz", "María Muñoz"),
        ("Perpin˜a´n Joa˜o", "Perpiñán João"),
        ("´Eric ˇSkoda", "Éric Škoda"),
        ("Tim O´Brien", "Tim O´Brien"),  # apostrophes and quotes
        ("Alexandre d´Aspremont", "Alexandre d´Aspremont"),
        ("Alex `Sandy' Owl", "Alex ‘Sandy’ Owl"),
        ("Ada ´ Owl¨", "Ada ´ Owl¨"),  # no letter that bears it
    ],
)
def test_an_accent_beside_its_letter_is_put_onto_it(written: str, shown: str) -> None:
    assert clean_name(Author(name=written)).name == shown


def test_the_number_of_a_namesake_is_an_id() -> None:
    author = clean_name(Author(name="Wenbo Guo 0001"))
    assert (author.name, author.author_id) == ("Wenbo Guo", "Wenbo Guo 0001")


def test_family_name_follows_the_turned_name() -> None:
    author = clean_name(Author(name="Müller, Klaus-Robert"))
    assert (author.name, author.given, author.family) == ("Klaus-Robert Müller", "Klaus-Robert", "Müller")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lei Li", "Li, Lei"),
        ("Alan D. Sokal", "Sokal, Alan"),
        ("S M de Bruyn Kops", "de Bruyn Kops, S M"),
        ("Javier Díaz", "Diaz, J."),
        ("Łukasz Kaiser", "Lukasz Kaiser"),
        ("Søren Kierkegaard", "Soren Kierkegaard"),
        ("Martin King Jr.", "Martin King"),
        ("Brendan O'Connor", "Brendan OConnor"),
        ("李 明", "李明"),
        ("李, 明", "李明"),
        ("やまだ たろう", "やまだたろう"),
        ("김 민수", "김민수"),
    ],
)
def test_two_spellings_of_one_name_have_one_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_key_is_family_and_initial() -> None:
    assert name_key("Alan D. Sokal") == "sokal a"
    assert name_key("∀") == "∀"
    assert name_key("Mausam") == "mausam"


def test_namesakes_by_first_letter_only_differ() -> None:
    assert name_key("Lei Li") != name_key("Wei Li")


def test_folded_names_know_no_order() -> None:
    assert fold_name("Lei Li") == fold_name("Li Lei") == fold_name("LI, Lei")
    assert fold_name("Jean-Luc Godard") == {"jean", "luc", "godard"}


def test_nobody_is_anonymous() -> None:
    assert clean_name(Author(name="withdrawn.")).name == "Anonymous"
    assert is_anonymous("Anonymous")
    assert not is_anonymous("∀")
    assert not is_anonymous("Ann On")


@given(st.text(max_size=40))
def test_any_text_has_a_key_and_can_be_cleaned(text: str) -> None:
    assert isinstance(name_key(text), str)
    assert fold_name(text)
    cleaned = clean_name(Author(name=text)).name
    assert clean_name(Author(name=cleaned)).name is not None


@given(st.lists(st.text("abcdefgh", min_size=2, max_size=8), min_size=2, max_size=2))
def test_turning_a_name_round_keeps_its_key(parts: list[str]) -> None:
    given_name, family = parts
    assert name_key(f"{given_name} {family}") == name_key(f"{family}, {given_name}")


@given(st.lists(st.text("李明王小云々やまアラ김민수", min_size=1, max_size=3), min_size=1, max_size=4))
def test_a_space_within_an_eastern_name_is_no_part_of_it(parts: list[str]) -> None:
    joined = "".join(parts)
    for space in (" ", "\u3000", "·"):
        assert name_parts(space.join(parts)) == name_parts(joined)
        assert fold_name(space.join(parts)) == fold_name(joined)
    assert len(name_parts(joined)) == 1
    assert len(name_parts(f"{joined} Li")) == 2  # two scripts are two parts


def test_given_and_family_name_in_han_stand_in_their_own_order() -> None:
    author = clean_name(Author(name="明 李", given="明", family="李"))
    assert (author.name, author.given, author.family) == ("李明", "明", "李")


def test_folding_a_folded_letter_changes_nothing() -> None:
    letters = (chr(code) for code in range(0x30000) if not 0xD800 <= code < 0xE000)
    parts = [name_parts(letter) for letter in letters]  # "Ǽ" is "ae" at once, not "æ"
    assert [one for one in parts if name_parts("-".join(one)) != one] == []
