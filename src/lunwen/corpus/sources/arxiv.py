"""arXiv: Atom answers of its API, OAI records (arXivRaw, arXiv, oai_dc), and the Kaggle snapshot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lunwen.corpus.category import ALIASES
from lunwen.corpus.link import links_in
from lunwen.corpus.paper import Author, BadRecord, Markup, Record, Status
from lunwen.corpus.sources._json import first_objects, read_objects
from lunwen.corpus.sources._link import identify_doi
from lunwen.corpus.sources._value import join_date, read_month, read_number, read_text
from lunwen.corpus.sources._xml import child_text, inner_text, peek_root, stream_elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml import etree

    from lunwen.corpus.source import SourceFile

_ID = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Za-z-]{2,})?/\d{7})(?:v\d+)?")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_MAIL_DATE = re.compile(r"(\d{1,2}) (\w{3}) (\d{4})")  # Mon, 2 Apr 2007 19:18:42 GMT
_JOINT = re.compile(r"[(){}]|,\s*(?:and\b\s*)?|\s+and\s+")
_POINTER = re.compile(r"(?:\d+|,|and|&|\s)*")
_WITHDRAWN = re.compile(
    r"\W*(?:withdrawn|(?:this|the) (?:paper|article|manuscript|submission|work|preprint)\b[^.]*\bwithdrawn)",
    re.IGNORECASE,
)


class Arxiv:
    """arXiv in its three forms."""

    name = "arxiv"
    says = "arXiv: API answers (Atom), OAI records, the Kaggle snapshot"

    def sniff(self, file: SourceFile) -> bool:
        """Whether it is a feed of arXiv entries, an OAI answer with arXiv records, or the snapshot."""
        root = peek_root(file.head)
        if root == "feed":
            return b"arxiv.org" in file.head
        if root == "OAI-PMH":
            return b"arxiv" in file.head.lower()
        return any(
            "authors_parsed" in found or ("versions" in found and "submitter" in found)
            for found in first_objects(file)
        )

    def read(self, file: SourceFile) -> Iterator[Record | BadRecord]:
        """Yield the papers; deleted OAI records are none.

        Raises:
            UnreadableFile: neither XML nor JSON, or XML that declares entities.
        """
        if not file.head.lstrip().startswith(b"<"):
            for item in read_objects(file):
                yield item if isinstance(item, BadRecord) else _read_snapshot(*item)
            return
        atom = peek_root(file.head) == "feed"
        for element in stream_elements(file, "entry" if atom else "record"):
            if isinstance(element, BadRecord):
                yield element
            elif atom:
                yield _read_entry(element)
            elif (record := _read_oai(element)) is not None:
                yield record


def _read_entry(entry: etree._Element) -> Record | BadRecord:
    place = f"line {entry.sourceline}"
    link = child_text(entry, "id") or ""
    title = child_text(entry, "title")
    arxiv_id = _read_id(link.partition("/abs/")[2])
    if arxiv_id is None or title is None:
        # a wrong id is answered with an entry "Error"
        return BadRecord(place, child_text(entry, "summary") or f'no arXiv id in "{link}"')
    authors = [
        Author(name=name, affiliation=child_text(author, "affiliation"))
        for author in entry.findall("{*}author")
        if (name := child_text(author, "name"))
    ]
    primary = entry.find("{*}primary_category")
    categories = [primary.get("term")] if primary is not None else []
    categories += [category.get("term") for category in entry.findall("{*}category")]
    return _make(
        arxiv_id,
        {
            "title": title,
            "abstract": child_text(entry, "summary"),
            "doi": child_text(entry, "doi"),
            "journal": child_text(entry, "journal_ref"),
            "comments": child_text(entry, "comment"),
            "date": _read_date(child_text(entry, "published")),
        },
        authors=authors,
        categories=[category for category in categories if category],
        place=place,
    )


def _read_oai(record: etree._Element) -> Record | BadRecord | None:
    place = f"line {record.sourceline}"
    header = record.find("{*}header")
    if header is not None and header.get("status") == "deleted":
        return None
    body = record.find("{*}metadata/*")
    if body is None:
        return BadRecord(place, "no metadata in the record")
    if body.tag.endswith("}dc"):
        return _read_dublin_core(body, header, place)
    arxiv_id, title = _read_id(child_text(body, "id")), child_text(body, "title")
    if arxiv_id is None or title is None:
        return BadRecord(place, f"{arxiv_id} has no title" if arxiv_id else "no arXiv id")
    first = body.find("{*}version/{*}date")
    people = body.findall("{*}authors/{*}author")
    return _make(
        arxiv_id,
        {
            "title": title,
            "abstract": child_text(body, "abstract"),
            "doi": child_text(body, "doi"),
            "journal": child_text(body, "journal-ref"),
            "comments": child_text(body, "comments"),
            "date": _read_date(inner_text(first) or child_text(body, "created")),
        },
        authors=[_read_person(person) for person in people]
        or _cut_authors(child_text(body, "authors") or ""),
        categories=(child_text(body, "categories") or "").split(),
        place=place,
    )


def _read_dublin_core(body: etree._Element, header: etree._Element | None, place: str) -> Record | BadRecord:
    links = [text for element in body.findall("{*}identifier") if (text := inner_text(element))]
    name = (child_text(header, "identifier") if header is not None else None) or ""
    arxiv_id, title = _read_id(name.rpartition(":")[2]), child_text(body, "title")
    if arxiv_id is None or title is None:
        return BadRecord(place, f"{arxiv_id} has no title" if arxiv_id else "no arXiv id")
    texts = [text for element in body.findall("{*}description") if (text := inner_text(element))]
    authors = []
    for element in body.findall("{*}creator"):
        if text := inner_text(element):
            family, comma, given = (part.strip() for part in text.partition(","))
            authors.append(
                Author(name=f"{given} {family}", given=given, family=family) if comma else Author(name=text)
            )
    facts = {
        "title": title,
        "abstract": next(iter(texts), None),
        "doi": next((link for link in links if link.startswith(("doi:", "10."))), None),
        "journal": None,
        "comments": next(
            (text.removeprefix("Comment: ") for text in texts if text.startswith("Comment:")), None
        ),
        "date": _read_date(child_text(body, "date")),
    }
    return _make(arxiv_id, facts, authors=authors, categories=[], place=place)


def _read_snapshot(place: str, paper: Mapping[str, Any]) -> Record | BadRecord:
    arxiv_id, title = _read_id(read_text(paper.get("id"))), read_text(paper.get("title"))
    if arxiv_id is None or title is None:
        return BadRecord(
            place, f"{arxiv_id} has no title" if arxiv_id else f'no arXiv id but "{paper.get("id")}"'
        )
    parsed = paper.get("authors_parsed")
    authors = (
        [author for parts in parsed if (author := _read_parts(parts))] if isinstance(parsed, list) else []
    )
    versions = paper.get("versions")
    first = (
        versions[0] if isinstance(versions, list) and versions and isinstance(versions[0], Mapping) else {}
    )
    return _make(
        arxiv_id,
        {
            "title": title,
            "abstract": read_text(paper.get("abstract")),
            "doi": read_text(paper.get("doi")),
            "journal": read_text(paper.get("journal-ref")),
            "comments": read_text(paper.get("comments")),
            "date": _read_date(read_text(first.get("created"))) or _date_of_id(arxiv_id),
        },
        authors=authors or _cut_authors(read_text(paper.get("authors")) or ""),
        categories=(read_text(paper.get("categories")) or "").split(),
        place=place,
    )


def _make(
    arxiv_id: str,
    facts: Mapping[str, str | None],
    *,
    authors: Sequence[Author],
    categories: Sequence[str],
    place: str,
) -> Record:
    date = facts["date"] or _date_of_id(arxiv_id)
    comments = facts["comments"]
    withdrawn = bool(comments and _WITHDRAWN.match(comments))
    urls = {"paper": f"https://arxiv.org/abs/{arxiv_id}", "pdf": f"https://arxiv.org/pdf/{arxiv_id}"}
    urls |= links_in(f"{comments} {facts['abstract']}")
    notes = [f"arXiv comments: {comments}"] if comments else []
    if journal := facts["journal"]:
        notes.append(f"arXiv journal reference: {journal}")
    # a paper's other DOI, where a journal gave one; its own arXiv DOI says nothing new
    doi = identify_doi((facts["doi"] or "").split(" ")[0])
    return Record(
        key=arxiv_id,
        title=facts["title"],
        authors=tuple(authors),
        abstract=facts["abstract"],
        venue="arXiv",
        year=int(date[:4]) if date else None,
        status=Status.WITHDRAWN if withdrawn else Status.PREPRINT,
        identifiers=doi | {"arxiv": arxiv_id},
        urls=urls,
        keywords=tuple(dict.fromkeys(ALIASES.get(category, category) for category in categories)),
        date=date,
        notes=tuple(" ".join(note.split()) for note in notes),
        markup=Markup.LATEX,
        place=place,
    )


def _read_id(text: str | None) -> str | None:
    """Return an id without version; it is text: 1301.3780 keeps its last nought."""
    match = _ID.fullmatch((text or "").strip())
    return match[1] if match else None


def _date_of_id(arxiv_id: str) -> str | None:
    digits = arxiv_id.rpartition("/")[2]
    year = int(digits[:2])
    return join_date(1900 + year if year > 90 else 2000 + year, int(digits[2:4]))


def _read_date(text: str | None) -> str | None:
    if match := _ISO.match(text or ""):
        return match[0]
    if match := _MAIL_DATE.search(text or ""):
        return join_date(read_number(match[3]), read_month(match[2]), read_number(match[1]))
    return None


def _read_person(person: etree._Element) -> Author:
    given, family = child_text(person, "forenames"), child_text(person, "keyname")
    parts = (given, family, child_text(person, "suffix"))
    return Author(
        name=" ".join(part for part in parts if part),
        given=given,
        family=family,
        affiliation=child_text(person, "affiliation"),
    )


def _read_parts(parts: object) -> Author | None:
    """Read ``[family, given, suffix, affiliation …]``."""
    if not isinstance(parts, list):
        return None
    family, given, suffix, *_ = [read_text(part) for part in parts[:3]] + [None, None, None]
    name = " ".join(part for part in (given, family, suffix) if part)
    affiliation = read_text(parts[3]) if len(parts) > 3 else None
    return Author(name=name, given=given, family=family, affiliation=affiliation) if name else None


def _cut_authors(text: str) -> list[Author]:
    """Cut "A. Díaz (1), B. Li and C. Wu (MIT)": what is in parentheses belongs to the name before."""
    names, depth, start = [], 0, 0
    for match in _JOINT.finditer(text):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(match[0], 0)
        if depth <= 0 and match[0] not in "(){}":
            names.append(text[start : match.start()])
            start = match.end()
    names.append(text[start:])
    authors = []
    for piece in names:
        name, _, rest = " ".join(piece.split()).partition("(")
        place = rest.partition(")")[0].strip()
        if name := name.strip(" :;"):
            # numbers only point into a list of places at the end
            authors.append(Author(name=name, affiliation=None if _POINTER.fullmatch(place) else place))
    return authors


SOURCE = Arxiv()
