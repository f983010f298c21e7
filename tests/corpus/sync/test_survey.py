from __future__ import annotations

from typing import TYPE_CHECKING

from lunwen.corpus.sync.edition import find_edition
from lunwen.corpus.sync.state import Follow
from lunwen.corpus.sync.survey import Followable, Synced, survey

if TYPE_CHECKING:
    from lunwen.corpus.sync.page import Edition


def follow(edition: Edition, **counts: int) -> Follow:
    return Follow(
        follow=1,
        edition=edition,
        with_rejected=False,
        walk=1,
        began=None,
        cursor=None,
        synced="2026-11-30T07:10:00.000+00:00",
        outcome="done",
        reason="",
        counts=counts,
    )


def test_a_venue_at_a_site_is_one_row_with_what_was_synced_of_it() -> None:
    found = survey([follow(find_edition("icml", 2026), papers=7)], "ICML virtual")
    assert [(one.venue, one.site) for one in found] == [("ICML", "virtual")]
    assert {2020, 2026} <= set(found[0].years)
    assert found[0].editions == (
        Synced(
            edition="icml 2026 virtual",
            year=2026,
            synced="2026-11-30T07:10:00.000+00:00",
            outcome="done",
            reason="",
            papers=7,
        ),
    )


def test_what_is_followed_and_in_no_table_is_listed_too() -> None:
    odd = find_edition("https://papers.example.org/odd.json")
    (one,) = survey([follow(odd)], "papers.example.org")
    assert one == Followable(
        venue=odd.venue, site="file", years=(), licence=odd.licence, editions=one.editions
    )
    assert one.editions[0].papers == 0


def test_words_are_looked_for_in_venue_site_and_years() -> None:
    everything = survey([])
    assert len({(one.venue, one.site) for one in everything}) == len(everything) > 50
    assert {one.site for one in survey([], "2026 openreview")} == {"openreview"}
    assert survey([], "icml nowhere") == []
