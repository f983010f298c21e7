"""What changes a library: papers into and out of collections; there only where a token is set."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from lunwen.doors.api.answer import Answer, json_answer
from lunwen.doors.api.operation import operation
from lunwen.doors.parameter import PAPER_ID, Parameter
from lunwen.errors import ReadOnly

if TYPE_CHECKING:
    from starlette.requests import Request

    from lunwen.doors.api.operation import Asked
    from lunwen.library import Library

READ_ONLY = (
    "this server only reads: it was started so that nobody writes. Start it so that readers may: "
    "lunwen serve --writable"
)
_STAR = "/api/collections/{name}/papers/{paper_id}"
_NAME = Parameter(name="name", help="The collection; it is there as long as papers are in it.", in_path=True)


@operation(_STAR, method="PUT", parameters=(_NAME, PAPER_ID), schema="Written", is_of_index=False)
def star(library: Library, asked: Asked) -> Answer:
    """Put a paper into a collection."""
    name = asked.given["name"]
    return json_answer({"name": name, "changed": library.star([asked.given["paper_id"]], name)})


@operation(_STAR, method="DELETE", parameters=(_NAME, PAPER_ID), schema="Written", is_of_index=False)
def unstar(library: Library, asked: Asked) -> Answer:
    """Take a paper out of a collection."""
    name = asked.given["name"]
    return json_answer({"name": name, "changed": library.unstar([asked.given["paper_id"]], name)})


def check_token(request: Request, token: str | None) -> None:
    """Let only those write who know the token; another site's form or script cannot send it.

    Raises:
        ReadOnly: there is none.
        HTTPException: 401, without the token or with another.
    """
    if token is None:
        raise ReadOnly(READ_ONLY)
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not compare_digest(given.strip().encode(), token.encode()):
        raise HTTPException(
            401,
            "writing needs the token that the server was started with (LUNWEN_TOKEN). "
            "Send it so: Authorization: Bearer TOKEN",
            {"www-authenticate": "Bearer"},
        )


OPERATIONS = (star, unstar)
