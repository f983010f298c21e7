from __future__ import annotations

from lunwen.doors.cli.column import align, when


def test_words_stand_left_and_counts_right() -> None:
    assert align([["file", "added"], ["鸮.json", 7], ["owls.json", 1200]]) == [
        "file       added",
        "鸮.json        7",
        "owls.json  1,200",
    ]
    assert align([]) == []


def test_a_moment_is_told_to_the_minute() -> None:
    assert when("2026-01-02T03:04:05.678+00:00") == "2026-01-02 03:04"
