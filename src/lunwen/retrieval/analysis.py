"""Text → index terms, and query text → the same terms; pure.

Everything that makes two spellings of one word meet is here, and the index and the query both go through it:
quotes and dashes (``fold``), accents, Greek letters and Chinese characters (``index_text``), hyphens
(``compounds``). The engine's tokenizer only splits at what is not alphanumeric, lower-cases and stems.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from lunwen.corpus.maths import plain
from lunwen.corpus.paper import Markup
from lunwen.retrieval.chinese.script import simplify
from lunwen.retrieval.pattern import CJK, pattern
from lunwen.retrieval.wording import REQUEST_WORDS, STOP_WORDS, strip_request

__all__ = [
    "CJK",
    "REQUEST_WORDS",
    "STOP_WORDS",
    "Term",
    "accented_words",
    "compounds",
    "fold",
    "index_text",
    "name_words",
    "read_tex",
    "strip_request",
    "terms",
    "trim",
]

_FOLDED = {
    **dict.fromkeys("‘’‚‛′‵´`ʹʻʼˈ＇", "'"),
    **dict.fromkeys("“”„‟″‶˝＂〝〞", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2e3a\u2e3b", "-"),
    **dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff™℠", ""),
    **dict.fromkeys("。．｡", "."),
    **dict.fromkeys("、､", ","),
    "\u2044": "/",
    "\u2215": "/",
    "\u2236": ":",
}
_TO_FOLD = re.compile(f"[{''.join(map(re.escape, _FOLDED))}\ud800-\udfff\x00]")

_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
_SYMBOLS = {"∀": "forall", "∃": "exists", "∇": "nabla", "∞": "infinity"}
_PIECE = f"(?P<cjk>⟨C⟩)|(?P<greek>[{_GREEK}]+)|(?P<symbol>[{''.join(_SYMBOLS)}])|(?P<other>.)"
_NO_ACCENT = str.maketrans(
    {
        "ß": "ss",
        "ẞ": "SS",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "ð": "d",
        "Ð": "D",
        "þ": "th",
        "Þ": "TH",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ħ": "h",
        "Ħ": "H",
        "ı": "i",
        "ŋ": "n",
        "Ŋ": "N",
        "ŧ": "t",
        "Ŧ": "T",
        "ə": "e",
        "Ə": "E",
    }
)
_UMLAUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "ß": "ss"})

_LONGEST = 48  # characters of a compound; what is longer is an address
_JOINER = "[-_./'+:^&@]"
_SIGN = r"(?:\+\+|[#*](?!⟨L⟩))"

# Names that a tokenizer would empty: C++ and c, C# and c, A* and the article are different words.
_CODE_HINT = re.compile(r"\+\+|#|\*|\.N")
_CODE = (
    rf"(?<!⟨L⟩)(?P<letter>[A-Za-z])(?P<sign>{_SIGN})"
    r"|(?<=⟨L⟩)(?P<plus>\+\+)|(?<![\w.])(?P<net>\.NET)(?!⟨L⟩)"
)
_SIGNS = {"++": "plusplus", "#": "sharp", "*": "star"}
_POSSESSIVE = "(?<=⟨L⟩)'[sS](?!⟨L⟩)"

_PART = f"⟨L⟩++{_SIGN}?"
_INNER = re.compile(rf"{_JOINER}(?=[^\W_])|\+\+")
_COMPOUND = rf"(?<!⟨L⟩)(?:{_PART}(?:{_JOINER}{_PART})+|⟨L⟩++\+\+)"
_TERM = rf"⟨C⟩+|(?<![\w.])\.NET(?!⟨L⟩)|{_PART}(?:{_JOINER}{_PART})*|[{''.join(_SYMBOLS)}]"
_CJK_RUN = "⟨C⟩"
_PLAIN_NAME = re.compile(r"[A-Za-z ]+")
_TOKEN = re.compile(r"[^\W_]+")
_MARKS = re.compile("[\u0300-\u036f]+")
_ACCENTED = re.compile(r"[^\W_]*[^\x00-\x7f\W_][^\W_]*")


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query and the index terms it stands for."""

    text: str  # as typed, folded
    parts: tuple[str, ...]  # the tokens of index_text, in order, before stemming; CJK: one character each
    joined: str | None = None  # the compound, where there are several parts
    cjk: bool = False
    accented: str | None = None  # lower case with its accents, where it has any
    variants: tuple[str, ...] = ()  # other spellings as tokens with spaces between: "mueller"


def fold(text: str) -> str:
    """Write variants of quotes, dashes, letters and Chinese punctuation one way, and keep the case."""
    if text.isascii():
        return text.replace("\x00", " ") if "\x00" in text else text
    text = unicodedata.normalize("NFKC", _TO_FOLD.sub(_fold_character, text))  # NFKC tears ´ and ″ apart
    return _TO_FOLD.sub(_fold_character, text)  # and makes "⁄" of "½"


def index_text(text: str) -> str:
    """Rewrite a text so that a tokenizer that splits at what is not alphanumeric finds the right words."""
    text = _fold_letters(text)
    if _CODE_HINT.search(text):
        text = pattern(_CODE, text).sub(_name_code, text)
    if "'" in text:
        text = pattern(_POSSESSIVE, text).sub("", text)
    return text if text.isascii() else _NON_ASCII.sub(_spell_match, text)


