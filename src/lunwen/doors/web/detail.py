"""Paper → what its own page shows: everything known, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lunwen.corpus.markup import plain
from lunwen.doors.web.card import Link, author_link, badge, crumbs, lang, outside_links, summary, venue
from lunwen.doors.web.cite import citation, coins, json_ld
from lunwen.doors.web.export import paper_menu
from lunwen.doors.web.prose import language, prose
from lunwen.doors.web.url import encode, outside_url, paper_url
from lunwen.export.link import identifier_link

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markupsafe import Markup

    from lunwen.corpus.paper import Author, Paper, Provenance
    from lunwen.corpus.pdf.cabinet import Pdf
    from lunwen.doors.words import Words

AUTHORS = 40  # the rest is folded
VALUE = 600  # characters of a value shown among the provenance

_SCHEMES = {
    "openreview": "OpenReview",
    "acl": "ACL Anthology",
    "arxiv": "arXiv",
    "doi": "DOI",
    "dblp": "DBLP",
    "pmlr": "PMLR",
    "s2": "Semantic Scholar",
    "cvf": "CVF",
    "neurips": "NeurIPS",
}


@dataclass(frozen=True, slots=True)
class Person:
    """One author with everything known of them."""

    name: str
    url: str
    also: str  # the name in other scripts
    mark: str  # of the affiliation
    orcid: str | None


@dataclass(frozen=True, slots=True)
class Told:
    """A text in one language."""

    language: str
    text: Markup


@dataclass(frozen=True, slots=True)
class Origin:
    """One value, and each source that gave it: its name, file and day."""

    field: str
    value: str
    value_lang: Markup
    said: tuple[tuple[str, str, str], ...]
    chosen: bool


@dataclass(frozen=True, slots=True)
class Other:
    """Another paper, and what to say of it."""

    title: Markup
    title_lang: Markup
    url: str
    says: str


@dataclass(frozen=True, slots=True)
class Copy:
    """The PDF that lies here."""

    label: str
    url: str
    has_text: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """Everything a paper's page shows."""

    url: str
    plain_title: str
    title: Markup
    title_lang: Markup
    crumbs: tuple[Link, ...]
    venue: Link | None
    badge: Link | None
    award: str | None
    authors: tuple[Person, ...]
    more_authors: tuple[Person, ...]
    affiliations: tuple[tuple[str, str], ...]
    abstract: Markup | None
    abstract_lang: Markup
    tldr: Markup | None
    summaries: tuple[Told, ...]
    keywords: tuple[Link, ...]
    notes: tuple[Told, ...]
    gone: str
    pdf: Copy | None
    links: tuple[Link, ...]
    facts: tuple[tuple[str, str], ...]
    identifiers: tuple[tuple[str, Link], ...]
    similar: tuple[Other, ...]
    maybe_same: tuple[Other, ...]
    provenance: tuple[Origin, ...]
    bibtex: str
    citation: tuple[tuple[str, str], ...]
    coins: str
    json_ld: dict[str, object]
    formats: tuple[Link, ...]


def show_paper(
    paper: Paper,
    words: Words,
    *,
    bibtex: str = "",
    provenance: Sequence[Provenance] = (),
    maybe_same: Sequence[tuple[Paper, str]] = (),
    similar: Sequence[Paper] = (),
    pdf: Pdf | None = None,
) -> Detail:
    """Lay out one paper; ``pdf`` is the one that is shown to who reads the page."""
    marks = _affiliation_marks(paper.authors)
    people = tuple(_person(person, marks) for person in paper.authors)
    return Detail(
        url=paper_url(paper.paper_id),
        plain_title=plain(paper.title),
        title=prose(paper.title, links=False, display=False),
        title_lang=lang(paper.title, words),
        crumbs=crumbs(paper.topic),
        venue=venue(paper),
        badge=badge(paper.status, words),
        award=paper.award,
        authors=people[:AUTHORS],
        more_authors=people[AUTHORS:],
        affiliations=tuple((mark, name) for name, mark in marks.items()),
        abstract=prose(paper.abstract) if paper.abstract else None,
        abstract_lang=lang(paper.abstract or paper.tldr or "", words),
        tldr=prose(paper.tldr) if paper.tldr else None,
        summaries=tuple(_summaries(paper, words)),
        keywords=tuple(Link(word, f"/?q={encode(_quoted(word))}") for word in paper.keywords),
        notes=tuple(Told(language(note), prose(note)) for note in paper.notes),
        gone=words("gone", where=_place(paper) or words("its_source"), date=paper.gone) if paper.gone else "",
        pdf=_copy(paper, pdf, words) if pdf else None,
        links=tuple(outside_links(paper, words)),
        facts=tuple(_facts(paper, words)),
        identifiers=tuple(_identifiers(paper, words)),
        similar=tuple(_other(other, _place(other), words) for other in similar),
        maybe_same=tuple(_other(other, why, words) for other, why in maybe_same),
        provenance=tuple(_origins(provenance, words)),
        bibtex=bibtex,
        citation=tuple(citation(paper)),
        coins=coins(paper),
        json_ld=json_ld(paper),
        formats=paper_menu(paper.paper_id, words),
    )


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word


