"""Item → one result of the list, and the links by which a paper is shown anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from lunwen.corpus.author import author_id
from lunwen.corpus.markup import plain
from lunwen.corpus.paper import Author, Status
from lunwen.corpus.running import method_id
from lunwen.doors.web.prose import language, prose
from lunwen.doors.web.url import author_url, encode, outside_url, paper_url
from lunwen.export.link import identifier_link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lunwen.corpus.paper import Paper
    from lunwen.doors.words import Words
    from lunwen.retrieval.request import Item

AUTHORS = 10  # then 等
FOLD = 330  # an abstract this narrow fits its four lines, counting a Chinese character as two

_SAME = Markup("")
_LANG = {"en": Markup(' lang="en"'), "zh": Markup(' lang="zh"')}
_SITES = {
    "openreview.net": "OpenReview",
    "arxiv.org": "arXiv",
    "aclanthology.org": "ACL Anthology",
    "proceedings.mlr.press": "PMLR",
    "openaccess.thecvf.com": "CVF",
    "doi.org": "DOI",
    "dblp.org": "DBLP",
    "github.com": "GitHub",
}
_IDENTIFIED = frozenset({"openreview", "acl", "arxiv", "doi"})
_SITED = _IDENTIFIED | {"paper"}
_ORDER = ("pdf", "paper", "openreview", "acl", "arxiv", "code", "project")


class Link(NamedTuple):
    """Somewhere to go."""

    label: str
    url: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One result."""

    url: str
    bibtex: str
    title: Markup
    title_lang: Markup
    crumbs: tuple[Link, ...]
    venue: Link | None
    badge: Link | None
    authors: tuple[Link, ...]
    more_authors: str
    abstract: Markup | None
    abstract_lang: Markup
    ours: bool  # our summary stands in for an abstract that is not known
    long: bool
    folds: str
    links: tuple[Link, ...]
    cited: str
    runs: str  # where its method is
    passage: Markup | None  # where in the paper's text the words are, and what stands there
    passage_label: str
    why: str
    faded: bool
    paper_id: str
    starred: bool | None
    star_says: str  # what the star is of, for those who hear it
    note: str


def card(item: Item, words: Words, *, why: str = "", starred: bool | None = None, note: str = "") -> Card:
    """One result as shown in the list.

    ``why`` says why it is there; ``starred`` is None where readers may set no star.
    """
    paper = item.paper
    text = paper.abstract or summary(paper, words)
    spans = item.abstract_spans if paper.abstract else ()
    rest = paper.authors[AUTHORS:]
    url = paper_url(paper.paper_id)
    long = _width(text) > FOLD
    passage = item.passage
    return Card(
        url=url,
        bibtex=f"{url}.bib",
        title=prose(paper.title, item.title_spans, links=False, display=False),
        title_lang=lang(paper.title, words),
        crumbs=crumbs(paper.topic),
        venue=venue(paper),
        badge=badge(paper.status, words),
        authors=tuple([author_link(person) for person in paper.authors[:AUTHORS]]),
        more_authors=", ".join(a.name for a in rest[:40]) + ("…" if len(rest) > 40 else ""),
        abstract=prose(text, spans, display=False) if text else None,
        abstract_lang=lang(text, words),
        ours=bool(text) and not paper.abstract,
        long=long,
        folds=words("abstract_of", title=plain(paper.title)) if long else "",
        links=tuple(outside_links(paper, words, few=True)),
        cited=words("citations", n=f"{paper.citations:,}") if paper.citations else "",
        runs=f"{url}#method" if method_id(paper) else "",
        passage=prose(passage.text, passage.spans, links=False, display=False) if passage else None,
        passage_label=words("in_text", page=passage.page) if passage else "",
        why=why,
        faded=not paper.status.shown,
        paper_id=paper.paper_id,
        starred=starred,
        star_says="" if starred is None else words("star_of", title=plain(paper.title)),
        note=note,
    )


def summary(paper: Paper, words: Words) -> str:
    """Our summary in the reader's language, or in the one there is."""
    told = paper.summary
    return told.get(words.language) or next(iter(told.values()), "")


@lru_cache(maxsize=4_096)
def crumbs(topic: tuple[str, ...]) -> tuple[Link, ...]:
    """The topic path; each part leads to the papers under it."""
    return tuple(Link(part, f"/?topic={encode('/'.join(topic[: i + 1]))}") for i, part in enumerate(topic))


def author_link(person: Author) -> Link:
    """An author, leading to their page; a hidden name to the papers under it."""
    return _author(person.name, person.orcid)


@lru_cache(maxsize=16_384)
def _author(name: str, orcid: str | None) -> Link:
    known = author_id(Author(name=name, orcid=orcid))
    return Link(name, author_url(known) if known else f"/?author={encode(name)}")


def venue(paper: Paper) -> Link | None:
    """Venue and year, leading to that venue in that year."""
    return _place(paper.venue, paper.year)


@lru_cache(maxsize=1_024)
def _place(venue: str | None, year: int | None) -> Link | None:
    pairs = [("venue", venue), ("year", str(year) if year else None)]
    known = [(name, value) for name, value in pairs if value]
    if not known:
        return None
    url = "/?" + "&".join(f"{name}={encode(value)}" for name, value in known)
    return Link(" ".join(value for _, value in known), url)


def badge(status: Status, words: Words) -> Link | None:
    """The status in words, where it says more than that the paper was accepted."""
    if status is Status.ACCEPTED:
        return None
    return Link(words.named("status", status), f"/?status={status}", status.value)


def lang(text: str, words: Words) -> Markup:
    """A lang attribute where ``text`` is in another language than the page."""
    spoken = language(text)
    return _SAME if spoken == words.language else _LANG[spoken]


def outside_links(paper: Paper, words: Words, *, few: bool = False) -> Iterable[Link]:
    """Links out of here, each target once; ``few`` leaves out what the paper's own page has room for."""
    seen: set[str] = set()
    for name, target in _targets(paper, few=few):
        url = outside_url(target)
        key = (url or "").removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
        label = _link_label(name, key, words)
        if url and key not in seen and label not in seen:
            seen |= {key, label}
            yield Link(label, url, name)


def _targets(paper: Paper, *, few: bool) -> Iterable[tuple[str, str]]:
    """What links lead to, by name: as sources gave it, else where an identifier leads."""
    urls, identifiers = paper.urls, paper.identifiers
    names = [*_ORDER] if few else [*_ORDER, *sorted({*urls, "doi"}.difference(_ORDER))]
    for name in names:
        if name in urls:
            yield name, urls[name] or ""
        elif name in _IDENTIFIED and identifiers.get(name):
            yield name, identifier_link(name, identifiers[name])


def _width(text: str) -> int:
    return len(text) * 2 if language(text) == "zh" else len(text)


def _link_label(name: str, place: str, words: Words) -> str:
    site = _SITES.get(place.partition("/")[0]) if name in _SITED else None
    return site or words.named("link", name)
