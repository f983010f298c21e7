"""Regular expressions that are compiled when they are first needed, and in plain form for ASCII text.

The sets of Chinese, Japanese and Korean characters take a millisecond each to compile, and most queries have
none of them: a program that answers one query and ends would spend more time on its patterns than on its
search.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["CJK", "pattern"]

#: Scripts written without spaces: Han, kana, bopomofo, hangul. A regular expression's character set.
CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)


def pattern(template: str, text: str) -> re.Pattern[str]:
    """Return a template's pattern for a text.

    In a template ``⟨L⟩`` stands for a letter or digit that is not CJK, ``⟨C⟩`` for a CJK character.
    """
    return _compile(template, text.isascii())


@cache
def _compile(template: str, is_ascii: bool) -> re.Pattern[str]:
    letter, character = ("[A-Za-z0-9]", r"[^\s\S]") if is_ascii else (f"[^\\W_{CJK}]", f"[{CJK}]")
    return re.compile(template.replace("⟨L⟩", letter).replace("⟨C⟩", character), re.DOTALL)
