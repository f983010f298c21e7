"""Loose values, as sites write them, read into what a record holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBER = re.compile(r"\s*([+-]?\d{1,18})(?:\.0*)?\s*")  # more digits count nothing


def read_text(value: object) -> str | None:
    """Return ``value`` as text without surrounding space, or ``None`` where it says nothing."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def read_texts(value: object, separators: str = ";") -> tuple[str, ...]:
    """Return a list of texts, or one text cut at any of ``separators``."""
    if isinstance(value, str):
        pieces: Sequence[object] = re.split(f"[{re.escape(separators)}]", value) if separators else [value]
    elif isinstance(value, Sequence):
        pieces = value
    else:
        return ()
    return tuple(text for piece in pieces if (text := read_text(piece)))


def read_mapping(value: object) -> dict[str, str]:
    """Return the pairs of ``value`` that hold text."""
    if not isinstance(value, Mapping):
        return {}
    return {str(key): text for key, item in value.items() if (text := read_text(item))}


def read_number(value: object) -> int | None:
    """Return a whole number, also from text such as ``"12"`` or ``"12.0"``."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def read_count(value: object) -> int | None:
    """Return a count; sites write -1 where they do not know."""
    number = read_number(value)
    return number if number is not None and number >= 0 else None


def read_year(value: object) -> int | None:
    """Return the year in a number or a text, ``None`` where none is plausible."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 1400 <= value < 2200 else None
    if isinstance(value, float):
        return read_year(int(value)) if value.is_integer() else None
    if isinstance(value, str):
        for digits in _YEAR.findall(value):
            if (year := read_year(int(digits))) is not None:
                return year
    return None


def read_month(value: object) -> int | None:
    """Return a month from a number or a name; of a range ("September–November") the first."""
    number = read_number(value)
    if number is not None:
        return number if 1 <= number <= 12 else None
    text = (read_text(value) or "").lower()[:3]
    return _MONTHS.index(text) + 1 if text in _MONTHS else None


def read_date_parts(value: object) -> str | None:
    """Return the ISO date of CSL's ``date-parts``: ``[[2024, 7]]``, ``[[null]]``, or flat as PMLR has it."""
    parts = value.get("date-parts") if isinstance(value, Mapping) else None
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        parts = parts[0]
    if not isinstance(parts, list):
        return None
    numbers: list[int] = []
    for part in parts[:3]:
        number = read_number(part)
        if number is None:
            break
        numbers.append(number)
    return join_date(*numbers)


def join_date(year: int | None = None, month: int | None = None, day: int | None = None) -> str | None:
    """Return the ISO date these parts make, as far as they are plausible."""
    if year is None or read_year(year) is None:
        return None
    if month is None or not 1 <= month <= 12:
        return f"{year:04d}"
    if day is None or not 1 <= day <= 31:
        return f"{year:04d}-{month:02d}"
    return f"{year:04d}-{month:02d}-{day:02d}"
