"""JSON as sites publish it: a list, a list inside an object, or one object a line; damage stays local.

A sound document is read in one go. In a damaged one every record that can be read is read, and each that
cannot is a ``BadRecord`` with its line.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from lunwen.corpus.paper import BadRecord
from lunwen.corpus.source import HEAD_BYTES
from lunwen.corpus.sources._form import require_record
from lunwen.errors import UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.source import SourceFile

Item: TypeAlias = tuple[str, dict[str, Any]]  # where it is in the file ("item 3", "line 12"), and the object

_WHAT = "JSON record that can be read"
LARGEST = 1024**3  # bytes of one document; lines may be as many as there are
_CHUNK = 1024 * 1024
_SEARCHED = 16 * 1024 * 1024  # how far sniffing looks for a first record that is larger than the head
_DECODER = json.JSONDecoder()
_GAP = re.compile(r"[\s,]*")
_OBJECT = re.compile(r'\{\s*"')
_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # what "surrogateescape" makes of a byte that is not UTF-8
_BEYOND_ASCII = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]")
_HALF_PAIR = re.compile(  # half of an emoji, which some site cut in two; valid JSON, but not text
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


def read_objects(file: SourceFile, *within: str) -> Iterator[Item | BadRecord]:
    """Yield the records of a list, of the list ``within`` an object, or of JSON lines, in file order.

    ``within`` is a path of keys: ``"message", "items"`` for Crossref. An object without it is one record.

    Raises:
        UnreadableFile: not JSON at all, or not UTF-8.
    """
    if _is_lines(file.head, within):
        yield from require_record(file, _WHAT, read_lines(file))
        return
    data = read_whole(file)
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError:
        yield from require_record(file, _WHAT, _mend(_decode(file, data), within))
        return
    for key in within:
        if isinstance(document, dict) and key in document:
            document = document[key]
    for number, value in enumerate(document if isinstance(document, list) else [document], start=1):
        yield _item(f"item {number}", value)


def read_whole(file: SourceFile) -> bytearray:
    """Return all bytes of a file that can only be read as a whole.

    Raises:
        UnreadableFile: too large for that.
    """
    data = bytearray()
    with file.open() as stream:
        while chunk := stream.read(_CHUNK):
            data += chunk
            if len(data) > LARGEST:
                raise UnreadableFile(
                    f"{file.name} is one document of more than {LARGEST // 1024**2:,} MiB, the most that is "
                    "read whole. Split it, or write JSON as lines, one object each."
                )
    return data


def read_lines(file: SourceFile) -> Iterator[Item | BadRecord]:
    """Yield the object on each line, one line in memory at a time."""
    with file.open() as stream:
        for number, line in enumerate(stream, start=1):
            if line.isspace():
                continue
            try:
                yield _item(f"line {number}", orjson.loads(line))
            except orjson.JSONDecodeError:
                text = line.decode("utf-8", "surrogateescape").strip()
                try:
                    value, end = _read_value(text, 0)
                except (ValueError, RecursionError) as error:
                    yield BadRecord(f"line {number}", _reason(text, error))
                    continue
                if end < len(text):
                    yield BadRecord(f"line {number}", "broken JSON: more text after the object")
                else:
                    yield _item(f"line {number}", value)


def first_objects(file: SourceFile, *within: str, limit: int = 3) -> list[dict[str, Any]]:
    """Return the first records of what may be JSON, for sniffing; none where it is something else."""
    if file.head.lstrip()[:1] not in (b"[", b"{"):
        return []
    found = _first(file.head, within, limit, cut=len(file.head) >= HEAD_BYTES)
    if not found and len(file.head) >= HEAD_BYTES:
        with file.open() as stream:
            found = _first(stream.read(_SEARCHED), within, limit, cut=False)
    return found


def _first(data: bytes, within: tuple[str, ...], limit: int, *, cut: bool) -> list[dict[str, Any]]:
    text = data.decode("utf-8", "replace")
    good = (value for _, value in _scan(text, _start(text, within), guess=not cut) if isinstance(value, dict))
    return list(islice(good, limit))


def _is_lines(head: bytes, within: tuple[str, ...]) -> bool:
    """Whether the first or the second line is an object of its own, and not the one that holds the list."""
    lines = [line.strip() for line in head.split(b"\n")[:20]]
    lines = [line for line in lines if line][:2]
    if not lines or not lines[0].startswith(b"{"):
        return False
    if within and re.search(rb'"%s"\s*:' % re.escape(within[0].encode()), lines[0]):
        return False
    return any(_is_object(line) for line in lines)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _item(place: str, value: object) -> Item | BadRecord:
    if isinstance(value, dict):
        return place, value
    return BadRecord(place, "not a JSON object")


def _decode(file: SourceFile, data: bytes | bytearray) -> str:
    text = data.decode("utf-8", "surrogateescape")
    damaged = len(_NOT_UTF8.findall(text))
    if damaged > 100 and damaged > len(_BEYOND_ASCII.findall(text)):
        from charset_normalizer import from_bytes  # noqa: PLC0415 - heavy, and hardly ever needed

        best = from_bytes(bytes(data[: 4 * HEAD_BYTES])).best()
        looks = f" but looks like {best.encoding}" if best else ""
        raise UnreadableFile(
            f"{file.name} is not UTF-8{looks}. JSON is read as UTF-8. Convert it with: iconv"
        )
    return text


def _mend(text: str, within: tuple[str, ...]) -> Iterator[Item | BadRecord]:
    """Read what can be read of a damaged document."""
    line, counted = 1, 0
    for number, (at, value) in enumerate(_scan(text, _start(text, within), guess=True), start=1):
        line += text.count("\n", counted, at)
        counted = at
        if isinstance(value, str):
            yield BadRecord(f"line {line}, item {number}", value)
        else:
            yield _item(f"item {number}", value)


def _start(text: str, within: tuple[str, ...]) -> int:
    """Where the first record may begin: inside the list, or where objects follow one another without one."""
    at = len(text) - len(text.lstrip())
    if text[at : at + 1] == "{":
        for key in within:
            found = re.compile(rf'"{re.escape(key)}"\s*:\s*').search(text, at)
            at = found.end() if found else at
    return at + 1 if text[at : at + 1] == "[" else at


def _scan(text: str, at: int, *, guess: bool) -> Iterator[tuple[int, object]]:
    """Yield where each item begins and its value; a ``str`` for a broken one: why.

    After a broken item the next object that looks like the items before is the next item. Where there were
    none, the object with the most keys shows what they look like if ``guess``, else that is the end.
    """
    shape: frozenset[str] = frozenset()
    while (at := _end_of_gap(text, at)) < len(text):
        begin = at
        try:
            value, at = _read_value(text, begin)
            if not isinstance(value, dict):
                raise ValueError("not an object")  # noqa: TRY004, TRY301 - broken like the others
        except (ValueError, RecursionError) as error:
            if not shape and guess:
                shape = _largest(text, begin + 1)
            following = _next_like(shape, text, begin + 1)
            closes = text[begin] in "]}"
            if following is None and (closes or not (shape or guess)):
                return
            at = len(text) if following is None else following
            yield begin, _reason(text[begin:at], error)
        else:
            shape = frozenset(value)
            yield begin, value


def _end_of_gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _read_value(text: str, at: int) -> tuple[object, int]:
    value, end = _DECODER.raw_decode(text, at)
    written = text[at:end]
    if _NOT_UTF8.search(written):
        raise ValueError("not UTF-8")
    if _HALF_PAIR.search(written):
        value = json.loads(_HALF_PAIR.sub(r"\\ufffd", written))
    return value, end


def _objects(text: str, at: int) -> Iterator[tuple[int, frozenset[str]]]:
    for found in _OBJECT.finditer(text, at):
        try:
            value, _ = _DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        yield found.start(), frozenset(value)


def _largest(text: str, at: int) -> frozenset[str]:
    return max((keys for _, keys in islice(_objects(text, at), 200)), key=len, default=frozenset())


def _next_like(shape: frozenset[str], text: str, at: int) -> int | None:
    """Where the next object begins that has at least half of the keys of ``shape``."""
    if not shape:
        return None
    return next((begin for begin, keys in _objects(text, at) if 2 * len(keys & shape) >= len(shape)), None)


def _reason(text: str, error: ValueError | RecursionError) -> str:
    if _NOT_UTF8.search(text):
        return "not UTF-8"
    if "\0" in text:
        return "holds a NUL byte"
    if isinstance(error, RecursionError):
        return "broken JSON: nested too deep"
    return f"broken JSON: {error.msg}" if isinstance(error, json.JSONDecodeError) else f"broken JSON: {error}"
