"""The categories of arXiv, each under one name."""

from __future__ import annotations

from difflib import get_close_matches

from lunwen.errors import UnknownName

#: Two names of one category: the one that few use, and the one that it is listed under.
ALIASES = {
    "cs.NA": "math.NA", "cs.SY": "eess.SY", "math.IT": "cs.IT", "stat.TH": "math.ST",
    "math.MP": "math-ph", "q-fin.EC": "econ.GN",
}  # fmt: skip

_ARCHIVES = {
    "astro-ph": "CO EP GA HE IM SR",
    "cond-mat": "dis-nn mes-hall mtrl-sci other quant-gas soft stat-mech str-el supr-con",
    "cs": "AI AR CC CE CG CL CR CV CY DB DC DL DM DS ET FL GL GR GT HC IR IT LG LO MA MM MS NE NI OH OS PF "
    "PL RO SC SD SE SI",
    "econ": "EM GN TH",
    "eess": "AS IV SP SY",
    "gr-qc": "",
    "hep-ex": "",
    "hep-lat": "",
    "hep-ph": "",
    "hep-th": "",
    "math": "AC AG AP AT CA CO CT CV DG DS FA GM GN GR GT HO KT LO MG NA NT OA OC PR QA RA RT SG SP ST",
    "math-ph": "",
    "nlin": "AO CD CG PS SI",
    "nucl-ex": "",
    "nucl-th": "",
    "physics": "acc-ph ao-ph app-ph atm-clus atom-ph bio-ph chem-ph class-ph comp-ph data-an ed-ph flu-dyn "
    "gen-ph geo-ph hist-ph ins-det med-ph optics plasm-ph pop-ph soc-ph space-ph",
    "q-bio": "BM CB GN MN NC OT PE QM SC TO",
    "q-fin": "CP GN MF PM PR RM ST TR",
    "quant-ph": "",
    "stat": "AP CO ME ML OT",
}
_GROUPS = frozenset({"cs", "econ", "eess", "math", "q-bio", "q-fin", "stat"})  # the rest is physics

#: Every archive, and every category in it.
CATEGORIES: tuple[str, ...] = tuple(
    name
    for archive, subjects in _ARCHIVES.items()
    for name in (archive, *(f"{archive}.{subject}" for subject in subjects.split()))
)
_KNOWN = {name.lower(): name for name in CATEGORIES} | {
    other.lower(): name for other, name in ALIASES.items()
}


def find_category(name: str) -> str:
    """Return the category, or the whole archive, that ``name`` means in any case: "cs.lg", "math.it", "cs".

    Raises:
        UnknownName: arXiv has none of that name.
    """
    found = _KNOWN.get(name.strip().lower())
    if found is None:
        near = [_KNOWN[one] for one in get_close_matches(name.strip().lower(), _KNOWN, n=3)]
        closest = f" Closest: {', '.join(dict.fromkeys(near))}." if near else ""
        raise UnknownName(
            f'no arXiv category "{name}".{closest} Categories are as in cs.LG, stat.ML or math.OC, archives '
            "as in cs. They are listed at https://arxiv.org/category_taxonomy"
        )
    return found


def set_of(category: str) -> str:
    """Return what the category is called where arXiv is harvested: "cs:cs:LG", "physics:hep-th"."""
    archive, _, subject = category.partition(".")
    return ":".join(filter(None, (archive if archive in _GROUPS else "physics", archive, subject)))