def _affiliation_marks(authors: Sequence[Author]) -> dict[str, str]:
    names = dict.fromkeys(a.affiliation for a in authors if a.affiliation)
    if len(names) == 1:
        return dict.fromkeys(names, "")
    return {name: str(number) for number, name in enumerate(names, start=1)}


def _person(person: Author, marks: dict[str, str]) -> Person:
    bare = (person.orcid or "").removeprefix("https://").removeprefix("http://").removeprefix("orcid.org/")
    return Person(
        name=person.name,
        url=author_link(person).url,
        also=" / ".join(name for name in person.variants if name != person.name),
        mark=marks.get(person.affiliation or "", ""),
        orcid=outside_url(f"https://orcid.org/{bare}") if bare else None,
    )


def _copy(paper: Paper, pdf: Pdf, words: Words) -> Copy:
    pages = words.count("pdf_pages", pdf.pages)
    label = words("pdf_long", pages=pages) if pdf.pages else words("pdf_here")
    return Copy(label, f"{paper_url(paper.paper_id)}.pdf", pdf.passages > 0)


def _summaries(paper: Paper, words: Words) -> Iterable[Told]:
    text = summary(paper, words)
    if text:
        yield Told(language(text), prose(text))


def _facts(paper: Paper, words: Words) -> Iterable[tuple[str, str]]:
    found = [
        ("published_in", paper.booktitle),
        ("track", paper.track),
        ("publisher", paper.publisher),
        ("volume", paper.volume),
        ("pages_in", paper.pages),
        ("date", paper.date),
        ("cited", paper.cited),
        ("source", ", ".join(paper.sources)),
    ]
    yield from ((words(key), value) for key, value in found if value)


def _identifiers(paper: Paper, words: Words) -> Iterable[tuple[str, Link]]:
    yield words("paper_id"), Link(paper.paper_id, "")
    for scheme, value in paper.identifiers.items():
        if scheme in _SCHEMES:  # the rest are numbers within one file: the provenance has them
            yield _SCHEMES[scheme], Link(value, identifier_link(scheme, value))


def _other(paper: Paper, says: str, words: Words) -> Other:
    title = prose(paper.title, links=False, display=False)
    return Other(title, lang(paper.title, words), paper_url(paper.paper_id), says)


def _place(paper: Paper) -> str:
    return " ".join(str(part) for part in (paper.venue, paper.year) if part)


def _origins(provenance: Sequence[Provenance], words: Words) -> Iterable[Origin]:
    """Each value once, with all that gave it; the values of a field stay together."""
    grouped: dict[str, dict[str, list[Provenance]]] = {}
    for said in provenance:
        grouped.setdefault(said.field, {}).setdefault(_spell(said.value), []).append(said)
    for field, values in grouped.items():
        for text, given in values.items():
            shown = text if len(text) <= VALUE else text[:VALUE] + "…"
            said_by = tuple(dict.fromkeys((one.source, one.file, one.imported[:10]) for one in given))
            yield Origin(field, shown, lang(text, words), said_by, any(one.chosen for one in given))


def _spell(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_spell(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        return "; ".join(_spell(one) for one in value)
    name = getattr(value, "name", None)  # an author
    return name if isinstance(name, str) and not isinstance(value, str) else str(value)
