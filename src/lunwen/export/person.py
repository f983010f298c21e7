"""The parts of a person's name, as bibliographies need them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lunwen.corpus.paper import Author

_SUFFIXES = {"jr", "jr.", "sr", "sr.", "ii", "iii", "iv"}
_GROUP = re.compile(
    r"(?i)\b(team|teams|consortium|collaboration|group|organi[sz]ers|committee|foundation|institute|university"
    r"|laboratory|labs|project|community|initiative|workshop|inc\.?|ltd\.?|llc|and|et al\.?)\b|&"
)
_CHINESE = re.compile(r"[\u3400-\u9fff\uac00-\ud7af]+")  # and Korean: the family name comes first


class Person(NamedTuple):
    """A name in parts; a group, or someone with one name only, has only ``family``."""

    family: str
    given: str = ""
    suffix: str = ""
    group: bool = False  # never to be taken apart


def read_person(author: Author) -> Person:
    """Take a name apart: by the source's own parts where it gives them, else by its words."""
    family, given = (author.family or "").strip(" ,"), (author.given or "").strip(" ,")
    if family and given:
        return Person(*_split_suffix(family, given))
    name = family or author.name
    if _GROUP.search(name):
        return Person(name, group=True)
    if "," in name:
        family, _, given = (part.strip() for part in name.partition(","))
        return Person(*_split_suffix(family, given))
    words = name.split()
    suffix = words.pop() if len(words) > 2 and words[-1].lower() in _SUFFIXES else ""
    if len(words) < 2:
        return Person(name)
    if _CHINESE.fullmatch("".join(words)):
        return Person(words[0], "".join(words[1:]))
    start = _family_start(words)
    return Person(" ".join(words[start:]), " ".join(words[:start]), suffix)


def _family_start(words: list[str]) -> int:
    """Find where the family name begins: at the last word, or at the particles (van der, de) before it."""
    start = len(words) - 1
    while start > 1 and words[start - 1].islower():
        start -= 1
    return start


def _split_suffix(family: str, given: str) -> tuple[str, str, str]:
    words = family.split()
    if len(words) > 1 and words[-1].lower() in _SUFFIXES:
        return " ".join(words[:-1]).rstrip(","), given, words[-1]
    words = [word.strip(",") for word in given.split()]
    if len(words) > 1 and words[-1].lower() in _SUFFIXES:
        return family, " ".join(words[:-1]), words[-1]
    return family, given, ""
