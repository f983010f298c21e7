from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.codec import decode_record, encode_record
from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.prepare import Prepared, clean_record, hash_published, prepare


def record(**said: object) -> Record:
    return Record(key="k", **{"title": "Odd Wheels", **said})  # type: ignore[arg-type]


def prepare_one(one: Record, source: str = "program") -> Prepared | BadRecord:
    (prepared,) = prepare([(encode_record(one).encode(), "line 1")], source)
    return prepared


@pytest.mark.parametrize(
    "nothing",
    ["Abstract Unavailable", "Part of", "Part of.", "N/A", "TBD", ".", "Bo Li", "bo li", "Oral session 3"],
)
def test_an_abstract_that_says_nothing_is_missing_and_flagged(nothing: str) -> None:
    cleaned = clean_record(
        record(abstract=nothing, authors=(Author(name="Ada Lovelace"), Author(name="Bo Li")))
    )
    assert cleaned.abstract is None
    assert cleaned.notes == (f'abstract missing (source had: "{nothing}")',)


@pytest.mark.parametrize("short", ["It halts.", "We do not know.", "本文研究轮子。"])
def test_a_short_sentence_is_an_abstract(short: str) -> None:
    assert clean_record(record(abstract=short)).abstract == short


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Odd Wheels.", "Odd Wheels"),
        ("Odd Wheels...", "Odd Wheels..."),
        ("A Reply to Lovelace et al.", "A Reply to Lovelace et al."),
        ("Made in the U.S.", "Made in the U.S."),
        ("Is it odd?", "Is it odd?"),
    ],
)
def test_a_titles_last_period_goes(written: str, shown: str) -> None:
    assert clean_record(record(title=written)).title == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[From Oral 3C] Odd Wheels", "Odd Wheels"),
        ("(Poster) Odd Wheels.", "Odd Wheels"),
        ("[Spotlight Session 2]: $x$ Wheels", "$x$ Wheels"),
        ("[oral] 轮子", "轮子"),
        ("(Nearly) Odd Wheels", "(Nearly) Odd Wheels"),
        ("(Oral) cancer and wheels", "(Oral) cancer and wheels"),
        ("Odd Wheels [Poster]", "Odd Wheels [Poster]"),
        ("(Demo)", "(Demo)"),
    ],
)
def test_a_title_loses_the_mark_of_its_session(written: str, shown: str) -> None:
    cleaned = clean_record(record(title=written, title_bibtex=written.rstrip(".")))
    assert (cleaned.title, cleaned.title_bibtex) == (shown, shown)


@pytest.mark.parametrize(
    ("title", "status", "shown"),
    [
        ("withdraw", None, ("Withdrawn", Status.WITHDRAWN)),
        ("Paper withdrawn.", Status.PREPRINT, ("Withdrawn", Status.WITHDRAWN)),
        ("This submission has been withdrawn by the authors", None, ("Withdrawn", Status.WITHDRAWN)),
        ("null", None, ("null", Status.WITHDRAWN)),
        ("Null", Status.POSTER, ("Null", Status.POSTER)),
        ("Withdrawn Wheels", None, ("Withdrawn Wheels", None)),
    ],
)
def test_a_title_that_only_says_withdrawn_says_so_of_the_paper(
    title: str, status: Status | None, shown: tuple[str, Status | None]
) -> None:
    cleaned = clean_record(record(title=title, status=status))
    assert (cleaned.title, cleaned.status) == shown


@pytest.mark.parametrize(
    ("written", "markup", "shown"),
    [
        ("{ICML}", Markup.LATEX, "ICML"),
        ("Owls {\\&} Wheels", Markup.LATEX, "Owls & Wheels"),
        ("Owls &amp; Wheels", Markup.PLAIN, "Owls & Wheels"),
        ("{}", Markup.LATEX, None),
    ],
)
def test_a_venue_has_no_markup(written: str, markup: Markup, shown: str | None) -> None:
    assert clean_record(record(venue=written, markup=markup)).venue == shown


