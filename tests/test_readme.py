"""Every command in the README and the guides is one of the program; both READMEs show the same ones."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from lunwen.doors.cli.program import PROGRAM

ROOT = Path(__file__).parents[1]


def _commands(name: str) -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / name).read_text("utf-8"), flags=re.DOTALL)
    return [line.partition("  #")[0].strip() for block in blocks for line in block.splitlines()]


COMMANDS = [line for line in _commands("README.md") if line.startswith("lunwen ")]
GUIDED = [
    line
    for path in sorted((ROOT / "docs" / "guide").glob("*.md"))
    for line in re.findall(r"^\$ (lunwen .*)$", path.read_text("utf-8"), flags=re.MULTILINE)
]


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>")
    lexer.whitespace_split = True
    words = list(lexer)
    end = next((at for at, word in enumerate(words) if word in ("|", ">")), len(words))
    return words[1:end]


@pytest.mark.parametrize("line", dict.fromkeys([*COMMANDS, *GUIDED]))
def test_the_program_understands(line: str) -> None:
    word, *args = _words(line)
    command = PROGRAM.get_command(click.Context(PROGRAM), word)
    assert command is not None
    assert command.make_context(word, args).args == []


def test_both_languages_show_the_same_commands() -> None:
    assert min(len(COMMANDS), len(GUIDED)) > 15
    assert _commands("README.md") == _commands("README.zh.md")


def test_the_make_words_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = set(re.findall(r"(?m)(?:^|`)make (\w+)", (ROOT / "README.md").read_text("utf-8")))
    assert {"demo", "test"} <= named
    assert all(re.search(rf"^{word}:", makefile, flags=re.MULTILINE) for word in named)
