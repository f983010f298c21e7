"""Mending words that a line's end broke in two: ``multi- task``, ``previ- ous``."""

from __future__ import annotations

import re

_BROKEN = re.compile(r"(?<![^\W\d_]-)\b([^\W\d_]{2,40})- ([a-z][^\W\d_]*)")
_SUSPENDED = re.compile(
    r"and|or|to|und|et|nor|vs|versus|as|than|but|the|an?|is|are|was|in|of|for|with|that|which|we|by|on|at|from|it"
    r"|this|these|those|while|where|when|can"
)
#: First halves that are words of their own before a hyphen.
_PREFIX = re.compile(
    r"multi|non|self|semi|cross|pre|post|co|sub|inter|intra|over|under|high|low|well|single|two|three|four|one|zero"
    r"|few|many|long|short|large|small|real|state|end|data|task|model|time|open|closed|meta|auto|text|image|vision"
    r"|hyper|ultra|micro|macro|quasi|pseudo|near|best|first|second|third|full|half|hand|fine",
    re.IGNORECASE,
)
#: Second halves that are no words.
_ENDING = re.compile(
    r"t?ions?|s?ions?|tional\w*|ments?|tures?|ous(?:ly)?|ing(?:s|ly)?|ly|ity|ities|ness|[ae]nc(?:es?|y)|[ae]nts?|i?[ai]?bl[ey]s?"
    r"|a?tives?|sive|c?ally|als?|ti?c(?:al|s)?|ics?|ical(?:ly)?|ers?|e[ds]|es?t|i[zs](?:e[ds]?|ing|ations?)"
    r"|[lrmnc]ations?|rithms?|d?ents?|t[ae]n[ct]es?|[cr]y|ty|ther|tween|fore|[pb]les?|t[oe]rs?|works?"
)
_MANY = 3  # so many broken words in one text: its line ends fell inside words


def mend_hyphens(text: str) -> str:
    """Join broken words; a suspended hyphen stays as it is: ``pre- and post-training``.

    The text itself is asked first (does it spell the word elsewhere?), then the shape of the two halves.
    """
    broken = [match for match in _BROKEN.finditer(text) if not _SUSPENDED.fullmatch(match[2])]
    if not broken:
        return text
    words = frozenset(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text.lower()))

    def mend(match: re.Match[str]) -> str:
        left, right = match[1], match[2]
        if _SUSPENDED.fullmatch(right):
            return match[0]
        joined, hyphened = left + right, f"{left}-{right}"
        if joined.lower() in words:
            return joined
        if hyphened.lower() in words or _PREFIX.fullmatch(left) or left.isupper():
            return hyphened
        return joined if len(broken) >= _MANY or _ENDING.fullmatch(right) else hyphened

    return _BROKEN.sub(mend, text)
