"""What holds for one run of the program: which library, and how to answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from lunwen.library import Library


@dataclass(slots=True)
class Session:
    """The options that every command has, given before or after the command word."""

    folder: str | None = None  # None: LUNWEN_LIBRARY, or the user's own place
    as_json: bool = False

    def open_library(self, *, write: bool = False) -> Library:
        """Open the library this run is about.

        Raises:
            LibraryError: it cannot be opened.
        """
        from lunwen.library import open_library  # noqa: PLC0415 - help and completion need no library

        return open_library(self.folder, write=write)


def shared_options() -> list[click.Parameter]:
    """Return the options that are allowed before and after the command word."""
    return [
        click.Option(
            ["--library"],
            metavar="DIR",
            expose_value=False,
            callback=_set(lambda session, value: setattr(session, "folder", value)),
            help="The library's folder; default: LUNWEN_LIBRARY, or your own.",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            default=None,
            expose_value=False,
            callback=_set(lambda session, value: setattr(session, "as_json", value)),
            help="Print one JSON document.",
        ),
    ]


def _set(change: Callable[[Session, Any], None]) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(ctx: click.Context, _option: click.Parameter, value: object) -> None:
        if value is not None:
            change(ctx.ensure_object(Session), value)

    return callback


class Command(click.Command):
    """A command that also takes the shared options."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params.extend(shared_options())


def command(name: str, *, epilog: str | None = None) -> Callable[[Callable[..., Any]], Command]:
    """Make a command of a function; its docstring is its help, its first argument the ``Session``."""
    make = click.command(
        name,
        cls=Command,
        epilog=epilog,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )

    def decorate(function: Callable[..., Any]) -> Command:
        return make(click.pass_obj(function))

    return decorate