def test_the_text_is_cleaned_and_the_venue_made_canonical() -> None:
    cleaned = clean_record(
        record(
            title="Odd  Wheels &amp; Gears",
            abstract="<p>They <b>turn</b>.</p>",
            venue="nips",
            markup=Markup.HTML,
            authors=(Author(name="Guo, Wenbo 0001"),),
            identifiers={"doi": "https://doi.org/10.1/AB", "arxiv": "arXiv:2505.21336v2"},
            keywords=("wheels", "wheels", ""),
        )
    )
    assert (cleaned.title, cleaned.abstract, cleaned.venue) == ("Odd Wheels & Gears", "They turn.", "NeurIPS")
    assert cleaned.identifiers == {"doi": "10.1/ab", "arxiv": "2505.21336"}
    assert cleaned.keywords == ("wheels",)
    assert cleaned.markup is Markup.CLEAN


def test_braces_are_kept_beside_the_clean_title() -> None:
    cleaned = clean_record(
        record(
            title="<fixed-case>A</fixed-case>dap<fixed-case>L</fixed-case>e<fixed-case>R</fixed-case>",
            markup=Markup.ACL,
        )
    )
    assert (cleaned.title, cleaned.title_bibtex) == ("AdapLeR", "{A}dap{L}e{R}")


def test_nul_and_half_characters_do_no_harm() -> None:
    prepared = prepare_one(
        record(title="Odd\0 Wh\ud800eels", identifiers={"acl": "P17\0-1001"}, venue="IC\0ML")
    )
    assert isinstance(prepared, Prepared)
    kept = decode_record(prepared.data)
    assert kept.identifiers == {"acl": "P17-1001"}
    assert kept.venue == "ICML"
    assert "\0" not in prepared.data
    assert "\\u0000" not in prepared.data


def test_an_identifier_is_one_word() -> None:
    cleaned = clean_record(record(identifiers={"doi": "10.1/ab\r\nX-Odd: c", "acl": " P17-\t1001"}))
    assert cleaned.identifiers == {"doi": "10.1/abx-odd:c", "acl": "P17-1001"}


def test_links_to_files_and_code_are_none() -> None:
    kept = {"pdf": "http://odd.example/a.pdf", "code": "odd.example/code:1", "page": "localhost:80/a"}
    bad = {"slides": "javascript:alert(1)", "video": " File:///etc/passwd", "data": "data:text/html,odd"}
    assert clean_record(record(urls={**kept, **bad})).urls == kept


def test_a_record_of_nothing_is_bad() -> None:
    assert prepare_one(record(title=None)) == BadRecord("line 1", "no title, no abstract and no identifier")


def test_a_record_without_a_title_makes_no_paper() -> None:
    prepared = prepare_one(record(title=None, abstract="They turn and turn again."))
    assert isinstance(prepared, Prepared)
    assert prepared.paper is None


def test_the_hash_is_of_what_was_published() -> None:
    one = encode_record(record()).encode()
    assert hash_published(one) == hash_published(encode_record(record(place="line 9")).encode())
    assert hash_published(one) != hash_published(encode_record(record(year=2024)).encode())


@given(
    st.builds(
        Record,
        key=st.text(max_size=9),
        title=st.text(max_size=40),
        abstract=st.text(max_size=60),
        venue=st.text(max_size=12),
        authors=st.lists(st.builds(Author, name=st.text(max_size=12)), max_size=3).map(tuple),
        markup=st.sampled_from(Markup),
        identifiers=st.dictionaries(
            st.sampled_from(("doi", "arxiv", "event")), st.text(max_size=9), max_size=2
        ),
        keywords=st.lists(st.text(max_size=9), max_size=2).map(tuple),
        notes=st.lists(st.text(max_size=9), max_size=2).map(tuple),
    )
)
def test_any_record_is_prepared_or_refused_and_cleaning_it_again_keeps_it_whole(one: Record) -> None:
    prepared = prepare_one(one)
    assert isinstance(prepared, Prepared | BadRecord)
    if isinstance(prepared, Prepared):
        assert "\\u0000" not in prepared.data
        again = prepare_one(decode_record(prepared.data))
        assert isinstance(again, Prepared)
