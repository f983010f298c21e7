"""What LaTeX's macros mean as text; symbols from pylatexenc's tables."""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from typing import TYPE_CHECKING

from pylatexenc.latex2text import get_default_latex_context_db  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Callable

#: Accents → the combining character.
ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    '"': "\u0308",
    "u": "\u0306",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
    "hat": "\u0302",
    "widehat": "\u0302",
    "tilde": "\u0303",
    "widetilde": "\u0303",
    "bar": "\u0304",
    "overline": "\u0304",
    "dot": "\u0307",
    "ddot": "\u0308",
    "breve": "\u0306",
    "check": "\u030c",
    "acute": "\u0301",
    "grave": "\u0300",
    "vec": "\u20d7",
    "not": "\u0338",
}

#: Styles say nothing: True where the text is an argument, False where it is what follows.
STYLES = dict.fromkeys(
    (
        *("emph", "textbf", "textit", "texttt", "textsc", "textsf", "textsl", "textrm", "textup", "textmd"),
        *(
            "textnormal",
            "text",
            "mbox",
            "hbox",
            "fbox",
            "underline",
            "uline",
            "ensuremath",
            "math",
            "url",
            "path",
        ),
        *("mathbf", "mathit", "mathrm", "mathsf", "mathtt", "mathcal", "mathbb", "mathscr", "mathfrak", "bm"),
        *(
            "boldsymbol",
            "pmb",
            "mathop",
            "mathbin",
            "mathrel",
            "operatorname",
            "mathnormal",
            "textquote",
            "enquote",
        ),
        *(
            "underbrace",
            "overbrace",
            "substack",
            "boxed",
            "lowercase",
            "uppercase",
            "caption",
            "title",
            "section",
        ),
        *("nolinkurl", "verb", "mathds", "mathbbm", "relax", "paragraph"),
    ),
    True,
) | dict.fromkeys(
    (
        *(
            "em",
            "bf",
            "it",
            "tt",
            "sc",
            "sf",
            "sl",
            "rm",
            "cal",
            "bfseries",
            "itshape",
            "scshape",
            "ttfamily",
        ),
        *(
            "sffamily",
            "rmfamily",
            "upshape",
            "normalfont",
            "tiny",
            "scriptsize",
            "footnotesize",
            "small",
            "normalsize",
        ),
        *("large", "Large", "LARGE", "huge", "Huge", "centering", "noindent", "displaystyle", "textstyle"),
        *("scriptstyle", "protect", "limits", "nolimits", "nonumber", "notag", "par", "newline", "indent"),
        *(
            "left",
            "right",
            "middle",
            "big",
            "Big",
            "bigg",
            "Bigg",
            "bigl",
            "bigr",
            "Bigl",
            "Bigr",
            "biggl",
            "biggr",
        ),
        *("Biggl", "Biggr", "bigm", "Bigm", "mleft", "mright", "mathstrut", "strut"),
    ),
    False,
)

#: Macros that vanish with their argument.
DROPPED = frozenset(
    (
        *(
            "cite",
            "citep",
            "citet",
            "citealp",
            "citealt",
            "citeauthor",
            "citeyear",
            "Citet",
            "parencite",
            "textcite",
        ),
        *(
            "autocite",
            "label",
            "ref",
            "eqref",
            "cref",
            "Cref",
            "autoref",
            "pageref",
            "vspace",
            "hspace",
            "color",
        ),
        *(
            "begin",
            "end",
            "includegraphics",
            "thanks",
            "phantom",
            "hphantom",
            "vphantom",
            "tag",
            "input",
            "index",
        ),
        *(
            "definecolor",
            "bibliography",
            "bibliographystyle",
            "usepackage",
            "documentclass",
            "rule",
            "setlength",
        ),
    )
)

#: Macros in front of which an option in square brackets may stand.
OPTIONAL = DROPPED | {"sqrt", "footnote", "item", "textcolor", "xrightarrow", "xleftarrow"}

_COMPACT = re.compile(r"\w*|[^\w\s]\w*")
_UNDER_ROOT = re.compile(r"[^\W\d](?:[_^]\w+)?|\d+")
_URL_SCHEME = re.compile(r"https?://(?:www\.)?")


def _enclose(text: str) -> str:
    """Put parentheses around what would read differently without."""
    text = text.strip()
    whole = text.startswith("(") and text.find(")") == len(text) - 1
    return text if whole or _COMPACT.fullmatch(text) else f"({text})"


def _fraction(above: str, below: str) -> str:
    return f"{_enclose(above)}/{_enclose(below)}"


def _script(mark: str) -> Callable[[str], str]:
    return lambda text: mark + _enclose(text) if text.strip() else ""


