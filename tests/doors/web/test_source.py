"""The page of what can be followed."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from lunwen.corpus.sync.survey import Followable, Synced


def _found(_words: str = "") -> list[Followable]:
    failed = Synced(
        edition="owls 2026 barn",
        year=2026,
        synced="2026-07-06T10:00:00.000+00:00",
        outcome="failed",
        reason="barn.example gave <b>hay</b>, no JSON.",
        papers=3,
    )
    return [
        Followable(venue="Kites", site="sky", years=(2020, 2021), licence="CC0 1.0"),
        Followable(venue="Owls", site="barn", years=(2026,), licence="no licence stated", editions=(failed,)),
    ]


def test_what_is_followed_stands_first_with_how_it_stands_below(shelf, client):
    shelf.sources = _found
    rows = LexborHTMLParser(client.get("/sources").text).css("tbody tr")
    told = [[" ".join(cell.text(separator=" ").split()) for cell in row.css("th, td")] for row in rows]
    assert told == [
        ["Owls", "barn", "2026", "no licence stated"],
        ["owls 2026 barn : 3 papers · failed · 2026-07-06 10:00 barn.example gave <b>hay</b>, no JSON."],
        ["Kites", "sky", "2020–2021", "CC0 1.0"],
    ]
    zh = LexborHTMLParser(client.get("/sources", accept_language="zh").text)
    assert "3 篇 · 失败 · 2026-07-06 10:00" in zh.css_first(".stands").text()
