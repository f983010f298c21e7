"""``lunwen open``: a paper in the program that shows it."""

from __future__ import annotations

import click

from lunwen.doors.cli.screen import give, give_json, say
from lunwen.doors.cli.session import Session, command
from lunwen.errors import CouldNot, NotFound
from lunwen.export.link import paper_link


@command("open")
@click.argument("paper", metavar="ID")
@click.option("--print", "only_print", is_flag=True, help="Only print what would be opened.")
def open_paper(session: Session, *, paper: str, only_print: bool) -> None:
    """Open a paper's PDF where it was fetched, else its page on the web. ID: as for "lunwen show"."""
    with session.open_library() as library:
        found = library.paper(paper)
        pdf = library.pdf(found.paper_id)
    target = str(pdf.path) if pdf and pdf.path.is_file() else paper_link(found)
    if not target:
        raise NotFound(
            f'no PDF and no address of "{found.paper_id}" is known. '
            f'Give a PDF with: lunwen fetch "{found.paper_id}" --file PATH.pdf'
        )
    if session.as_json:
        give_json({"paper_id": found.paper_id, "target": target})
    elif only_print:
        give(target)
    if only_print:
        return
    if click.launch(target):
        raise CouldNot(
            f'no program opens "{target}". Where it is, to be opened by hand: lunwen open ID --print'
        )
    say(f"lunwen: opened {target}")
