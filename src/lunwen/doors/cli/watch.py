"""``lunwen watch``: saved searches, and what is new to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from lunwen.corpus.shelf import tidy_name
from lunwen.doors.cli.asking import takes_request
from lunwen.doors.cli.column import align, when
from lunwen.doors.cli.news import FORMATS, NONE_SAVED, Showing, say_search, show_news, watch_command
from lunwen.doors.cli.screen import give, give_json, read_screen, say
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import LANG, OneOf
from lunwen.doors.shape import request_dict, watch_dict
from lunwen.errors import UsageError
from lunwen.retrieval.request import SearchRequest

if TYPE_CHECKING:
    from lunwen.doors.cli.screen import Screen
    from lunwen.library import Library

EXAMPLES = """\b
Examples:
  lunwen watch add bilevel first-order bilevel --venue ICML
  lunwen watch                  each with how many papers are new
  lunwen watch bilevel          the new ones; once all are shown they are no longer new
  lunwen watch --all            the new ones of every saved search; they stay new
  lunwen watch --format atom -o new.xml
  lunwen watch --since-sync --format mail --to you@example.org | sendmail -t
  lunwen watch remove bilevel
"""


@command("watch", epilog=EXAMPLES)
@click.argument("words", nargs=-1, metavar="[NAME | add NAME [QUERY]... | remove NAME]")
@takes_request(without=("query",))
@click.option("--all", "all_", is_flag=True, help="What is new to every saved search.")
@click.option("--since-sync", is_flag=True, help="What the last sync brought, seen or not.")
@click.option(
    "--format",
    "form",
    type=OneOf("format", FORMATS),
    default="text",
    show_default=True,
    help="A feed or a mail is of NAME, or of every saved search. No mail is written of nothing.",
)
@click.option("-o", "--output", metavar="FILE", help="Write the feed to FILE, never half of it.")
@click.option("--to", metavar="ADDRESS", multiple=True, help="Whom the mail is for; default: LUNWEN_CONTACT.")
@click.option("--from", "sender", metavar="ADDRESS", help="Who it is from; default: whom it is for.")
@click.option(
    "--mark/--keep",
    default=None,
    help="Count what is shown to its end as seen, or leave it new. "
    "Default: mark what NAME shows as text or JSON, keep the rest.",
)
@LANG
def watch(
    session: Session,
    request: SearchRequest,
    *,
    words: tuple[str, ...],
    all_: bool,
    lang: str | None,
    **given: Any,
) -> int:
    """Save searches, and see what is new to them since the last visit.

    New are papers that entered the library since; one that only changed is not. QUERY and filters are as for
    "lunwen search". Of each search -n papers are shown, and how many more there are.
    """
    asks = replace(request, limit=SearchRequest().limit, offset=0) != SearchRequest()
    if asks and words[:1] != ("add",):
        raise UsageError(
            "a saved search has its own filters. Save another with: lunwen watch add NAME QUERY --venue …"
        )
    how = Showing(limit=request.limit, offset=request.offset, **given)
    shows = all_ or how != Showing(limit=request.limit, offset=request.offset)
    if shows and words[:1] in (("add",), ("remove",)):
        raise UsageError(f"{words[0]} shows nothing. Leave out how: lunwen watch {words[0]} NAME")
    if all_ and words:
        raise UsageError("--all is every saved search. Leave out the NAME, or --all")
    with session.open_library() as library:
        match words:
            case ():
                if shows:
                    return show_news(session, library, None, how, lang)
                _list(session, library, read_screen(lang))
            case ("add", name, *query):
                _add(session, library, name, replace(request, query=" ".join(query)))
            case ("remove", name):
                library.delete_watch(name)
                _tell(session, {"watch": name, "removed": True}, f'"{name}" is no longer watched')
            case ("add" | "remove",):
                raise UsageError(f"{words[0]} what? Give a name: lunwen watch {words[0]} NAME")
            case (name,):
                return show_news(session, library, name, how, lang)
            case _:
                raise UsageError(
                    f'one NAME is allowed, "{" ".join(words)}" are {len(words)} words. Put quotes around it, '
                    f"or save a search with: lunwen watch add NAME QUERY"
                )
    return 0


def _list(session: Session, library: Library, screen: Screen) -> None:
    watches = library.watches()
    if session.as_json:
        give_json([watch_dict(one) for one in watches])
        return
    new = "篇新论文" if screen.language == "zh" else "new"
    rows = [
        (one.name, f"{'?' if one.new is None else f'{one.new:,}'} {new}", when(one.visited), say_search(one))
        for one in watches
    ]
    for line, one in zip(align(rows), watches, strict=True):
        give(line)
        if one.problem:
            say(f"lunwen: {one.name}: {one.problem}")
    if not watches:
        say(NONE_SAVED)


def _add(session: Session, library: Library, name: str, request: SearchRequest) -> None:
    response = library.save_watch(name, request)
    name = tidy_name("watch", name)  # as it is kept
    for warning in response.warnings:
        say(f"lunwen: {warning}")
    shape = {"watch": name, "request": request_dict(request), "total": response.total}
    later = watch_command(name)
    said = f'"{name}" finds {response.total:,} now; what comes in from here on is shown by: {later}'
    _tell(session, shape, said)


def _tell(session: Session, shape: dict[str, Any], said: str) -> None:
    if session.as_json:
        give_json(shape)
    else:
        say(f"lunwen: {said}")