def link_text(url: str, text: str) -> str:
    """Return a link as text: its words and its URL, or the URL alone where the words say the same."""
    url, text = url.strip(), text.strip()
    bare = _URL_SCHEME.sub("", url).rstrip("/")
    if not text or _URL_SCHEME.sub("", text).rstrip("/") == bare:
        return url
    return f"{text} ({url})" if url else text


def put_accent(name: str, text: str) -> str:
    """Return ``text`` under an accent, where it is one letter; an accent over more is dropped."""
    letter = {"ı": "i", "ȷ": "j"}.get(text.strip(), text.strip())
    return unicodedata.normalize("NFC", letter + ACCENTS[name]) if len(letter) == 1 else text


_RAISED = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")

#: Macros whose arguments are needed as a whole: how many, and what becomes of them.
RENDERED: dict[str, tuple[int, Callable[..., str]]] = {
    "script_": (1, _script("_")),
    "script^": (1, _script("^")),
    "sqrt": (
        1,
        lambda text: "√" + (text.strip() if _UNDER_ROOT.fullmatch(text.strip()) else f"({text.strip()})"),
    ),
    "href": (2, link_text),
    "footnote": (1, lambda text: f" ({text.strip()})" if text.strip() else ""),
    "footnotetext": (1, lambda text: f" ({text.strip()})" if text.strip() else ""),
    "textcolor": (2, lambda _, text: text),
    "colorbox": (2, lambda _, text: text),
    "binom": (2, lambda above, below: f"({above} choose {below})"),
    "pmod": (1, lambda text: f"(mod {text})"),
    "stackrel": (2, lambda _, text: text),
    "overset": (2, lambda _, text: text),
    "underset": (2, lambda _, text: text),
    "texorpdfstring": (2, lambda _, text: text),
    "xrightarrow": (1, lambda _: "→"),
    "xleftarrow": (1, lambda _: "←"),
    "textsubscript": (1, lambda text: text.translate(_LOWERED)),
    "textsuperscript": (1, lambda text: text.translate(_RAISED)),
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac", "textfrac"), (2, _fraction)),
    **{"accent" + name: (1, partial(put_accent, name)) for name in ACCENTS},
}

#: Letters: white space after them belongs to the macro.
EATS_SPACE = frozenset(
    ("ss", "o", "O", "l", "L", "ae", "AE", "oe", "OE", "aa", "AA", "i", "j", "dh", "DH", "th", "TH")
)

_OWN_SYMBOLS = (
    {"ie": "i.e.", "eg": "e.g.", "etal": "et al.", "etc": "etc.", "wrt": "w.r.t.", "vs": "vs.", "cf": "cf."}
    | {
        "Re": "ℝ",
        "R": "ℝ",
        "item": " • ",
        "textbackslash": "\\",
        "textbraceleft": "{",
        "textbraceright": "}",
        "textasciicircum": "^",
        "textminus": "−",
        "TeX": "TeX",
        "LaTeX": "LaTeX",
        "xspace": "",
    }
    | {"mid": "|", "vert": "|", "lvert": "|", "rvert": "|", "colon": ":", "lbrace": "{", "rbrace": "}"}
    | {
        "neg": "¬",
        "prime": "′",
        "eps": "ε",
        "ell": "ℓ",
        "dag": "†",
        "epsilon": "ε",
        "phi": "φ",
        "quad": " ",
        "qquad": " ",
    }
    | dict.fromkeys("!/-@", "")
    | dict.fromkeys(",;: ", " ")
    | {sign: sign for sign in "&{}%#_()[]*"}
    | {"|": "‖"}
)


def _read_symbols() -> dict[str, str]:
    symbols = {}
    for macro in get_default_latex_context_db().iter_macro_specs():
        text = macro.simplify_repl
        if isinstance(text, str) and "%" not in text and not text.startswith("<") and len(text) <= 6:
            symbols[macro.macroname] = text
    return symbols | _OWN_SYMBOLS


SYMBOLS = {
    name: text
    for name, text in _read_symbols().items()
    if not (name in ACCENTS or name in STYLES or name in RENDERED or name in DROPPED)
}

#: ``\begin`` and ``\end`` that lost the braces of their argument.
ENVIRONMENT = re.compile(
    r"(?:begin|end)(?:enumerate|itemize|align(?:ed|at)?|equation|center|quote|array|cases)"
)
#: Macros that lost the braces of their argument: ``\emphk``, ``\sqrtT``.
FUSED = re.compile(
    r"(emph|text(?:bf|it|tt|sc|sf|rm)?|math(?:cal|bb|bf|rm|sf|frak|scr)|boldsymbol|bm|sqrt|widetilde|tilde|hat|bar|bf)(\w+)"
)
