"""Clean text as LaTeX: escaped exactly once, maths kept, every brace balanced."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from pylatexenc.latexencode import UnicodeToLatexEncoder  # type: ignore[import-untyped]  # it has no types

from lunwen.corpus.maths import segments

_SPECIAL = {
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "$": r"\$",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "\u2013": "--",
    "\u2014": "---",
    "\u00a0": "~",
    "\u2015": "\u2015",  # LaTeX knows it; textemdash would come back as another dash
    "\u02c6": "\u02c6",  # same
    "\u2212": r"\textminus{}",
    "\u2217": r"{\ensuremath{\ast}}",
    **{
        raised: f"\\textsuperscript{{{char}}}"
        for raised, char in zip("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ", "0123456789n", strict=True)
    },
    **{
        lowered: f"\\textsubscript{{{char}}}"
        for lowered, char in zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)
    },
}
_ACCENTS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0328\u0331",
        "`'^~=u.\"rHvdckb",
        strict=True,
    )
)
_ACCENTED = r"[^\W_][\u0300-\u036f]+"  # a letter and accents that no single character has together
_TO_ESCAPE = re.compile(rf"{_ACCENTED}|[&%#_${{}}~^\\]|[^\x00-\x7f]")
_MATHS = r"{\ensuremath"  # where maths is already
_IN_MATHS = re.compile(r"\\.|[%#]|[^\x00-\x7f]", re.DOTALL)
_WORD_OR_CHAR = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+|[&%#_${}~^\\]|[^\x00-\x7f]")


def escape(text: str) -> str:
    """Write text without maths as LaTeX."""
    return _name_braces(_TO_ESCAPE.sub(lambda found: _char(found[0]), text))


def latex(text: str) -> str:
    """Write clean text (maths between dollars) as LaTeX."""
    return "".join(
        escape(piece.text) if piece.kind == "text" else _other(piece.kind, piece.text)
        for piece in segments(text)
    )


def latex_title(text: str) -> str:
    """Write a title as LaTeX, with braces around what must keep its capitals."""
    protect = escape if text.isupper() else _protect  # where all are capitals, none of them means anything
    return "".join(
        protect(piece.text) if piece.kind == "text" else f"{{{_other(piece.kind, piece.text)}}}"
        for piece in segments(text)
    )


def latex_braced(text: str) -> str:
    """Write a title whose braces say what to protect; the rest of it is clean text."""
    return "".join(
        re.sub(r"[^{}]+", lambda found: escape(found[0]), piece.text)
        if piece.kind == "text"
        else _other(piece.kind, piece.text)
        for piece in segments(text)
    )


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
    if kind == "link" or not _is_whole(text):  # a link as text: \url is not there in every document
        return escape(text)
    return f"${_IN_MATHS.sub(_in_maths, text)}$"


def _is_whole(maths: str) -> bool:
    """Whether its braces pair up, for BibTeX, which counts every one, and for TeX, which does not."""
    for_tex = re.sub(r"\\.", "", maths, flags=re.DOTALL)
    return balanced(maths) and balanced(for_tex) and "\\" not in for_tex


def _in_maths(found: re.Match[str]) -> str:
    if found[0] in ("%", "#"):
        return f"\\{found[0]}"
    if found[0].isascii():
        return found[0]
    text = _char(found[0])
    return text[len(_MATHS) : -1] if text.startswith(_MATHS) else text


def _protect(text: str) -> str:
    def write(found: re.Match[str]) -> str:
        piece = found[0]
        written = _TO_ESCAPE.sub(lambda inner: _char(inner[0]), piece)
        return f"{{{written}}}" if _capitals_matter(piece) else written

    return _name_braces(_WORD_OR_CHAR.sub(write, text))


def _capitals_matter(word: str) -> bool:
    """Whether a style must not lower the word: AdapLeR, BERT, the Q of Q-learning."""
    return word[1:] != word[1:].lower() or (word.isupper() and len(word) == 1 and word != "A")


def _name_braces(text: str) -> str:
    """Write literal braces by name where they do not pair up: BibTeX counts them even behind a backslash."""
    if balanced(text):
        return text
    return text.replace(r"\{", r"\textbraceleft{}").replace(r"\}", r"\textbraceright{}")


@cache
def _char(char: str) -> str:
    if char in _SPECIAL:
        return _SPECIAL[char]
    if len(char) > 1:
        return _accented(char[0], char[1:])
    return str(_encoder().unicode_to_latex(char))


def _accented(letter: str, accents: str) -> str:
    whole = unicodedata.normalize("NFC", f"{letter.replace('ı', 'i')}{accents}")
    if len(whole) == 1:
        return _char(whole)
    text = letter if letter.isascii() else _char(letter)
    for accent in accents:
        inner = text if text.startswith("{") else f"{{{text}}}"
        text = f"{{\\{_ACCENTS[accent]}{inner}}}" if accent in _ACCENTS else f"{text}{accent}"
    return text


@cache
def _encoder() -> UnicodeToLatexEncoder:
    return UnicodeToLatexEncoder(
        non_ascii_only=True,
        unknown_char_policy="keep",
        unknown_char_warning=False,
        replacement_latex_protection="braces-all",
    )
