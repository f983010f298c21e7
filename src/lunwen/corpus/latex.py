r"""LaTeX → text: ``\emph{i.e.}``, ``Schr\"odinger``, ``\sqrt{T}``. One pass, no recursion, never raises."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lunwen.corpus.latex_table import (
    ACCENTS,
    DROPPED,
    EATS_SPACE,
    ENVIRONMENT,
    FUSED,
    OPTIONAL,
    RENDERED,
    STYLES,
    SYMBOLS,
    put_accent,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(r"\\([A-Za-z]+)\*?|\\(.)|([{}])|([_^])\s*(?=\{)|([~&])|[^\\{}_^~&]+|.", re.DOTALL)
_OPTION = re.compile(r"(?:\s?\[[^\[\]{}\\]{0,200}\])+")
_NEXT_GROUP = re.compile(r"\s*\{")
_BASE = re.compile(r"\s*(?:\\([A-Za-z]+)|([^\W\d_]|[=<>]))")
_DIGITS = re.compile(r"\s*(\d)\s*([A-Za-z\d])(?!\w)")
#: What braces group in plain text: a piece set aside, the letters of an acronym, a sign, nothing.
_GROUPED = re.compile(
    "\ufdd0\\d+\ufdd1\\}|[A-Za-z]{1,5}\\}(?=[A-Za-z])"
    r"|[^\w\s{},]{1,3}\}|[.,]\}(?=\d)|(?<=[^\s{]\{)\}"
)
_DEEPEST = 40  # nested groups whose text is needed as a whole; deeper ones are read as plain grouping

#: Macros whose first characters some program read as an escape: "\t" + "extbf", a form feed + "rac".
_LOST = re.compile(
    r"[\t ](?=imes(?![A-Za-z]))|(?<=\$) (?=au\$)|\t(?=heta|ilde|au(?![a-z])|ext(?:bf|it|tt|sc|sf|rm)?\{)"
    r"|\x0c(?=rac\{)|\x08(?=eta|egin\{|oldsymbol|ar\{|ig)|\x07(?=lpha|pprox)|\x0b(?=arepsilon|ec\{)|\r(?=ho|ight|m\{)"
    r"|(?<![A-Za-z\\\t])(?:(?=e?mph\{)|(?=ext(?:bf|it|tt|sc|sf|rm)\{)|(?<=\{)(?=(?:em|bf) ))"
)
_FIRST = {"\t": "\\t", " ": " \\t", "\x0c": "\\f", "\x08": "\\b", "\x07": "\\a", "\x0b": "\\v", "\r": "\\r"}

OPEN_BRACE, CLOSE_BRACE = "\ufdd3", "\ufdd4"  # protecting braces, kept for BibTeX


class Style(NamedTuple):
    """How braces and white space are read."""

    maths: bool = False  # inside maths: scripts, fractions, no literal braces
    grouping: bool = False  # every brace groups (BibTeX); otherwise only those TeX evidently meant
    protect: bool = False  # keep grouping braces as protection marks


class _Frame(NamedTuple):
    """A brace that is open: the macro it belongs to, where its text starts, and the arguments so far."""

    name: str
    start: int
    arguments: tuple[str, ...] = ()


TEXT = Style()
MATHS = Style(maths=True)


def read_latex(text: str, style: Style = TEXT) -> str:
    """Return ``text`` with its macros read: styles dropped, accents and symbols as Unicode."""
    return "".join(_Reader(text, style).read())


def mend_macros(text: str) -> str:
    """Give macros back the backslash that another program took for an escape."""
    return _LOST.sub(_mend_macro, text) if "{" in text or "$" in text else text


def _mend_macro(match: re.Match[str]) -> str:
    if match[0]:
        return _FIRST[match[0]]
    return {"ext": "\\t", "mph": "\\e"}.get(match.string[match.start() : match.start() + 3], "\\")


class _Reader:
    """One reading of one text: a list of pieces and a stack of open braces."""

    def __init__(self, text: str, style: Style) -> None:
        self._text = text
        self._style = style
        self._position = 0
        self._out: list[str] = []
        self._open: list[_Frame] = []
        self._rendering = 0  # open frames whose text is needed as a whole

    def read(self) -> list[str]:
        for match in self._tokens():
            word, sign, brace, script, tie = match.groups()
            if word:
                self._word(word)
            elif sign:
                self._sign(sign)
            elif brace == "{":
                self._group()
            elif brace:
                self._close()
            elif script:
                self._position += 1
                self._push("script" + script)
            elif tie:
                self._out.append(" " if self._style.maths or (tie == "~" and self._style.grouping) else tie)
            else:
                self._out.append(match[0])
        while self._open:
            self._close(ended=True)
        return self._out

    def _tokens(self) -> Iterator[re.Match[str]]:
        while match := _TOKEN.match(self._text, self._position):
            self._position = match.end()
            yield match

    def _push(self, name: str) -> None:
        if name in RENDERED:
            self._rendering += 1
            if self._rendering > _DEEPEST:
                self._rendering -= 1
                name = ""
        self._open.append(_Frame(name, len(self._out)))

    def _group(self) -> None:
        """Open a brace that belongs to no macro."""
        following = self._text[self._position : self._position + 1]
        grouping = self._style.maths or self._style.grouping or following in ("\\", "")
        if grouping or _GROUPED.match(self._text, self._position):
            protecting = self._style.protect and following != "\\"
            self._push("protect" if protecting else "")
            if protecting:
                self._out.append(OPEN_BRACE)
        else:
            self._out.append("{")
            self._push("literal")

    def _close(self, *, ended: bool = False) -> None:
        if not self._open:
            return  # a brace nobody opened
        frame = self._open.pop()
        if frame.name == "literal":
            self._out.append("" if ended else "}")
        elif frame.name == "protect":
            self._out.append(CLOSE_BRACE)
        elif frame.name in DROPPED:
            del self._out[frame.start :]
            if self._out:
                self._out[-1] = self._out[-1].rstrip(" ~")  # what is cited is gone, so is the space before it
        elif frame.name in RENDERED:
            self._argument(frame, ended=ended)

    def _argument(self, frame: _Frame, *, ended: bool) -> None:
        """An argument is complete: wait for the next one, or write what the macro makes of them."""
        arguments = (*frame.arguments, "".join(self._out[frame.start :]))
        del self._out[frame.start :]
        wanted, render = RENDERED[frame.name]
        if not ended and len(arguments) < wanted and (group := _NEXT_GROUP.match(self._text, self._position)):
            self._position = group.end()
            self._open.append(_Frame(frame.name, len(self._out), arguments))
            return
        self._rendering -= 1
        rendered = render(*arguments) if len(arguments) == wanted else " ".join(arguments)
        self._out.append(rendered)

    def _word(self, name: str) -> None:
        if name in OPTIONAL and (option := _OPTION.match(self._text, self._position)):
            self._position = option.end()
        if name in ACCENTS:
            self._accent(name)
        elif name in RENDERED or name in DROPPED:
            self._take_group(name)
        elif name in STYLES:
            self._take_group("") if STYLES[name] else self._skip_space()
        elif name in SYMBOLS:
            self._symbol(name)
        elif ENVIRONMENT.fullmatch(name):
            pass
        elif (fused := FUSED.fullmatch(name)) and not self._style.maths:
            self._out.append(RENDERED[fused[1]][1](fused[2]) if fused[1] in RENDERED else fused[2])
        else:
            self._space_word(name)
            if group := _NEXT_GROUP.match(self._text, self._position):
                self._position = group.end()
                self._push("")

    def _take_group(self, name: str) -> None:
        """Open the macro's argument where a brace follows."""
        if group := _NEXT_GROUP.match(self._text, self._position):
            self._position = group.end()
            self._push(name)
        elif name == "frac" and (digits := _DIGITS.match(self._text, self._position)):
            self._position = digits.end()
            self._out.append(RENDERED["frac"][1](*digits.groups()))
        elif name == "sqrt":
            self._skip_space()
            self._out.append("√")

    def _symbol(self, name: str) -> None:
        symbol = SYMBOLS[name]
        if len(symbol) > 1 and symbol.isalpha():
            self._space_word(symbol)
        else:
            self._out.append(symbol)
        if name in EATS_SPACE:
            self._skip_space()
            if self._text.startswith("{}", self._position):
                self._position += 2

    def _space_word(self, word: str) -> None:
        r"""Write a word apart from the letters beside it: ``T\log T``, ``\log\log T``."""
        if self._style.maths and self._out and self._out[-1][-1:].isalnum():
            self._out.append(" ")
        self._out.append(word)
        following = self._text[self._position : self._position + 1]
        if self._style.maths and (following.isalnum() or following == "\\"):
            self._out.append(" ")

    def _sign(self, sign: str) -> None:
        if sign in ACCENTS and (sign != "=" or not self._style.maths):
            self._accent(sign)
        elif sign == "\\":
            self._out.append("\n" if not self._style.maths else " ")
            if option := _OPTION.match(self._text, self._position):
                self._position = option.end()
        else:
            self._out.append(SYMBOLS.get(sign, sign if not sign.isspace() else " "))

    def _accent(self, name: str) -> None:
        if group := _NEXT_GROUP.match(self._text, self._position):
            self._position = group.end()
            self._push("accent" + name)
        elif base := _BASE.match(self._text, self._position):
            letter = base[2] or SYMBOLS.get(base[1], "")
            if len(letter) == 1:
                self._position = base.end()
                self._out.append(put_accent(name, letter))
        elif not name.isalpha():
            self._out.append(name)

    def _skip_space(self) -> None:
        while self._text[self._position : self._position + 1] in (" ", "\n", "\t"):
            self._position += 1
