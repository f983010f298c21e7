"""Lines of old text files."""

from __future__ import annotations


def decode_line(line: bytes) -> str:
    """Return the text of ``line``; old bibliographies mix UTF-8 with Windows-1252."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")
