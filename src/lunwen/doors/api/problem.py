"""Refusals as ``application/problem+json`` (RFC 9457), in the words of every other door."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

import orjson
from starlette.exceptions import HTTPException
from starlette.responses import Response

from lunwen.errors import LunwenError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

MEDIA_TYPE = "application/problem+json"


async def refuse(request: Request, error: Exception) -> Response:
    """Answer with what a refusal says; what nobody foresaw says nothing of itself."""
    if isinstance(error, LunwenError):
        return problem(error.http_status, type(error).__name__, str(error))
    if not isinstance(error, HTTPException):
        return problem(
            500, "InternalError", "something broke here, and was noted. Try again, or ask otherwise"
        )
    name = HTTPStatus(error.status_code).phrase.replace(" ", "")
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers = {
            "allow": ", ".join(sorted(headers["Allow"].split(", ")))
        }  # the router has them in no order
    return problem(error.status_code, name, _says(request, error, headers), headers)


def problem(status: int, title: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """One problem document."""
    document = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return Response(orjson.dumps(document), status, {**(headers or {})}, MEDIA_TYPE)


def _says(request: Request, error: HTTPException, headers: Mapping[str, str]) -> str:
    path = request.url.path[:200]
    if error.status_code == 404:
        return f"there is nothing at {path}. What there is, is listed at /api and /openapi.json"
    if error.status_code == 405:
        return f"{request.method[:20]} is not possible at {path}. Allowed: {headers['allow']}"
    return error.detail
