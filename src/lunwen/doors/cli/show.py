"""``lunwen show``: one paper, whole."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.result import paper_lines, readable
from lunwen.doors.cli.screen import give, give_json, read_screen
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.text import wrap
from lunwen.doors.cli.wording import OneOf
from lunwen.export.shape import paper_dict

if TYPE_CHECKING:
    from lunwen.corpus.paper import Provenance
    from lunwen.doors.cli.screen import Screen


@command("show")
@click.argument("paper", metavar="ID")
@click.option("--provenance", is_flag=True, help="Which source says what of each field, and when it came in.")
@click.option("--lang", type=OneOf("language", ("zh", "en")), help="The language of its summary.")
def show(session: Session, *, paper: str, provenance: bool, lang: str | None) -> None:
    """Show one paper. ID: its paper_id, a DOI, an arXiv, OpenReview or ACL id, or a URL that holds one."""
    with session.open_library() as library:
        found = library.paper(paper)
        others = library.maybe_same(found.paper_id)
        said = library.provenance(found.paper_id) if provenance else []
    if session.as_json:
        shape = paper_dict(found)
        shape["maybe_same"] = [
            {"paper_id": one.paper_id, "title": one.title, "why": why} for one, why in others
        ]
        if provenance:
            shape["provenance"] = [asdict(one) for one in said]
        give_json(shape)
        return
    screen = read_screen(lang)
    give("\n".join(paper_lines(found, screen)))
    for other, why in others:
        give(f"{screen.style('maybe the same', dim=True)} {other.paper_id} {readable(other.title)} ({why})")
    for one in said:
        give(_provenance_line(one, screen))


def _provenance_line(one: Provenance, screen: Screen) -> str:
    mark = "*" if one.chosen else " "
    value = " ".join(str(one.value).split())
    short = "".join(wrap(value, screen.width, most=1))
    origin = screen.style(f"{one.source}, {one.file}, {one.imported}", dim=True)
    return f"\n{mark} {one.field} = {short}\n  {origin}"
