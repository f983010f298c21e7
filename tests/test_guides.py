"""The examples of the guides run as they stand and print what the guide shows, but for the digits."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDES = Path(__file__).parents[1] / "docs" / "guide"
PARTS = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
EXAMPLES = [
    (path.stem, *found)
    for path in sorted(GUIDES.glob("*.md"))
    for found in PARTS.findall(path.read_text("utf-8"))
]


def test_every_area_has_a_guide_with_an_example() -> None:
    from lunwen.methods import listing  # noqa: PLC0415

    assert {method.card.area for method in listing()} <= {name for name, *_ in EXAMPLES}


@pytest.mark.parametrize(
    ("name", "code", "shown"), EXAMPLES, ids=lambda part: part if "\n" not in part else ""
)
def test_an_example_prints_what_the_guide_shows(name: str, code: str, shown: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert _words(done.stdout) == _words(shown), name


def _words(text: str) -> list[str]:
    """Leave out numbers, which differ in their last digits from machine to machine."""
    return re.findall(r"[^\W\d]+", text)
