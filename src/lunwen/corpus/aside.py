"""Maths, links and literal dollars set aside while the words around them are cleaned."""

from __future__ import annotations

import re

from lunwen.corpus.latex_table import link_text
from lunwen.corpus.maths import LINK, trim_link

PIECE = re.compile("\ufdd0(\\d+)\ufdd1")
_DOLLAR = "\ufdd2"

_ENVIRONMENT = r"equation|align|gather|multline|eqnarray|displaymath|math|flalign|alignat"
_START = re.compile(
    rf"(?<!\\)(?P<over>\\\\+\$(?=\d))|(?P<dollar>\\\$)|(?P<newline>\\\\)"
    rf"|\\\[(?P<display>(?:[^\\]|\\[^\[\]])*+)\\\]|\\\((?P<inline>(?:[^\\]|\\[^()])*+)\\\)"
    rf"|\\begin\{{(?P<name>{_ENVIRONMENT})(?P<star>\*?)\}}"
    rf"(?P<body>(?:[^\\]|\\(?!(?:begin|end)\{{(?P=name)).)*+)\\end\{{(?P=name)(?P=star)\}}"
    rf"|(?P<money>\$)|(?P<link>{LINK})",
    re.DOTALL,
)
_INSIDE = r"(?:[^$\\\n]|\\.|\n(?![^\S\n]*\n))"
_DOUBLE = re.compile(rf"\$\$((?:{_INSIDE}|\$(?!\$))++)\$\$", re.DOTALL)
_SINGLE = re.compile(rf"\$({_INSIDE}++)\$", re.DOTALL)

_SIGN = re.compile(r"[\\^_{}=<>+|*/]|[^\x00-\x7f]")
_LONGEST = 500  # between two dollars; a formula is shorter
_CLOSING = ".,;:!?)]}-'\"’”"  # may follow maths; the empty string, the end of the text, is in it too
_SYMBOL = re.compile(r"\s+[A-Za-z]\s+|[-+A-Za-z]")
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{2,} [A-Za-z]{2,}")
_WORDS = re.compile(
    r"\\(?:textbf|textit|text|textsc|texttt|textrm|textsf|emph|underline|mbox)\{([\w .,'-]+)\}"
)
_LETTERS = re.compile(r"\\(?:mathbf|mathrm|mathit|mathsf|mathtt|bm|boldsymbol|mathcal)\{([A-Za-z]+)\}")
_AFTER = re.compile(r"\d(?:[\d.,]*\d)?")
_LEADING_SPACE = re.compile(r"^(?:\\[ ,;:!]|\s)+")
_BARE_DOLLAR = re.compile(r"(?<!\\)((?:\\\\)*)\$")
_JOINED = re.compile("(?:\ufdd0\\d+\ufdd1){2,}")
_TWICE = re.compile("([^\\s()\ufdd0\ufdd1]+|\ufdd0\\d+\ufdd1) \\(\ufdd0(\\d+)\ufdd1\\)")
_MARK = re.compile(f"[${_DOLLAR}]|\n\n")


