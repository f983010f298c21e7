from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import lunwen

HEAVY = ("tantivy", "lxml", "starlette", "uvicorn", "rich", "numpy", "torch", "pylatexenc", "click", "orjson")


def _loaded_after(statement: str) -> set[str]:
    script = f"{statement}\nimport sys\nsys.stdout.write(' '.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in ran.stdout.split()}


def test_importing_costs_nothing() -> None:
    assert _loaded_after("import lunwen") & set(HEAVY) == set()


def test_the_command_line_starts_light() -> None:
    loaded = _loaded_after("import lunwen.doors.cli, lunwen.doors.cli.search")
    assert loaded & set(HEAVY) == {"click"}


@pytest.mark.parametrize("name", lunwen.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(lunwen, name).__name__ == name


def test_version() -> None:
    assert lunwen.__version__ == version("lunwen")


def test_names_are_listed_and_wrong_ones_are_not_there() -> None:
    assert set(lunwen.__all__) < set(dir(lunwen))
    with pytest.raises(AttributeError, match="module 'lunwen' has no attribute 'serch'"):
        _ = lunwen.serch


def test_every_error_is_public() -> None:
    from lunwen import errors  # noqa: PLC0415 - what it holds is the question

    classes = {name for name, held in vars(errors).items() if isinstance(held, type)}
    assert classes <= set(lunwen.__all__)
