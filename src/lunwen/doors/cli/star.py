"""``lunwen star`` and ``lunwen list``: papers kept in named collections, with notes."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from lunwen.corpus.shelf import STARRED, tidy_name
from lunwen.doors.cli.column import align, when
from lunwen.doors.cli.result import item_lines
from lunwen.doors.cli.screen import give, give_json, read_screen, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import OneOf
from lunwen.errors import UsageError
from lunwen.export.shape import paper_dict
from lunwen.retrieval.request import Item

if TYPE_CHECKING:
    from lunwen.corpus.paper import Paper
    from lunwen.doors.cli.screen import Screen

EXAMPLES = """\b
Examples:
  lunwen star 2505.21336 --note "the proof of Lemma 3"
  lunwen star P17-1001 P17-1002 --in "to read"
  lunwen star P17-1001 --in "to read" --remove
  lunwen star P17-1001 --note ""
"""


@command("star", epilog=EXAMPLES)
@click.argument("papers", metavar="ID…", nargs=-1, required=True)
@click.option("--in", "name", metavar="NAME", default=STARRED, show_default=True, help="The collection.")
@click.option("--remove", is_flag=True, help="Take the papers out of the collection instead.")
@click.option("--note", metavar="TEXT", help="Keep a note with each paper; an empty one removes it.")
def star(session: Session, *, papers: tuple[str, ...], name: str, remove: bool, note: str | None) -> None:
    """Put papers into a collection, which is made where there is none. ID: as for "lunwen show"."""
    with session.open_library() as library:
        with library.keeping():
            changed = (library.unstar if remove else library.star)(papers, name)
            for paper in papers if note is not None else ():
                library.note(paper, note)
        named = tidy_name("collection", name)
        held = next((one.papers for one in library.collections() if one.name == named), 0)
    if session.as_json:
        give_json({"collection": named, "papers": held, "removed" if remove else "added": changed})
        return
    done = "taken out of" if remove else "added to"
    say(f'lunwen: {_papers(changed)} {done} "{named}", which has {_papers(held)}')


@command("list")
@click.argument("name", required=False)
@click.option("--rename", metavar="NEW", help="Give the collection another name.")
@click.option("--delete", is_flag=True, help="Take all papers out of the collection, which ends it.")
@click.option("--lang", type=OneOf("language", ("zh", "en")), help="The language of the papers' summaries.")
def list_collections(
    session: Session, *, name: str | None, rename: str | None, delete: bool, lang: str | None
) -> None:
    """List the collections, or the papers of the collection NAME in the order in which they came in."""
    if (rename is not None or delete) and name is None:
        raise UsageError("no collection named. Name one, as in: lunwen list NAME --delete")
    if rename is not None and delete:
        raise UsageError("--rename and --delete do not go together. Give one of them")
    with session.open_library() as library:
        if name is None:
            collections = library.collections()
        elif rename is not None:
            library.rename_collection(name, rename)
            return _tell(session, {"collection": rename, "renamed": name}, f'"{name}" is now "{rename}"')
        elif delete:
            papers = library.delete_collection(name)
            said = f'{_papers(papers)} taken out of "{name}"'
            return _tell(session, {"collection": name, "removed": papers}, said)
        else:
            kept = library.collection(name)
            notes = library.notes([paper.paper_id for paper, _ in kept])
    if name is not None:
        return _give_papers(session, kept, notes, read_screen(lang))
    if session.as_json:
        return give_json([asdict(one) for one in collections])
    for line in align([(one.name, when(one.changed), one.papers) for one in collections]):
        give(line)
    return None


def _give_papers(
    session: Session, kept: list[tuple[Paper, str]], notes: dict[str, str], screen: Screen
) -> None:
    if session.as_json:
        give_json(
            [paper_dict(paper) | {"added": added, "note": notes.get(paper.paper_id)} for paper, added in kept]
        )
        return
    for paper, added in kept:
        *lines, last = item_lines(Item(paper=paper, score=None), screen)
        note = [f"note: {notes[paper.paper_id]}"] if paper.paper_id in notes else []
        give("\n".join([*lines, *note, f"{last} {screen.style(f'added {when(added)}', dim=True)}", ""]))
    give(screen.style(_papers(len(kept)), bold=True))


def _tell(session: Session, shape: dict[str, object], said: str) -> None:
    if session.as_json:
        give_json(shape)
    else:
        say(f"lunwen: {said}")


def _papers(count: int) -> str:
    return f"{count:,} {'paper' if count == 1 else 'papers'}"
