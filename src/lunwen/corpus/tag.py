"""Tags and entities → text: HTML, the ACL Anthology's inline XML, JATS, and the odd tag in plain text."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple

from lunwen.corpus.character import mend_characters
from lunwen.corpus.latex import CLOSE_BRACE, OPEN_BRACE
from lunwen.corpus.latex_table import link_text
from lunwen.corpus.paper import Markup

if TYPE_CHECKING:
    from collections.abc import Callable


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_BLOCK = _names(
    "p div section article h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre center sec abstract par hr"
    " header footer figure body list disp-quote"
)
_LINE = _names("br li tr dt dd break list-item")
_HIDDEN = _names("script style head template object iframe svg select")
_VOID = _names("br hr p img")
#: In plain text a tag is a tag only if it is one of these; "<s>", "<mask>" and "<image>" are tokens.
_PLAIN = _VOID | _names(
    "strong b i em u sub sup a span div ul ol li h1 h2 h3 h4 h5 h6 tt small big center font blockquote pre"
    " table tr td th tbody thead section article script style"
)
_HTML = (_PLAIN | _BLOCK | _LINE | _HIDDEN) | _names(
    "html meta link cite q abbr del ins mark kbd var samp code s strike label nav main aside figcaption"
    " wbr img noscript button input form math tex-math bdi bdo sc caption time title"
)
_TAG = re.compile(
    r"<!--|<!\[CDATA\[|<!DOCTYPE[^<>]{0,500}>|</?([A-Za-z][\w.-]*:)?([A-Za-z][\w-]*)"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=]+))*+\s*/?>",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"</(?:[A-Za-z][\w.-]*:)?([A-Za-z][\w-]*)\s*>")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_LOOSE = re.compile(r"&(?!(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)")
_SPACES = re.compile(r"\s+")
_DOCUMENT = re.compile(r"\\begin\{document\}(.*)\\end\{document\}", re.DOTALL)
_INLINE = re.compile(r"\\\(.*?\\\)", re.DOTALL)
_SUPERSCRIPT = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_SUBSCRIPT = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_DEEPEST = 20  # nested tags whose text is needed as a whole; deeper ones are dropped
_ENTITY_ROUNDS = 3  # "&amp;amp;amp;"


def read_entities(text: str) -> str:
    """Decode entities, also where they were encoded twice; ``AT&T`` and ``a&b`` stay."""
    for _ in range(_ENTITY_ROUNDS):
        if "&" not in text or (decoded := _ENTITY.sub(_decode, text)) == text:
            break
        text = decoded
    return text


def _decode(match: re.Match[str]) -> str:
    return mend_characters(unescape(match[0]))


def read_tags(text: str, markup: Markup, *, protect: bool = False) -> str:
    """Return ``text`` without its tags; what only looks like a tag stays, scripts and comments go."""
    if "<" not in text:
        return text
    prepared = _escape(text, markup)
    if prepared is None:
        return text
    reader = _Reader(folds=markup is not Markup.PLAIN, protect=protect)
    reader.feed(prepared)
    reader.close()
    return reader.text()


def _escape(text: str, markup: Markup) -> str | None:
    """Escape every ``<`` that opens no tag of this markup; None where no tag is left."""
    ends = {match[1].lower(): match.start() for match in _CLOSING.finditer(text)}
    last_comment, last_section = text.rfind("-->"), text.rfind("]]>")
    pieces: list[str] = []
    end, found = 0, False
    for match in _TAG.finditer(text):
        if match.start() < end:
            continue
        name = (match[2] or "").lower()
        stop = match.end()
        tag = match[0]
        if tag == "<!--":
            known = last_comment > match.start()
            stop = text.find("-->", match.start()) + 3 if known else stop
            tag = "" if known else tag
        elif tag == "<![CDATA[":
            known = last_section > match.start()
            stop = text.find("]]>", match.start()) + 3 if known else stop
            tag = text[match.end() : stop - 3].replace("<", "&lt;") if known else tag
        else:
            known = not name or _knows(name, markup, match, ends)
        if known:
            found = True
            pieces += (_plain_text(text[end : match.start()]), tag)
            end = stop
    return "".join((*pieces, _plain_text(text[end:]))) if found else None


def _knows(name: str, markup: Markup, match: re.Match[str], ends: dict[str, int]) -> bool:
    closing = match[0].startswith("</")
    if name in _HIDDEN and not closing and ends.get(name, -1) < match.start():
        return False  # it would hide the rest of the text
    if markup in (Markup.ACL, Markup.JATS):
        return True
    if markup is Markup.HTML:
        return name in _HTML or bool(match[1])
    return name in _PLAIN and (name in _VOID or closing or ends.get(name, -1) > match.start())


def _plain_text(text: str) -> str:
    return _LOOSE.sub("&amp;", text).replace("<", "&lt;")


class _Wait(NamedTuple):
    """A tag whose text is needed as a whole."""

    name: str
    start: int
    url: str = ""


class _Reader(HTMLParser):
    """Collects the text between tags that are all known."""

    def __init__(self, *, folds: bool, protect: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._folds = folds  # white space between tags means nothing
        self._protect = protect
        self._out: list[str] = []
        self._waiting: list[_Wait] = []
        self._hidden = 0

    def text(self) -> str:
        while self._waiting:
            self._finish(self._waiting.pop())
        return "".join(self._out)

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._out.append(_SPACES.sub(" ", data) if self._folds else data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = tag.rpartition(":")[2]
        if name in _HIDDEN:
            self._hidden += 1
        elif name in _BLOCK:
            self._out.append("\n\n")
        elif name in _LINE:
            self._out.append("\n")
        elif name == "fixed-case" and self._protect:
            self._out.append(OPEN_BRACE)
        elif name in _WHOLE and len(self._waiting) < _DEEPEST:
            values = dict(attrs)
            url = values.get("href") or values.get("xlink:href") or ""
            self._waiting.append(_Wait(name, len(self._out), url))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = tag.rpartition(":")[2]
        if name in _BLOCK | _LINE:
            self.handle_starttag(name, attrs)

    def handle_endtag(self, tag: str) -> None:
        name = tag.rpartition(":")[2]
        if name in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif name in _BLOCK:
            self._out.append("\n\n")
        elif name == "fixed-case" and self._protect:
            self._out.append(CLOSE_BRACE)
        elif any(wait.name == name for wait in self._waiting):
            while (wait := self._waiting.pop()).name != name:
                self._finish(wait)
            self._finish(wait)

    def _finish(self, wait: _Wait) -> None:
        text = "".join(self._out[wait.start :])
        del self._out[wait.start :]
        self._out.append(_WHOLE[wait.name](text, wait.url))


def _script(table: dict[int, int]) -> Callable[[str, str], str]:
    def write(text: str, _: str) -> str:
        raised = text.strip().translate(table)
        return raised if all(ord(a) != ord(b) for a, b in zip(raised, text.strip(), strict=True)) else text

    return write


def _tex(text: str, _: str) -> str:
    document = _DOCUMENT.search(text)
    latex = (document[1] if document else text).strip().strip("$").strip()
    return f"\\({latex}\\)" if latex else ""


def _anchor(text: str, url: str) -> str:
    return link_text(url, text) if url.startswith(("http://", "https://", "\ufdd0")) else text


def _either(text: str, _: str) -> str:
    """Of a formula given twice, the LaTeX one."""
    latex = _INLINE.search(text)
    return latex[0] if latex else text


def _heading(text: str, _: str) -> str:
    return "" if text.strip().casefold().rstrip(".:") in ("abstract", "summary") else f"\n\n{text}\n\n"


_WHOLE: dict[str, Callable[[str, str], str]] = {
    "sup": _script(_SUPERSCRIPT),
    "sub": _script(_SUBSCRIPT),
    "tex-math": _tex,
    "annotation": lambda text, _: f"\\({text.strip()}\\)" if text.strip() else "",
    "math": lambda text, url: _either("".join(text.split()) if "\\(" not in text else text, url),
    "alternatives": _either,
    "a": _anchor,
    "ext-link": _anchor,
    "uri": _anchor,
    "title": _heading,
}
