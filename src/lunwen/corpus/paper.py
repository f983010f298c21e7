"""What a paper is: frozen values, no reading and no writing."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Status(StrEnum):
    """Where a paper stands with its venue."""

    ORAL = "oral"
    SPOTLIGHT = "spotlight"
    POSTER = "poster"
    ACCEPTED = "accepted"  # accepted, and the source does not say how it is presented
    PREPRINT = "preprint"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"  # by its authors, by the desk, or retracted later

    @property
    def rank(self) -> int:
        """Higher is the better news; used when two records of one paper disagree."""
        return _RANK[self]

    @property
    def shown(self) -> bool:
        """Whether a search shows it without being asked."""
        return self not in (Status.REJECTED, Status.WITHDRAWN)


_RANK = {
    Status.ORAL: 6,
    Status.SPOTLIGHT: 5,
    Status.POSTER: 4,
    Status.ACCEPTED: 3,
    Status.PREPRINT: 2,  # a paper that one venue rejected is still there to be read
    Status.WITHDRAWN: 1,
    Status.REJECTED: 0,
}

#: ``status:accepted`` means all of these.
ACCEPTED = frozenset({Status.ORAL, Status.SPOTLIGHT, Status.POSTER, Status.ACCEPTED})


class Markup(StrEnum):
    """How the text of a record is written."""

    PLAIN = "plain"  # text with LaTeX maths and the odd macro: what most sites publish
    HTML = "html"
    ACL = "acl"  # the ACL Anthology's inline XML: fixed-case, tex-math, b, i, url
    JATS = "jats"  # Crossref's abstract XML
    LATEX = "latex"  # BibTeX and arXiv metadata: accents and braces are TeX
    CLEAN = "clean"  # already cleaned


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """One author as the source names them."""

    name: str  # display order: "Tim Rocktäschel"
    given: str | None = None  # where the source separates them
    family: str | None = None
    author_id: str | None = None  # the source's own id: "~Tim_Rocktäschel1", "01/9999", "yue-zhang-0004"
    orcid: str | None = None
    affiliation: str | None = None
    variants: tuple[str, ...] = ()  # the name in another script


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What one source says of one paper.

    Text fields are as published until ``markup`` is ``CLEAN``. A record with neither title nor authors
    (an abstracts file) or without a title (a result listing) describes a paper known from elsewhere: it is
    kept until that paper comes in.
    """

    key: str  # the source's own name of this record, unique within the source
    title: str | None = None
    authors: tuple[Author, ...] = ()
    abstract: str | None = None
    venue: str | None = None  # as the source says: "nips", "ICML.cc"; ingest makes it canonical
    year: int | None = None
    topic: tuple[str, ...] = ()  # path, broadest first
    status: Status | None = None
    identifiers: Mapping[str, str] = field(default_factory=dict)  # scheme → value, see corpus.identity
    urls: Mapping[str, str] = field(default_factory=dict)  # paper, pdf, code, project, video, poster …
    keywords: tuple[str, ...] = ()
    tldr: str | None = None
    summary: Mapping[str, str] = field(default_factory=dict)  # language → text, our own words
    track: str | None = None
    award: str | None = None
    booktitle: str | None = None
    publisher: str | None = None
    pages: str | None = None
    volume: str | None = None
    date: str | None = None  # ISO: 2026-07-06, 2026-07 or 2026
    citations: int | None = None
    citations_date: str | None = None  # ISO: when they were counted
    title_bibtex: str | None = None  # the title with the source's protecting braces: {A}dap{L}e{R}
    notes: tuple[str, ...] = ()  # what a reader should know: "title not found in any source"
    markup: Markup = Markup.PLAIN
    place: str = ""  # where in the file: "line 12", "item 3"


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that could not be read; the rest of the file still is."""

    place: str  # "line 20000"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    r"""One paper, merged from all records that describe it.

    ``title`` and ``abstract`` are clean text: Unicode, maths between ``$…$`` (``$$…$$`` for display maths),
    a literal dollar that could be read as maths written as ``\$``. ``corpus.markup`` turns them into plain
    text or segments.
    """

    paper_id: str
    title: str
    authors: tuple[Author, ...] = ()
    abstract: str | None = None
    venue: str | None = None
    year: int | None = None
    topic: tuple[str, ...] = ()
    status: Status = Status.ACCEPTED
    identifiers: Mapping[str, str] = field(default_factory=dict)
    urls: Mapping[str, str] = field(default_factory=dict)
    keywords: tuple[str, ...] = ()
    tldr: str | None = None
    summary: Mapping[str, str] = field(default_factory=dict)
    track: str | None = None
    award: str | None = None
    booktitle: str | None = None
    publisher: str | None = None
    pages: str | None = None
    volume: str | None = None
    date: str | None = None
    citations: int | None = None
    citations_date: str | None = None
    citations_source: str | None = None  # who counted, where it is known when
    title_bibtex: str | None = None
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # names of the sources that describe it, best first
    gone: str | None = None  # ISO date: since when no site that is followed lists it

    @property
    def cited(self) -> str | None:
        """How often it is cited, who counted, and when: "12 · openalex, 2026-11-30"."""
        if self.citations is None:
            return None
        said = ", ".join(filter(None, (self.citations_source, self.citations_date)))
        return " · ".join(filter(None, (f"{self.citations:,}", said)))

    @property
    def unlisted(self) -> str | None:
        """Who no longer lists it, and since when: "no longer listed by ICML 2026 since 2026-11-30"."""
        if self.gone is None:
            return None
        where = " ".join(filter(None, (self.venue, str(self.year or "")))) or "its source"
        return f"no longer listed by {where} since {self.gone}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Who said what of one field of a paper, and when."""

    field: str
    value: object  # as that source has it, cleaned
    source: str
    file: str
    imported: str  # ISO date and time, UTC
    chosen: bool  # whether the paper shows this value
