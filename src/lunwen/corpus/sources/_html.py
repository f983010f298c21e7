"""HTML as sites publish it and browsers save it: one page in a file, or several, each under its address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import etree
from lxml.html import defs

from lunwen.corpus.sources._json import read_whole
from lunwen.corpus.sources._xml import inner_xml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_SAVED = re.compile(rb"<!-- saved from url=\(\d+\)(\S+) -->")  # what browsers write into a page they save
_OPEN = re.compile(rb"<(?=/?([A-Za-z][^\s/>]*)(\s*/?>|\s+[\w:-]+\s*=)?)")
_TAGS = frozenset(tag.encode() for tag in defs.tags)
_URL = re.compile(r"https?://\S+")
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """One page."""

    root: etree._Element
    url: str  # where it was saved from; empty where nothing says so
    place: str  # its address, else "page 1"

    def meta(self, name: str) -> list[str]:
        """Return what the ``meta`` elements of that name say."""
        said = (one.get("content", "").strip() for one in self.root.iter("meta") if one.get("name") == name)
        return [text for text in said if text]

    def find(self, tag: str, *, id: str = "", class_: str = "") -> etree._Element | None:  # noqa: A002 - HTML's word
        """Return the first element of that tag, id and class."""
        for element in self.root.iter(tag):
            if (not id or element.get("id") == id) and (not class_ or has_class(element, class_)):
                return element
        return None

    def link(self, href: str | None, base: str) -> str | None:
        """Return the address that ``href`` leads to; a page that does not say where it is is at ``base``."""
        address = urljoin(self.url or base, (href or "").strip())
        return address if _URL.fullmatch(address) else None

    @property
    def title(self) -> str:
        """What the page calls itself, for messages."""
        return f'"{text}"' if (text := text_of(self.find("title"))[:80]) else "no title"


def read_pages(file: SourceFile) -> Iterator[HtmlPage]:
    """Yield the pages of ``file``, whatever is wrong with their tags; what holds nothing is none.

    Pages after each other are told apart by the line ``<!-- saved from url=(19)https://example.org -->`` in
    each, at its beginning.

    Raises:
        UnreadableFile: larger than can be read whole.
    """
    data = bytes(read_whole(file))
    marks = list(_SAVED.finditer(data))
    starts = [0, *(mark.start() for mark in marks[1:])]
    named = file.name if _URL.fullmatch(file.name) else ""
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(data)
        url = marks[number][1].decode("utf-8", "replace") if marks else named
        root = etree.fromstring(_mend(data[start:end]), _parser())
        if root is not None:
            yield HtmlPage(root, url, url or f"page {number + 1}")


def has_class(element: etree._Element, name: str) -> bool:
    """Whether ``name`` is among the element's classes."""
    return name in (element.get("class") or "").split()


def text_of(element: etree._Element | None) -> str:
    """Return the text inside ``element`` on one line."""
    return "" if element is None else " ".join("".join(_texts(element)).split())


def html_of(*elements: etree._Element | None) -> str | None:
    """Return what is inside the elements as HTML, each a paragraph where they are several."""
    texts = [text for element in elements if (text := inner_xml(element))]
    return "".join(f"<p>{text}</p>" for text in texts) if len(texts) > 1 else next(iter(texts), None)


def cut_names(text: str) -> list[str]:
    """Cut "Ada Lovelace*, Sammy Davis, Jr." at its commas; asterisks mark equal contributions."""
    names: list[str] = []
    for piece in text.split(","):
        name = " ".join(piece.replace("*", " ").split())
        if names and _SUFFIX.fullmatch(name):
            names[-1] += f", {name}"
        elif name:
            names.append(name)
    return names


def _texts(element: etree._Element) -> Iterator[str]:
    yield from (str(text) for text in element.itertext())


def _parser() -> etree.HTMLParser:
    return etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)


def _mend(page: bytes) -> bytes:
    """Return the page as UTF-8, in which every "<" that opens no tag is written as such: "$a<b$"."""
    try:
        page.decode("utf-8")
    except UnicodeDecodeError:  # pages of before 2018
        page = page.decode("cp1252", "replace").encode()
    return _OPEN.sub(_escape, page.replace(b"\0", b""))


def _escape(match: re.Match[bytes]) -> bytes:
    known = match[1].lower() in _TAGS and (len(match[1]) > 1 or match[2] is not None)
    return b"<" if known else b"&lt;"
