"""``lunwen methods``, ``method`` and ``check``: papers that run, and what was measured of their claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lunwen.doors.claim import find_method, looked_text, methods_with
from lunwen.doors.cli.claim import checked_lines, method_lines, standing
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
def methods(session: Session, *, words: tuple[str, ...], lang: str | None) -> int:
    """List the methods that run, with the verdicts on their claims.

    All, or those that have the WORDS in their id, name, title, authors, venue, area or claims.

    Exit code 1 where evidence is stale or damaged, or a control did not fail.
    """
    from lunwen.methods import load, summary  # noqa: PLC0415 - other commands need no methods

    chosen = methods_with(words)
    if not chosen:
        raise NotFound(
            f'no method has "{" ".join(words)}" in its title, authors, venue, area or claims. '
            "List all with: lunwen methods"
        )
    shapes = [summary(method, load(method)) for method in chosen]
    code = int(any(_is_amiss(shape) for shape in shapes))
    if session.as_json:
        give_json(shapes)
        return code
    screen = read_screen(lang)
    said = WORDS[screen.language]
    rows = [
        (shape["method_id"], method.name, said.named("area", shape["area"]), standing(shape, said))
        for method, shape in zip(chosen, shapes, strict=True)
    ]
    for method, line in zip(chosen, align(rows), strict=True):
        give(line)
        give(screen.style(f"        {readable(method.card.title)}", dim=True))
    return code


def _is_amiss(shape: dict[str, Any]) -> bool:
    """Whether a method's evidence is damaged or stale, or a control of it did not fail."""
    claims = shape["claims"]
    return bool(shape["problem"]) or any(one["stale"] or one["control_failed"] is False for one in claims)


@command("method")
@click.argument("name", metavar="ID")
@LANG
def method(session: Session, *, name: str, lang: str | None) -> None:
    """Show one method: what it is, how to use it, its claims and what was measured.

    ID: the method's own name, or an id or URL of its paper.
    """
    found = find_method(name)
    if session.as_json:
        give_json(method_dict(found))
        return
    for line in method_lines(found, read_screen(lang)):
        give(line)


@command("check", epilog=EXAMPLES)
@click.argument("names", metavar="ID…", nargs=-1)
@click.option("--full", is_flag=True, help="Full size, as the evidence is measured; default: a fast look.")
@click.option(
    "--seeds", type=click.IntRange(3, 1000), metavar="N", help="Runs per claim; default: 5, full 10."
)
@click.option("--write", is_flag=True, help="Keep what was measured as the method's evidence.")
@click.option("--plot", metavar="FILE", help="Draw what was measured into FILE, .svg or .png.")
@LANG
def check(
    session: Session,
    *,
    names: tuple[str, ...],
    full: bool,
    seeds: int | None,
    write: bool,
    plot: str | None,
    lang: str | None,
) -> int:
    """Measure the claims of methods; without an ID, of all.

    Exit code 1 where a control did not fail, or where the evidence on record is stale.
    """
    from lunwen.methods import check as measure  # noqa: PLC0415 - other commands need no methods
    from lunwen.methods import load, measured_summary, place  # noqa: PLC0415

    chosen = _chosen(names)
    form = _form(plot, chosen) if plot is not None else ""
    if plot:
        require_place(Path(plot))
    if write:
        for one in () if full else chosen:
            _refuse_less(one)
        require_place(place(chosen[0]), make=True)
    screen, shapes = read_screen(lang), []
    for one in chosen:
        before = load(one)
        with progress() as report:
            checked = measure(one, full=full, seeds=seeds, report=report)
        shape = measured_summary(checked)
        if not session.as_json:
            for line in checked_lines(one, shape["claims"], screen, whole=len(chosen) == 1):
                give(line)
            give(looked_text(shape, one, before, WORDS[screen.language]))
        if write:
            _write(checked)
            say(f"written to {place(one)}")
        if plot:
            _draw(checked, Path(plot), form)
        _heed_record(one, shape)
        shapes.append(shape)
    if session.as_json:
        give_json(shapes)
    loose = [
        f"{shape['method_id']} {claim['name']}"
        for shape in shapes
        for claim in shape["claims"]
        if not claim["control_failed"]
    ]
    if loose:
        say(f"lunwen: controls that did not fail: {', '.join(loose)}. Try more seeds: --seeds 20")
    return int(bool(loose) or any(claim["stale"] for shape in shapes for claim in shape["claims"]))


def _chosen(names: tuple[str, ...]) -> list[Method]:
    from lunwen.methods import listing  # noqa: PLC0415 - other commands need no methods

    return list(dict.fromkeys(map(find_method, names))) or list(listing())


def _refuse_less(method: Method) -> None:
    """Keep evidence of full size from being replaced by a fast look.

    Raises:
        UsageError: it would be.
    """
    from lunwen.methods import load  # noqa: PLC0415 - other commands need no methods

    record = load(method)
    if record and record.made.get("scale") == "full":
        raise UsageError(
            f"the evidence of {method.method_id} is of full size, {record.made['seeds']} seeds; "
            "a fast look does not replace it. Give --full, or leave out --write"
        )


def _heed_record(method: Method, shape: dict[str, Any]) -> None:
    """Mark claims as stale where the evidence on record is, and say so."""
    from lunwen.methods import load  # noqa: PLC0415 - other commands need no methods

    record = load(method)
    stale = bool(record and record.stale)
    for claim in shape["claims"]:
        claim["stale"] = claim["stale"] or stale
    if record and record.problem:
        say(f"lunwen: {record.problem}")
    elif stale:
        say(
            f"lunwen: the evidence of {method.method_id} is stale: a file of its method changed. "
            f"Measure again with: lunwen check {method.method_id} --full --write"
        )


def _form(plot: str, chosen: list[Method]) -> str:
    """Return the form that the name of the plot's file asks for.

    Raises:
        UsageError: neither SVG nor PNG, or one file for several methods.
    """
    form = Path(plot).suffix.lower().removeprefix(".")
    if form not in {"svg", "png"}:
        raise UsageError(
            f'no plot can be named "{plot}". Allowed: names that end in .svg or .png. Name it so: claims.svg'
        )
    if len(chosen) > 1:
        raise UsageError(f"one plot for {len(chosen)} methods. Allowed: one. Give one ID with --plot")
    return form


def _write(checked: Checked) -> None:
    """Put the evidence and its picture in place; should but one get there, the picture is not shown."""
    from lunwen.methods import mark, place, text  # noqa: PLC0415 - other commands need no methods

    path, said = place(checked.method), text(checked)
    with replacing(path) as evidence, replacing(path.with_suffix(".svg")) as picture:
        evidence.write(said)
        picture.buffer.write(_picture(checked, "svg", mark(said)))


def _draw(checked: Checked, path: Path, form: str) -> None:
    with replacing(path) as stream:
        stream.buffer.write(_picture(checked, form))


def _picture(checked: Checked, form: str, mark: str | None = None) -> bytes:
    from lunwen.methods import plot  # noqa: PLC0415 - other commands need no methods

    evidence = {one.claim.name: one.evidence for one in checked.claims}
    return plot(checked.method, evidence, form=form, mark=mark)
