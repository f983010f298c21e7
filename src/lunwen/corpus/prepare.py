"""A record as published → clean, with all that the library files it under; pure, so that it runs anywhere."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from lunwen.corpus import markup
from lunwen.corpus.codec import decode_record, encode_paper, encode_record
from lunwen.corpus.identity import fold, is_bare_event, keys_of, paper_ids
from lunwen.corpus.merge import Sighting, merge
from lunwen.corpus.name import clean_name
from lunwen.corpus.paper import BadRecord, Markup, Record, Status
from lunwen.corpus.venue import canonical
from lunwen.errors import LunwenError

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Part of every record's hash: a library filled by an older way of cleaning is cleaned again on import.
CLEANING = 2

_SENTINELS = frozenset(
    {"abstract unavailable", "part of", "n/a", "na", "tbd", "tba", "none", "null", ".", "-", "abstract"}
)
_TAKEN_BACK = re.compile(  # a title, by its letters alone, that only says that there is no paper any more
    r"(?:(?:this|the)?(?:paper|submission|article|manuscript))?(?:is|was|has(?:been)?)?"
    r"(?:withdrawn?|retract(?:ed)?)(?:paper|submission|article|manuscript|by(?:the)?authors?)?"
)
_MARK = re.compile(  # where in its program a paper stands: "[From Oral 3C] Odd Wheels", "(Poster) Odd Wheels"
    r"\A(?:[\[(]\s*(?i:(?:from\s+)?(?:oral|poster|spotlight|highlight|demo)s?(?:\s+(?:paper|session))?"
    r"(?:\s+\d{0,2}[a-z]?)?)\s*[\])][\s:.–—-]*)+(?=\S)(?![a-z])"
)
_SENTENCE = re.compile(r"[.!?。！？]$|[.!?] ")
_ABBREVIATED = re.compile(r"(\.\.|\b(al|etc|vs|inc|co|ltd|jr|sr|corp|st|dr|no)\.|\b\w\.\w\.)$", re.IGNORECASE)
_NOT_WEB = re.compile(r"(?!https?:)[a-z][a-z0-9+-]*:(?!\d)", re.IGNORECASE)  # "localhost:80/" may be meant
_DROP = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Prepared(NamedTuple):
    """A clean record, ready to be kept."""

    key: str
    place: str
    hash: bytes  # of the record as published
    data: str
    digest: str  # of title and authors: tells two papers under one key apart
    identifiers: list[tuple[str, str]]
    keys: list[tuple[str, int]]
    paper: str | None  # the paper, if this record is all there is of it
    paper_ids: tuple[str, ...]  # what it may be called, best first


def prepare(published: Sequence[tuple[bytes, str]], source: str) -> list[Prepared | BadRecord]:
    """Clean records, given as JSON with the place they come from."""
    return [_prepare(data, place, source) for data, place in published]


def hash_published(data: bytes) -> bytes:
    """The hash by which a record that has not changed is recognised."""
    return hashlib.blake2b(data, digest_size=12, salt=CLEANING.to_bytes(2, "big")).digest()


def tokens_of(record: Record) -> tuple[list[tuple[str, str]], list[tuple[str, int]]]:
    """The identifiers and the hashed keys of a clean record."""
    ids = [
        (scheme, value) for scheme, value in record.identifiers.items() if not is_bare_event(scheme, value)
    ]
    keys = []
    for kind, key in keys_of(record):
        rare = kind
        if kind == "number" and is_bare_event("event", record.identifiers["event"]):
            rare = "bare"
        elif kind == "authors" and record.title and "|" not in key:
            rare = "alone"
        keys.append((rare, hash_key(kind, key)))
    return ids, keys


def hash_key(kind: str, key: str) -> int:
    """A key as SQLite keeps it: 64 bits."""
    digest = hashlib.blake2b(f"{kind}:{key}".encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def clean_record(record: Record) -> Record:
    """The record with clean text and names, a canonical venue, and no values that say nothing."""
    how = record.markup
    title, status = _title(_clean(record.title, how), record.status)
    authors = tuple([clean_name(author) for author in record.authors])
    authors = tuple([author for author in authors if author.name])
    abstract = _clean(record.abstract, how)
    notes = tuple([_drop(note) for note in record.notes])
    if record.abstract and (abstract is None or _says_nothing(abstract, authors)):
        notes = (*notes, f'abstract missing (source had: "{_drop(record.abstract.strip())[:40]}")')
        abstract = None
    braced = record.title_bibtex
    if braced is None and record.title and how in (Markup.ACL, Markup.LATEX):
        braced = markup.title_bibtex(record.title, how)
    ids = {
        _drop(scheme): named
        for scheme, value in record.identifiers.items()
        if (named := _identifier(scheme, value))
    }
    return replace(
        record,
        key=_drop(record.key),
        title=title,
        authors=authors,
        abstract=abstract,
        venue=canonical(venue) or None if (venue := _clean(record.venue, how)) else None,
        topic=tuple([part for part in (_drop(part).strip() for part in record.topic) if part]),
        status=status,
        identifiers=ids,
        urls={_drop(kind): at for kind, url in record.urls.items() if url and (at := _address(url))},
        keywords=tuple(
            dict.fromkeys(word for word in (_clean(word, how) for word in record.keywords) if word)
        ),
        tldr=_clean(record.tldr, how),
        summary={_drop(language): _drop(text) for language, text in record.summary.items() if text},
        track=_clean(record.track, how),
        award=_clean(record.award, how),
        booktitle=_clean(record.booktitle, how),
        publisher=_clean(record.publisher, how),
        title_bibtex=_MARK.sub("", _drop(braced)) if braced else None,
        notes=notes,
        markup=Markup.CLEAN,
        place="",
    )


def _prepare(data: bytes, place: str, source: str) -> Prepared | BadRecord:
    try:
        record = clean_record(decode_record(data))
    except (LunwenError, ValueError, RecursionError) as error:
        return BadRecord(place, f"its text cannot be read: {error}")
    ids, keys = tokens_of(record)
    if not (record.title or record.abstract or ids):
        return BadRecord(place, "no title, no abstract and no identifier")
    named = "|".join([record.title or record.abstract or "", *(author.name for author in record.authors)])
    return Prepared(
        record.key,
        place,
        hash_published(data),
        encode_record(record),
        hashlib.blake2b(named.encode(), digest_size=5).hexdigest(),
        ids,
        keys,
        encode_paper(merge([Sighting(record, source)])) if record.title else None,
        tuple(islice(paper_ids(record, source), 3)) if record.title else (),
    )


def _clean(text: str | None, how: Markup) -> str | None:
    if not text:
        return None
    return (_drop(text) if how is Markup.CLEAN else markup.clean(text, how)) or None


def _drop(text: str) -> str:
    return _DROP.sub("", text)


def _title(title: str | None, status: Status | None) -> tuple[str | None, Status | None]:
    """The title alone, and what it says of the paper's standing."""
    if not title:
        return None, status
    title = _MARK.sub("", title)
    if title.endswith(".") and not _ABBREVIATED.search(title):
        title = title[:-1].rstrip() or title
    key = fold(title) if len(title) < 60 else ""
    if _TAKEN_BACK.fullmatch(key):
        return "Withdrawn", Status.WITHDRAWN
    if key in ("null", "none") and status in (None, Status.PREPRINT):  # emptied before anybody decided
        return title, Status.WITHDRAWN
    return title, status


def _says_nothing(abstract: str, authors: Sequence[object]) -> bool:
    folded = abstract.strip().casefold()
    if folded in _SENTINELS or folded.rstrip(".") in _SENTINELS:
        return True
    if any(folded == getattr(author, "name", "").casefold() for author in authors):
        return True
    return len(folded) < 20 and not _SENTENCE.search(folded)


def _address(url: str) -> str:
    """Return where a link leads; nothing where that is a file here, or code to run."""
    url = _drop(url).strip()
    return "" if _NOT_WEB.match(url) else url


def _identifier(scheme: str, value: str) -> str:
    value = "".join(_drop(str(value)).split())
    if scheme == "doi":
        return re.sub(r"^(https?://(dx\.)?doi\.org/|doi:)", "", value.lower())
    if scheme == "arxiv":
        return re.sub(r"^arxiv:|v\d+$|\.[a-z]{2}(?=/)", "", value, flags=re.IGNORECASE)
    return value
