"""``lunwen similar``: the papers nearest in meaning to one."""

from __future__ import annotations

import click

from lunwen.doors.cli.result import item_lines
from lunwen.doors.cli.screen import give, give_json, read_screen, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import LANG, Number
from lunwen.doors.parameter import limit_of
from lunwen.export.shape import paper_dict
from lunwen.retrieval.request import Item

LIMIT = limit_of("Papers", 20)


@command("similar")
@click.argument("paper", metavar="ID")
@click.option(
    "-n", "--limit", type=Number(LIMIT), default=20, show_default=True, metavar="N", help=LIMIT.help
)
@LANG
def similar(session: Session, *, paper: str, limit: int, lang: str | None) -> None:
    """Find papers like one paper, the nearest in meaning first. ID: as for "lunwen show".

    For a text that is no paper of the library, paste it: lunwen search "its abstract".
    """
    with session.open_library() as library:
        found = library.similar(paper, limit)
        why_none = "" if found else library.why_none_similar
    if session.as_json:
        give_json([paper_dict(one) | {"cosine": round(cosine, 4)} for one, cosine in found])
        return
    if why_none:
        say(f"lunwen: {why_none}")
    screen = read_screen(lang)
    for one, cosine in found:
        head, *lines = item_lines(Item(paper=one, score=None), screen)
        give(
            "\n".join(
                [head, *lines[:-1], f"{lines[-1]} {screen.style(f'cosine {cosine:.3f}', dim=True)}", ""]
            )
        )
