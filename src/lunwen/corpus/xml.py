"""Reading XML nobody vouches for: no DTD, no network, no entity of the file's own, bounded memory."""

from __future__ import annotations

import re
from html.entities import name2codepoint
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from lxml import etree

from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "load_dtd": False,
    "no_network": True,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
_CHUNK = 1 << 16
_LONGEST_NAME = 12  # "&thetasym;" and a little more
_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,9});")
_OWN = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})
_NUMBERS = {name.encode(): f"&#{point};".encode() for name, point in name2codepoint.items()}


def safe_xml(data: bytes, *, name: str = "this file") -> etree._Element:
    """Return the root element of ``data``; HTML's entity names (``&uuml;``) are known without a DTD.

    Raises:
        UnreadableFile: not well-formed, or it declares entities of its own.
    """
    parser = etree.XMLParser(**_SAFE)
    try:
        root = etree.fromstring(_number_names(data), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableFile(_malformed(name, error)) from error
    _refuse_entities(root, name)
    return root


def iter_xml(stream: BinaryIO, tags: Sequence[str], *, name: str = "this file") -> Iterator[etree._Element]:
    """Yield each complete element named in ``tags`` (any namespace), in file order.

    An element is emptied, and everything before it forgotten, when the next one is asked for: memory stays
    bounded however long the file is.

    Raises:
        UnreadableFile: not well-formed, or it declares entities of its own.
    """
    wanted = [tag if tag.startswith("{") else f"{{*}}{tag}" for tag in tags]
    source = cast("BinaryIO", _NumberedNames(stream))
    checked = False
    try:
        for _, element in etree.iterparse(source, events=("end",), tag=wanted, **_SAFE):
            if not checked:
                _refuse_entities(element, name)
                checked = True
            yield element
            _forget(element)
    except etree.XMLSyntaxError as error:
        raise UnreadableFile(_malformed(name, error)) from error


def _forget(element: etree._Element) -> None:
    element.clear()
    parent = element.getparent()
    while parent is not None and parent[0] is not element:
        del parent[0]


def _refuse_entities(element: etree._Element, name: str) -> None:
    document_type: Any = element.getroottree().docinfo.internalDTD
    if document_type is not None and document_type.entities():
        raise UnreadableFile(
            f"{name} declares XML entities of its own · lunwen reads files without them, because they can"
            " unpack to anything · remove the <!ENTITY …> lines"
        )


def _malformed(name: str, error: Exception) -> str:
    reason = " ".join(str(getattr(error, "msg", error)).split())[:200]
    return f"{name} is not well-formed XML ({reason}) · it may be cut short · download it again"


def _number_names(data: bytes) -> bytes:
    """Write HTML's entity names as numbers, which every XML reader knows."""
    return _NAMED.sub(_number, data) if b"&" in data else data


def _number(match: re.Match[bytes]) -> bytes:
    known = match[1] not in _OWN and match[1] in _NUMBERS
    return _NUMBERS[match[1]] if known else match[0]


class _NumberedNames:
    """A stream in which entity names are numbers, also where a name lies across two chunks."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._kept = b""

    def read(self, size: int = _CHUNK) -> bytes:
        chunk = self._stream.read(max(size, _CHUNK))
        data = self._kept + chunk
        self._kept = b""
        start = data.rfind(b"&", max(0, len(data) - _LONGEST_NAME))
        if chunk and start >= 0 and b";" not in data[start:]:
            data, self._kept = data[:start], data[start:]
            if not data:  # an empty answer would mean the end
                return self.read(size)
        return _number_names(data)
