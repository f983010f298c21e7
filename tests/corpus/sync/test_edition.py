from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunwen.corpus.sync.edition import EDITIONS, edition_at, find_edition, find_editions
from lunwen.corpus.sync.page import Edition
from lunwen.corpus.sync.site import SITES
from lunwen.corpus.venue import canonical
from lunwen.errors import UnknownName, UsageError


def test_a_row_is_an_edition_for_each_of_its_years() -> None:
    assert find_edition("icml", 2026) == Edition(
        venue="ICML",
        year=2026,
        site="virtual",
        address="icml.cc/static/virtual/data/icml-2026",
        licence="program of the conference; abstracts are their authors'",
    )
    assert find_edition("ACL", 2009).address == "P09"
    assert find_edition("acl", 2025).address == "2025.acl 2025.findings/acl"
    assert find_edition("TMLR").address == "v2 TMLR"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("nips 2018 dblp", "neurips 2018 dblp"),
        ("NeurIPS 2025", "neurips 2025 virtual"),
        ("acl 2024", "acl 2024 acl"),
        ("acl findings 2024", "acl 2024 acl"),
        ("Findings of EMNLP 2021", "emnlp 2021 acl"),
        ("cl 2020", "computational linguistics 2020 acl"),
        ("acl anthology", "acl anthology acl"),
        ("  tmlr ", "tmlr openreview"),
        ("icml2026", "icml 2026 virtual"),
        ("nips'25", "neurips 2025 virtual"),
        ("acl98", "acl 1998 acl"),
    ],
)
def test_an_edition_is_found_by_words(words: str, name: str) -> None:
    assert find_edition(words).name == name


def test_without_a_year_it_is_the_latest() -> None:
    assert find_edition("naacl").year == max(
        edition.year or 0 for edition in EDITIONS if edition.venue == "NAACL"
    )
    assert find_edition("nips", site="dblp").name == find_edition("neurips", 2026, site=" DBLP ").name


def test_the_best_site_goes_first() -> None:
    sites = [edition.site for edition in find_editions("iclr") if edition.year == 2024]
    assert sites[0] == "virtual"
    assert sites.index("openreview") < sites.index("paperlists") < sites.index("dblp")


@given(st.sampled_from(EDITIONS))
def test_every_edition_is_found_by_its_name_and_by_its_parts(edition: Edition) -> None:
    assert find_edition(edition.name) == edition
    assert find_edition(edition.name.upper()) == edition
    if edition.year:
        assert find_edition(edition.venue, edition.year, site=edition.site) == edition


def test_the_table_is_sound() -> None:
    names = [edition.name for edition in EDITIONS]
    assert len(names) == len(set(names))
    for edition in EDITIONS:
        assert edition.site in SITES
        assert canonical(edition.venue) == edition.venue
        assert edition.licence
        assert "{" not in edition.address
        assert edition.year is None or 1950 < edition.year < 2100


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ("icmll", 2026, None),
            'no venue "icmll" among the sources. Closest: ICML, ICLR, ACML. List all with: lunwen sources',
        ),
        (
            ("mlsys", 1999, "virtual"),
            "no MLSys 1999 at virtual. Closest: MLSys 2022. Years: 2022–2026. List all with: lunwen sources",
        ),
        (
            ("colm", 2019, "paperlists"),
            "no COLM 2019 at paperlists. Closest: COLM 2024. Years: 2024–2025. List all with: lunwen sources",
        ),
        (("tmlr", 2024, None), "TMLR has no years, and 2024 was given. Leave it out."),
        (("tmlr", None, "acl"), 'TMLR is not followed at "acl". Sites: openreview.'),
    ],
)
def test_what_is_not_in_the_table_is_refused(asked: tuple[str, int | None, str | None], said: str) -> None:
    venue, year, site = asked
    with pytest.raises(UnknownName) as refused:
        find_edition(venue, year, site=site)
    assert str(refused.value) == said


def test_a_file_at_a_url_is_an_edition_called_by_it() -> None:
    edition = find_edition("https://example.org/Lists/Odd.JSON?raw=1#top")
    assert edition.site == "file"
    assert edition.name == edition.address == "https://example.org/Lists/Odd.JSON?raw=1"
    assert find_edition(edition.name) == edition


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "http://example.org/a",
            '"http://example.org/a" cannot be followed. Give an address that begins with https://',
        ),
        (
            "ftp://example.org/a",
            '"ftp://example.org/a" cannot be followed. Give an address that begins with https://',
        ),
        (
            "https://ada:secret@example.org/a",
            "The address at example.org holds a name or password, which would be kept. Give it without.",
        ),
    ],
)
def test_other_addresses_are_refused(url: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        edition_at(url)
    assert str(refused.value) == said
