"""``lunwen methods``, ``method`` and ``check``: papers that run, and what was measured of their claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.claim import claim_lines, method_lines, tally
from lunwen.doors.cli.column import align
from lunwen.doors.cli.output import replacing, require_place
from lunwen.doors.cli.progress import progress
from lunwen.doors.cli.result import readable
from lunwen.doors.cli.screen import give, give_json, read_screen, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import LANG
from lunwen.doors.shape import method_dict
from lunwen.doors.words import WORDS
from lunwen.errors import NotFound, UsageError

if TYPE_CHECKING:
    from lunwen.methods import Checked, Method

EXAMPLES = """\b
Examples:
  lunwen check 001-09
  lunwen check ffcp --plot claims.svg
  lunwen check --full --write
"""


@command("methods")
@click.argument("words", nargs=-1)
@LANG
def methods(session: Session, *, words: tuple[str, ...], lang: str | None) -> None:
    """List the methods that run, with the verdicts on their claims.

    All, or those whose title, area, id or name holds the WORDS.
    """
    from lunwen.methods import listing, load, summary  # noqa: PLC0415 - other commands need no methods

    chosen = [method for method in listing() if method.has(words)]
    if not chosen:
        raise NotFound(
            f'no method has "{" ".join(words)}" in its title or area. List all with: lunwen methods'
        )
    shapes = [summary(method, load(method)) for method in chosen]
    if session.as_json:
        give_json(shapes)
        return
    screen = read_screen(lang)
    said = WORDS[screen.language]
    rows = [
        (shape["method_id"], method.name, said.named("area", shape["area"]), tally(shape, said))
        for method, shape in zip(chosen, shapes, strict=True)
    ]
    for method, line in zip(chosen, align(rows), strict=True):
        give(line)
        give(screen.style(f"        {readable(method.card.title)}", dim=True))


@command("method")
@click.argument("name", metavar="ID")
def method(session: Session, *, name: str) -> None:
    """Show one method: what it is, how to use it, its claims and what was measured.

    ID: the paper's id in the catalogue, or the method's own name.
    """
    from lunwen.methods import find  # noqa: PLC0415 - other commands need no methods

    found = find(name)
    if session.as_json:
        give_json(method_dict(found))
        return
    for line in method_lines(found, read_screen()):
        give(line)


@command("check", epilog=EXAMPLES)
@click.argument("names", metavar="ID…", nargs=-1)
@click.option("--full", is_flag=True, help="Full size, as the evidence is measured; default: a fast look.")
@click.option(
    "--seeds", type=click.IntRange(2, 1000), metavar="N", help="Runs per claim; default: 5, full 10."
)
@click.option("--write", is_flag=True, help="Keep what was measured as the method's evidence.")
@click.option("--plot", metavar="FILE", help="Draw what was measured into FILE, .svg or .png.")
def check(
    session: Session, *, names: tuple[str, ...], full: bool, seeds: int | None, write: bool, plot: str | None
) -> int:
    """Measure the claims of methods; without an ID, of all.

    Exit code 1 where a control did not fail, or where the evidence on record is stale.
    """
    from lunwen.methods import check as measure  # noqa: PLC0415 - other commands need no methods
    from lunwen.methods import find, listing, load, measured_summary, place  # noqa: PLC0415

    chosen = [find(name) for name in dict.fromkeys(names)] or list(listing())
    form = _form(plot, chosen) if plot else ""
    if plot:
        require_place(Path(plot))
    if write:
        require_place(place(chosen[0]), make=True)
    screen, shapes = read_screen(), []
    for one in chosen:
        with progress() as report:
            checked = measure(one, full=full, seeds=seeds, report=report)
        shape = measured_summary(checked)
        if write:
            _write(checked)
        record = load(one)
        stale, problem = (record.stale, record.problem) if record else (False, "")
        if problem:
            say(f"lunwen: {problem}")
        elif stale:
            say(
                f"the evidence of {one.method_id} is stale: its file changed. "
                f"Measure again with: lunwen check {one.method_id} --full --write"
            )
        for claim in shape["claims"]:
            claim["stale"] = claim["stale"] or stale
        shapes.append(shape)
        if plot:
            _draw(checked, Path(plot), form)
        if not session.as_json:
            for line in claim_lines(one, shape["claims"], screen):
                give(line)
    if session.as_json:
        give_json(shapes)
    claims = [claim for shape in shapes for claim in shape["claims"]]
    return int(any(claim["stale"] or not claim["control_failed"] for claim in claims))


def _form(plot: str, chosen: list[Method]) -> str:
    """Return the form that the name of the plot's file asks for.

    Raises:
        UsageError: neither SVG nor PNG, or one file for several methods.
    """
    form = Path(plot).suffix.lower().removeprefix(".")
    if form not in {"svg", "png"}:
        raise UsageError(
            f'no plot as "{Path(plot).suffix}". Allowed: .svg, .png. Name the file so: claims.svg'
        )
    if len(chosen) > 1:
        raise UsageError(f"one plot for {len(chosen)} methods. Allowed: one. Give one ID with --plot")
    return form


def _write(checked: Checked) -> None:
    """Put the evidence and its picture in place, each whole or not at all."""
    from lunwen.methods import place, text  # noqa: PLC0415 - other commands need no methods

    path = place(checked.method)
    _draw(checked, path.with_suffix(".svg"), "svg")
    with replacing(path) as stream:
        stream.write(text(checked))


def _draw(checked: Checked, path: Path, form: str) -> None:
    from lunwen.methods import plot  # noqa: PLC0415 - other commands need no methods

    picture = plot(checked.method, {one.claim.name: one.evidence for one in checked.claims}, form=form)
    with replacing(path) as stream:
        stream.buffer.write(picture)
