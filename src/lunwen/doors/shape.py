"""The JSON shape of a search's answer, the same at every door."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lunwen.export.shape import paper_dict

if TYPE_CHECKING:
    from lunwen.retrieval.request import SearchRequest, SearchResponse


def response_dict(response: SearchResponse) -> dict[str, Any]:
    """Turn a search's answer into plain JSON values."""
    return {
        "total": response.total,
        "total_is_exact": response.total_is_exact,
        "took_ms": round(response.took_ms, 3),
        "offset": response.offset,
        "next_offset": response.next_offset,
        "items": [paper_dict(item.paper) | {"score": item.score} for item in response.items],
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


def request_dict(request: SearchRequest) -> dict[str, Any]:
    """Turn a request into plain JSON values: the fields that differ from their defaults."""
    held = {one.name: (getattr(request, one.name), one.default) for one in fields(request)}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, (value, default) in held.items()
        if value != default
    }
