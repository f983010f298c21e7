from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

from lunwen.doors.cli import main
from lunwen.doors.cli.program import COMMANDS, PROGRAM
from lunwen.doors.cli.session import Session

if TYPE_CHECKING:
    from pathlib import Path

LUNWEN = [sys.executable, "-m", "lunwen"]


def test_version_and_help(run: Any) -> None:
    assert run("--version").out == f"lunwen {version('lunwen')}\n"
    shown = run("-h")
    assert shown.code == 0
    assert all(f"\n  {word} " in shown.out for word in COMMANDS)


@pytest.mark.parametrize("word", COMMANDS)
def test_every_command_explains_itself_and_takes_the_shared_options(run: Any, word: str) -> None:
    shown = run(word, "--help")
    assert shown.code == 0
    assert shown.err == ""
    assert "--library DIR" in shown.out
    assert "--json" in shown.out


def test_nothing_given(run: Any) -> None:
    assert run().code == 2
    assert run().err == "lunwen: no command given. Help: lunwen --help\n"


def test_wrong_use_is_one_line_with_the_closest_word(run: Any) -> None:
    wrong = run("serch", "owls")
    assert wrong.code == 2
    assert wrong.out == ""
    assert wrong.err == (
        'lunwen: no command "serch". Closest: search or enrich. '
        f"Commands: {', '.join(COMMANDS)}. To search for it: lunwen search serch\n"
    )


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["search", "--limt", "3"], "no option --limt. Closest: --limit. Help: lunwen search --help"),
        (
            ["search", "--sort", "newst"],
            'no sort "newst". Closest: newest. Allowed: relevance, newest, citations',
        ),
        (
            ["search", "--limit", "x"],
            ('limit "x" is no number. Allowed: 1 to 1000. Leave it out for 20'),
        ),
        (
            ["search", "owls", "-z"],
            ('no option -z. A word to leave out of a search goes after "--". Help: lunwen search --help'),
        ),
        (["show"], "missing argument 'ID'. Help: lunwen show --help"),
        (
            ["export", "--format", "bibtx"],
            (
                'no format "bibtx". Closest: bibtex. '
                "Allowed: bibtex, ris, csl-json, csv, jsonl, markdown, reference"
            ),
        ),
        (
            ["import"],
            ("no file to import. Give files, folders or - (standard input); formats: lunwen import --list"),
        ),
    ],
)
def test_wrong_options(run: Any, library: object, args: list[str], line: str) -> None:
    del library
    wrong = run(*args)
    assert (wrong.code, wrong.out, wrong.err) == (2, "", f"lunwen: {line}\n")


def test_an_error_is_json_too_and_never_on_standard_output(run: Any, library: object) -> None:
    del library
    wrong = run("show", "lw9", "--json")
    assert (wrong.code, wrong.out) == (1, "")
    assert json.loads(wrong.err) == {
        "error": "NotFound",
        "message": 'no paper "lw9". Find its id with: lunwen search',
        "exit_code": 1,
    }


@pytest.mark.parametrize(
    "args", [["--library", "here", "--json", "stats"], ["stats", "--json", "--library", "here"]]
)
def test_shared_options_before_and_after_the_command(
    monkeypatch: pytest.MonkeyPatch, args: list[str]
) -> None:
    seen: list[Session] = []

    def remember(self: Session, **_: object) -> None:
        seen.append(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "open_library", remember)
    assert main(args) == 130
    assert (seen[0].folder, seen[0].as_json) == ("here", True)


def test_interrupted(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_self: Session, **_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "open_library", interrupt)
    stopped = run("stats")
    assert (stopped.code, stopped.out, stopped.err) == (130, "", "lunwen: stopped\n")


def test_a_reader_that_leaves_is_no_error() -> None:
    program = f"{sys.executable} -m lunwen completion bash; echo $? >&2"
    ran = subprocess.run(
        ["bash", "-c", f"({program}) | (exec <&-; sleep 0.5)"], capture_output=True, text=True, check=False
    )
    assert ran.stderr == "0\n"


def test_any_locale_can_print_any_paper() -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    ran = subprocess.run([*LUNWEN, "论文"], capture_output=True, env=environment, check=False)
    assert ran.returncode == 2
    assert 'no command "论文"' in ran.stderr.decode()


def test_control_c_ends_a_real_process_quietly(tmp_path: Path) -> None:
    script = (
        "import sys, lunwen.doors.cli as c, lunwen.doors.cli.session as s\n"
        "def wait(self, **_): print('ready', flush=True); __import__('time').sleep(20)\n"
        "s.Session.open_library = wait\n"
        "sys.exit(c.main(['stats']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (130, "lunwen: stopped\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run: Any, shell: str) -> None:
    made = run("completion", shell)
    assert made.code == 0
    assert "_LUNWEN_COMPLETE" in made.out
    assert run("completion", shell, "--json").json == {"shell": shell, "script": made.out.removesuffix("\n")}


def test_completion_says_where_its_script_belongs(run: Any) -> None:
    lines = run("completion", "--help").out.splitlines()
    assert "    lunwen completion fish > ~/.config/fish/completions/lunwen.fish" in lines
    assert "\\b" not in "".join(lines)


def test_completion_knows_commands_and_choices() -> None:
    environment = os.environ | {
        "_LUNWEN_COMPLETE": "bash_complete",
        "COMP_CWORD": "1",
        "COMP_WORDS": "lunwen ex",
    }
    ran = subprocess.run(LUNWEN, capture_output=True, text=True, env=environment, check=False)
    assert "plain,export" in ran.stdout
    environment |= {"COMP_CWORD": "3", "COMP_WORDS": "lunwen search --sort n"}
    ran = subprocess.run(LUNWEN, capture_output=True, text=True, env=environment, check=False)
    assert ran.stdout.strip() == "plain,newest"


def test_commands_are_listed_once_in_order() -> None:
    assert PROGRAM.list_commands(None) == list(COMMANDS)  # type: ignore[arg-type]
