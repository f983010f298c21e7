"""Venues under one name each: what sources write → the name people use."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

# canonical name: other short names
_SHORT = {
    "3DV": "",
    "AAAI": "",
    "AACL": "aacl-ijcnlp",
    "ACL": "",
    "ACCV": "",
    "ACM MM": "acmmm|acm-mm|mm|acm multimedia",
    "ACML": "",
    "AI4X": "",
    "AISTATS": "",
    "ALT": "",
    "arXiv": "corr|arxiv.org|arxiv preprint|arxiv e-prints|arxiv (cornell university)",
    "AutoML": "automl-conf|automl conf",
    "Computational Linguistics": "cl",
    "COLING": "lrec-coling",
    "COLM": "colmweb",
    "COLT": "",
    "CoNLL": "",
    "CoRL": "robot-learning",
    "CVPR": "",
    "EACL": "",
    "ECCV": "",
    "ECML PKDD": "ecml|ecml-pkdd|ecml/pkdd|pkdd",
    "EMNLP": "emnlp-ijcnlp",
    "ACL Findings": "findings of acl|acl-findings|findings-acl",
    "EMNLP Findings": "findings of emnlp|emnlp-findings|findings-emnlp",
    "NAACL Findings": "findings of naacl|naacl-findings|findings-naacl",
    "EACL Findings": "findings of eacl|eacl-findings|findings-eacl",
    "ICASSP": "",
    "ICCV": "",
    "ICLR": "",
    "ICML": "",
    "ICRA": "",
    "IJCAI": "ijcai-ecai|ijcai-pricai",
    "Interspeech": "",
    "IROS": "",
    "JMLR": "j. mach. learn. res.|j mach learn res",
    "KDD": "sigkdd|acm sigkdd",
    "LREC": "",
    "MLSys": "",
    "NAACL": "naacl-hlt|hlt-naacl|n-aacl",
    "NeurIPS": "nips|neural information processing systems|adv. neural inf. process. syst.",
    "RSS": "roboticsfoundation|robotics: science and systems",
    "SIGGRAPH": "acm siggraph",
    "SIGGRAPH Asia": "siggraphasia|siggraph-asia",
    "SIGIR": "acm sigir",
    "TACL": "trans. assoc. comput. linguistics",
    "TMLR": "trans. mach. learn. res.",
    "TPAMI": "pami|ieee trans. pattern anal. mach. intell.",
    "UAI": "auai",
    "WACV": "",
    "WWW": "the web conference|thewebconf|web conference|acm web conference",
}
_KNOWN = {
    alias: name
    for name, aliases in _SHORT.items()
    for alias in (name.lower(), *filter(None, aliases.split("|")))
}

# first match wins: what is part of another name comes after it
_LONG = (
    (r"findings of .*\bEMNLP\b|findings of .*empirical methods", "EMNLP Findings"),
    (r"findings of .*\bNAACL\b", "NAACL Findings"),
    (r"findings of .*\bEACL\b", "EACL Findings"),
    (r"findings of (the )?(association for computational linguistics|ACL)", "ACL Findings"),
    (r"(north|nations of the) .*americ\w* chapter of the association for computational", "NAACL"),
    (r"european chapter of the (association for computational|ACL)", "EACL"),
    (r"asia-pacific chapter of the association for computational", "AACL"),
    (r"transactions of the association for computational linguistics", "TACL"),
    (r"empirical methods in natural language processing", "EMNLP"),
    (r"computational natural language learning", "CoNLL"),
    (r"meetings? of the association for computational linguistics", "ACL"),
    (r"conference on computational linguistics", "COLING"),
    (r"^(american journal of )?computational linguistics", "Computational Linguistics"),
    (r"language resources and evaluation", "LREC"),
    (r"neural information processing systems", "NeurIPS"),
    (r"asian conference on machine learning", "ACML"),
    (r"european conference on machine learning", "ECML PKDD"),
    (r"international conference on machine learning$", "ICML"),
    (r"conference on learning representations", "ICLR"),
    (r"conference on learning theory", "COLT"),
    (r"algorithmic learning theory", "ALT"),
    (r"artificial intelligence and statistics", "AISTATS"),
    (r"uncertainty in artificial intelligence", "UAI"),
    (r"joint conferences? on artificial intelligence", "IJCAI"),
    (
        r"\bAAAI conference on artificial intelligence|association for the advancement of artificial",
        "AAAI",
    ),
    (r"journal of machine learning research", "JMLR"),
    (r"transactions on machine learning research", "TMLR"),
    (r"machine learning and systems", "MLSys"),
    (r"automated machine learning", "AutoML"),
    (r"conference on language model", "COLM"),
    (r"conference on robot learning", "CoRL"),
    (r"robotics: science and systems", "RSS"),
    (r"conference on robotics and automation", "ICRA"),
    (r"conference on intelligent robots and systems", "IROS"),
    (r"winter conference on applications of computer vision", "WACV"),
    (r"european conference on computer vision", "ECCV"),
    (r"asian conference on computer vision", "ACCV"),
    (r"computer vision and pattern recognition", "CVPR"),
    (r"international conference on computer vision$", "ICCV"),
    (r"international conference on 3d vision", "3DV"),
    (r"pattern analysis and machine intelligence", "TPAMI"),
    (r"siggraph asia", "SIGGRAPH Asia"),
    (r"\bsiggraph\b", "SIGGRAPH"),
    (r"international conference on multimedia$", "ACM MM"),
    (r"knowledge discovery (and|&) data mining", "KDD"),
    (r"research and development in information retrieval", "SIGIR"),
    (r"(the web|world wide web) conference|international conference on world wide web", "WWW"),
    (r"acoustics, speech,? and signal processing", "ICASSP"),
)
_APART = re.compile(r"\bworkshops?\b|\btutorials?\b|\bdemonstrations?\b|\bcompanion\b|@", re.IGNORECASE)
_GROUP = re.compile(r"^([\w-]+?)(?:\.(?:cc|org|io|ai))?(?:/.*)?$", re.IGNORECASE)
_YEAR = re.compile(r"\d\d$")
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_AROUND = re.compile(
    r"^(?:submitted to|accepted (?:at|to|by)|published (?:in|at)|in|proceedings of|proc\.? of|proc\.)\s+"
    r"|^(?:the\s+)?(?:\d+(?:st|nd|rd|th)|[a-z]+(?:-[a-z]+)?(?:first|second|third|th))\s+(?:annual\s+)?"
    r"|^the\s+|^(?:19|20)\d\d\s+|^annual\s+|^(?:ieee/cvf|ieee/rsj|ieee|acm|aaai/acm)\s+(?=\S)"
    r"|[\s,:-]+(?:19|20)\d\d(?:\s+(?:main )?(?:conference|oral|spotlight|poster|notable|main|track|sub).*)?$"
    r"|'\d\d$|[\s,:-]+(?:volume )?\d{1,3}$|\s+(?:conference|main|proceedings)$|[\s,.:;]+$",
    re.IGNORECASE,
)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@lru_cache(maxsize=16_384)
def canonical(name: str) -> str:
    """The venue's usual name: "nips", "NeurIPS.cc/2024/Conference" → "NeurIPS"; an unknown one, trimmed."""
    name = " ".join(name.split())
    if found := _KNOWN.get(name.lower()):
        return found
    if _APART.search(name) and "/conference" not in name.lower():
        return name
    bare = _BRACKETS.sub("", name).strip() or name
    previous = ""
    while bare and bare != previous:
        if found := _KNOWN.get(bare.lower()):
            return found
        if found := next((venue for pattern, venue in _LONG if _compile(pattern).search(bare)), None):
            return found
        previous, bare = bare, _AROUND.sub("", bare, count=1).strip()
    if (group := _GROUP.match(name)) and (
        known := _KNOWN.get(re.sub(r"\d{2,4}$", "", group[1]).lower().rstrip("-_"))
    ):
        return known
    if (short := re.search(r"\(([A-Za-z0-9 -]+?)['’]?\s?(?:\d\d)?(?:\d\d)?\)$", name)) and (
        known := _KNOWN.get(short[1].lower())
    ):
        return known
    return name


def match(name: str, known: Collection[str]) -> str | None:
    """The venue among ``known`` that ``name`` means, in any case and under any of its names."""
    folded = {venue.casefold(): venue for venue in known}
    name = name.strip()
    if found := folded.get(name.casefold()):
        return found
    # "neurips 2025" is a venue and a year, not a name of the venue
    meant = _KNOWN.get(name.casefold()) if _YEAR.search(name) else canonical(name)
    return folded.get((meant or "").casefold())


def closest(name: str, known: Collection[str]) -> list[str]:
    """Up to three venues among ``known`` whose names are close, closest first."""
    folded = {venue.casefold(): venue for venue in known}
    near = [
        canonical(re.sub(r"\W?\d+$", "", name)).casefold(),
        *get_close_matches(name.casefold(), folded, n=3, cutoff=0.5),
    ]
    return list(dict.fromkeys(folded[venue] for venue in near if venue in folded))[:3]


def names(venue: str | None) -> tuple[str, ...]:
    """All short names under which people look for a venue: "NeurIPS" → NeurIPS, nips."""
    if not venue:
        return ()
    return (venue, *(alias for alias in _SHORT.get(venue, "").split("|") if alias and " " not in alias))
