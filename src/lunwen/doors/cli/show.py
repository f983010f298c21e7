"""``lunwen show``: one paper, whole."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.column import align, when
from lunwen.doors.cli.result import paper_lines, readable, say_pdf
from lunwen.doors.cli.screen import give, give_json, read_screen
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.text import wrap
from lunwen.doors.cli.wording import OneOf
from lunwen.doors.shape import method_dict, method_of, pdf_dict
from lunwen.export.shape import paper_dict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lunwen.corpus.paper import Provenance
    from lunwen.doors.cli.screen import Screen
    from lunwen.methods import Method


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
        collections = library.collections_of([found.paper_id]).get(found.paper_id, [])
        pdf = library.pdf(found.paper_id)
        note = library.notes([found.paper_id]).get(found.paper_id)
    runs = method_of(found)
    if session.as_json:
        shape = paper_dict(found)
        shape["maybe_same"] = [
            {"paper_id": one.paper_id, "title": one.title, "why": why} for one, why in others
        ]
        shape |= {"collections": collections, "note": note}
        if pdf:
            shape["pdf"] = pdf_dict(pdf)
        if runs:
            shape["method"] = method_dict(runs)
        if provenance:
            shape["provenance"] = [asdict(one) for one in said]
        give_json(shape)
        return
    screen = read_screen(lang)
    give("\n".join(paper_lines(found, screen)))
    for other, why in others:
        give(f"{screen.style('maybe the same', dim=True)} {other.paper_id} {readable(other.title)} ({why})")
    told = (
        ("collections", ", ".join(collections)),
        ("your note", note),
        ("PDF here", pdf and f"{pdf.path} ({say_pdf(pdf)})"),
        ("its text", pdf and pdf.passages and "lunwen search text:WORD"),
    )
    for label, text in told:
        if text:
            give(f"{screen.style(f'{label:<12}', dim=True)} {text}")
    for line in _method_lines(runs, screen) if runs else ():
        give(line)
    for line in _provenance_lines(said, screen):
        give(line)


def _method_lines(method: Method, screen: Screen) -> Iterator[str]:
    from lunwen.doors.cli.claim import claim_table  # noqa: PLC0415 - few papers have a method
    from lunwen.methods import load, summary  # noqa: PLC0415 - same

    yield ""
    yield screen.style("this paper runs here", bold=True)
    yield from (f"    {line}" for line in method.card.example.strip().split("\n"))
    shape = summary(method, load(method))
    yield from claim_table(method, shape["claims"], screen)
    if shape["problem"]:
        yield from wrap(shape["problem"], screen.width)
    yield screen.style(
        f"more: lunwen method {method.method_id}   measure: lunwen check {method.method_id}", dim=True
    )


def _provenance_lines(said: Sequence[Provenance], screen: Screen) -> Iterator[str]:
    """Write each value once with the sources that have it, then where and when these came in."""
    sources: dict[tuple[str, bool, str], list[str]] = {}
    for one in said:
        named = sources.setdefault((one.field, one.chosen, _value(one.value)), [])
        if one.source not in named:
            named.append(one.source)
    width = max((len(name) for name, *_ in sources), default=0)
    if sources:
        yield ""
    for (name, chosen, value), named in sources.items():
        origin = ", ".join(named)
        room = max(screen.width - width - len(origin) - 6, 20)
        short = "".join(wrap(value, room, most=1))
        yield f"{'*' if chosen else ' '} {name:<{width}}  {short}  {screen.style(origin, dim=True)}"
    origins = dict.fromkeys((one.source, one.file, when(one.imported)) for one in said)
    if origins:
        yield ""
    yield from align([("source", "file", "imported (UTC)"), *origins] if origins else [])


def _value(value: object) -> str:
    """Write a value on one line."""
    text = ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
    return " ".join(text.split())
