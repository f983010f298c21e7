"""The JSON shapes of answers, the same at every door."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from lunwen.corpus.running import method_id
from lunwen.export.shape import paper_dict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lunwen.corpus.paper import Paper
    from lunwen.corpus.pdf.cabinet import Pdf
    from lunwen.corpus.person import Person
    from lunwen.methods import Method
    from lunwen.retrieval.request import Item, Passage, SearchRequest, SearchResponse
    from lunwen.retrieval.watch import Watch


def response_dict(response: SearchResponse) -> dict[str, Any]:
    """Turn a search's answer into plain JSON values."""
    return {
        "total": response.total,
        "total_is_exact": response.total_is_exact,
        "took_ms": round(response.took_ms, 3),
        "offset": response.offset,
        "next_offset": response.next_offset,
        "items": [
            paper_dict(item.paper)
            | {"score": item.score, "why": why_dict(item), "passage": passage_dict(item.passage)}
            for item in response.items
        ],
        "facets": {
            name: [{"value": one.value, "count": one.count} for one in values]
            for name, values in response.facets.items()
        },
        "query_reading": response.query_reading,
        "explanation": response.explanation,
        "suggestions": [
            {"query": one.query, "total": one.total, "why": one.why, "request": request_dict(one.request)}
            for one in response.suggestions
        ],
        "warnings": list(response.warnings),
        "index_version": response.index_version,
        "redirect": response.redirect,
    }


def why_dict(item: Item) -> dict[str, Any]:
    """Turn the reasons for a result into plain JSON values; a rank is null where that ranking lacks it."""
    why = item.why
    return {
        "lexical_rank": why and why.lexical_rank,
        "semantic_rank": why and why.semantic_rank,
        "cosine": why and why.cosine,
        "words": matched_words(item),
    }


def passage_dict(passage: Passage | None) -> dict[str, Any] | None:
    """Turn the part of a paper's text that was found into plain JSON values."""
    return asdict(passage) | {"spans": [list(span) for span in passage.spans]} if passage else None


def pdf_dict(pdf: Pdf) -> dict[str, Any]:
    """Turn what is known of a paper's PDF into plain JSON values."""
    return asdict(pdf) | {"path": str(pdf.path)}


def pdf_facts(pdf: Pdf) -> dict[str, Any]:
    """Turn what a reader of another machine may know of a paper's PDF into plain JSON values."""
    return {name: getattr(pdf, name) for name in ("pages", "passages", "size", "kept", "remark")}


def matched_words(item: Item) -> list[str]:
    """Return the words of a result that the query marked, each once, as they first stand there."""
    found: dict[str, str] = {}
    for word in _marked(item):
        found.setdefault(word.casefold(), word)
    return list(found.values())


def _marked(item: Item) -> Iterator[str]:
    texts = [(item.paper.title, item.title_spans), (item.paper.abstract, item.abstract_spans)]
    texts += [(item.passage.text, item.passage.spans)] if item.passage else []
    for text, spans in texts:
        for start, end in spans:
            yield " ".join((text or "")[start:end].split())


def request_dict(request: SearchRequest) -> dict[str, Any]:
    """Turn a request into plain JSON values: the fields that differ from their defaults."""
    held = {one.name: (getattr(request, one.name), one.default) for one in fields(request)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, (value, default) in held.items()
        if value != default
    }


def watch_dict(watch: Watch) -> dict[str, Any]:
    """Turn a saved search into plain JSON values, with how many papers are new to it."""
    return {
        "watch": watch.name,
        "request": request_dict(watch.request),
        "made": watch.made,
        "visited": watch.visited,
        "new": watch.new,
        "problem": watch.problem or None,
    }


def author_dict(person: Person, *, limit: int | None = None, offset: int = 0) -> dict[str, Any]:
    """Turn an author into plain JSON values, with so many of the papers, or with all."""
    end = len(person.papers) if limit is None else offset + limit
    years = Counter(paper.year for paper in person.papers if paper.year)
    return {
        "author_id": person.author_id,
        "name": person.name,
        "orcid": person.orcid,
        "spellings": list(person.spellings),
        "source_ids": list(person.source_ids),
        "total": len(person.papers),
        "hidden": person.hidden,
        "years": [{"value": year, "count": years[year]} for year in sorted(years, reverse=True)],
        "venues": [{"value": venue, "count": count} for venue, count in person.venues.items()],
        "coauthors": [one._asdict() for one in person.coauthors],
        "maybe_same": [one._asdict() for one in person.maybe_same],
        "offset": offset,
        "next_offset": end if end < len(person.papers) else None,
        "papers": [paper_dict(paper) for paper in person.papers[offset:end]],
    }


def method_of(paper: Paper) -> Method | None:
    """Return the method of a paper, where it runs here."""
    from lunwen.methods import find  # noqa: PLC0415 - searching needs no methods

    runs = method_id(paper)
    return find(runs) if runs else None


def method_dict(method: Method) -> dict[str, Any]:
    """Turn a method into plain JSON values: what it is, how to use it, its claims and what was measured."""
    from lunwen.methods import load, summary  # noqa: PLC0415 - searching needs no methods

    record = load(method)
    return summary(method, record) | {
        "module": method.module,
        "documentation": method.documentation,
        "example": method.card.example.strip(),
        "unchecked": list(method.card.unchecked),
        "made": (record and record.made) or None,
    }