def compounds(text: str) -> list[str]:
    """Return the joined lower-case forms of words written with inner joiners ("t-SNE" → "tsne")."""
    text = _fold_letters(text)
    compound = pattern(_COMPOUND, text)
    found: list[str] = []
    end = 0
    while inner := _INNER.search(text, end):  # a joiner is rare: looking for it first is ten times faster
        start = max(text.rfind(" ", end, inner.start()) + 1, end)
        end = text.find(" ", inner.end())
        end = len(text) if end < 0 else end
        found += [joined for word in compound.findall(text, start, end) if (joined := _join(word))]
    return found


def has_cjk(text: str) -> bool:
    """Return whether a text has a character of a script written without spaces."""
    return not text.isascii() and pattern(_CJK_RUN, text).search(text) is not None


def terms(text: str) -> tuple[Term, ...]:
    """Split query text into terms, at white space, punctuation and changes of script."""
    folded = _fold_letters(read_tex(text))
    words = pattern(_TERM, folded).findall(folded)
    return tuple(term for word in words if (term := _read_term(word)).parts)


def read_tex(text: str) -> str:
    """Return typed text with its maths and TeX accents as Unicode."""
    if "\\" in text or text.count("$") > 1:
        from lunwen.corpus.markup import clean  # noqa: PLC0415  long to load, and few queries have any

        return plain(clean(text, Markup.PLAIN))
    return text


def trim(text: str) -> str:
    """Return folded text from its first term to its last, without the punctuation around it."""
    matches = list(pattern(_TERM, text).finditer(text))
    return text[matches[0].start() : matches[-1].end()] if matches else ""


def accented_words(text: str) -> list[str]:
    """Return the lower-case words of a text that have accents."""
    if text.isascii():
        return []
    words = (word.lower() for word in _ACCENTED.findall(fold(text)))
    return [word for word in words if _is_accented(word)]


def name_words(name: str) -> list[str]:
    """Return the index terms of an author's name: its parts, umlauts written out, and compounds."""
    if _PLAIN_NAME.fullmatch(name):
        return name.lower().split()
    words = _tokens(name)
    for word in accented_words(name):
        words += [spelling for spelling in _write_out(word) if spelling not in words]
    return words + [joined for joined in compounds(name) if joined not in words]


def _fold_letters(text: str) -> str:
    """Fold, and drop accents that no letter has: "x̂" → "x"."""
    return fold(text) if text.isascii() else _MARKS.sub("", fold(text))


def _fold_character(match: re.Match[str]) -> str:
    character = match[0]
    if character == "\x00":
        return " "
    return _FOLDED.get(character, "")  # a lone surrogate is no character: it can't be stored


def _spell_match(match: re.Match[str]) -> str:
    run = match[0]
    return _spell(run) if len(run) <= 16 else _spell.__wrapped__(run)  # long runs don't come again


@lru_cache(maxsize=8192)
def _spell(run: str) -> str:
    """Write a run of folded non-ASCII characters as the index has it."""
    return "".join(_spell_piece(match) for match in pattern(_PIECE, run).finditer(simplify(run)))


def _spell_piece(match: re.Match[str]) -> str:
    piece = match[0]
    if match["cjk"]:
        return f" {piece} " if piece.isalnum() else " "
    if match["symbol"]:
        return f" {_SYMBOLS[piece]} "
    if match["greek"] and len(piece) <= 2:  # a formula's letters; longer runs are Greek words
        return "".join(f" {_name_greek(letter)} " for letter in piece)
    return _strip_accents(piece)


def _name_greek(letter: str) -> str:
    name = unicodedata.name(letter, "").removeprefix("GREEK ").split()
    if name[1:2] != ["LETTER"] or "WITH" in name:
        return _strip_accent(letter)
    return name[-1].lower().replace("lamda", "lambda")


def _strip_accents(text: str) -> str:
    """Return letters without their marks, and blanks for what is no letter."""
    return "".join(map(_strip_accent, text.translate(_NO_ACCENT)))


@lru_cache(maxsize=4096)
def _strip_accent(character: str) -> str:
    if _MARKS.match(character):
        return ""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", character))) or " "


def _is_accented(word: str) -> bool:
    return not has_cjk(word) and _strip_accents(word) != word


def _name_code(match: re.Match[str]) -> str:
    if match["net"]:
        return "dotnet"
    if match["plus"]:
        return " plusplus "
    return f"{match['letter']}{_SIGNS[match['sign']]} "


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(index_text(text).lower())


@lru_cache(maxsize=16384)
def _join(word: str) -> str | None:
    """Return a word's tokens as one; None where that is no word: one token, only digits, an address."""
    tokens = _tokens(word)
    joined = "".join(tokens)
    return joined if len(tokens) > 1 and len(joined) <= _LONGEST and not joined.isdigit() else None


def _write_out(word: str) -> list[str]:
    """Return a lower-case word with its umlauts written as two letters, where it has any."""
    written = word.translate(_UMLAUT)
    return _tokens(written) if written != word else []


def _read_term(word: str) -> Term:
    parts = tuple(_tokens(word))
    if not word.isascii() and pattern(_CJK_RUN, word).match(word):
        return Term(word, parts, cjk=True)
    accented = accented_words(word)
    written = " ".join(_tokens(word.lower().translate(_UMLAUT))) if accented else ""
    variants = (written,) if written not in ("", " ".join(parts)) else ()
    return Term(word, parts, _join(word), False, accented[0] if accented else None, variants)
