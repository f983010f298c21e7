"""paperlists JSON: a list per conference and year, with a schema for each site it was gathered from."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from lunwen.corpus.identifier import identifiers_in
from lunwen.corpus.paper import Author, BadRecord, Record, Status
from lunwen.corpus.sources._conference import Conference, read_file_name, read_link
from lunwen.corpus.sources._decision import read_decision
from lunwen.corpus.sources._entry import read_fields
from lunwen.corpus.sources._form import require_record
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._topic import read_path
from lunwen.corpus.sources._value import read_count, read_text, read_texts, read_year

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lunwen.corpus.source import SourceFile

_SIGNS = frozenset(
    {"aff", "affs", "aff_domain", "author_site", "gs_citation", "pid", "primary_area", "session", "status"}
    | {"track"}
)
_LINKS = ("openreview", "site", "oa", "pdf")
_SENTINELS = frozenset({"abstract unavailable", "part of", "abstract", "placeholder"})
_FEWEST_WORDS = 5  # scanned proceedings have "of", "We", "Advances" for an abstract
_TRACKS = {"workshop": "Workshop", "findings": "Findings", "long": "Long", "short": "Short", "demo": "Demo"}
_MARKDOWN_LINK = re.compile(r"\]\((https?://[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)")
_LINK = re.compile(r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}(?:/[^\s;]*[^\s;.,])?", re.IGNORECASE)
_ORCID = re.compile(r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]")
_ROMAN = re.compile(r"\s+(?:I{1,3}|IV|VI{0,3}|\d)$")


class Paperlists:
    """Lists gathered from OpenReview, virtual sites and proceedings."""

    name = "paperlists"
    says = "paperlists JSON, one file a conference and year, named like icml2019.json"

    def sniff(self, file: SourceFile) -> bool:
        """Whether the first objects have an ``author`` text and at least two of the list's own columns."""
        return any(
            isinstance(found.get("title"), str)
            and isinstance(found.get("author"), str)
            and len(found.keys() & _SIGNS) >= 2
            for found in first_objects(file)
        )

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield a record for each row.

        Raises:
            UnreadableFile: no such row in it.
        """
        yield from require_record(file, "paperlists rows", _read_rows(file))


def _read_rows(file: SourceFile) -> Iterator[Record | BadRecord]:
    named = read_file_name(file.name)
    for item in read_objects(file):
        if isinstance(item, BadRecord):
            yield item
            continue
        place, row = item
        if read_text(row.get("title")) is None or "authors" in row:
            yield BadRecord(place, "not a row of paperlists: no title, or no author text")
        else:
            yield _read_row(place, row, named)


def _read_row(place: str, row: Mapping[str, Any], named: Conference | None) -> Record:
    links = {name: link for name in _LINKS if (link := read_text(row.get(name)))}
    entry = read_fields(read_text(row.get("bibtex")) or "")
    conference = _find_conference(links, entry, named)
    authors = _read_authors(row)
    abstract, notes = _read_abstract(row, authors)
    identifiers: dict[str, str] = {}
    for link in (*links.values(), entry.get("doi", "")):
        if found := identifiers_in(link):
            identifiers.setdefault(found.scheme, found.value)
    status, track = _read_status(row)
    return Record(
        key=_find_key(row, links, conference),
        title=read_text(row.get("title")),
        authors=authors,
        abstract=abstract,
        venue=conference.venue if conference else entry.get("booktitle"),
        year=conference.year if conference else read_year(entry.get("year")),
        topic=_read_topic(row),
        status=status,
        identifiers=identifiers,
        urls=_read_urls(row, links),
        keywords=read_texts(row.get("keywords")),
        tldr=read_text(row.get("tldr")),
        track=track,
        award="Award" if row.get("award") is True else read_text(row.get("award")),
        booktitle=entry.get("booktitle"),
        publisher=entry.get("publisher"),
        pages=entry.get("pages"),
        volume=entry.get("volume") if entry.get("volume") != "0" else None,
        citations=read_count(row.get("gs_citation")),
        notes=notes,
        place=place,
    )


def _find_conference(
    links: Mapping[str, str], entry: Mapping[str, str], named: Conference | None
) -> Conference | None:
    """Read the conference in the row's links; else the year in its BibTeX, the venue in the file's name."""
    for link in links.values():
        if found := read_link(link):
            return found
    year = read_year(entry.get("year"))
    return Conference(named.venue, year or named.year) if named else None


def _find_key(row: Mapping[str, Any], links: Mapping[str, str], conference: Conference | None) -> str:
    """Return the row's id, unique only together with the conference; CVPR 2019 has links for ids."""
    own = read_text(row.get("id")) or links.get("oa") or links.get("site") or links.get("pdf")
    if own is None or own.startswith("http"):
        text = own or f"{row.get('title')}\n{row.get('author')}"
        own = blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()
    return f"{conference.slug}/{own}" if conference else own


