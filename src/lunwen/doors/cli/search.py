"""``lunwen search``: find papers."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from lunwen.doors.cli.asking import takes_request
from lunwen.doors.cli.result import item_lines
from lunwen.doors.cli.screen import Screen, give, give_json, read_screen, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import OneOf
from lunwen.doors.shape import request_dict, response_dict

if TYPE_CHECKING:
    from lunwen.retrieval.request import SearchRequest, SearchResponse

EXAMPLES = """\b
Examples:
  lunwen search first-order bilevel
  lunwen search '"in-context learning" author:li -vision' --year 2023.. --venue ICLR
  lunwen search --venue ICML --topic "Deep Learning" --sort newest --json
  lunwen search -- -vision language
"""


@command("search", epilog=EXAMPLES)
@takes_request()
@click.option(
    "--lang", type=OneOf("language", ("zh", "en")), help="The language of the few words around papers."
)
def search(session: Session, request: SearchRequest, *, lang: str | None) -> None:
    """Find papers. A filter given several times means any of its values; different filters must all hold."""
    with session.open_library() as library:
        response = library.search(request)
    for warning in response.warnings:
        say(f"lunwen: {warning}")
    if session.as_json:
        give_json(response_dict(response))
        return
    screen = read_screen(lang)
    for item in response.items:
        give("\n".join([*item_lines(item, screen), ""]))
    give("\n".join(_foot(response, screen)))


def _foot(response: SearchResponse, screen: Screen) -> list[str]:
    shown = len(response.items)
    about = "" if response.total_is_exact else "about "
    papers = "paper" if response.total == 1 else "papers"
    first = response.offset + 1
    part = f"{first}–{response.offset + shown} of " if shown and shown < response.total else ""
    lines = [screen.style(f"{part}{about}{response.total:,} {papers}, {response.took_ms:.1f} ms", bold=True)]
    lines += [line for line in (response.query_reading, response.explanation) if line]
    for one in response.suggestions:
        lines.append(f"Try: {command_line(one.request)}  ({one.total:,}; {one.why})")
    if response.next_offset is not None and shown:
        lines.append(screen.style(f"More: --offset {response.next_offset}", dim=True))
    return lines


def command_line(request: SearchRequest) -> str:
    """Write the command that makes this request, ready to copy into a shell."""
    asked = request_dict(request)
    query = asked.pop("query", "")
    words = ["lunwen", "search"]
    for name, value in asked.items():
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{name}", str(one)]
    words += ["--", query] if query.startswith("-") else [query] if query else []
    return shlex.join(words)
