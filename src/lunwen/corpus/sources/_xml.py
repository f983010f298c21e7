"""XML as sites publish it: streamed element by element, its root known from the head."""

from __future__ import annotations

import re
from html.entities import name2codepoint
from io import RawIOBase
from typing import TYPE_CHECKING, BinaryIO, cast

from lxml import etree

from lunwen.corpus.paper import BadRecord
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_PROLOG = re.compile(rb"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL)
_ROOT = re.compile(rb"\s*<(?:[\w.-]+:)?([\w.-]+)")
_ENTITY_DECLARATION = re.compile(rb"<!ENTITY\s")
_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]*);")
_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})


def peek_root(head: bytes) -> str:
    """Return the local name of the root element, or the empty text where this is not XML."""
    if not head.lstrip().startswith(b"<"):
        return ""
    position = 0
    while match := _PROLOG.match(head, position):
        position = match.end()
    root = _ROOT.match(head, position)
    return root[1].decode("ascii", "replace") if root else ""


def stream_elements(file: SourceFile, *tags: str) -> Iterator[etree._Element | BadRecord]:
    """Yield each finished element whose local name is in ``tags``, then free it.

    Where the file breaks off after the first element, a ``BadRecord`` says where.

    Raises:
        UnreadableFile: not XML, or it declares entities.
    """
    if _ENTITY_DECLARATION.search(file.head):
        raise UnreadableFile(
            f"{file.name} declares XML entities, which lunwen refuses. Remove its <!ENTITY …> lines."
        )
    found = False
    with file.open() as stream:
        events = etree.iterparse(
            cast("BinaryIO", _NumericEntities(stream)),
            events=("end",),
            tag=[f"{{*}}{tag}" for tag in tags],
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            for _, element in events:
                found = True
                yield element
                element.clear(keep_tail=True)
        except etree.XMLSyntaxError as error:
            reason = f"the XML breaks off here: {error.msg}"
            if not found:
                raise UnreadableFile(f"{file.name}: {reason}. Fetch it again.") from error
            yield BadRecord(f"line {error.lineno}", reason)


def inner_xml(element: etree._Element | None) -> str | None:
    """Return what is inside ``element`` as XML text, ``None`` where it is empty."""
    if element is None:
        return None
    parts = [_escape(element.text or "")]
    for child in element:
        part = cast("str", etree.tostring(child, encoding="unicode"))
        parts.append(re.sub(r' xmlns(?::\w+)?="[^"]*"', "", part))
    return "".join(parts).strip() or None


def inner_text(element: etree._Element | None) -> str | None:
    """Return the text inside ``element`` without its tags, ``None`` where there is none."""
    if element is None:
        return None
    return "".join(cast("Iterator[str]", element.itertext())).strip() or None


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class _NumericEntities(RawIOBase):
    """A stream with ``&uuml;`` written as ``&#252;``, since no DTD is ever loaded."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._rest = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._rest + self._stream.read(size)
        self._rest = b""
        cut = data.rfind(b"&", max(0, len(data) - 40))
        if cut > 0 and b";" not in data[cut:]:
            data, self._rest = data[:cut], data[cut:]
        return _NAMED.sub(_numeric, data) if b"&" in data else data


def _numeric(match: re.Match[bytes]) -> bytes:
    name = match[1].decode("ascii")
    code = None if name in _XML_NAMES else name2codepoint.get(name)
    return match[0] if code is None else b"&#%d;" % code
