"""Han characters: whether a text has them, and traditional ones as simplified ones."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

__all__ = ["has_han", "is_han", "simplify"]

_HAN = re.compile("[\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def has_han(text: str) -> bool:
    """Return whether a text holds a Han character."""
    return not text.isascii() and _HAN.search(text) is not None


def is_han(character: str) -> bool:
    """Return whether a text is one Han character."""
    return _HAN.fullmatch(character) is not None


def simplify(text: str) -> str:
    """Return a text with simplified characters, each where the traditional one was."""
    return text.translate(_load_table()) if has_han(text) else text


@cache
def _load_table() -> dict[int, int]:
    table = Path(__file__).with_name("traditional.txt").read_text(encoding="utf-8")
    return str.maketrans(*table.split())
