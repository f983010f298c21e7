"""What came from a site: whether it is what the site publishes, and all of it.

A file that somebody imports is read as far as it can be; a page that a site sends is taken whole or not at
all, because what it leaves out would count as gone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from lunwen.corpus.source import HEAD_BYTES, SourceFile
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from lunwen.corpus.fetch.reply import Reply

_BOM = b"\xef\xbb\xbf"
_DIGITS = 15  # of a number; who says more has not counted
_HTML = re.compile(rb"<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_KINDS = (
    (re.compile(rb"\s*\Z"), "nothing"),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "UTF-16 text"),
    (re.compile(rb"\s*<"), "XML of another kind"),
    (re.compile(rb"\s*[\[{]"), "JSON of another kind"),
    (re.compile(rb"%PDF-"), "a PDF"),
)


def open_reply(reply: Reply) -> SourceFile:
    """Return what came as a file to read; it is called by its URL."""
    with reply.open() as stream:
        head = stream.read(HEAD_BYTES + len(_BOM))
    skipped = len(_BOM) if head.startswith(_BOM) else 0

    def open_() -> BinaryIO:
        stream = reply.open()
        stream.seek(skipped)
        return stream

    return SourceFile(reply.url, head[skipped:][:HEAD_BYTES], open_)


def refuse(file: SourceFile, wanted: str) -> UnreadableFile:
    """Say what came in place of what was ``wanted``."""
    came = next((kind for form, kind in _KINDS if form.match(file.head)), "something else")
    if came.startswith("XML") and _HTML.search(file.head):
        came = "an HTML page"
    return UnreadableFile(
        f"{file.name} gave {came} in place of {wanted}. Nothing of it was taken. Look at it in a browser, or "
        "try again later."
    )


def load_json(file: SourceFile) -> Any:
    """Return the whole document.

    Raises:
        UnreadableFile: something else came, or it breaks off, is damaged, or is not UTF-8.
    """
    if not file.head.lstrip().startswith((b"{", b"[")):
        raise refuse(file, "JSON")
    with file.open() as stream:
        data = stream.read()
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise UnreadableFile(
            f"{file.name} came cut short or damaged ({error.msg} at byte {error.pos:,} of {len(data):,}). "
            "Nothing of it was taken. Try again later."
        ) from error


def read_count(said: object) -> int | None:
    """Return the number of things that a site says there are, None where it is none."""
    text = str(said).strip()
    is_count = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    return int(text) if is_count else None


def check_xml(file: SourceFile, *tags: str) -> int:
    """Read to the end and return how many elements of these names there are.

    Raises:
        UnreadableFile: it breaks off, is damaged, or declares entities.
    """
    from lunwen.corpus.xml import iter_xml  # noqa: PLC0415 - slow to load

    with file.open() as stream:
        return sum(1 for _ in iter_xml(stream, tags, name=file.name))
