"""The fields of one BibTeX entry that a site carries inside another format."""

from __future__ import annotations

import re

_FIELD = re.compile(r"(\w[\w-]*)\s*=\s*")
_BARE = re.compile(r"[^,}\s]+")


def read_fields(entry: str) -> dict[str, str]:
    """Return the fields by name, in small letters, each without its outer braces or quotes."""
    fields: dict[str, str] = {}
    at = entry.find(",") + 1
    while field := _FIELD.search(entry, at):
        start = field.end()
        opening = entry[start : start + 1]
        if opening in ("{", '"') and opening:
            end = _find_end(entry, start)
            value = entry[start + 1 : end]
        else:
            bare = _BARE.match(entry, start)
            end = bare.end() if bare else start
            value = entry[start:end]
        if text := " ".join(value.split()):
            fields.setdefault(field[1].lower(), text)
        at = end + 1
    return fields


def _find_end(entry: str, start: int) -> int:
    """Find the brace or quote that closes the one at ``start``, or the end."""
    depth, quoted = 0, entry[start] == '"'
    for at in range(start + 1, len(entry)):
        letter = entry[at]
        if letter == "\\":
            continue
        if depth == 0 and letter == ('"' if quoted else "}") and entry[at - 1] != "\\":
            return at
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
    return len(entry)
