from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.merge import Sighting, merge, overlay, provenance
from lunwen.corpus.paper import Author, Record, Status


def authors(*names: str) -> tuple[Author, ...]:
    return tuple(Author(name=name) for name in names)


def see(source: str, key: str = "k", imported: str = "2026-01-01", **said: object) -> Sighting:
    return Sighting(Record(key=key, **said), source, f"{source}.json", imported)  # type: ignore[arg-type]


def test_the_highest_count_of_citations_with_who_counted_so_many_last() -> None:
    counts = [
        see("paperlists", citations=12),
        see("openalex", citations=12, citations_date="2026-11-30"),
        see("crossref", citations=7, citations_date="2026-12-01"),
    ]
    for order in permutations(counts):
        paper = merge(order)
        assert (paper.citations, paper.citations_date, paper.citations_source) == (
            12,
            "2026-11-30",
            "openalex",
        )
        assert paper.cited == "12 · openalex, 2026-11-30"
    assert merge([see("table", citations=0)]).cited == "0"
    assert merge([see("table")]).cited is None


def test_what_is_added_overwrites_no_publisher() -> None:
    paper = merge(
        [
            see("arxiv", title="Odd wheels", authors=authors("Ana Díaz"), urls={"pdf": "theirs"}),
            see(
                "openalex",
                title="Odd Wheels.",
                authors=(Author(name="Ana Diaz", orcid="0000-0001-2345-6789"),),
                urls={"pdf": "ours", "code": "found"},
            ),
        ]
    )
    assert (paper.title, paper.urls) == ("Odd wheels", {"pdf": "theirs", "code": "found"})
    assert paper.authors == (Author(name="Ana Díaz", orcid="0000-0001-2345-6789"),)


def test_twin_events_become_one_paper_with_the_highest_decision() -> None:
    paper = merge(
        [
            see(
                "program",
                "1",
                title="T",
                venue="ICML",
                year=2026,
                status=Status.POSTER,
                topic=("Theory", "Bandits"),
            ),
            see("program", "2", title="T", venue="ICML", year=2026, status=Status.ORAL, urls={"pdf": "u"}),
        ]
    )
    assert (paper.status, paper.topic, paper.urls, paper.sources) == (
        Status.ORAL,
        ("Theory", "Bandits"),
        {"pdf": "u"},
        ("program",),
    )


def test_each_field_comes_from_its_best_source() -> None:
    paper = merge(
        [
            see(
                "arxiv",
                title="Old Title",
                abstract="From arXiv.",
                venue="arXiv",
                year=2025,
                status=Status.PREPRINT,
                identifiers={"arxiv": "2505.21336"},
                authors=authors("A. Lovelace", "B. Li"),
            ),
            see(
                "openreview",
                title="New title",
                abstract="From OpenReview.",
                venue="ICML",
                year=2026,
                status=Status.POSTER,
                keywords=("wheels",),
                authors=authors("Ada Lovelace", "Bo Li"),
                tldr="Short.",
            ),
            see("program", title="New Title", venue="ICML", year=2026, topic=("Theory",), pages="1-9"),
        ]
    )
    assert paper.title == "New Title"
    assert paper.abstract == "From OpenReview."
    assert (paper.venue, paper.year, paper.status) == ("ICML", 2026, Status.POSTER)
    assert paper.identifiers == {"arxiv": "2505.21336"}
    assert [author.name for author in paper.authors] == ["Ada Lovelace", "Bo Li"]
    assert (paper.tldr, paper.topic, paper.pages) == ("Short.", ("Theory",), "1-9")
    assert paper.sources == ("program", "openreview", "arxiv")


def test_a_venues_own_withdrawal_beats_its_poster() -> None:
    withdrawn = see("openreview", title="T", venue="ICLR", year=2024, status=Status.WITHDRAWN)
    poster = see("program", title="T", venue="ICLR", year=2024, status=Status.POSTER)
    assert merge([withdrawn, poster]).status is Status.WITHDRAWN


def test_rejected_here_and_accepted_there_is_accepted_there() -> None:
    rejected = see("openreview", title="T", venue="ICLR", year=2024, status=Status.REJECTED, pages="9")
    accepted = see("dblp", title="T", venue="ICML", year=2024, pages="1-2")
    paper = merge([rejected, accepted])
    assert (paper.status, paper.venue, paper.pages) == (Status.ACCEPTED, "ICML", "1-2")


def test_nothing_is_accepted_that_no_venue_has_taken() -> None:
    assert merge([see("bibtex", title="T", identifiers={"arxiv": "2505.21336"})]).status is Status.PREPRINT
    assert merge([see("arxiv", title="T", venue="arXiv")]).status is Status.PREPRINT
    assert merge([see("bibtex", title="T")]).status is Status.PREPRINT
    assert merge([see("bibtex", title="T", venue="ICML")]).status is Status.ACCEPTED
    assert merge([see("jsonl", title="T", status=Status.ORAL)]).status is Status.ORAL
    assert merge([see("table", title="T", booktitle="Odd Talks")]).status is Status.ACCEPTED
    both = [see("bibtex", title="T"), see("dblp", title="T", venue="ICML")]
    assert merge(both).status is Status.ACCEPTED


def test_pages_of_another_venue_are_not_taken() -> None:
    paper = merge(
        [
            see("program", title="T", venue="ICML", year=2026, status=Status.ORAL),
            see("dblp", title="T", venue="JMLR", year=2026, pages="1-40", volume="9"),
        ]
    )
    assert (paper.venue, paper.pages, paper.volume) == ("ICML", None, None)


