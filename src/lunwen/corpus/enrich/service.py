"""Who is asked for more of papers: how many at a time, by which URL, and how an answer is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lunwen import settings
from lunwen.corpus.enrich.addition import is_of
from lunwen.corpus.markup import plain
from lunwen.corpus.paper import Record
from lunwen.corpus.sources import crossref, openalex
from lunwen.corpus.sync.arrival import load_json, open_reply, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lunwen.corpus.fetch.reply import Fetcher
    from lunwen.corpus.paper import BadRecord, Paper

BATCH = 25  # papers that one request asks for; each may have two DOIs
_LARGEST = 64 * 1024**2
_SPECIAL = frozenset(",|:!+ \"'\\")  # in a DOI, what a filter would read as its own


@dataclass(frozen=True, slots=True)
class Service:
    """A site that is asked for papers by their DOIs."""

    name: str  # the source that its records are of
    within: tuple[str, ...]  # where the works are in an answer
    read_work: Callable[[str, Mapping[str, Any]], Record | BadRecord]
    by_doi: Callable[[Sequence[str]], str]  # the URL
    by_title: Callable[[Paper], str] | None = None
    has_preprints: bool = False  # knows the DOIs that arXiv gives

    def dois_of(self, paper: Paper) -> list[str]:
        """The DOIs by which a paper can be asked for: its own, and that of its preprint."""
        found = [paper.identifiers.get("doi", "").lower()]
        if self.has_preprints and (arxiv := paper.identifiers.get("arxiv")):
            found.append(f"10.48550/arxiv.{arxiv.lower()}")
        return [doi for doi in dict.fromkeys(found) if doi and not _SPECIAL & set(doi)]


def ask(
    service: Service, papers: Iterable[Paper], fetcher: Fetcher, *, by_title: bool = False
) -> Iterator[tuple[Paper, list[Record], str]]:
    """Yield each paper with the works that may be it, and the day on which the service said so.

    Papers without a DOI are asked for by title one by one, or not at all.

    Raises:
        FetchError: it does not answer.
        UnreadableFile: its answer is nonsense.
    """
    papers = iter(papers)
    while some := list(islice(papers, BATCH)):
        if dois := list(dict.fromkeys(doi for paper in some for doi in service.dois_of(paper))):
            works, day = _fetch(service, service.by_doi(dois), fetcher)
            known = {doi: work for work in works if (doi := work.identifiers.get("doi"))}
            for paper in some:
                if found := [known[doi] for doi in service.dois_of(paper) if doi in known]:
                    yield paper, found, day
        for paper in some:
            if by_title and service.by_title and not service.dois_of(paper) and paper.title and paper.year:
                found, day = _fetch(service, service.by_title(paper), fetcher)
                yield paper, [work for work in found if is_of(paper, work)], day


def say_more(source: str) -> str:
    """What may help where a service did not answer."""
    helps = source == OPENALEX.name and settings.openalex_key() is None
    return (
        ". Without a key OpenAlex answers little: get one there for nothing, set OPENALEX_KEY"
        if helps
        else ""
    )


def _fetch(service: Service, url: str, fetcher: Fetcher) -> tuple[list[Record], str]:
    reply = fetcher.get(url, accept="application/json", max_bytes=_LARGEST, keep=False)
    file = open_reply(reply)
    found: Any = load_json(file)
    for key in service.within:
        found = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(found, list):
        raise refuse(file, f"works of {service.name}")
    works = (service.read_work("", work) for work in found if isinstance(work, Mapping))
    return [work for work in works if isinstance(work, Record)], reply.fetched[:10]


def _openalex(query: str) -> str:
    key = settings.openalex_key()
    fields = ",".join(
        ("id", "doi", "title", "publication_year", "authorships", "locations", "cited_by_count")
    )
    url = f"https://api.openalex.org/works?filter={query}&per-page=100&select={fields}"
    return url + (f"&api_key={quote(key, safe='')}" if key else "")


def _openalex_title(paper: Paper) -> str:
    words = " ".join(re.findall(r"\w+", plain(paper.title)))
    year = paper.year or 0
    return _openalex(f"title.search:{quote(words)},publication_year:{year - 1}-{year + 1}")


OPENALEX = Service(
    "openalex",
    ("results",),
    openalex.read_work,
    lambda dois: _openalex("doi:" + "%7C".join(quote(doi, safe="/") for doi in dois)),
    _openalex_title,
    has_preprints=True,
)
CROSSREF = Service(
    "crossref",
    ("message", "items"),
    crossref.read_work,
    lambda dois: (
        "https://api.crossref.org/works?filter="
        + ",".join(f"doi:{quote(doi, safe='/')}" for doi in dois)
        + f"&rows={2 * BATCH}&select=DOI,title,author,issued,is-referenced-by-count"
    ),
)
