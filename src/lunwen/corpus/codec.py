"""Papers and records as JSON text and back; defaults are left out."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from lunwen.corpus.paper import Author, Markup, Paper, Record, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

# What a paper and a record share and JSON holds as it is.
_TEXTS = ("abstract", "venue", "tldr", "track", "award", "booktitle", "publisher", "pages", "volume", "date")
_PLAIN = (*_TEXTS, "year", "citations", "citations_date", "title_bibtex")
_LISTS = ("topic", "keywords", "notes")
_MAPS = ("identifiers", "urls", "summary")
_AS_THEY_ARE = frozenset((*_PLAIN, *_MAPS))
_AUTHOR = ("given", "family", "author_id", "orcid", "affiliation")


def encode_paper(paper: Paper) -> str:
    """Write everything but ``paper_id``, which the store keeps beside it."""
    held = _encode_shared(paper)
    if paper.status is not Status.ACCEPTED:
        held["status"] = paper.status.value
    if paper.sources:
        held["sources"] = list(paper.sources)
    if paper.citations_source:
        held["citations_source"] = paper.citations_source
    if paper.gone:
        held["gone"] = paper.gone
    return _dump(held)


def decode_paper(paper_id: str, data: str) -> Paper:
    """Read what ``encode_paper`` wrote."""
    held = orjson.loads(data)
    status = held.get("status")
    return Paper(
        **_decode_shared(held),
        paper_id=paper_id,
        title=held.get("title", ""),
        status=Status(status) if status else Status.ACCEPTED,
        sources=tuple(held.get("sources", ())),
        citations_source=held.get("citations_source"),
        gone=held.get("gone"),
    )


def encode_record(record: Record) -> str:
    """Write a record; its place in the file, which changes without it, is left out."""
    held = _encode_shared(record)
    held["key"] = record.key
    if record.status is not None:
        held["status"] = record.status.value
    if record.markup is not Markup.PLAIN:
        held["markup"] = record.markup.value
    return _dump(held)


def decode_record(data: str | bytes) -> Record:
    """Read what ``encode_record`` wrote."""
    held = orjson.loads(data)
    status = held.get("status")
    return Record(
        **_decode_shared(held),
        key=held["key"],
        title=held.get("title"),
        status=Status(status) if status else None,
        markup=Markup(held.get("markup", Markup.PLAIN)),
    )


def _encode_shared(value: Paper | Record) -> dict[str, Any]:
    held: dict[str, Any] = {}
    if value.title is not None:
        held["title"] = value.title
    if value.authors:
        held["authors"] = [_encode_author(author) for author in value.authors]
    for name in _PLAIN:
        if (item := getattr(value, name)) is not None:
            held[name] = item
    for name in _LISTS:
        if items := getattr(value, name):
            held[name] = list(items)
    for name in _MAPS:
        if pairs := getattr(value, name):
            held[name] = dict(pairs)
    return held


def _decode_shared(held: Mapping[str, Any]) -> dict[str, Any]:
    shared: dict[str, Any] = {name: held[name] for name in held.keys() & _AS_THEY_ARE}
    for name in _LISTS:
        if name in held:
            shared[name] = tuple(held[name])
    shared["authors"] = tuple([_decode_author(author) for author in held.get("authors", ())])
    return shared


def _encode_author(author: Author) -> str | dict[str, Any]:
    more = {name: item for name in _AUTHOR if (item := getattr(author, name)) is not None}
    if author.variants:
        more["variants"] = list(author.variants)
    return {"name": author.name, **more} if more else author.name


def _decode_author(held: str | dict[str, Any]) -> Author:
    if isinstance(held, str):
        return _named(held)
    if "variants" in held:
        held["variants"] = tuple(held["variants"])
    return Author(**held)


@lru_cache(maxsize=16_384)
def _named(name: str) -> Author:
    """An author of whom only the name is known, as most are; people write more than one paper."""
    return Author(name=name)


def _dump(held: dict[str, Any]) -> str:
    try:
        return orjson.dumps(held).decode()
    except TypeError:  # a lone surrogate, a number over 64 bits: as published by someone, so mended here
        return orjson.dumps(_mend(held)).decode()


def _mend(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_mend(key): _mend(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_mend(item) for item in value]
    if isinstance(value, int) and value.bit_length() > 63:
        return None
    return value
