"""``lunwen watch``: saved searches, and what is new to them."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from lunwen.doors.cli.asking import takes_request
from lunwen.doors.cli.column import align, when
from lunwen.doors.cli.result import item_lines
from lunwen.doors.cli.screen import give, give_json, read_screen, say
from lunwen.doors.cli.search import command_line
from lunwen.doors.cli.session import Session, command
from lunwen.doors.shape import request_dict, response_dict, watch_dict
from lunwen.errors import UsageError
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from lunwen.library import Library
    from lunwen.retrieval.watch import Watch

EXAMPLES = """\b
Examples:
  lunwen watch add bilevel first-order bilevel --venue ICML
  lunwen watch                  each with how many papers are new
  lunwen watch bilevel          the new ones; once all are shown they are no longer new
  lunwen watch remove bilevel
"""


@command("watch", epilog=EXAMPLES)
@click.argument("words", nargs=-1, metavar="[NAME | add NAME [QUERY]... | remove NAME]")
@takes_request(without=("query",))
@click.option("--keep", is_flag=True, help="Leave new what is shown.")
def watch(session: Session, request: SearchRequest, *, words: tuple[str, ...], keep: bool) -> None:
    """Save searches, and see what is new to them since the last visit.

    New are papers that entered the library since; one that only changed is not. QUERY and filters are as for
    "lunwen search".
    """
    asks = replace(request, limit=SearchRequest().limit, offset=0) != SearchRequest()
    if asks and words[:1] != ("add",):
        raise UsageError(
            "a saved search has its own filters. Save another with: lunwen watch add NAME QUERY --venue …"
        )
    with session.open_library() as library:
        match words:
            case ():
                _list(session, library)
            case ("add", name, *query):
                _add(session, library, name, replace(request, query=" ".join(query)))
            case ("remove", name):
                library.delete_watch(name)
                _tell(session, {"watch": name, "removed": True}, f'"{name}" is no longer watched')
            case ("add" | "remove",):
                raise UsageError(f"{words[0]} what? Give a name: lunwen watch {words[0]} NAME")
            case (name,):
                _show(session, library, name, request, keep=keep)
            case _:
                raise UsageError(
                    f'one NAME is allowed, "{" ".join(words)}" are {len(words)} words. Put quotes around it, '
                    f"or save a search with: lunwen watch add NAME QUERY"
                )


def _list(session: Session, library: Library) -> None:
    watches = library.watches()
    if session.as_json:
        give_json([watch_dict(one) for one in watches])
        return
    rows = [
        (one.name, f"{one.new:,} new" if one.new is not None else "? new", when(one.visited), _command(one))
        for one in watches
    ]
    for line, one in zip(align(rows), watches, strict=True):
        give(line)
        if one.problem:
            say(f"lunwen: {one.name}: {one.problem}")
    if not watches:
        say("lunwen: no search is saved. Save one with: lunwen watch add NAME QUERY")


def _add(session: Session, library: Library, name: str, request: SearchRequest) -> None:
    response = library.save_watch(name, request)
    for warning in response.warnings:
        say(f"lunwen: {warning}")
    shape = {"watch": name, "request": request_dict(request), "total": response.total}
    later = shlex.join(["lunwen", "watch", name])
    said = f'"{name}" finds {response.total:,} now; what comes in from here on is shown by: {later}'
    _tell(session, shape, said)


def _show(session: Session, library: Library, name: str, request: SearchRequest, *, keep: bool) -> None:
    news = library.watch(name, limit=request.limit, offset=request.offset)
    response = news.response
    seen = response.next_offset is None and not keep
    if session.as_json:
        give_json(watch_dict(news.watch) | {"seen": seen, "response": response_dict(response)})
    else:
        screen = read_screen()
        for item in response.items:
            give("\n".join([*item_lines(item, screen), ""]))
        give(screen.style(f"{response.total:,} new since {when(news.watch.visited)}", bold=True))
        if response.next_offset is not None:
            rest = f"More: --offset {response.next_offset}. They stay new until the last of them is shown"
            give(screen.style(rest, dim=True))
    for warning in response.warnings:
        say(f"lunwen: {warning}")
    if seen:  # last, so that whatever stopped before leaves them new
        library.visit(name, news.last)


def _command(watch: Watch) -> str:
    return command_line(watch.request).removeprefix("lunwen search").strip()


def _tell(session: Session, shape: dict[str, Any], said: str) -> None:
    if session.as_json:
        give_json(shape)
    else:
        say(f"lunwen: {said}")
