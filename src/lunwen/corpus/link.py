"""Links that a paper's text holds, and those that its identifiers lead to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATH = r"/[\w.~%/#?=&+@:-]*\w/?"
_CODE = re.compile(
    r"(?<![\w.])(?:https?://)?(?:www\.)?((?:github\.com|gitlab(?:\.\w+)+|bitbucket\.org|codeberg\.org|gitee\.com"
    rf"|anonymous\.4open\.science|huggingface\.co(?!/(?:datasets|spaces|papers)/)){_PATH})",
    re.IGNORECASE,
)
_PROJECT = re.compile(
    r"(?<![\w.])(?:https?://)?(?:www\.)?([\w-]+\.(?:github|gitlab)\.io(?:" + _PATH + ")?/?"
    rf"|sites\.google\.com{_PATH}|huggingface\.co{_PATH})",
    re.IGNORECASE,
)
_CVF = re.compile(r"_(CVPR|ICCV|WACV)_(20(?:2[1-9]|[3-9]\d))_paper$")
_NEURIPS = re.compile(r"(?:19\d\d|20[01]\d|202[01])/[0-9a-f]{32}")


def links_in(text: str) -> dict[str, str]:
    """The first link to code and the first to a project's page in ``text``.

    >>> links_in("See (github.com/odd/wheels). Films: https://odd.github.io/wheels.")
    {'code': 'https://github.com/odd/wheels', 'project': 'https://odd.github.io/wheels'}
    """
    found = {"code": _CODE.search(text), "project": _PROJECT.search(text)}
    return {kind: f"https://{one[1]}" for kind, one in found.items() if one}


def pdf_of(identifiers: Mapping[str, str]) -> str | None:
    """Where the PDF is of a paper that one of these sites has under that id."""
    ids = identifiers
    if "openreview" in ids:
        return f"https://openreview.net/pdf?id={ids['openreview']}"
    if "acl" in ids:
        return f"https://aclanthology.org/{ids['acl']}.pdf"
    if "pmlr" in ids:
        return f"https://proceedings.mlr.press/{ids['pmlr']}/{ids['pmlr'].rpartition('/')[2]}.pdf"
    if found := _CVF.search(ids.get("cvf", "")):  # before 2021 each year has its own form
        return f"https://openaccess.thecvf.com/content/{found[1]}{found[2]}/papers/{ids['cvf']}.pdf"
    if _NEURIPS.fullmatch(ids.get("neurips", "")):  # later ones are named after their track
        year, _, name = ids["neurips"].partition("/")
        return f"https://papers.nips.cc/paper_files/paper/{year}/file/{name}-Paper.pdf"
    if "arxiv" in ids:
        return f"https://arxiv.org/pdf/{ids['arxiv']}"
    return None
