"""Mending characters and spaces: what PDF readers, editors and wrong encodings leave behind."""

from __future__ import annotations

import re
import unicodedata

from lunwen.corpus.hyphen import mend_hyphens

#: Noncharacters stand for hidden pieces while a text is cleaned; Unicode keeps them out of interchange.
NONCHARACTERS = "\ufdd0-\ufdef"

_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u2011\u2028-\u202f"
    f"\u205f-\u206f\u3000\u3164\ufb00-\ufb06{NONCHARACTERS}\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_GLYPH = re.compile(r"\(cid:(1[1-5]|173)\)")  # pdfminer's name for TeX's ligatures and for a soft hyphen
_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl")
_GLYPHS = {str(number): text for number, text in enumerate(_LIGATURES, 11)} | {"173": "\xad"}
_SOFT_BREAK = re.compile(r"\xad(?=\s)")
_HIGH = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
_MOJIBAKE = re.compile(f"[ÂÃÎÏ]{_HIGH}|(?:â{_HIGH}|ï¬){_HIGH}|ð{_HIGH}{{3}}")  # UTF-8 once read as Latin-1
_MENDED = (
    dict.fromkeys("\x0b\x0c\r\u2028", "\n")
    | dict.fromkeys(
        "\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    )
    | {"\u2029": "\n\n", "\u2010": "-", "\u2011": "-"}
    | dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", (*_LIGATURES, "st", "st"), strict=True))
    | {chr(byte): bytes([byte]).decode("cp1252", "ignore") for byte in range(0x80, 0xA0)}
)


def mend_characters(text: str) -> str:
    """Return ``text`` in NFC without invisible, control and direction characters and without ligatures."""
    if not text.isascii():
        if _MOJIBAKE.search(text):
            text = _MOJIBAKE.sub(_decode_again, text)
        if not unicodedata.is_normalized("NFC", text):
            text = unicodedata.normalize("NFC", text)
    if "(cid:1" in text:
        text = _GLYPH.sub(lambda match: _GLYPHS[match[1]], text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if _ODD.search(text):
        text = _ODD.sub(lambda match: _MENDED.get(match[0], ""), _SOFT_BREAK.sub("-", text))
        text = unicodedata.normalize("NFC", text)  # what stood between a letter and its accent is gone
    return text


def _decode_again(match: re.Match[str]) -> str:
    try:
        read = b"".join(c.encode("latin-1" if c < "\u0100" else "cp1252") for c in match[0])
        return read.decode("utf-8")
    except UnicodeError:
        return match[0]


_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_SPACES = re.compile(r"\s+")
_CJK = "\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uff00-\uffef"
_CJK_BREAK = re.compile(rf"(?<=[{_CJK}])[^\S\n]*\n[^\S\n]*(?=[{_CJK}])")


def join_lines(text: str) -> str:
    """Join wrapped lines, keep paragraphs apart by one empty line, and mend hyphens at line ends."""
    text = text.strip()
    if "\n" in text:
        text = _CJK_BREAK.sub("", text)
        paragraphs = [_SPACES.sub(" ", part) for part in _PARAGRAPH.split(text)]
        text = "\n\n".join(paragraphs)
    elif "  " in text or "\t" in text:
        text = _SPACES.sub(" ", text)
    if "- " in text:
        text = mend_hyphens(text)
    return text
