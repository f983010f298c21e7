"""One-line refusals: what was given, what is allowed, what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lunwen.doors.parameter import closest
from lunwen.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.doors.parameter import Parameter


class OneOf(click.ParamType[str]):
    """One word of a short list."""

    name = "one of"

    def __init__(self, what: str, words: Iterable[str]) -> None:
        self.what = what
        self.words = tuple(words)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - click's signature
        """Show the words in the help."""
        return f"[{'|'.join(self.words)}]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002
        """Return ``value`` where it is in the list, in any case.

        Raises:
            UnknownName: it is not.
        """
        if value.lower() in self.words:
            return value.lower()
        raise UnknownName(
            f'no {self.what} "{value}"{closest(value, self.words)}. Allowed: {", ".join(self.words)}'
        )

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's signature
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[click.shell_completion.CompletionItem]:
        """Offer the words that begin like what was typed."""
        return [
            click.shell_completion.CompletionItem(word)
            for word in self.words
            if word.startswith(incomplete.lower())
        ]


#: The option of commands whose few words around papers are in two languages.
LANG = click.option(
    "--lang", type=OneOf("language", ("zh", "en")), help="The language of the few words around papers."
)


class Number(click.ParamType[int]):
    """A number, refused in the words of every door where it is none."""

    name = "number"

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ARG002
        """Return ``value`` where it is a number; the library refuses those out of range.

        Raises:
            LimitError: it is none.
        """
        return int(self.parameter.read(str(value)))


def refusal_line(error: click.ClickException) -> str:
    """Turn click's own refusal into one line that ends with what to do next."""
    path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "lunwen"
    help_line = f"Help: {path} --help"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return f"no command given. {help_line}"
    if isinstance(error, click.NoSuchOption):
        near = f". Closest: {' or '.join(sorted(error.possibilities))}" if error.possibilities else ""
        minus = (
            "" if error.option_name.startswith("--") else '. A word to leave out of a search goes after "--"'
        )
        return f"no option {error.option_name}{near}{minus}. {help_line}"
    said = " ".join(error.format_message().split()).rstrip(".")
    return f"{said[:1].lower()}{said[1:]}. {help_line}"
