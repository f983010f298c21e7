"""Author names: cleaning what sources write, and keys under which two spellings of one name meet."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from lunwen.corpus import markup
from lunwen.corpus.paper import Markup

if TYPE_CHECKING:
    from lunwen.corpus.paper import Author

_PARTICLES = frozenset(
    re.split(
        " ",
        "al ap bin ben da de del della den der di do dos du el ibn la las le los op ten ter van von y zu zur",
    )
)
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
_MARKED = re.compile(r"[&\\{}$~^\"<>_]|[^\x20-\x7e\u00c0-\u024f\u4e00-\u9fff]|  ")
_HOMONYM = re.compile(r"(.+?)\s+(\d{4})")
# letters that no decomposition turns into a plain one
_PLAIN = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "ß": "ss",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ħ": "h",
        "ŋ": "n",
    }
)
_ASCII = str.maketrans(
    {chr(code): "" if chr(code) == "'" else " " for code in range(128) if not chr(code).isalnum()}
)
# a spacing accent: the combining one it stands for, and the letters under it in names, the likelier first
_ACCENTS = {
    "´": ("\u0301", "aeiouy cnszlr"),
    "`": ("\u0300", "aeiou"),
    "¨": ("\u0308", "aeiouy"),
    "^": ("\u0302", "aeiouwy"),
    "ˆ": ("\u0302", "aeiouwy"),
    "˜": ("\u0303", "n a o"),
    "ˇ": ("\u030c", "crsz aegdlnt"),
    "¸": ("\u0327", "cstgklnr"),
    "˛": ("\u0328", "aeiu"),
    "˙": ("\u0307", "zegci"),
    "˚": ("\u030a", "au"),
    "˝": ("\u030b", "ou"),
    "˘": ("\u0306", "agieou"),
    "¯": ("\u0304", "aeiou"),
}
_ACCENT = re.compile(f"[{re.escape(''.join(_ACCENTS))}]")
# Han, kana and the parts of Hangul: names in them may be written with a space or without
_EASTERN = re.compile("[\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]+")
_QUOTED = re.compile(r"`([^`']+)'")  # a nickname as TeX quotes it
_NOBODY = frozenset({"anonymous", "anonymous author", "anonymous authors", "anonymous author(s)", "n/a", ""})


def clean_name(author: Author) -> Author:
    """The author with a name as a person would write it; what is not a name moves to ``author_id``."""
    name, given, family = (_clean_part(part) for part in (author.name, author.given, author.family))
    author_id = author.author_id
    if name.strip(" .").casefold() == "withdrawn":  # OpenReview rows that their authors emptied
        return replace(author, name="Anonymous", given=None, family=None)
    if found := _HOMONYM.fullmatch(name):  # DBLP tells namesakes apart by a number
        author_id = author_id or name
        name = found[1]
        family = _HOMONYM.sub(r"\1", family) if family else family
        family = re.sub(r"\s*\b\d{4}$", "", family)
    if "," in name and not (given or family) and not _is_corporate(author.name):
        name, given, family = _turn(name)
    if given and family and name == f"{given} {family}" and _is_eastern(name):
        name = f"{family}{given}"
    if mended := _mend_case(name):
        name, given, family = mended, _mend_case(given) or given, _mend_case(family) or family
        if name.rsplit(" ", 1)[-1].casefold() == family.casefold():
            family = name.rsplit(" ", 1)[-1]
    return replace(author, name=name, given=given or None, family=family or None, author_id=author_id)


@lru_cache(maxsize=65_536)
def name_key(name: str) -> str:
    """The folded last part of the family name and the first initial: the same for "Lei Li" and "Li, Lei"."""
    before, comma, after = name.partition(",")
    if comma and _fold(after) and _fold(after) not in _SUFFIXES:
        if _is_eastern(before + after):
            return "".join(_words(before) + _words(after))
        family, given = _words(before), _words(after)
    else:
        words = _words(name)
        family, given = words[-1:], words[:-1]
    if not family:
        return name.strip().casefold()
    return f"{family[-1]} {given[0][0]}" if given else family[-1]


@lru_cache(maxsize=65_536)
def fold_name(name: str) -> frozenset[str]:
    """All parts of a name, folded, in no order: the same for "Lei Li" and "Li Lei"."""
    return frozenset(_words(name) or [name.strip().casefold()])


@lru_cache(maxsize=65_536)
def name_parts(name: str) -> tuple[str, ...]:
    """All parts of a name, folded, in order; none where it has neither letter nor digit."""
    return tuple(_words(name))


def is_anonymous(name: str) -> bool:
    """Whether the name is what a site writes where it hides the name."""
    return name.strip().casefold() in _NOBODY


def _words(name: str) -> list[str]:
    words = _fold(name).split()
    if not name.isascii() and _EASTERN.fullmatch(joined := "".join(words)):
        return [joined]
    return [word for word in words if word not in _SUFFIXES] if len(words) > 2 else words


def _is_eastern(name: str) -> bool:
    """Whether a name is in a script in which the family name comes first and needs no space behind it."""
    return not name.isascii() and _EASTERN.fullmatch("".join(_fold(name).split())) is not None


def _fold(text: str) -> str:
    text = text.casefold()
    if text.isascii():
        return " ".join(text.translate(_ASCII).split())
    text = unicodedata.normalize("NFKD", text).casefold()  # a form such as ℌ is a capital until it is plain
    text = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    text = "".join([letter for letter in text if not unicodedata.combining(letter)])
    text = text.replace("'", "").replace("’", "").replace("ʼ", "")
    return " ".join("".join([letter if letter.isalnum() else " " for letter in text]).split())


def _clean_part(part: str | None) -> str:
    if not part:
        return ""
    if _MARKED.search(part):
        tex = "\\" in part or "{" in part or "~" in part
        part = markup.clean(part, Markup.LATEX if tex else Markup.HTML)
        part = part.replace("{", "").replace("}", "")
    if _ACCENT.search(part):
        part = _compose(part)
        part = _QUOTED.sub(r"‘\1’", part)
    return part.strip(" ,;*\u2020\u2021\u00a0\t\n") or part.strip()


def _compose(name: str) -> str:
    """Put accents that stand beside their letter onto it: "Jukic´", "Go¨hring", "Mart´ınez"."""
    at = 0
    while found := _ACCENT.search(name, at):
        at = found.start()
        head, tail = name[:at], name[at + 1 :]
        combining, bearing = _ACCENTS[found[0]]
        before, after = head[-1:], tail[:1].replace("ı", "i")
        fit = next(
            (one for kind in bearing.split() for one in (before, after) if one and one.lower() in kind), ""
        )
        if not fit or _is_quote(found[0], head, after):
            at += 1
        elif fit == before:
            name = head[:-1] + unicodedata.normalize("NFC", before + combining) + tail
        else:
            name = head + unicodedata.normalize("NFC", after + combining) + tail[1:]
    return name


def _is_quote(accent: str, head: str, after: str) -> bool:
    """Whether an accent stands for an apostrophe or a quote: "O´Brien", "d´Aspremont", "`Sandy'"."""
    if accent not in "´`":
        return False
    *_, begun = head.split(" ")
    if not begun:
        return accent == "`"
    return after.isupper() or (len(begun) == 1 and begun.islower() and begun not in "aeiouy")


def _is_corporate(name: str) -> bool:
    return name.startswith("{") and name.endswith("}") and not name.rstrip("} ").endswith(",")


def _turn(name: str) -> tuple[str, str, str]:
    """Turn "Li, Lei" and "King, Jr., Martin" round; "Sammy Davis, Jr." stays."""
    parts = [part.strip() for part in name.split(",") if part.strip()]
    if len(parts) == 2 and _fold(parts[1]) in _SUFFIXES:
        return f"{parts[0]} {parts[1]}", "", ""
    if len(parts) == 2:
        return f"{parts[1]} {parts[0]}", parts[1], parts[0]
    if len(parts) == 3 and _fold(parts[1]) in _SUFFIXES:
        return f"{parts[2]} {parts[0]} {parts[1]}", parts[2], f"{parts[0]} {parts[1]}"
    return name, "", ""


def _mend_case(name: str) -> str | None:
    """The name with ordinary capitals, or None where it has them."""
    words = name.split(" ")
    if len(words) < 2:
        return None
    if name.islower():
        return " ".join(
            [word if word in _PARTICLES and place else _title(word) for place, word in enumerate(words)]
        )
    if name.isupper() and max(len(word.strip(".")) for word in words) > 2:
        small = " ".join([_title(word) if len(word.strip(".")) > 1 else word for word in words])
        return small if small != name else None
    last = words[-1]
    if len(last) > 2 and last.isalpha() and last.isupper() and _fold(last) not in _SUFFIXES:
        return " ".join([*words[:-1], _title(last)])
    return None


def _title(word: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda found: found[0][:1].upper() + found[0][1:].lower(), word)
