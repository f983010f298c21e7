"""``lunwen stats``, ``venues`` and ``topics``: what is in the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from lunwen.doors.cli.column import align, when
from lunwen.doors.cli.ingest import COUNTS
from lunwen.doors.cli.screen import give, give_json, read_screen
from lunwen.doors.cli.session import Session, command
from lunwen.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

IMPORTS_SHOWN = 10


@command("stats")
def stats(session: Session) -> None:
    """Count what is in the library."""
    with session.open_library() as library:
        counted = library.stats()
    if session.as_json:
        give_json(counted)
        return
    imports: Any = counted.pop("imports", [])
    waiting = sum(one.get("waiting", 0) for one in imports)
    for line in _lines(counted):
        give(line)
    if waiting:
        says = "record that waits for its paper" if waiting == 1 else "records that wait for their paper"
        give(f"{'waiting':<20} {waiting:,} {says}")
    if imports:
        give("imports")
    for line in _import_lines(imports):
        give(f"  {line}")


def _lines(counted: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for name, value in counted.items():
        label = name.replace("_", " ") if not indent else name
        if isinstance(value, dict):
            yield f"{indent}{label}"
            yield from _lines(value, f"{indent}  ")
        else:
            yield f"{indent}{label:<20} {_number(value)}"


def _import_lines(imports: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = [
        [when(one["imported"]), one["file"], one["source"], *(one.get(name, 0) for name in COUNTS)]
        for one in imports[: -IMPORTS_SHOWN - 1 : -1]
    ]
    earlier = len(imports) - len(rows)
    lines = align([["imported (UTC)", "file", "source", *COUNTS], *rows]) if rows else []
    return [*lines, f"… and {earlier:,} earlier"] if earlier else lines


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


@command("venues")
@click.argument("words", nargs=-1)
def venues(session: Session, *, words: tuple[str, ...]) -> None:
    """List the venues.

    All, or those whose names hold the WORDS, with their papers and years.
    """
    with session.open_library() as library:
        rows = library.venues()
    wanted = [word.lower() for word in words]
    rows = [row for row in rows if all(word in str(row["venue"]).lower() for word in wanted)]
    if not rows and wanted:
        raise NotFound(f'no venue has "{" ".join(words)}" in its name. List all with: lunwen venues')
    if session.as_json:
        give_json(rows)
        return
    width = max((len(str(row["venue"])) for row in rows), default=0)
    for row in rows:
        give(f"{row['venue']!s:<{width}}  {row['papers']:>8,}  {_span(row['years'])}")


def _span(years: object) -> str:
    """Write years as ranges: 2018, 2020–2024."""
    spans: list[list[int]] = []
    for year in sorted(year for year in years if year) if isinstance(years, Mapping) else ():
        if spans and year == spans[-1][1] + 1:
            spans[-1][1] = year
        else:
            spans.append([year, year])
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in spans)


@command("topics")
@click.option(
    "--depth", type=click.IntRange(min=1), metavar="N", help="Show N levels of the tree; default: all."
)
def topics(session: Session, *, depth: int | None) -> None:
    """Show the tree of topics."""
    with session.open_library() as library:
        values = library.topics()
    rows = [(tuple(one.value.split("/")), one.count) for one in values]
    rows = [(path, count) for path, count in rows if depth is None or len(path) <= depth]
    if session.as_json:
        give_json([{"value": "/".join(path), "count": count} for path, count in rows])
        return
    screen = read_screen()
    for path, count in _by_branch(rows):
        give(f"{'  ' * (len(path) - 1)}{path[-1]}  {screen.style(f'{count:,}', dim=True)}")


def _by_branch(rows: list[tuple[tuple[str, ...], int]]) -> list[tuple[tuple[str, ...], int]]:
    """Order a tree for reading: below each topic its own, the larger first."""
    size = dict(rows)

    def place(row: tuple[tuple[str, ...], int]) -> list[tuple[int, str]]:
        path = row[0]
        return [(-size.get(path[: end + 1], 0), path[end]) for end in range(len(path))]

    return sorted(rows, key=place)
