"""Links and DOIs, read as the identifiers they stand for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lunwen.corpus.identifier import identifiers_in

if TYPE_CHECKING:
    from collections.abc import Iterable

_DOI_SIGN = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)\s*", re.IGNORECASE)
_DOI_ARXIV = re.compile(r"10\.48550/arxiv\.(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})")
_DOI_ACL = re.compile(r"10\.18653/v1/([a-z]\d\d-\d{4}|\d{4}\.[a-z0-9_]+-[a-z0-9_]+\.\d+)")
_PMLR_FILE = re.compile(
    r"mlresearch/(v\d+)/main/assets/([\w-]+)/|(?:mlr\.press|jmlr\.org/proceedings/papers)/(v\d+)/(\w+)\."
)


def identify_doi(doi: str | None) -> dict[str, str]:
    """Return the identifiers a DOI stands for: itself, and the arXiv or Anthology id inside it."""
    value = _DOI_SIGN.sub("", (doi or "").strip()).rstrip(".,;").lower()
    if not value.startswith("10."):
        return {}
    found = {"doi": value}
    if match := _DOI_ARXIV.fullmatch(value):
        found["arxiv"] = match[1]
    elif match := _DOI_ACL.fullmatch(value):
        found["acl"] = match[1].upper() if match[1][0].isalpha() else match[1]
    return found


def identify_links(urls: Iterable[str | None]) -> dict[str, str]:
    """Return every identifier in ``urls``; of two with one scheme the first."""
    found: dict[str, str] = {}
    for url in urls:
        if not url or "/" not in url:
            continue
        identifier = identifiers_in(url)
        if identifier is not None and identifier.scheme == "doi":
            found = identify_doi(identifier.value) | found
        elif identifier is not None:
            found.setdefault(identifier.scheme, identifier.value)
        elif match := _PMLR_FILE.search(url):
            found.setdefault("pmlr", f"{match[1] or match[3]}/{match[2] or match[4]}")
    return found
