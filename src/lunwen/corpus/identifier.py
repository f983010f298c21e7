"""What names a paper outside the library: schemes, and how to read them from what people paste."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qs, unquote


class Identifier(NamedTuple):
    """One name of a paper: a scheme and the value within it."""

    scheme: str
    value: str


#: Two records that share a value of one of these are one paper.
STRONG = ("openreview", "acl", "doi", "arxiv", "pmlr", "dblp", "event", "uid", "neurips", "cvf", "s2")

#: Two values of one of these within one venue and year are two papers (an oral has its own event and uid).
EXCLUSIVE = ("openreview", "acl", "doi", "arxiv", "pmlr", "dblp", "neurips", "cvf")

_NEW_ARXIV = r"\d{4}\.\d{4,5}"
_OLD_ARXIV = r"[a-z-]+(?:\.[A-Za-z]{2})?/\d{7}"
_ARXIV = re.compile(rf"({_NEW_ARXIV}|{_OLD_ARXIV})(?:v\d+)?", re.IGNORECASE)
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ACL = re.compile(r"\d{4}\.[a-z0-9_]+-[a-z0-9_]+\.\d+|[A-Z]\d{2}-\d{4}", re.IGNORECASE)
_PMLR = re.compile(r"/?(v\d+|r\d+)/([a-z][a-z0-9_-]*\d{2}[a-z]*)(?:\.html|/.*)?", re.IGNORECASE)
_HASH = re.compile(r"/hash/([0-9a-f]{32})|/([0-9a-f]{32})-", re.IGNORECASE)
_CVF = re.compile(r"/([^/]+_paper)\.(?:html|pdf|php)$")
_EVENT = re.compile(r"/virtual/(\d{4})/[a-z-]+/(\d+)")
_PROCEEDINGS = {  # hosts of one program for proceedings: what tells their papers apart
    "papers.nips.cc": "",
    "papers.neurips.cc": "",
    "proceedings.neurips.cc": "",
    "datasets-benchmarks-proceedings.neurips.cc": "datasets-",
    "proceedings.iclr.cc": "iclr-",
    "proceedings.mlsys.org": "mlsys-",
}
_HOST = re.compile(r"(?:https?://)?((?:[\w-]+\.)+[a-z]{2,})(?::\d+)?([/?#]\S*)", re.IGNORECASE)
_SPACED = re.compile(r"^(arxiv|doi|openreview|acl)\s*:\s+", re.IGNORECASE)
_EVENT_HOSTS = {
    "icml.cc": "icml",
    "iclr.cc": "iclr",
    "neurips.cc": "neurips",
    "nips.cc": "neurips",
    "cvpr.thecvf.com": "cvpr",
    "eccv.ecva.net": "eccv",
    "mlsys.org": "mlsys",
}


def identifiers_in(text: str) -> Identifier | None:
    """The paper that ``text`` as a whole names, or None where it is anything else.

    Reads URLs of the known sites, ``scheme:value``, DOIs, arXiv and ACL ids. A bare OpenReview id looks like
    a word and is not read here: the store finds it by looking it up.
    """
    text = text.strip().strip("<>")
    if len(text.split()) > 1:  # "arXiv: 2505.21336"
        text = _SPACED.sub(r"\1:", text)
    if not text or len(text.split()) > 1:
        return None
    if found := re.fullmatch(rf"({_NEW_ARXIV}|{_OLD_ARXIV})(?:v\d+)?", text):
        return _arxiv(found[1])
    if site := _HOST.fullmatch(text):
        return _in_url(site[1].lower().removeprefix("www."), site[2])
    scheme, colon, value = text.partition(":")
    if colon and (name := scheme.lower()) in STRONG and value:
        return _checked(name, value)
    if found := _DOI.fullmatch(text):
        return _doi(found[0])
    if found := _ACL.fullmatch(text):
        return Identifier("acl", _acl(found[0]))
    return None


def _checked(scheme: str, value: str) -> Identifier | None:
    if scheme == "doi":
        return _doi(value)
    if scheme == "arxiv":
        found = _ARXIV.fullmatch(value)
        return _arxiv(found[1]) if found else None
    return Identifier(scheme, _acl(value) if scheme == "acl" else value)


def _doi(value: str) -> Identifier:
    value = value.rstrip(".,;").lower()
    if found := re.fullmatch(rf"10\.48550/arxiv\.({_NEW_ARXIV}|{_OLD_ARXIV})(?:v\d+)?", value):
        return _arxiv(found[1])
    return Identifier("doi", value)


def _arxiv(value: str) -> Identifier:
    # math.GT/0309136 is math/0309136
    return Identifier("arxiv", re.sub(r"\.[A-Za-z]{2}/", "/", value))


def _acl(value: str) -> str:
    # P17-1001 is written in capitals, 2022.acl-long.75 in small letters
    return value.upper() if value[:1].isalpha() else value.lower()


def _in_url(host: str, rest: str) -> Identifier | None:
    path, _, query = rest.partition("#")[0].partition("?")
    if host.endswith("openreview.net"):
        asked = parse_qs(query)
        ids = asked.get("id") or asked.get("noteId")
        return Identifier("openreview", ids[0]) if ids and "group" not in path else None
    if "%" in path:
        path = unquote(path)
    if host.endswith("arxiv.org") or host == "alphaxiv.org":
        found = re.search(rf"/(?:abs|pdf|html|format|ps)/({_NEW_ARXIV}|{_OLD_ARXIV})", path)
        return _arxiv(found[1]) if found else None
    if host in ("doi.org", "dx.doi.org"):
        found = _DOI.fullmatch(path.lstrip("/"))
        return _doi(found[0]) if found else None
    if host.endswith(("aclanthology.org", "aclweb.org")):
        found = _ACL.fullmatch(re.sub(r"\.(pdf|bib|xml|endf)$", "", path.rstrip("/").rsplit("/", 1)[-1]))
        return Identifier("acl", _acl(found[0])) if found else None
    if host == "proceedings.mlr.press":
        found = _PMLR.fullmatch(path)
        return Identifier("pmlr", f"{found[1]}/{found[2]}".lower()) if found else None
    return _in_proceedings(host, path)


def _in_proceedings(host: str, path: str) -> Identifier | None:
    if host in _PROCEEDINGS:
        found, year = _HASH.search(path), re.search(r"/paper/(\d{4})/", path)
        if not (found and year):
            return None
        # the hash is of a number that starts again each year, and at each conference
        return Identifier("neurips", f"{_PROCEEDINGS[host]}{year[1]}/{(found[1] or found[2]).lower()}")
    if host in ("openaccess.thecvf.com", "ecva.net"):
        found = _CVF.search(path)
        return Identifier("cvf", found[1]) if found else None
    if host in _EVENT_HOSTS:
        found = _EVENT.search(path)
        return Identifier("event", f"{_EVENT_HOSTS[host]}-{found[1]}-{found[2]}") if found else None
    if host.endswith("dblp.org") or host == "dblp.uni-trier.de":
        found = re.search(r"/rec/((?:conf|journals|books|phd)/[^?#]+?)(?:\.\w+)?$", path)
        return Identifier("dblp", found[1]) if found else None
    if host in ("semanticscholar.org", "api.semanticscholar.org"):
        found = re.search(r"/CorpusID:(\d+)|/([0-9a-f]{40})$", path, re.IGNORECASE)
        return Identifier("s2", found[1] or found[2].lower()) if found else None
    return None