def test_a_cut_list_of_authors_is_filled_from_a_whole_one() -> None:
    cut = see("program", title="T", authors=authors("Ada Lovelace"), notes=("author list truncated",))
    whole = see("dblp", title="T", authors=(Author(name="A. Lovelace", orcid="0000-1"), Author(name="Bo Li")))
    paper = merge([cut, whole])
    assert paper.authors == (Author(name="A. Lovelace", orcid="0000-1"), Author(name="Bo Li"))


def test_authors_are_enriched_where_the_name_is_the_same() -> None:
    first = see("acl", title="T", authors=authors("Ada Lovelace", "Wei Li", "Wen Li"))
    second = see(
        "openreview",
        title="T",
        authors=(
            Author(name="Lovelace, Ada", author_id="~Ada1"),
            Author(name="Wei Li", orcid="1"),
            Author(name="Wen Li", orcid="2"),
        ),
    )
    # two of one key within a list are left alone
    assert merge([first, second]).authors == (
        Author(name="Ada Lovelace", author_id="~Ada1"),
        Author(name="Wei Li"),
        Author(name="Wen Li"),
    )


def test_anonymous_gives_way_to_names() -> None:
    hidden = see("acl", title="T", authors=authors("Anonymous"))
    assert merge([hidden]).authors == authors("Anonymous")
    assert merge([hidden, see("airas", title="T", authors=authors("Bo Li"))]).authors == authors("Bo Li")


def test_the_newest_import_of_a_record_wins_and_hides_nothing() -> None:
    old = see("jsonl", imported="2026-01-01", title="Tipo", abstract="Old.", citations=9)
    new = see("jsonl", imported="2026-02-01", title="Typo", citations=7)
    for order in permutations([old, new]):
        paper = merge(order)
        assert (paper.title, paper.abstract, paper.citations) == ("Typo", "Old.", 7)


def test_a_note_on_a_missing_abstract_goes_when_there_is_one() -> None:
    missing = see("paperlists", title="T", notes=('abstract missing (source had: "Part of")',))
    assert merge([missing]).notes == ('abstract missing (source had: "Part of")',)
    assert merge([missing, see("acl", abstract="Here it is.")]).notes == ()


def test_braces_protect_only_the_title_that_is_shown() -> None:
    acl = see("acl", title="AdapLeR", title_bibtex="{A}dap{L}e{R}")
    assert merge([acl, see("pmlr", title="Adapler")]).title_bibtex == "{A}dap{L}e{R}"
    assert merge([see("pmlr", title="T"), see("bibtex", title="t", title_bibtex="{t}")]).title_bibtex is None


def test_provenance_says_who_said_what() -> None:
    said = provenance(
        [
            see("arxiv", title="Old", identifiers={"arxiv": "1"}, imported="2026-01-02"),
            see("acl", title="New", imported="2026-01-01"),
        ]
    )
    assert [(one.field, one.value, one.source, one.chosen) for one in said] == [
        ("title", "Old", "arxiv", False),
        ("title", "New", "acl", True),
        ("identifiers.arxiv", "1", "arxiv", True),
    ]


def test_an_older_version_keeps_its_own_file_in_the_provenance() -> None:
    old = replace(see("jsonl", title="Tipo", abstract="Old."), file="a.jsonl")
    new = replace(see("jsonl", title="Typo", imported="2026-02-01"), file="b.jsonl")
    kept = replace(new, record=overlay(old.record, new.record))
    said = provenance([kept, old])
    assert [(one.field, one.value, one.file, one.chosen) for one in said] == [
        ("title", "Typo", "b.jsonl", True),
        ("title", "Tipo", "a.jsonl", False),
        ("abstract", "Old.", "a.jsonl", True),
    ]


values = st.sampled_from((None, "a", "b"))
sightings = st.builds(
    see,
    st.sampled_from(("acl", "program", "arxiv", "mine")),
    st.sampled_from("xyz"),
    title=values,
    abstract=values,
    venue=st.sampled_from((None, "ICML", "ICLR", "arXiv")),
    tldr=values,
    pages=values,
    year=st.sampled_from((None, 2023, 2024)),
    status=st.none() | st.sampled_from(Status),
    citations=st.none() | st.integers(0, 9),
    authors=st.sampled_from(
        ((), authors("Ada Lovelace"), authors("A. Lovelace", "Bo Li"), authors("Anonymous"))
    ),
    identifiers=st.dictionaries(st.sampled_from(("doi", "arxiv")), st.sampled_from("pq"), max_size=2),
    topic=st.sampled_from(((), ("A",), ("A", "B"), ("C",))),
)


@given(
    st.lists(sightings, min_size=1, max_size=4, unique_by=lambda one: (one.source, one.record.key)),
    st.randoms(),
)
def test_the_order_of_records_plays_no_part(found: list[Sighting], chance: object) -> None:
    shuffled = list(found)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert merge(found) == merge(shuffled)


@given(st.lists(sightings, min_size=1, max_size=4, unique_by=lambda one: (one.source, one.record.key)))
def test_what_somebody_says_is_never_lost_to_silence(found: list[Sighting]) -> None:
    paper = merge(found)
    for name in ("abstract", "tldr", "year", "citations", "topic", "authors"):
        said = any(getattr(one.record, name) not in (None, ()) for one in found)
        assert (getattr(paper, name) not in (None, ())) == said
    assert {*paper.identifiers} == {scheme for one in found for scheme in one.record.identifiers}


def test_what_knows_of_a_paper_still_does_not_list_it() -> None:
    gone = replace(see("program", title="Owls"), gone="2026-11-30")
    assert merge([gone, see("links", title="Owls"), see("openalex", title="Owls")]).gone == "2026-11-30"
    assert merge([gone, see("abstracts", abstract="On owls.")]).gone == "2026-11-30"
    assert merge([gone, see("arxiv", title="Owls")]).gone is None
