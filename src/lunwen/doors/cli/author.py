"""``lunwen author``: one author with all their papers, and with whom and where they wrote them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.column import align
from lunwen.doors.cli.result import readable
from lunwen.doors.cli.screen import give, give_json, read_screen
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.text import wrap
from lunwen.doors.shape import author_dict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lunwen.corpus.person import Person
    from lunwen.doors.cli.screen import Screen

SHOWN = 10  # co-authors and venues; --json has all

EXAMPLES = """\b
Examples:
  lunwen author "Ada Lovelace"
  lunwen author 0000-0002-1825-0097
  lunwen author ada-lovelace --json
"""


@command("author", epilog=EXAMPLES)
@click.argument("author", metavar="NAME…", nargs=-1, required=True)
def author(session: Session, *, author: tuple[str, ...]) -> None:
    """Show one author: papers by year, co-authors, venues, and who may be the same person.

    NAME: a whole name, an ORCID, or the id of an author that lunwen or a source gives.
    """
    with session.open_library() as library:
        person = library.author(" ".join(author))
    if session.as_json:
        give_json(author_dict(person))
        return
    screen = read_screen()
    for line in _lines(person, screen):
        give(line)


def _lines(person: Person, screen: Screen) -> Iterator[str]:
    yield screen.style(person.name, bold=True)
    count = len(person.papers)
    hidden = f" and {person.hidden:,} rejected or withdrawn" if person.hidden else ""
    yield f"{count:,} {'paper' if count == 1 else 'papers'}{hidden}"
    facts = {
        "also as": person.spellings,
        "coauthors": _counted((one.name, one.papers) for one in person.coauthors),
        "venues": _counted(person.venues.items()),
        "ids": (person.author_id, *(one for one in person.source_ids if one != person.author_id)),
    }
    for name, values in facts.items():
        for at, line in enumerate(wrap(", ".join(values), screen.width - 11)):
            label = screen.style(f"{'' if at else name:<10}", dim=True)
            yield f"{label} {line}"
    rows = [(one.author_id, one.name, one.why, one.papers) for one in person.maybe_same]
    if rows:
        yield ""
        yield screen.style("maybe the same", dim=True)
        yield from (f"  {line}" for line in align(rows))
    for year, papers in groupby(person.papers, key=lambda paper: paper.year):
        yield ""
        yield screen.style(str(year or "year unknown"), fg="green")
        for paper in papers:
            yield from wrap(readable(paper.title), screen.width)
            yield screen.style(" · ".join(part for part in (paper.venue, paper.paper_id) if part), dim=True)


def _counted(pairs: Iterable[tuple[str, int]]) -> list[str]:
    shown = [f"{name} {count:,}" for name, count in pairs]
    return [*shown[:SHOWN], f"and {len(shown) - SHOWN:,} more"] if len(shown) > SHOWN else shown
