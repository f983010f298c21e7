"""``lunwen author``: one author with all their papers, and with whom and where they wrote them."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.column import align
from lunwen.doors.cli.result import readable
from lunwen.doors.cli.screen import give, give_json, read_screen
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.text import cells, wrap
from lunwen.doors.cli.wording import LANG
from lunwen.doors.shape import author_dict
from lunwen.doors.translate import translate
from lunwen.doors.words import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lunwen.corpus.person import Person
    from lunwen.doors.cli.screen import Screen
    from lunwen.doors.words import Words

WIDE = 10  # columns of a label
SHOWN = 10  # co-authors and venues; --json has all

EXAMPLES = """\b
Examples:
  lunwen author "Ada Lovelace"
  lunwen author 0000-0002-1825-0097
  lunwen author ada-lovelace --json
"""


@command("author", epilog=EXAMPLES)
@click.argument("author", metavar="NAME…", nargs=-1, required=True)
@LANG
def author(session: Session, *, author: tuple[str, ...], lang: str | None) -> None:
    """Show one author: papers by year, co-authors, venues, and who may be the same person.

    NAME: a whole name, an ORCID, or the id of an author that lunwen or a source gives.
    """
    with session.open_library() as library:
        person = library.author(" ".join(author))
    if session.as_json:
        give_json(author_dict(person))
        return
    screen = read_screen(lang)
    for line in _lines(person, screen):
        give(line)


def _lines(person: Person, screen: Screen) -> Iterator[str]:
    words = WORDS[screen.language]
    say = partial(_say, words)
    yield screen.style(person.name, bold=True)
    hidden = f"{person.hidden:,}"
    more = say(f"and {hidden} rejected or withdrawn", "hidden_papers", hidden) if person.hidden else ""
    yield f"{words.count('papers', len(person.papers))} {more}".rstrip()
    facts = {
        say("also as", "also_spelled"): person.spellings,
        say("coauthors", "coauthors"): _counted([(one.name, one.papers) for one in person.coauthors], say),
        say("venues", "venues"): _counted([*person.venues.items()], say),
        say("ids", "ids"): (
            person.author_id,
            *(one for one in person.source_ids if one != person.author_id),
        ),
    }
    for label, values in facts.items():
        for at, line in enumerate(wrap(", ".join(values), screen.width - WIDE - 1)):
            shown = "" if at else label
            yield f"{screen.style(shown + ' ' * (WIDE - cells(shown)), dim=True)} {line}"
    rows = [
        (one.author_id, one.name, translate(one.why, screen.language), one.papers)
        for one in person.maybe_same
    ]
    if rows:
        yield ""
        yield screen.style(say("maybe the same", "maybe_same_person"), dim=True)
        yield from (f"  {line}" for line in align(rows))
    for year, papers in groupby(person.papers, key=lambda paper: paper.year):
        yield ""
        yield screen.style(str(year or say("year unknown", "no_year")), fg="green")
        for paper in papers:
            yield from wrap(readable(paper.title), screen.width)
            yield screen.style(" · ".join(part for part in (paper.venue, paper.paper_id) if part), dim=True)


def _counted(pairs: Sequence[tuple[str, int]], say: Callable[..., str]) -> list[str]:
    shown = [f"{name} {count:,}" for name, count in pairs[:SHOWN]]
    rest = f"{len(pairs) - SHOWN:,}"
    return [*shown, say(f"and {rest} more", "others", rest)] if len(pairs) > SHOWN else shown


def _say(words: Words, english: str, key: str, number: str = "") -> str:
    """What is said in English here, or what the page says of it in another language."""
    return english if words.language == "en" else words(key, n=number)
