"""Links to the sites of papers, read as identifiers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable

_ACL = r"[A-Za-z]\d{2}-\d{4,5}|\d{4}\.[a-z0-9_]+-[a-z0-9_]+\.\d+"
_ARXIV = r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Za-z-]+)?/\d{7}"

# host → what follows it, with the groups that make the value
_PLACES: dict[str, tuple[str, re.Pattern[str]]] = {}
for _hosts, _scheme, _path in (
    ("openreview.net", "openreview", r"(?:forum|pdf|attachment|references/pdf)\?(?:.*&)?id=([\w-]+)"),
    ("aclanthology.org aclanthology.info aclweb.org", "acl", rf"(?:anthology/)?(?:papers/)?({_ACL})(?![\d-])"),
    ("arxiv.org export.arxiv.org", "arxiv", rf"(?:abs|pdf|html)/({_ARXIV})"),
    ("doi.org dx.doi.org", "doi", r"(10\.\d{4,9}/\S+)"),
    ("proceedings.mlr.press", "pmlr", r"([vr]\d+)/([a-z][\w-]*?\d{2}[a-z]*)(?:[./]|$)"),
    ("jmlr.org", "pmlr", r"proceedings/papers/([vr]\d+)/([a-z][\w-]*?\d{2}[a-z]*)(?:[./]|$)"),
    ("raw.githubusercontent.com", "pmlr", r"mlresearch/([vr]\d+)/main/assets/([\w-]+)/"),
    ("openaccess.thecvf.com", "cvf", r"content\S*/(?:html|papers)/(?:\w+/)?([\w.,'%+-]+?)\.(?:html|pdf)$"),
    (
        "papers.nips.cc papers.neurips.cc proceedings.neurips.cc",
        "neurips",
        r"/?(?:paper_files/)?paper/(\d{4})/(?:hash|file)/([0-9a-f]{32})-",
    ),
    ("dblp.org dblp.uni-trier.de", "dblp", r"rec/(?:html/|xml/|bibtex/)?([\w/+.-]+?)(?:\.\w+)?$"),
    ("semanticscholar.org api.semanticscholar.org", "s2", r"CorpusID:(\d+)"),
    ("icml.cc", "event", r"(virtual)/(\d{4})/(?:\w+/)+(\d+)$"),
):
    for _host in _hosts.split():
        _PLACES[_host] = (_scheme, re.compile(_path))
_DOI_ARXIV = re.compile(rf"10\.48550/arxiv\.({_ARXIV})", re.IGNORECASE)
_DOI_ACL = re.compile(rf"10\.18653/v1/({_ACL})", re.IGNORECASE)


def identify_link(url: str) -> tuple[str, str] | None:
    """Return the scheme and value of the paper ``url`` leads to, where the site is known."""
    _, separator, rest = url.partition("://")
    host, _, path = (rest if separator else url).partition("/")
    host = host.lower().removeprefix("www.")
    place = _PLACES.get(host)
    match = place[1].match(path) if place else None
    if place is None or match is None:
        return None
    scheme = place[0]
    if scheme == "event":
        return scheme, f"icml-{match[2]}-{match[3]}"
    value = unquote("/".join(match.groups()))
    if scheme == "doi":
        value = value.rstrip(".,;").lower()
    elif scheme == "acl" and value[0].isalpha():
        value = value.upper()
    return scheme, value


def identify_doi(doi: str) -> dict[str, str]:
    """Return the identifiers a DOI stands for: itself, and the arXiv or Anthology id inside it."""
    value = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)\s*", "", doi.strip(), flags=re.IGNORECASE).lower()
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
        if url and (identifier := identify_link(url)):
            for scheme, value in (
                identify_doi(identifier[1]) if identifier[0] == "doi" else {identifier[0]: identifier[1]}
            ).items():
                found.setdefault(scheme, value)
    return found
