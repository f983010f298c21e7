"""The program ``lunwen``: its commands, and how a run of it ends."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from lunwen.doors.cli.screen import say
from lunwen.doors.cli.session import Command, Session, shared_options
from lunwen.doors.cli.wording import refusal_line
from lunwen.doors.parameter import closest
from lunwen.errors import LunwenError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "search": "search:search",
    "show": "show:show",
    "similar": "similar:similar",
    "author": "author:author",
    "fetch": "fetch:fetch",
    "open": "open:open_paper",
    "star": "star:star",
    "list": "star:list_collections",
    "watch": "watch:watch",
    "import": "ingest:import_files",
    "sync": "sync:sync",
    "sources": "sync:sources",
    "enrich": "enrich:enrich",
    "export": "export:export",
    "stats": "survey:stats",
    "venues": "survey:venues",
    "topics": "survey:topics",
    "methods": "methods:methods",
    "method": "methods:method",
    "check": "methods:check",
    "serve": "serve:serve",
    "mcp": "mcp:mcp",
    "doctor": "upkeep:doctor",
    "reindex": "upkeep:reindex",
    "eval": "evaluate:evaluate",
    "completion": "completion:completion",
}


COMPLETE = "_LUNWEN_COMPLETE"  # how a shell asks for completions; its value says which


class Program(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the commands in the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command = getattr(import_module(f"lunwen.doors.cli.{module}"), name)
        assert isinstance(command, Command)  # noqa: S101 - the table above is ours
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command named by the first word.

        Raises:
            UnknownName: there is none; with the closest one.
        """
        word = args[0]
        if word not in COMMANDS and not word.startswith("-"):
            raise UnknownName(
                f'no command "{word}"{closest(word, COMMANDS)}. '
                f"Commands: {', '.join(COMMANDS)}. To search for it: lunwen search {word}"
            )
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version  # noqa: PLC0415 - slow, and seldom needed

        click.echo(f"lunwen {version('lunwen')}")
        ctx.exit()


PROGRAM = Program(
    "lunwen",
    help="A paper search engine in which the papers run.",
    params=[
        *shared_options(),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Print the version.",
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Results go to standard output, messages to standard error. "
    "Exit code: 0 done, 1 could not, 2 wrong use.",
)


def main(args: Sequence[str] | None = None) -> int:
    """Run ``lunwen`` with ``args`` (default: the process's own) and return its exit code."""
    given = [_read_utf8(arg) for arg in (sys.argv[1:] if args is None else args)]
    _speak_utf8()
    session = Session()
    try:
        if asked := os.environ.get(COMPLETE):
            from click.shell_completion import shell_complete  # noqa: PLC0415 - only when a shell asks

            return shell_complete(PROGRAM, {}, "lunwen", COMPLETE, asked)
        with PROGRAM.make_context("lunwen", given, obj=session) as ctx:
            code = PROGRAM.invoke(ctx)
        sys.stdout.flush()
    except click.exceptions.Exit as end:  # after --help and --version
        return end.exit_code
    except LunwenError as error:
        return _refuse(
            str(error), error.exit_code, kind=type(error).__name__, as_json=_wants_json(session, given)
        )
    except click.ClickException as error:
        return _refuse(refusal_line(error), 2, kind="UsageError", as_json=_wants_json(session, given))
    except BrokenPipeError:
        # head or less has what it wanted; without this Python complains again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, click.Abort):
        click.echo("lunwen: stopped", err=True)
        return 130
    return code if isinstance(code, int) else 0


def _wants_json(session: Session, given: Sequence[str]) -> bool:
    """Whether errors are JSON too; ``given`` counts where the command line could not be read to its end."""
    return session.as_json or "--json" in given


def _refuse(text: str, code: int, *, kind: str, as_json: bool) -> int:
    if as_json:
        import json  # noqa: PLC0415 - only here

        shape: dict[str, Any] = {"error": kind, "message": text, "exit_code": code}
        say(json.dumps(shape, ensure_ascii=False))
    else:
        say(f"lunwen: {text}")
    return code


def _speak_utf8() -> None:
    """Write UTF-8 whatever the locale: papers are full of characters a narrow one refuses."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)  # a test's stream may have none
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")


def _read_utf8(arg: str) -> str:
    """Read an argument as UTF-8 where a narrow locale kept its bytes aside."""
    return arg if arg.isascii() else os.fsencode(arg).decode("utf-8", "surrogateescape")
