r"""Marked-up text → clean text; clean text → segments, plain text, MathML.

Clean text is Unicode without markup: paragraphs joined by an empty line, maths between ``$…$`` or ``$$…$$``,
a literal dollar ``\$`` only where it could be read as maths, links as their URL.
"""

from __future__ import annotations

import re
import unicodedata

from lunwen.corpus.aside import Aside
from lunwen.corpus.character import join_lines, mend_characters
from lunwen.corpus.latex import CLOSE_BRACE, OPEN_BRACE, Style, mend_macros, read_latex
from lunwen.corpus.mathml import mathml
from lunwen.corpus.maths import Segment, plain, segments
from lunwen.corpus.paper import Markup
from lunwen.corpus.prose import read_markdown, set_type
from lunwen.corpus.tag import read_entities, read_tags
from lunwen.corpus.xml import iter_xml, safe_xml

__all__ = ["Segment", "clean", "iter_xml", "mathml", "plain", "safe_xml", "segments", "title_bibtex"]

_MARKED = re.compile(
    r"[ÂÃÎÏâïð$\\{}<&*_`~\x00-\x1f\x7f-\xad\u034f\u061c\u115f\u1160\u17b4-\u180f\u2000-\u2011\u2028-\u206f\u3000\u3164"
    r"\ud800-\udfff\ufb00-\ufb06\ufdd0-\ufdef\ufe00-\ufe0f\ufeff-\uffff\U0001bca0-\U0001bca3\U0001d173-\U000e0fff]"
)
_PROTECTED = re.compile(f"[{OPEN_BRACE}{CLOSE_BRACE}]")
#: "it\'s": a quote escaped for some other language.
_STRAY = re.compile(r"(?<=[<>]);(?=[\s=\d])")  # "&lt;;"
_QUOTE = re.compile(r"(?<=\w)\\'(?=(?:s|t|re|ve|ll|d|m)\b)")


def clean(text: str, markup: Markup) -> str:
    """Return ``text`` as clean text; it never raises, and clean text comes back as it is."""
    if markup is Markup.CLEAN or _is_clean(text):
        return text
    return _PROTECTED.sub("", _clean(text, markup))


def title_bibtex(text: str, markup: Markup) -> str | None:
    """Return a title as clean text with its protecting braces, ``{A}dap{L}e{R}``; None where it has none."""
    if markup not in (Markup.ACL, Markup.LATEX):
        return None
    title = _clean(text, markup, protect=True)
    if OPEN_BRACE not in title:
        return None
    return title.replace(OPEN_BRACE, "{").replace(CLOSE_BRACE, "}")


def _is_clean(text: str) -> bool:
    """Whether nothing in ``text`` needs a parser: true of nine abstracts in ten, and fast."""
    return (
        _MARKED.search(text) is None
        and "  " not in text
        and "- " not in text
        and "--" not in text
        and "](" not in text
        and text[:1] != " "
        and text[-1:] != " "
        and unicodedata.is_normalized("NFC", text)
    )


def _clean(text: str, markup: Markup, *, protect: bool = False) -> str:
    text = mend_characters(mend_macros(text))
    if markup in (Markup.HTML, Markup.ACL, Markup.JATS):
        text = read_tags(text, markup, protect=protect)
    if "&" in text:
        text = read_entities(text)
    if "<;" in text or ">;" in text:
        text = _STRAY.sub("", text)
    aside = Aside()
    text = read_tags(aside.hide(text), Markup.PLAIN)
    grouping = markup is Markup.LATEX
    if "\\" in text or "{" in text or "}" in text or (grouping and "~" in text):
        if not grouping:
            text = _QUOTE.sub("'", text)
        text = read_latex(text, Style(grouping=grouping, protect=protect and grouping))
    text = join_lines(text)
    if markup in (Markup.PLAIN, Markup.HTML):
        text = read_markdown(text)
    return unicodedata.normalize("NFC", join_lines(aside.show(set_type(text))))
