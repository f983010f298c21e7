"""What can be written where: colour, width, language, JSON."""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lunwen.corpus.ingest import Failure

MAX_WIDTH = 110  # longer lines are hard to read
FAILURES_SHOWN = 20

#: What would command a terminal instead of showing on it, or turn the rest of a line round; colours are ours.
_COMMANDS = re.compile(
    r"\x1b(?!\[(?:[012]|3[0-7])m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True, slots=True)
class Screen:
    """The terminal, or the file, that standard output is."""

    colour: bool
    width: int
    language: str  # "en" or "zh"

    def style(self, text: str, **looks: bool | str) -> str:
        """Return ``text`` in colour or bold where that is wanted."""
        return click.style(text, **looks) if self.colour and text else text  # type: ignore[arg-type]


def read_screen(language: str | None = None) -> Screen:
    """Look at standard output and at the environment (NO_COLOR, COLUMNS, LANG)."""
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = min(shutil.get_terminal_size((MAX_WIDTH, 24)).columns, MAX_WIDTH)
    return Screen(colour=colour, width=max(width, 20), language=language or _locale_language())


def _locale_language() -> str:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def give(text: str) -> None:
    """Write to standard output, colours as they are, without what commands a terminal."""
    click.echo(tame(text), color=True)


def say(text: str) -> None:
    """Write a message to standard error, without what commands a terminal."""
    click.echo(tame(text), err=True)


def tame(text: str) -> str:
    """Return ``text`` without what commands a terminal or turns a line round; colours stay."""
    return _COMMANDS.sub("", text)


def give_json(document: object) -> None:
    """Write one JSON document to standard output, indented where a person reads it."""
    import orjson  # noqa: PLC0415 - only for --json

    indent = orjson.OPT_INDENT_2 if sys.stdout.isatty() else 0
    option = orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS | indent  # years are keys
    said = orjson.dumps(document, option=option)
    if indent:
        said = _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", said.decode()).encode()
    click.echo(said, nl=False)


def say_failures(failures: Sequence[Failure], command: str) -> None:
    """Say which records or files could not be read, the first of many, and where all of them are told."""
    for failure in failures[:FAILURES_SHOWN]:
        say(f"lunwen: {failure.file}: {failure.place + ': ' if failure.place else ''}{failure.reason}")
    if len(failures) > FAILURES_SHOWN:
        say(f"lunwen: and {len(failures) - FAILURES_SHOWN:,} more; all of them: {command} --json")
