"""``lunwen completion``: the script that lets a shell complete words."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from lunwen.doors.cli.screen import give, give_json
from lunwen.doors.cli.session import Session, command
from lunwen.doors.cli.wording import OneOf

SHELLS = ("bash", "zsh", "fish")


EXAMPLES = """\b
Examples:
  lunwen completion bash > ~/.local/share/bash-completion/completions/lunwen
  lunwen completion zsh > ~/.zfunc/_lunwen     with ~/.zfunc in fpath
  lunwen completion fish > ~/.config/fish/completions/lunwen.fish
"""


@command("completion", epilog=EXAMPLES)
@click.argument("shell", type=OneOf("shell", SHELLS))
def completion(session: Session, *, shell: str) -> None:
    """Print a shell's completion script."""
    from lunwen.doors.cli.program import COMPLETE, PROGRAM  # noqa: PLC0415 - the program imports its commands

    made = get_completion_class(shell)
    assert made is not None  # noqa: S101 - SHELLS are click's own
    script = made(PROGRAM, {}, "lunwen", COMPLETE).source()
    if session.as_json:
        give_json({"shell": shell, "script": script})
    else:
        give(script)