def _split(value: object) -> list[str]:
    """Cut at semicolons and keep what is empty, so that columns stay aligned."""
    return [" ".join(piece.split()) for piece in value.split(";")] if isinstance(value, str) and value else []


def _read_authors(row: Mapping[str, Any]) -> tuple[Author, ...]:
    names = _read_names(read_text(row.get("author"))) or _read_names(read_text(row.get("author_site")))

    def aligned(*columns: str) -> list[str]:
        """Return the first column with a value for each name; a list that does not match says nothing."""
        for column in columns:
            if len(values := _split(row.get(column))) == len(names) and any(values):
                return values
        return [""] * len(names)

    ids, orcids, places = aligned("authorids", "or_profile"), aligned("orcid"), aligned("aff", "affs")
    return tuple(
        Author(
            name=name,
            author_id=_read_id(author_id),
            orcid=orcid if _ORCID.fullmatch(orcid) else None,
            affiliation=re.sub(r"\s*\+\s*", "; ", place).strip("; ") or None,
        )
        for name, author_id, orcid, place in zip(names, ids, orcids, places, strict=True)
        if name
    )


def _read_names(text: str | None) -> list[str]:
    names = _split(text)
    if len(names) == 1 and "," in names[0]:
        cut = [name.strip() for name in names[0].split(",")]
        if all(" " in name for name in cut):  # "Ana Díaz, Lei Li", but not "Díaz, Ana" or "Ana Díaz, Jr."
            return cut
    return names


def _read_id(text: str) -> str | None:
    """Return an OpenReview profile or Anthology person; no e-mail address is kept."""
    if text.startswith("~"):
        return text
    return text.strip("/").rpartition("/")[2] or None if text.startswith("/") else None


def _read_abstract(row: Mapping[str, Any], authors: tuple[Author, ...]) -> tuple[str | None, tuple[str, ...]]:
    """Read the abstract; what some site put in its place is none, and is noted."""
    text = read_text(row.get("abstract"))
    if text is None:
        return None, ()
    words = text.split()
    if (
        text.lower().rstrip(". ") in _SENTINELS
        or len(words) < _FEWEST_WORDS
        or any(text == author.name for author in authors)
    ):
        return None, (f'abstract missing: the source has "{text}"',)
    return text, ()


def _read_status(row: Mapping[str, Any]) -> tuple[Status | None, str | None]:
    """Return status and track; the column ``status`` holds either, "Oral" or "Findings"."""
    text, track = read_text(row.get("status")) or "", read_text(row.get("track"))
    kinds = [kind for word, kind in _TRACKS.items() if word in text.lower()]
    if track and track.lower() != "main":
        kinds.append(track)
    status = read_decision(text) or (Status.ACCEPTED if kinds and text else None)
    if text.lower() in ("active", "under review", "submitted"):
        status = Status.PREPRINT
    return status, ", ".join(dict.fromkeys(kinds)) or None


def _read_topic(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the area; where papers have none, the session without its number."""
    if area := read_text(row.get("primary_area")):
        return read_path(area)
    session = read_text(row.get("session"))
    return (_ROMAN.sub("", session),) if session else ()


def _read_urls(row: Mapping[str, Any], links: Mapping[str, str]) -> dict[str, str]:
    urls: dict[str, str | None] = {
        "paper": next((links[name] for name in ("openreview", "oa", "site") if name in links), None),
        "page": links.get("site") if "/virtual/" in links.get("site", "") else None,
        "pdf": links.get("pdf"),
        "code": _read_url(row.get("github")),
        "project": _read_url(row.get("project")),
        "supplementary": read_text(row.get("supp")),
    } | {name: read_text(row.get(name)) for name in ("video", "slides", "poster")}
    return {kind: url for kind, url in urls.items() if url and url.startswith(("https://", "http://"))}


def _read_url(value: object) -> str | None:
    """Return the first address in a cell: bare, without its scheme, or in Markdown."""
    text = read_text(value) or ""
    if links := _MARKDOWN_LINK.findall(text):
        return next((link for link in links if "paperswithcode.com" not in link), None)
    found = _LINK.match(text)
    if found is None or found[0].lower() == "github.com":
        return None
    return found[0] if "://" in found[0] else f"https://{found[0]}"


SOURCE = Paperlists()