class Aside:
    """What is set aside of one text."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def keep(self, piece: str) -> str:
        """Set ``piece`` aside and return the mark that stands for it."""
        self._pieces.append(piece)
        return f"\ufdd0{len(self._pieces) - 1}\ufdd1"

    def hide(self, text: str) -> str:
        """Set maths, links and literal dollars of ``text`` aside."""
        if "$" not in text and "\\" not in text and "://" not in text:
            return text
        out: list[str] = []
        end = 0
        while match := _START.search(text, end):
            out.append(text[end : match.start()])
            piece, end = self._read(text, match)
            out.append(piece)
        out.append(text[end:])
        return "".join(out)

    def _read(self, text: str, match: re.Match[str]) -> tuple[str, int]:
        """Return what stands for the match and where reading goes on."""
        if match["dollar"] or match["over"]:
            return _DOLLAR, match.end()
        if match["link"]:
            url = trim_link(match["link"])
            return self.keep(re.sub(r"\\([_%#&~])", r"\1", url)), match.start() + len(url)
        if match["newline"]:
            return match[0], match.end()
        if match["money"]:
            return self._money(text, match.start())
        display = match["display"] or match["body"]
        if match["name"] == "math" or display is None:
            return self._maths(match["inline"] or match["body"] or "", text, match.end())
        return self._maths(display, text, match.end(), display=True)

    def _money(self, text: str, start: int) -> tuple[str, int]:
        """Decide whether a dollar opens maths."""
        double = _DOUBLE.match(text, start)
        if double and (not _PROSE.search(double[1]) or _SIGN.search(double[1])):
            return self._maths(double[1], text, double.end(), display=True)
        single = _SINGLE.match(text, start)
        if single and _looks_like_maths(single[1], text[single.end() : single.end() + 1]):
            return self._maths(single[1], text, single.end())
        return _DOLLAR, start + 1

    def _maths(self, inside: str, text: str, end: int, *, display: bool = False) -> tuple[str, int]:
        """Set maths aside as clean text writes it, with the number it runs into."""
        latex = _tidy(inside)
        if not latex:
            return "", end
        if display:
            return self.keep(f"$${latex}$$"), end
        word = _WORDS.fullmatch(latex)
        if word is None and (letters := _LETTERS.fullmatch(latex)) and text[end : end + 1].isalpha():
            word = letters
        if word is not None:
            return word[1], end
        if number := _AFTER.match(text, end):
            latex, end = f"{latex} {number[0]}", number.end()
        return self.keep(f"${latex}$"), end

    def show(self, text: str) -> str:
        """Put everything back; a dollar is escaped where it would be read as maths."""
        if "\ufdd0" in text:
            text = _JOINED.sub(self._join, text)
            text = _TWICE.sub(self._merge, text)
            text = PIECE.sub(lambda match: self._pieces[int(match[1])], text)
        return _escape_dollars(text) if _DOLLAR in text else text

    def _merge(self, match: re.Match[str]) -> str:
        """Write a link once where its words are its URL."""
        url = self._pieces[int(match[2])]
        words = PIECE.sub(lambda piece: self._pieces[int(piece[1])], match[1])
        return match[0] if link_text(url, words) != url else f"\ufdd0{match[2]}\ufdd1"

    def _join(self, match: re.Match[str]) -> str:
        """Join maths that touches maths: two dollars in a row would open display maths."""
        pieces = [self._pieces[int(number)] for number in PIECE.findall(match[0])]
        joined: list[str] = []
        for piece in pieces:
            inline = piece.startswith("$") and not piece.startswith("$$")
            if joined and inline and joined[-1].startswith("$") and not joined[-1].startswith("$$"):
                joined[-1] = f"{joined[-1][:-1]} {piece[1:]}"
            else:
                joined.append(piece)
        return self.keep(" ".join(joined))


def _looks_like_maths(inside: str, after: str) -> bool:
    """Whether what stands between two dollars is maths, also where its author left spaces at the dollars."""
    if len(inside) > _LONGEST:
        return False
    opens, closes = not inside[0].isspace(), not inside[-1].isspace()
    if not closes and not (after.isspace() or after in _CLOSING):
        return False  # the second dollar opens something: "$5 and $10"
    signs = _SIGN.search(inside.replace("\\$", "")) is not None
    prose = _PROSE.search(inside) is not None
    tight = opens and closes and not after.isdigit()
    return (signs and not prose) or (tight and (signs or not prose)) or _SYMBOL.fullmatch(inside) is not None


def _tidy(latex: str) -> str:
    """Return maths on one line, without the spaces and backslashes that would hide its last dollar."""
    latex = _LEADING_SPACE.sub("", " ".join(latex.split()))
    end = len(latex)
    while end:
        if latex[end - 1].isspace():
            end -= 1
        elif (
            latex[end - 1] in ",;:! "
            and latex[end - 2 : end - 1] == "\\"
            and latex[end - 3 : end - 2] != "\\"
        ):
            end -= 2
        else:
            break
    latex = latex[:end]
    if (len(latex) - len(latex.rstrip("\\"))) % 2:
        return _tidy(latex[:-1])
    return _BARE_DOLLAR.sub(r"\1", latex)


def _escape_dollars(text: str) -> str:
    r"""Write each literal dollar as ``$``, or as ``\$`` where the next dollar would make maths of it."""
    out = list(text)
    following = len(text)  # the next dollar that is not escaped, in this paragraph
    for mark in reversed(list(_MARK.finditer(text))):
        place = mark.start()
        if mark[0] == "\n\n":
            following = len(text)
        elif mark[0] == "$":
            following = place
        else:
            after = text[place + 1 : place + 2]
            opens = bool(after) and not after.isspace()
            closes = (
                following < len(text)
                and not text[following - 1].isspace()
                and not text[following + 1 : following + 2].isdigit()
            )
            loose = (
                following < len(text)
                and place + 1 < following <= place + _LONGEST
                and _looks_like_maths(text[place + 1 : following], text[following + 1 : following + 2])
            )
            if (opens and closes) or loose or after in ("$", _DOLLAR) or text[place - 1 : place] == "\\":
                out[place] = "\\$"
            else:
                out[place] = "$"
                following = place
    return "".join(out)
