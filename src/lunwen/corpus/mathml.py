"""LaTeX maths → MathML that is safe to put into a page."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_ELEMENTS = frozenset(
    (
        *(
            "math",
            "mrow",
            "mi",
            "mn",
            "mo",
            "ms",
            "mtext",
            "mspace",
            "msub",
            "msup",
            "msubsup",
            "munder",
            "mover",
        ),
        *(
            "munderover",
            "mmultiscripts",
            "mprescripts",
            "none",
            "mfrac",
            "msqrt",
            "mroot",
            "mstyle",
            "mpadded",
        ),
        *("mphantom", "menclose", "mtable", "mtr", "mtd", "mlabeledtr", "mfenced"),
    )
)
_ATTRIBUTES = frozenset(
    (
        *("display", "mathvariant", "stretchy", "fence", "separator", "form", "lspace", "rspace", "minsize"),
        *("maxsize", "movablelimits", "accent", "accentunder", "largeop", "symmetric", "linethickness"),
        *("displaystyle", "scriptlevel", "width", "height", "depth", "voffset", "columnalign", "columnlines"),
        *("rowlines", "columnspacing", "rowspacing", "notation", "open", "close", "separators"),
    )
)
_VALUE = re.compile(r"[\w .,%+|()\[\]{}/⟨⟩‖⌈⌉⌊⌋-]{0,80}")
_REFUSED = re.compile(r"\\(?:\w*newcommand|\w*def|let|href|require|\w*DeclareMathOperator)(?![A-Za-z])")
_INVALID = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # in XML
_LONGEST = 4000
_DEEPEST = 60  # braces inside braces; the converter is recursive


@lru_cache(maxsize=4096)
def mathml(latex: str, display: bool = False) -> str | None:
    """Return LaTeX maths as MathML, or None where it cannot be set.

    Only known elements and attributes pass, so that no link, style or script can come with a formula.
    """
    if len(latex) > _LONGEST or _depth(latex) > _DEEPEST or _REFUSED.search(latex):
        return None
    tree = _convert(latex, "block" if display else "inline")
    if tree is None:
        return None
    written: list[str] = []
    return "".join(written) if _write(tree, written) else None


def _convert(latex: str, display: str) -> Element | None:
    from latex2mathml import converter, exceptions  # noqa: PLC0415 - slow to load, and only pages need it

    known = (error for error in vars(exceptions).values() if isinstance(error, type))
    slips = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError, StopIteration)
    failures: tuple[type[Exception], ...] = (*(e for e in known if issubclass(e, Exception)), *slips)
    try:
        return converter.Converter(display=display).convert_to_element(latex)
    except failures:
        return None


def _write(element: Element, out: list[str]) -> bool:
    """Write an element and what it holds; False where it is not one of the known ones."""
    if element.tag not in _ELEMENTS:
        return False
    attributes = [
        f' {name}="{escape(value)}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value)
    ]
    namespace = f' xmlns="{_NAMESPACE}"' if element.tag == "math" else ""
    out.append(f"<{element.tag}{namespace}{''.join(attributes)}>")
    out.append(_text(element.text))
    for child in element:
        if not _write(child, out):
            return False
        out.append(_text(child.tail))
    out.append(f"</{element.tag}>")
    return True


def _text(text: str | None) -> str:
    """Escape text; the converter writes characters as ``&#x003B1;`` and unknown macros as they are."""
    return escape(_INVALID.sub("", unescape(text or "")).lstrip("\\"))


def _depth(latex: str) -> int:
    depth = deepest = 0
    for character in latex:
        depth += (character == "{") - (character == "}")
        deepest = max(deepest, depth)
    return deepest
