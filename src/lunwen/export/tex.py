"""Clean text as LaTeX: escaped exactly once, maths kept, every brace balanced."""

from __future__ import annotations

import re
from functools import cache

from pylatexenc.latexencode import UnicodeToLatexEncoder

from lunwen.corpus.markup import segments

# BibTeX counts braces even behind a backslash, so a literal brace is written by name.
_SPECIAL = {
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "$": r"\$",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "\u2013": "--",
    "\u2014": "---",
    "\u00a0": "~",
}
_TO_ESCAPE = re.compile(r"[&%#_${}~^\\]|[^\x00-\x7f]")
_IN_MATHS = re.compile(r"\\.|[%#]|[^\x00-\x7f]", re.DOTALL)
# A word whose capitals a bibliography style would lower: AdapLeR, BERT, SO(3)'s SO, Q of Q-learning.
_CAPITALS = re.compile(r"[^\W\d_]\w*")


def escape(text: str) -> str:
    """Write text without maths as LaTeX."""
    return _TO_ESCAPE.sub(lambda found: _char(found[0]), text)


def latex(text: str) -> str:
    """Write clean text (maths between dollars) as LaTeX."""
    return "".join(
        escape(piece.text) if piece.kind == "text" else _other(piece.kind, piece.text)
        for piece in segments(text)
    )


def latex_title(text: str) -> str:
    """Write a title as LaTeX, with braces around what must keep its capitals."""
    shouted = text.isupper()
    return "".join(
        _protect(piece.text, shouted=shouted)
        if piece.kind == "text"
        else f"{{{_other(piece.kind, piece.text)}}}"
        for piece in segments(text)
    )


def latex_braced(text: str) -> str:
    """Write a title whose braces say what to protect; the rest of it is clean text."""
    parts = re.split(r"([{}])", text)
    return "".join(part if part in ("{", "}") else latex(part) for part in parts)


def balanced(text: str) -> bool:
    """Whether the braces of ``text`` pair up."""
    depth = 0
    for brace in re.findall(r"[{}]", text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def verbatim(text: str) -> str:
    """Write a URL or a DOI: as it is, but for what would end the field."""
    coded = {"{": "%7B", "}": "%7D", " ": "%20", "\\": "%5C"}
    return re.sub(r"[{}\s\\]", lambda found: coded.get(found[0], ""), text)


def _other(kind: str, text: str) -> str:
    if kind == "link":
        return rf"\url{{{verbatim(text)}}}"
    if not balanced(text):
        return escape(text)
    return f"${_IN_MATHS.sub(_in_maths, text)}$"


def _in_maths(found: re.Match[str]) -> str:
    if found[0] in ("%", "#"):
        return f"\\{found[0]}"
    return found[0] if found[0].isascii() else _char(found[0])


def _protect(text: str, *, shouted: bool) -> str:
    parts, last = [], 0
    for found in _CAPITALS.finditer(text):
        word = found[0]
        capital = word != word.lower() and (word[1:] != word[1:].lower() or (len(word) == 1 and word != "A"))
        if capital and not shouted:
            parts += [escape(text[last : found.start()]), "{", escape(word), "}"]
            last = found.end()
    return "".join([*parts, escape(text[last:])])


@cache
def _char(char: str) -> str:
    if char in _SPECIAL:
        return _SPECIAL[char]
    return str(_encoder().unicode_to_latex(char))


@cache
def _encoder() -> UnicodeToLatexEncoder:
    return UnicodeToLatexEncoder(
        non_ascii_only=True,
        unknown_char_policy="keep",
        unknown_char_warning=False,
        replacement_latex_protection="braces-all",
    )
