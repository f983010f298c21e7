"""XML as sites publish it: its root known from the head, damage at the end local."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from lxml import etree

from lunwen.corpus.markup import iter_xml
from lunwen.corpus.paper import BadRecord
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

_PROLOG = re.compile(rb"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL)
_ROOT = re.compile(rb"\s*<(?:[\w.-]+:)?([\w.-]+)")
_NAMESPACE = re.compile(r' xmlns(?::\w+)?="[^"]*"')


def peek_root(head: bytes) -> str:
    """Return the local name of the root element, or the empty text where this is not XML."""
    position = 0
    while match := _PROLOG.match(head, position):
        position = match.end()
    root = _ROOT.match(head, position)
    return root[1].decode("ascii", "replace") if root else ""


def stream_elements(file: SourceFile, *tags: str) -> Iterator[etree._Element | BadRecord]:
    """Yield each finished element whose local name is in ``tags``.

    Where the file breaks off after the first of them, a ``BadRecord`` says so.

    Raises:
        UnreadableFile: not XML, or it declares entities.
    """
    line: object = None
    with file.open() as stream:
        try:
            for element in iter_xml(stream, tags, name=file.name):
                line = element.sourceline
                yield element
        except UnreadableFile as error:
            if line is None:
                raise
            yield BadRecord(f"after line {line}", str(error))


def inner_xml(element: etree._Element | None) -> str | None:
    """Return what is inside ``element`` as XML text, ``None`` where it is empty."""
    if element is None:
        return None
    children = (_NAMESPACE.sub("", etree.tostring(child, encoding="unicode")) for child in element)
    return "".join((_escape(element.text or ""), *children)).strip() or None


def inner_text(element: etree._Element | None) -> str | None:
    """Return the text inside ``element`` without its tags, ``None`` where there is none."""
    if element is None:
        return None
    return "".join(cast("Iterator[str]", element.itertext())).strip() or None


def child_text(element: etree._Element, name: str) -> str | None:
    """Return the text of the first child of that local name."""
    return inner_text(element.find(f"{{*}}{name}"))


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
